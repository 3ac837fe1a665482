"""The client: asyncio and blocking, against local sites that misbehave."""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import os
import subprocess
import sys
import threading
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

        found = client.robots_blocking(site.url)
        assert (found.origin, found.access, found.body) == (site.url, "rules", DISALLOW_PRIVATE)


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
    with pytest.raises(comity.InvalidCrawler, match='use crawler="ExampleBot"'):
        client.check_blocking("https://example.com/", crawler=AGENT)
    with pytest.raises(comity.ClientError, match="expected a folder for the store, found none at .*: create it"):
        Client(AGENT, store=tmp_path / "missing")
    with pytest.raises(ValueError, match="expected a timeout of more than 0 seconds"):
        Client(AGENT, timeout=-1)
    with pytest.raises(ValueError, match="expected a policy"):
        Client(AGENT, policy="stric")  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        Client("")
    with pytest.raises(comity.InvalidURL, match="trust: expected a URL"):
        Client(AGENT, trust=["localhost"])
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
