"""The hooks for HTTP libraries, and the recipes of the guide, against local sites that misbehave."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

import comity
from misbehaving import Answer, Site, body, closed_port, cut_off, redirect, silence
from reference import ROOT

pytest.importorskip("comity_client", reason="comity-client is not installed")

from comity.client import Client  # noqa: E402

AGENT = "ExampleBot/1.0 (+https://example.com/bot)"
DISALLOW_PRIVATE = b"User-agent: *\nDisallow: /private/\n"
DISALLOW_ALL = b"User-agent: *\nDisallow: /\n"

Get = Callable[[Client, str], int]
"""Requests a page, follows redirects, and returns the status."""


def by_httpx(client: Client, url: str) -> int:
    httpx = pytest.importorskip("httpx")
    from comity.httpx import RobotsTransport

    with httpx.Client(transport=RobotsTransport(client), follow_redirects=True) as http:
        status: int = http.get(url).status_code
        return status


def by_httpx_and_asyncio(client: Client, url: str) -> int:
    httpx = pytest.importorskip("httpx")
    from comity.httpx import RobotsTransport

    async def get() -> int:
        async with httpx.AsyncClient(transport=RobotsTransport(client), follow_redirects=True) as http:
            status: int = (await http.get(url)).status_code
            return status

    return asyncio.run(get())


def by_requests(client: Client, url: str) -> int:
    requests = pytest.importorskip("requests")
    from comity.requests import RobotsAdapter

    with requests.Session() as session:
        session.mount("http://", RobotsAdapter(client))
        status: int = session.get(url).status_code
        return status


def by_aiohttp(client: Client, url: str) -> int:
    aiohttp = pytest.importorskip("aiohttp")
    from comity.aiohttp import robots_middleware

    async def get() -> int:
        async with aiohttp.ClientSession(middlewares=[robots_middleware(client)]) as session:
            async with session.get(url) as response:
                status: int = response.status
                return status

    return asyncio.run(get())


HOOKS = [by_httpx, by_httpx_and_asyncio, by_requests, by_aiohttp]


@contextmanager
def misbehaving_web() -> Iterator[tuple[dict[str, Site], dict[str, Site], Client]]:
    """Starts sites whose page ``/page`` may not be requested, and sites whose page may be."""
    with ExitStack() as stack:

        def site(robots_txt: Answer, **answers: Answer) -> Site:
            return stack.enter_context(Site(robots_txt=robots_txt, **answers))

        nowhere = f"http://127.0.0.1:{closed_port()}"
        closed = {
            "disallowed": site(body(200, DISALLOW_ALL)),
            "server error": site(body(503, b"")),
            "too many requests": site(body(429, b"")),
            "no answer": site(silence(3)),
            "cut off": site(cut_off(b"User-agent: *\nDisallow:\n")),
            "a redirect to nowhere": site(redirect(f"{nowhere}/robots.txt")),
        }
        opened = {
            "a file for others": site(body(200, b"User-agent: OtherBot\nDisallow: /\n")),
            "no file": site(body(404, b"")),
        }
        trust = [site.url for site in (closed | opened).values()] + [nowhere]
        with Client(AGENT, interval=0, timeout=1, trust=trust) as client:
            yield closed, opened, client


@pytest.mark.parametrize("get", HOOKS)
def test_a_misbehaving_web(get: Get) -> None:
    with misbehaving_web() as (closed, opened, client):
        for site in closed.values():
            with pytest.raises(comity.Disallowed, match="disallowed") as raised:
                get(client, f"{site.url}/page")
            assert raised.value.decision.disallowed
        assert {name: site.pages() for name, site in closed.items()} == dict.fromkeys(closed, 0)
        assert [get(client, f"{site.url}/page") for site in opened.values()] == [200, 200]
        assert {name: site.pages() for name, site in opened.items()} == dict.fromkeys(opened, 1)
        every = closed | opened
        assert {name: site.requests["/robots.txt"] for name, site in every.items()} == dict.fromkeys(every, 1)


@pytest.mark.parametrize("get", HOOKS)
def test_the_target_of_a_redirect_is_checked(get: Get) -> None:
    with Site(robots_txt=body(200, DISALLOW_ALL)) as other:
        answers = {"home": redirect("/private/x"), "away": redirect(f"{other.url}/page"), "fine": redirect("/page")}
        with Site(robots_txt=body(200, DISALLOW_PRIVATE), **answers) as site:
            with Client(AGENT, interval=0, trust=[site.url, other.url]) as client:
                for path in ("home", "away"):
                    with pytest.raises(comity.Disallowed):
                        get(client, f"{site.url}/{path}")
                assert get(client, f"{site.url}/fine") == 200
                assert (site.requests["/private/x"], site.requests["/page"], other.pages()) == (0, 1, 0)


@pytest.mark.parametrize("get", HOOKS)
def test_the_pace_of_a_site(get: Get) -> None:
    text = b"User-agent: *\nCrawl-delay: 0.3\n"
    with Site(robots_txt=body(200, text), busy=body(429, b"", Retry_After="90")) as site:
        with Client(AGENT, interval=0, trust=[site.url]) as client:
            began = time.monotonic()
            for _ in range(3):
                assert get(client, f"{site.url}/page") == 200
            assert time.monotonic() - began >= 0.59
            assert get(client, f"{site.url}/busy") == 429
            with pytest.raises(comity.TooSoon) as raised:
                get(client, f"{site.url}/page")
            assert 60 < raised.value.wait <= 90
            assert site.requests["/page"] == 3


def test_a_failed_request_ends_its_turn() -> None:
    for get in HOOKS:
        nowhere = f"http://127.0.0.1:{closed_port()}"
        with Site(robots_txt=body(404, b""), cut=cut_off(b"half")) as site:
            with Client(AGENT, interval=0, trust=[site.url, nowhere]) as client:
                for _ in range(2):
                    try:
                        get(client, f"{site.url}/cut")
                    except Exception as error:
                        assert not isinstance(error, comity.ComityError)
                assert get(client, f"{site.url}/page") == 200


def recipe(name: str) -> str:
    """Returns a program of the guide."""
    text = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    return text.split(f"<!-- {name} -->\n\n```python\n")[1].split("```")[0]


def test_the_crawler_of_the_guide(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("httpx")
    code = recipe("crawler")
    assert len([line for line in code.splitlines() if line]) <= 15
    with misbehaving_web() as (closed, opened, _):
        urls = [f"{site.url}/page" for site in (closed | opened).values()]
        code = code.replace("Client(AGENT)", f"Client(AGENT, interval=0, timeout=1, trust={urls})", 1)
        code = code.replace('["https://example.org/", "https://example.com/page"]', str(urls))
        exec(compile(code, "docs/python.md", "exec"), {})
        assert {name: site.pages() for name, site in closed.items()} == dict.fromkeys(closed, 0)
        assert {name: site.pages() for name, site in opened.items()} == dict.fromkeys(opened, 1)
    assert "disallowed by line 2 of" in capsys.readouterr().out


@contextmanager
def redirecting_site() -> Iterator[tuple[Site, Site, Client]]:
    """Starts a site with redirects to pages that may not be requested, and the site to which one of them leads."""
    page = body(200, b"<html><img src='/private/image'><img src='/image'></html>", Content_Type="text/html")
    with Site(robots_txt=body(200, DISALLOW_ALL)) as other:
        answers = {"home": redirect("/private/x"), "away": redirect(f"{other.url}/page"), "fine": redirect("/page")}
        with Site(robots_txt=body(200, DISALLOW_PRIVATE), page=page, **answers) as site:
            with Client(AGENT, interval=0, trust=[site.url, other.url]) as client:
                yield site, other, client


VISITS = ["page", "home", "away", "fine", "private/x"]


def test_the_recipe_for_crawlee() -> None:
    crawlee = pytest.importorskip("crawlee.storage_clients")
    names: dict[str, Any] = {}
    exec(compile(recipe("crawlee"), "docs/python.md", "exec"), names)

    async def crawl(site: Site, client: Client) -> list[str]:
        options = {"storage_client": crawlee.MemoryStorageClient(), "configure_logging": False}
        crawler = names["polite_crawler"](client, max_request_retries=0, **options)
        fetched: list[str] = []

        async def handle(context: Any) -> None:
            fetched.append(context.request.url)

        crawler.router.default_handler(handle)
        await crawler.run([f"{site.url}/{path}" for path in VISITS])
        return fetched

    with redirecting_site() as (site, other, client):
        fetched = asyncio.run(crawl(site, client))
        assert sorted(fetched) == [f"{site.url}/fine", f"{site.url}/page"]
        assert (site.requests["/private/x"], other.pages()) == (0, 0)


def test_the_recipe_for_playwright() -> None:
    playwright = pytest.importorskip("playwright.async_api")
    chromium = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        pytest.skip("no Chromium is there")
    names: dict[str, Any] = {}
    exec(compile(recipe("playwright"), "docs/python.md", "exec"), names)

    async def visit(site: Site, client: Client) -> list[str]:
        fetched: list[str] = []
        async with playwright.async_playwright() as started:
            browser = await started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            for path in VISITS:
                page = await browser.new_page()
                await names["obey"](page, client)
                try:
                    await page.goto(f"{site.url}/{path}")
                    fetched.append(path)
                except playwright.Error as error:
                    assert "ERR_BLOCKED_BY_CLIENT" in str(error)
            await browser.close()
        return fetched

    with redirecting_site() as (site, other, client):
        assert asyncio.run(visit(site, client)) == ["page", "fine"]
        assert (site.requests["/private/x"], site.requests["/private/image"], other.pages()) == (0, 0, 0)
        assert site.requests["/image"] >= 1
