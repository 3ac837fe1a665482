"""The client: asyncio and blocking, against local sites that misbehave."""

from __future__ import annotations

import asyncio
import gc
import itertools
import json
import multiprocessing
import os
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path
from typing import Any

import pytest

import comity
from misbehaving import Site, body, closed_port, cut_off, redirect, silence

pytest.importorskip("comity_client", reason="comity-client is not installed")

from comity.client import Client, Decision  # noqa: E402
from comity.compat import RobotFileParser  # noqa: E402

DISALLOW_PRIVATE = b"User-agent: *\nDisallow: /private/\n"
AGENT = "ExampleBot/1.0 (+https://example.com/bot)"


def client_for(*sites: Site | str, **options: Any) -> Client:
    """Returns a client that may connect to these sites."""
    return Client(AGENT, trust=[site if isinstance(site, str) else site.url for site in sites], **options)


def test_a_decision_of_a_live_site() -> None:
    with Site(robots_txt=body(200, DISALLOW_PRIVATE)) as site:
        client = client_for(site)
        decision = client.check_blocking(f"{site.url}/private/x", crawler="ExampleBot")
        assert (decision.allowed, decision.disallowed, decision.answer) == (False, True, "disallowed")
        assert (decision.line, decision.origin, decision.access) == (2, site.url, "rules")
        assert str(decision) == f"disallowed by line 2 of {site.url}/robots.txt"
        assert decision.age is not None and decision.age < 60
        with pytest.raises(TypeError, match="use .allowed"):
            bool(decision)
        assert client.check_blocking(f"{site.url}/public", crawler="ExampleBot").allowed
        assert site.requests == {"/robots.txt": 1}

        found = client.site_blocking(site.url)
        assert (found.origin, found.access, found.body) == (site.url, "rules", DISALLOW_PRIVATE)


def test_a_site_answers_what_a_crawler_must_know() -> None:
    text = b"User-agent: *\nDisallow: /private/\nCrawl-delay: 2\nSitemap: https://a.example/s.xml\n"
    with Site(robots_txt=body(200, text)) as live:
        with client_for(live) as client:
            decision = client.check_blocking(f"{live.url}/private/x")
            verdict = comity.Robots.parse(text).check("/private/x", crawler="ExampleBot")
            assert decision.verdict is not None
            assert (decision.verdict, decision.verdict.rule) == (verdict, verdict.rule)
            site = client.site_blocking(live.url)
            for found in (site, decision):
                assert (found.crawl_delay, found.sitemaps) == (2.0, ["https://a.example/s.xml"])
                assert found.rules.is_allowed("/public") and not found.rules.is_allowed("/private/")
            assert (site.is_allowed("/public"), site.check("/private/x").line) == (True, 2)
            assert site.check("https://other.example/").answer == "out-of-scope"
            assert repr(site) == f"<Site: {live.url}, rules>"
            assert client.robots_blocking(live.url) == comity.Robots.parse(text, origin=live.url)
            assert asyncio.run(client.robots(live.url)) == site.robots

            async def ask() -> list[bool]:
                found = await client.site(live.url, crawler="OtherBot")
                return [found.is_allowed("/private/"), (await client.check(f"{live.url}/public")).allowed]

            assert asyncio.run(ask()) == [False, True]
    with Site(robots_txt=body(404, b"")) as absent, Site(robots_txt=body(503, b"")) as failing:
        with client_for(absent, failing) as client:
            sites = [client.site_blocking(site.url) for site in (absent, failing)]
            assert [site.access for site in sites] == ["allow-all", "disallow-all"]
            assert [site.rules.is_allowed("/x") for site in sites] == [True, False]
            assert client.check_blocking(f"{failing.url}/x").verdict is None


def test_the_crawler_of_the_user_agent() -> None:
    for agent, crawler in [(AGENT, "'ExampleBot'"), ("Mozilla/5.0 (compatible; ABot/1.0)", "'ABot'"), ("Mozilla/5.0", "None")]:
        with Client(agent) as client:
            assert repr(client) == f"<Client: {agent}, crawler {crawler}, 0 requests>"
    with pytest.raises(comity.InvalidArgument, match="expected a crawler, found none"):
        client_of_nobody = Client("Mozilla/5.0")
        client_of_nobody.check_blocking("https://example.com/")
    with pytest.raises(comity.InvalidCrawler):
        Client(AGENT, crawler="ExampleBot/1.0")


def test_a_crawler_of_a_table_of_ones_own() -> None:
    row = {"token": "OurBot-Images", "operator": "We", "purpose": "search", "fallback": ["OurBot"]}
    crawler = comity.Crawlers.parse(json.dumps([row]))["OurBot-Images"]
    with Site(robots_txt=body(200, b"User-agent: OurBot\nDisallow: /\n")) as site, client_for(site) as client:
        assert not client.check_blocking(site.url, crawler=crawler).allowed
        assert client.check_blocking(site.url, crawler="OurBot-Images").allowed
        found = client.site_blocking(site.url, crawler=crawler)
        assert not found.is_allowed("/") and not found.rules.is_allowed("/")
        with pytest.raises(TypeError, match="or a comity.Crawler, found int"):
            client.check_blocking(site.url, crawler=1)  # type: ignore[arg-type]
    with client_for(crawler=crawler) as own:
        assert repr(own).startswith(f"<Client: {AGENT}, crawler <Crawler: OurBot-Images>,")


def test_a_closed_client() -> None:
    async def close_while_a_check_waits(site: Site) -> None:
        async with client_for(site) as client:
            waiting = asyncio.create_task(client.check(site.url))
            while site.requests["/robots.txt"] == 0:
                await asyncio.sleep(0.01)
        with pytest.raises(comity.ClientError, match="found one that was closed"):
            await asyncio.wait_for(waiting, 5)
        with pytest.raises(comity.ClientError, match="create another one"):
            await client.check(site.url)
        client.close()
        assert repr(client).endswith(", closed>")

    with Site(robots_txt=silence(1)) as site:
        asyncio.run(close_while_a_check_waits(site))
    with Site(robots_txt=body(200, DISALLOW_PRIVATE)) as site, client_for(site) as client:
        client.check_blocking(site.url)
        client.close()
        with pytest.raises(comity.ClientError, match="create another one"):
            client.check_blocking(site.url)


def test_a_check_from_memory_does_not_leave_the_loop() -> None:
    async def measure(site: Site) -> tuple[float, float]:
        async with client_for(site) as client:
            url = f"{site.url}/page"
            await client.check(url)
            blocking, awaited = [], []
            for _ in range(7):
                began = time.perf_counter()
                for _ in range(2_000):
                    client.check_blocking(url)
                middle = time.perf_counter()
                for _ in range(2_000):
                    await client.check(url)
                blocking.append(middle - began)
                awaited.append(time.perf_counter() - middle)
            return min(awaited), min(blocking)

    with Site(robots_txt=body(200, DISALLOW_PRIVATE)) as site:
        awaited, blocking = asyncio.run(measure(site))
        assert awaited <= 3 * blocking


def test_turns_keep_the_pace_of_a_host() -> None:
    text = b"User-agent: *\nDisallow: /private/\nCrawl-delay: 0.3\n"

    async def visit(live: Site) -> list[float]:
        times = []

        async def one(client: Client) -> None:
            with await client.permit(f"{live.url}/page"):
                times.append(time.monotonic())

        async with client_for(live, interval=0) as client:
            await asyncio.gather(*(one(client) for _ in range(4)))
            site = await client.site(live.url)
            with await site.wait_turn() as turn:
                times.append(time.monotonic())
                turn.end(429, "5")
            with pytest.raises(comity.TooSoon, match="longer than the patience") as raised:
                await site.wait_turn(patience=1)
            assert 3 < raised.value.wait <= 5 and isinstance(raised.value, comity.ClientError)
            with pytest.raises(comity.TooSoon):
                client.permit_blocking(f"{live.url}/page", patience=0)
            with pytest.raises(comity.Disallowed, match="/private/: disallowed by line 2 of") as refused:
                await client.permit(f"{live.url}/private/")
            assert refused.value.decision.line == 2
        return times

    with Site(robots_txt=body(200, text)) as site:
        times = asyncio.run(visit(site))
        assert len(times) == 5
        assert min(later - earlier for earlier, later in itertools.pairwise(times)) > 0.29
    with Site(robots_txt=body(200, text)) as site, client_for(site, interval=0) as client:
        with client.permit_blocking(f"{site.url}/page") as turn:
            with pytest.raises(comity.TooSoon):
                client.site_blocking(site.url).wait_turn_blocking(patience=0.01)
            turn.end()
            client.site_blocking(site.url).wait_turn_blocking()
        for seconds in (-1, float("nan")):
            with pytest.raises(ValueError, match="expected a patience"):
                client.permit_blocking(site.url, patience=seconds)


def test_errors_allow_nothing() -> None:
    other = f"http://127.0.0.1:{closed_port()}"
    with (
        Site(robots_txt=body(503, b"")) as failing,
        Site(robots_txt=body(429, b"")) as busy,
        Site(robots_txt=silence(2)) as silent,
        Site(robots_txt=cut_off(b"User-agent: *\nDisallow:\n")) as cut,
        Site(robots_txt=redirect(f"{other}/robots.txt")) as lost,
        Site(robots_txt=body(404, b"")) as absent,
    ):
        sites = [failing, busy, silent, cut, lost, absent]
        client = client_for(*sites, other, timeout=1)
        answers = [client.check_blocking(f"{site.url}/", crawler="ExampleBot").allowed for site in sites]
        assert answers == [False, False, False, False, False, True]
        assert not client.check_blocking(f"{other}/", crawler="ExampleBot").allowed
        # Private addresses are connected to only if they are trusted.
        requests = absent.requests.total()
        assert not Client(AGENT).check_blocking(f"{absent.url}/", crawler="ExampleBot").allowed
        assert absent.requests.total() == requests


def test_ten_thousand_checks_are_one_fetch() -> None:
    async def ask(site: Site) -> list[Decision]:
        client = client_for(site)
        checks = (client.check(f"{site.url}/private/{number}", crawler="ExampleBot") for number in range(10_000))
        return await asyncio.gather(*checks)

    with Site(robots_txt=body(200, DISALLOW_PRIVATE)) as site:
        decisions = asyncio.run(ask(site))
        assert len(decisions) == 10_000
        assert not any(decision.allowed for decision in decisions)
        assert site.requests == {"/robots.txt": 1}


def test_canceled_checks_leave_nothing() -> None:
    class Marker:
        """An object that each waiting check refers to."""

    async def cancel(site: Site) -> list[weakref.ref[Marker]]:
        client = client_for(site)
        markers: list[weakref.ref[Marker]] = []

        async def ask() -> None:
            marker = Marker()
            markers.append(weakref.ref(marker))
            await client.check(f"{site.url}/", crawler="ExampleBot")
            raise AssertionError(marker)

        waiting = [asyncio.create_task(ask()) for _ in range(1_000)]
        while site.requests["/robots.txt"] == 0:
            await asyncio.sleep(0.01)
        for task in waiting:
            task.cancel()
        results = await asyncio.gather(*waiting, return_exceptions=True)
        assert all(isinstance(result, asyncio.CancelledError) for result in results)
        # The fetch goes on, and answers the next question.
        decision = await client.check(f"{site.url}/", crawler="ExampleBot")
        assert not decision.allowed
        return markers

    threads = threading.active_count()
    with Site(robots_txt=silence(1)) as site:
        markers = asyncio.run(cancel(site))
        assert len(markers) == 1_000
        gc.collect()
        assert [marker for marker in markers if marker() is not None] == []
        assert site.requests["/robots.txt"] == 1
    assert threading.active_count() <= threads + 2  # Threads of the test server that have not ended yet.


def test_a_closed_event_loop_is_no_problem() -> None:
    with Site(robots_txt=silence(1)) as site:
        client = client_for(site)

        async def give_up() -> None:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(client.check(f"{site.url}/", crawler="ExampleBot"), 0.05)

        asyncio.run(give_up())
        assert not client.check_blocking(f"{site.url}/", crawler="ExampleBot").allowed


def test_other_threads_run_while_a_thread_waits() -> None:
    with Site(robots_txt=silence(0.5)) as site:
        client = client_for(site)
        thread = threading.Thread(target=client.check_blocking, args=(f"{site.url}/",), kwargs={"crawler": "*"})
        thread.start()
        ticks = 0
        while thread.is_alive():
            thread.join(0.01)
            ticks += 1
        assert ticks > 5


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_is_refused() -> None:
    with Site(robots_txt=body(200, DISALLOW_PRIVATE)) as site:
        client = client_for(site)
        assert client.check_blocking(f"{site.url}/", crawler="ExampleBot").allowed
        context = multiprocessing.get_context("fork")
        messages = context.SimpleQueue()

        def ask() -> None:
            nonlocal client
            try:
                client.check_blocking(f"{site.url}/", crawler="ExampleBot")
            except comity.ClientError as error:
                messages.put(str(error))
            del client
            # A client of its own works.
            messages.put(client_for(site).check_blocking(f"{site.url}/", crawler="ExampleBot").allowed)

        process = context.Process(target=ask)
        process.start()
        process.join(20)
        assert process.exitcode == 0
        assert "create a client after the fork" in messages.get()
        assert messages.get() is True
        assert client.check_blocking(f"{site.url}/", crawler="ExampleBot").allowed


def test_a_program_ends_while_checks_run() -> None:
    code = (
        "import asyncio, sys\n"
        "from comity.client import Client\n"
        "client = Client('ExampleBot/1.0', trust=[sys.argv[1]])\n"
        "async def main():\n"
        "    asyncio.create_task(client.check(sys.argv[1], crawler='ExampleBot'))\n"
        "    await asyncio.sleep(0.1)\n"
        "asyncio.run(main())\n"
    )
    with Site(robots_txt=silence(3)) as site:
        ran = subprocess.run([sys.executable, "-c", code, site.url], capture_output=True, text=True, timeout=20)
        assert (ran.returncode, ran.stderr) == (0, "")


def test_a_program_that_ends_during_a_callback_ends_well() -> None:
    # As asyncio.run does, which ends as soon as it has the last answer: the thread that delivered it needs the lock of
    # Python once more.
    code = (
        "import sys, threading, time\n"
        "from comity.client import Client\n"
        "client, begun = Client('ExampleBot/1.0', trust=[sys.argv[1]]), threading.Event()\n"
        "def done(answer):\n"
        "    begun.set()\n"
        "    time.sleep(0.2)\n"
        "    print(answer.allowed)\n"
        "client._native.start_check(sys.argv[1], None, done)\n"
        "begun.wait()\n"
    )
    with Site(robots_txt=body(200, b"")) as site:
        ran = subprocess.run([sys.executable, "-c", code, site.url], capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "True\n", "")


def test_a_store_outlasts_the_client(tmp_path: Path) -> None:
    with Site(robots_txt=body(200, DISALLOW_PRIVATE)) as site:
        for _ in range(5):
            client = client_for(site, store=tmp_path)
            assert not client.check_blocking(f"{site.url}/private/", crawler="ExampleBot").allowed
            # Another client uses the same store meanwhile, as one in another process does.
            other = client_for(site, store=tmp_path)
            assert not other.check_blocking(f"{site.url}/private/", crawler="ExampleBot").allowed
            # The dropped client may still write to the store, which the next one waits for.
            del client, other
            gc.collect()
        assert site.requests == {"/robots.txt": 1}


def test_invalid_arguments(tmp_path: Path) -> None:
    client = Client(AGENT)
    for url in ["", "/page", "example.com", "mailto:a@example.com", "data:,a"]:
        with pytest.raises(comity.InvalidURL):
            client.check_blocking(url, crawler="ExampleBot")
        with pytest.raises(comity.InvalidURL):
            asyncio.run(client.check(url, crawler="ExampleBot"))
    with pytest.raises(comity.InvalidCrawler, match='found a User-Agent header; use crawler="ExampleBot"'):
        client.check_blocking("https://example.com/", crawler=AGENT)
    with pytest.raises(comity.ClientError, match="expected a folder for the store, found none at .*: create it"):
        Client(AGENT, store=tmp_path / "missing")
    with pytest.raises(comity.InvalidArgument, match="expected a timeout of more than 0 seconds"):
        Client(AGENT, timeout=-1)
    with pytest.raises(comity.InvalidArgument, match="expected a policy"):
        Client(AGENT, policy="stric")  # type: ignore[arg-type]
    with pytest.raises(comity.InvalidArgument):
        Client("")
    with pytest.raises(comity.InvalidURL, match="trust: expected a URL"):
        Client(AGENT, trust=["localhost"])
    with pytest.raises(comity.InvalidArgument, match="expected a list of URLs to trust"):
        Client(AGENT, trust="http://localhost")
    with pytest.raises(TypeError):
        client.check_blocking("https://example.com/", "ExampleBot")  # type: ignore[call-arg]


def test_read_of_the_replacement_for_urllib() -> None:
    with (
        Site(robots_txt=body(200, DISALLOW_PRIVATE)) as site,
        Site(robots_txt=body(503, b"")) as failing,
        Site(robots_txt=body(404, b"")) as absent,
    ):
        answers = []
        for asked in (site, failing, absent):
            parser = RobotFileParser(f"{asked.url}/robots.txt")
            parser.read()
            answers.append([parser.can_fetch("ExampleBot/1.0", f"{asked.url}/{path}") for path in ("a", "private/")])
            assert parser.mtime() > 0
        assert answers == [[True, False], [False, False], [True, True]]
