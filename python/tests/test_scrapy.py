"""The add-on for Scrapy, in real crawls of a misbehaving local web: the current Scrapy, and the one before."""

from __future__ import annotations

import gzip
import itertools
import json
import os
import statistics
import subprocess
import sys
import time
import zlib
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

import comity
from comity._comity import site_of
from misbehaving import (
    Answer,
    Endless,
    Site,
    body,
    closed_port,
    cut_off,
    in_turn,
    redirect,
    silence,
    until_close,
)
from reference import ROOT

DISALLOW_ALL = b"User-agent: *\nDisallow: /\n"
DISALLOW_PRIVATE = b"User-agent: *\nDisallow: /private/\n"
DISALLOW_NOTHING = b"User-agent: *\nDisallow:\n"
ADDON = {"ADDONS": {"comity.scrapy.Addon": 500}}
CONCURRENT = 200

RULES = [200, 201, 202, 203, 205, 207, 226, 299]
"""The statuses of a file, whose rules apply."""

NO_FILE = [204, 400, 401, 402, 403, 404, 405, 406, 409, 410, 411, 418, 422, 423, 424, 426, 428, 430, 431, 451, 499]
"""The statuses that mean that there is no file, or an empty one: all pages are allowed."""

NO_ANSWER = [206, 300, 301, 304, 305, 306, 307, 308, 399, 407, 408, 421, 425, 429, 500, 501, 502, 503, 504, 511, 599]
"""The statuses that say nothing about the file, among them redirects to nowhere: no page is allowed."""

WITHOUT_BODY = [204, 304]


def each_status(stack: ExitStack) -> dict[int, Site]:
    """Starts a site for each status, whose robots.txt disallows ``/private/``."""
    contents = {status: b"" if status in WITHOUT_BODY else DISALLOW_PRIVATE for status in RULES + NO_FILE + NO_ANSWER}
    sites = {status: Site(robots_txt=body(status, content)) for status, content in contents.items()}
    return {status: stack.enter_context(site) for status, site in sites.items()}


def pages_of(sites: dict[int, Site]) -> dict[int, set[str]]:
    """Returns the pages of each site that were requested."""
    return {status: set(site.requests) - {"/robots.txt"} for status, site in sites.items()}


def python_of(version: str) -> str:
    """Returns the Python of an environment with a version of Scrapy, or skips the test."""
    python = sys.executable if version == "current" else os.environ.get("COMITY_SCRAPY_BEFORE", "")
    if not python:
        pytest.skip("no environment with the Scrapy before is there; COMITY_SCRAPY_BEFORE names its Python")
    code = "import scrapy"
    if subprocess.run([python, "-c", code], capture_output=True, check=False).returncode != 0:
        pytest.skip(f"{python} has no Scrapy")
    return python


@pytest.fixture(scope="module", params=["current", "before"])
def python(request: pytest.FixtureRequest) -> str:
    return python_of(request.param)


def crawl(
    python: str, urls: list[str], settings: dict[str, Any], allowed_domains: list[str] | None = None
) -> dict[str, Any]:
    """Crawls URLs, and returns what happened."""
    task = json.dumps({"urls": urls, "settings": settings, "allowed_domains": allowed_domains})
    script = Path(__file__).with_name("crawl.py")
    ran = subprocess.run([python, script, task], capture_output=True, text=True, check=False, timeout=120)
    assert ran.returncode == 0, ran.stderr[-3_000:]
    result: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    # Scrapy drops requests for other domains without a failure.
    if allowed_domains is None:
        assert len(result["fetched"]) + len(result["failed"]) == len(set(urls)), result
    return result


def test_a_misbehaving_web(python: str) -> None:
    with ExitStack() as stack:

        def site(**answers: Any) -> Site:
            return stack.enter_context(Site(**answers))

        long_file = DISALLOW_PRIVATE + b"# " + b"x" * 600_000 + b"\nAllow: /private/\n"
        target = site(robots_txt=body(200, DISALLOW_ALL))
        closed = {
            "disallowed": site(robots_txt=body(200, DISALLOW_ALL)),
            "server error": site(robots_txt=body(503, b"")),
            "too many requests": site(robots_txt=body(429, b"")),
            "timeout": site(robots_txt=silence(3)),
            "cut off": site(robots_txt=cut_off(b"User-agent: *\nDisallow:\n")),
            "redirect": site(robots_txt=redirect("/else"), **{"else": body(200, DISALLOW_ALL)}),
            "redirect to another site": site(robots_txt=redirect(f"{target.url}/robots.txt")),
            "redirect to nowhere": site(robots_txt=redirect(f"http://127.0.0.1:{closed_port()}/robots.txt")),
        }
        opened = {
            "no file": site(robots_txt=body(404, b"")),
            "forbidden": site(robots_txt=body(403, b"")),
            "an empty file": site(robots_txt=body(200, b"")),
            "a file for others": site(robots_txt=body(200, b"User-agent: OtherBot\nDisallow: /\n")),
            "a redirect to itself": site(robots_txt=redirect("/robots.txt")),
        }
        large = site(robots_txt=body(200, long_file))
        refused = f"http://127.0.0.1:{closed_port()}"
        paths = [f"/page/{number}" for number in range(CONCURRENT)]
        urls = [closed["disallowed"].url + path for path in paths]
        urls += [name.url + path for name in closed.values() if name is not closed["disallowed"] for path in paths[:20]]
        urls += [name.url + path for name in opened.values() for path in paths[:5]]
        urls += [large.url + path for path in ("/private/1", "/private/2", "/public")]
        urls += [refused + path for path in paths[:20]]
        result = crawl(python, urls, ADDON)

        # All of them are asked for at once, and none may be fetched before the answer of robots.txt.
        assert {name: tried.pages() for name, tried in closed.items()} == dict.fromkeys(closed, 0)
        assert {name: tried.pages() for name, tried in opened.items()} == dict.fromkeys(opened, 5)
        # Only the first 500 KiB of a file count.
        assert (large.requests["/public"], large.requests["/private/1"]) == (1, 0)
        assert not [url for url in result["fetched"] if url.startswith(refused)]
        # One request for each robots.txt, and no repeated one.
        asked = {name: tried.requests["/robots.txt"] for name, tried in {**closed, **opened}.items()}
        assert asked == dict.fromkeys(asked, 1)
        assert target.requests["/robots.txt"] == 1
        assert result["stats"]["robotstxt/request_count"] == len(closed) + len(opened) + 2
        assert result["stats"]["robotstxt/forbidden"] == CONCURRENT + 20 * (len(closed) - 1) + 20 + 2
        assert result["stats"]["robotstxt/unreachable_count"] == 6


def test_each_status(python: str) -> None:
    with ExitStack() as stack:
        sites = each_status(stack)
        urls = [f"{site.url}/{page}" for site in sites.values() for page in ("private/", "public")]
        result = crawl(python, urls, ADDON)
        expected = {status: {"/public"} for status in RULES}
        expected |= {status: {"/private/", "/public"} for status in NO_FILE}
        expected |= {status: set() for status in NO_ANSWER}
        assert pages_of(sites) == expected
        assert result["stats"]["robotstxt/unreachable_count"] == len(NO_ANSWER)


def test_the_client_reads_each_status_alike() -> None:
    pytest.importorskip("comity_client", reason="comity-client is not installed")
    from comity.client import Client

    with ExitStack() as stack:
        sites = each_status(stack)
        client = Client("ExampleBot/1.0", trust=[site.url for site in sites.values()])
        access = {status: client.site_blocking(site.url).access for status, site in sites.items()}
        # An empty file allows all pages by its rules.
        expected = dict.fromkeys(RULES + [204], "rules") | dict.fromkeys(NO_ANSWER, "disallow-all")
        assert access == dict.fromkeys(NO_FILE, "allow-all") | expected


@pytest.mark.parametrize("settings", [{}, {"REDIRECT_ENABLED": False}, {"REDIRECT_MAX_TIMES": 1}])
def test_answers_that_lead_elsewhere(python: str, settings: dict[str, Any]) -> None:
    """No setting of Scrapy makes the rules of another page, or none at all, apply."""
    refresh = b"<html><head><meta http-equiv='refresh' content='0; url=/else'></head><body></body></html>"
    with ExitStack() as stack:

        def site(robots_txt: Answer, other: bytes) -> Site:
            return stack.enter_context(Site(robots_txt=robots_txt, **{"else": body(200, other)}))

        def html(status: int) -> Answer:
            return body(status, refresh, Content_Type="text/html")

        closed = {
            "an error that leads to another page": site(html(503), DISALLOW_NOTHING),
            "too many requests": site(html(429), DISALLOW_NOTHING),
            "a redirect without a target": site(body(302, DISALLOW_NOTHING), DISALLOW_NOTHING),
            "a redirect to itself, by an empty target": site(redirect(""), DISALLOW_NOTHING),
            "a redirect to a file": site(redirect("file:///etc/hostname"), DISALLOW_NOTHING),
            "a redirect to an unknown scheme": site(redirect("data:text/plain,x"), DISALLOW_NOTHING),
            "a redirect that is no URL": site(redirect("http://["), DISALLOW_NOTHING),
            "an unknown encoding": site(body(200, b"\x01\x02\x03", Content_Encoding="x-unknown"), DISALLOW_NOTHING),
            "a redirect": site(redirect("/else"), DISALLOW_ALL),
        }
        opened = {
            "no file, and a page for people": site(html(404), DISALLOW_ALL),
            "a page for people": site(html(200), DISALLOW_ALL),
            "an encoding that is none": site(body(200, b"", Content_Encoding="identity"), DISALLOW_ALL),
        }
        twice = f"{closed['a redirect'].url}/robots.txt"
        closed["two redirects"] = site(redirect(twice), DISALLOW_NOTHING)
        sites = closed | opened
        crawl(python, [f"{site.url}/page" for site in sites.values()], {**ADDON, **settings})
        assert {name: site.pages() for name, site in closed.items()} == dict.fromkeys(closed, 0)
        assert {name: site.pages() for name, site in opened.items()} == dict.fromkeys(opened, 1)


def test_encoded_files(python: str) -> None:
    """Scrapy decodes as much as it can of a body that is cut off or damaged: half a file is not the rules."""
    whole = gzip.compress(DISALLOW_NOTHING)
    # Without compression, the bytes before the end are those of the file.
    stored = gzip.compress(DISALLOW_NOTHING + b"Disallow: /\n", compresslevel=0)
    long_file = gzip.compress(DISALLOW_NOTHING + b"# x\n" * 500_000)

    def as_asked(request: BaseHTTPRequestHandler) -> None:
        is_plain = request.headers.get_all("Accept-Encoding") == ["identity"]
        body(200, DISALLOW_NOTHING if is_plain else DISALLOW_ALL)(request)

    with ExitStack() as stack:

        def site(answer: Answer) -> Site:
            return stack.enter_context(Site(robots_txt=answer))

        def encoded(content: bytes, encoding: str = "gzip", status: int = 200) -> Site:
            return site(body(status, content, Content_Encoding=encoding))

        closed = {
            "a file that disallows all": encoded(gzip.compress(DISALLOW_ALL)),
            "a file without its last line": encoded(stored[: -8 - len(b"Disallow: /\n")]),
            "a file without its checksum": encoded(whole[:-8]),
            "a wrong checksum": encoded(whole[:-8] + bytes(8)),
            "more after the end": encoded(whole + DISALLOW_ALL),
            "a stream that is cut off": encoded(zlib.compress(DISALLOW_NOTHING)[:-4], "deflate"),
            "two encodings": encoded(gzip.compress(whole), "gzip, gzip"),
        }
        opened = {
            "no encoding, as was asked for": site(as_asked),
            "a whole file": encoded(whole),
            "a whole file, by another name": encoded(whole, "X-Gzip"),
            "a whole long file": encoded(long_file),
            "no file, and a page that is cut off": encoded(whole[:-8], status=404),
        }
        sites = closed | opened
        crawl(python, [f"{site.url}/page" for site in sites.values()], ADDON)
        assert {name: site.pages() for name, site in closed.items()} == dict.fromkeys(closed, 0)
        assert {name: site.pages() for name, site in opened.items()} == dict.fromkeys(opened, 1)


def test_a_robots_txt_is_never_from_the_http_cache(python: str, tmp_path: Path) -> None:
    """An old file must not open a site that has closed since, and an old failure must not close a site for good."""
    settings = {**ADDON, "HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": str(tmp_path)}
    with ExitStack() as stack:

        def site(*answers: Answer) -> Site:
            return stack.enter_context(Site(robots_txt=in_turn(*answers)))

        sites = {
            "closed since": site(body(200, b""), body(200, DISALLOW_ALL)),
            "failed once": site(body(503, b""), body(200, b"")),
            "by a redirect": site(redirect("/else"), body(200, DISALLOW_ALL)),
        }
        sites["by a redirect"].answers["/else"] = body(200, b"")
        crawl(python, [f"{site.url}/old-page" for site in sites.values()], settings)
        assert {name: site.requests["/old-page"] for name, site in sites.items()} == {
            "closed since": 1,
            "failed once": 0,
            "by a redirect": 1,
        }
        crawl(python, [f"{site.url}/{page}" for site in sites.values() for page in ("old-page", "new-page")], settings)
        assert {name: site.requests["/new-page"] for name, site in sites.items()} == {
            "closed since": 0,
            "failed once": 1,
            "by a redirect": 0,
        }
        assert {name: site.requests["/robots.txt"] for name, site in sites.items()} == dict.fromkeys(sites, 2)


def test_a_robots_txt_may_be_on_another_host(python: str) -> None:
    """The domains of a spider limit its own requests, not those for a robots.txt."""
    with Site("127.0.0.2", robots_txt=body(200, DISALLOW_PRIVATE)) as other:
        with Site(robots_txt=redirect(f"{other.url}/robots.txt")) as site:
            urls = [f"{site.url}/private/1", f"{site.url}/public", f"{other.url}/public"]
            result = crawl(python, urls, ADDON, ["127.0.0.1"])
            assert set(site.requests) == {"/robots.txt", "/public"}
            # The spider may not fetch pages of the other host.
            assert set(other.requests) == {"/robots.txt"}
            assert result["fetched"] == [f"{site.url}/public"]


def test_a_body_that_ends_with_the_connection_is_complete(python: str) -> None:
    """RFC 9112 §6.3: a response without a length ends with the connection, as in HTTP/1.0."""
    whole = gzip.compress(DISALLOW_PRIVATE)
    with ExitStack() as stack:

        def site(answer: Answer) -> Site:
            return stack.enter_context(Site(robots_txt=answer))

        opened = {
            "1.1": site(until_close(DISALLOW_PRIVATE)),
            "1.0": site(until_close(DISALLOW_PRIVATE, "HTTP/1.0")),
            "gzip": site(until_close(whole, Content_Encoding="gzip")),
        }
        closed = {
            "less than its length": site(cut_off(DISALLOW_PRIVATE)),
            "a chunk that is cut off": site(until_close(b"ff\r\nUser-agent", Transfer_Encoding="chunked")),
            "chunks without the last one": site(until_close(b"b\r\nUser-agent:\r\n", Transfer_Encoding="chunked")),
            "gzip that is cut off": site(until_close(whole[:-4], Content_Encoding="gzip")),
        }
        sites = opened | closed
        urls = [f"{site.url}/{page}" for site in sites.values() for page in ("private/", "public")]
        crawl(python, urls, ADDON)
        expected = dict.fromkeys(opened, {"/robots.txt", "/public"}) | dict.fromkeys(closed, {"/robots.txt"})
        assert {name: set(site.requests) for name, site in sites.items()} == expected


def test_at_most_512_kib_are_read(python: str) -> None:
    limit = 256 * 1024 * 1024
    plain = Endless(DISALLOW_PRIVATE, limit)
    # 64 MiB of one comment, after decoding.
    bomb = gzip.compress(DISALLOW_PRIVATE + b"#" * (64 * 1024 * 1024) + b"\nUser-agent: ExampleBot\nAllow: /\n")
    with ExitStack() as stack:
        sites = {
            "plain": stack.enter_context(Site(robots_txt=plain)),
            "gzip": stack.enter_context(Site(robots_txt=body(200, bomb, Content_Encoding="gzip"))),
        }
        urls = [f"{site.url}/{page}" for site in sites.values() for page in ("private/", "public")]
        # An endless body takes longer than any time limit, so it is the limit of bytes that ends it.
        result = crawl(python, urls, {**ADDON, "DOWNLOAD_TIMEOUT": 60, "DOWNLOAD_MAXSIZE": 32 * 1024 * 1024})
        pages = {name: set(site.requests) - {"/robots.txt"} for name, site in sites.items()}
        assert pages == dict.fromkeys(sites, {"/public"}), result
        # The kernel buffers some MiB.
        assert plain.sent < 32 * 1024 * 1024


class Noted:
    """A page that notes the time of each request."""

    def __init__(self) -> None:
        self.times: list[float] = []

    def __call__(self, request: BaseHTTPRequestHandler) -> None:
        self.times.append(time.monotonic())
        body(200, b"a page")(request)

    def gaps(self) -> list[float]:
        """Returns the times between two requests."""
        return [later - earlier for earlier, later in itertools.pairwise(self.times)]


@pytest.mark.parametrize(
    ("record", "settings", "least", "most"),
    [
        (b"Crawl-delay: 0.4", {}, 0.4, 0.4),
        (b"Request-rate: 5/2", {}, 0.4, 0.4),
        # A site can only slow Scrapy down.
        (b"Crawl-delay: 0.1", {"DOWNLOAD_DELAY": 0.4}, 0.4, 0.1),
        (b"Crawl-delay: 0.4", {"AUTOTHROTTLE_ENABLED": True, "AUTOTHROTTLE_START_DELAY": 0.01}, 0.4, 0.4),
        (b"Crawl-delay: 300", {"COMITY_MAX_DELAY": 0.4}, 0.4, 0.4),
        (b"Crawl-delay: 300", {"COMITY_MAX_DELAY": 0}, 0, None),
        (b"Disallow: /private/", {}, 0, None),
    ],
)
def test_the_delay_that_a_site_asks_for(
    python: str, record: bytes, settings: dict[str, Any], least: float, most: float | None
) -> None:
    page = Noted()
    with Site(robots_txt=body(200, b"User-agent: *\n" + record + b"\n"), **{name: page for name in "abcde"}) as site:
        result = crawl(python, [f"{site.url}/{name}" for name in "abcde"], {**ADDON, **settings})
        assert len(page.times) == 5
        # On a busy machine a request arrives late, and then the next one seems early. All of them together are not.
        assert statistics.mean(page.gaps()) >= 0.75 * least if least else min(page.gaps()) < 0.3, page.gaps()
        assert result["stats"].get("robotstxt/delay_max") == most


def test_rules_of_sites_that_are_not_used_any_more_are_released(python: str) -> None:
    first, second = (Site(robots_txt=body(200, DISALLOW_PRIVATE)) for _ in range(2))
    settings = {**ADDON, "CONCURRENT_REQUESTS": 1}
    with first, second:
        urls = [first.url + "/1", first.url + "/2", second.url + "/1", first.url + "/private/", first.url + "/3"]
        crawl(python, urls, {**settings, "COMITY_MAX_SITES": 1})
        assert (first.requests["/robots.txt"], second.requests["/robots.txt"]) == (2, 1)
        assert (first.pages(), first.requests["/private/"]) == (3, 0)
        crawl(python, urls, settings)
        assert (first.requests["/robots.txt"], second.requests["/robots.txt"]) == (3, 2)


def test_older_versions_of_scrapy_are_refused() -> None:
    code = "import scrapy.signals; del scrapy.signals.robots_parsed; import comity.scrapy"
    ran = subprocess.run([python_of("current"), "-c", code], capture_output=True, text=True, check=False)
    assert "ImportError: expected Scrapy 2.18 or newer, found 2." in ran.stderr


def test_urls_of_one_site() -> None:
    assert site_of("http://h.example/") == site_of("http://H.example:80/page") == "http://h.example"
    assert site_of("https://h.example/") != site_of("http://h.example/") != site_of("http://h.example:8080/")
    with pytest.raises(comity.InvalidURL, match="expected"):
        site_of("/page")


def test_scrapy_alone_lets_requests_through(python: str) -> None:
    """Reproduces the reason for the middleware: all but the first of the waiting requests are not checked."""
    with Site(robots_txt=body(200, DISALLOW_ALL)) as site:
        result = crawl(python, [f"{site.url}/page/{number}" for number in range(8)], {})
        if site.pages() == 0:
            pytest.skip(f"Scrapy {result['scrapy']} checks all requests that wait for a robots.txt: report this")
        assert site.pages() > 1


def test_the_parser_alone_does_not_help(python: str) -> None:
    settings = {"ROBOTSTXT_PARSER": "comity.scrapy.ComityRobotParser"}
    with Site(robots_txt=body(200, DISALLOW_PRIVATE)) as site:
        crawl(python, [f"{site.url}/private/1"], settings)
        assert site.pages() == 0
        result = crawl(python, [f"{site.url}/private/{number}" for number in range(8)], settings)
        if site.pages() == 0:
            pytest.skip(f"Scrapy {result['scrapy']} checks all requests that wait for a robots.txt: report this")


def test_the_add_on_does_not_force_anybody() -> None:
    with Site(robots_txt=body(200, DISALLOW_ALL)) as site:
        crawl(python_of("current"), [f"{site.url}/page"], {**ADDON, "ROBOTSTXT_OBEY": False})
        assert (site.pages(), site.requests["/robots.txt"]) == (1, 0)


def test_the_add_on_is_enough() -> None:
    """The one line of settings turns on obedience where no setting mentions it."""
    with Site(robots_txt=body(200, DISALLOW_PRIVATE)) as site:
        settings = {**ADDON, "ROBOTSTXT_OBEY": None}
        crawl(python_of("current"), [f"{site.url}/private/", f"{site.url}/public"], settings)
        assert (site.requests["/private/"], site.requests["/public"]) == (0, 1)


def test_the_guide_shows_the_line() -> None:
    text = (ROOT / "docs/scrapy.md").read_text(encoding="utf-8")
    assert 'ADDONS = {"comity.scrapy.Addon": 500}' in text
