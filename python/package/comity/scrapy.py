"""An add-on for Scrapy that obeys robots.txt: ``ADDONS = {"comity.scrapy.Addon": 500}``.

It replaces the parser and the downloader middleware. A request waits until the robots.txt of its site was fetched, and
is dropped if the file forbids it, or if the file could not be fetched. ``docs/scrapy.md`` explains why the parser alone
is not enough.
"""

from __future__ import annotations

import logging
import time
import zlib
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest, StopDownload
from scrapy.http import Request, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.robotstxt import RobotParser
from scrapy.signals import bytes_received, robots_parsed
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.python import to_unicode
from twisted.internet.defer import Deferred
from w3lib.url import safe_url_string

from comity import Robots
from comity.compat._file import ParsedFile

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)

MAX_REDIRECTS = 5
"""The number of redirects that are followed to a robots.txt (RFC 9309 §2.3.1.2)."""

REDIRECTS = {301, 302, 303, 307, 308}
"""The statuses of redirects that are followed."""

NO_ANSWER = {407, 408, 421, 425, 429}
"""The 4xx that say nothing about the file: a proxy answered, this request failed, or there were too many requests."""

PART = 206
"""The status of a part of a file, which was not requested."""

DEADLINE = 30
"""The maximum time for fetching a robots.txt, in seconds."""

FRESH = 24 * 60 * 60
"""The time for which a fetched file is used, in seconds (RFC 9309 §2.4)."""

RETRY = 5 * 60
"""The time for which a failure is kept before the file is requested again, in seconds."""

MAX_BYTES = 512 * 1024
"""The number of bytes of a file that are received and decoded: more than the 500 KiB that apply (RFC 9309 §2.5)."""

ROBOTS_TXT = "comity_robotstxt"
"""The key of a ``_Received`` in the ``meta`` of a request for a robots.txt."""

STOPPED = "download_stopped"
"""The flag of a response whose download was ended by this add-on after enough bytes, or by another one."""

NOT_DECODABLE = "not-decodable"
"""The flag of a robots.txt whose body cannot be decoded completely."""


class Addon:
    """A Scrapy add-on that sets the parser and the middleware. It does not change ``ROBOTSTXT_OBEY = False``."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Sets the parser and replaces the middleware."""
        middlewares = "DOWNLOADER_MIDDLEWARES"
        settings.set("ROBOTSTXT_OBEY", True, "addon")
        settings.set("ROBOTSTXT_PARSER", ComityRobotParser, "addon")
        settings.set_in_component_priority_dict(middlewares, RobotsTxtMiddleware, None)
        settings.set_in_component_priority_dict(middlewares, ComityRobotsTxtMiddleware, 100)
        # Responses pass it after the cache (900), and before they are decoded (590).
        settings.set_in_component_priority_dict(middlewares, ComityEncodingMiddleware, 895)


class ComityRobotParser(RobotParser):
    """A parser for the setting ``ROBOTSTXT_PARSER``."""

    def __init__(self, robotstxt_body: bytes) -> None:
        self._file = ParsedFile(Robots.parse(robotstxt_body))

    @classmethod
    def from_crawler(cls, crawler: Crawler, robotstxt_body: bytes) -> ComityRobotParser:
        """Parses a file."""
        return cls(robotstxt_body)

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """Returns true if the user agent may fetch the URL. The user agent is a header or a product token."""
        return self._file.rules_for(to_unicode(user_agent)).is_allowed(to_unicode(url))

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        """Returns the crawl-delay for the user agent in seconds, or ``None``."""
        return self._file.rules_for(to_unicode(user_agent)).crawl_delay


class _NothingAllowed(RobotParser):
    """The rules of a site whose robots.txt could not be fetched."""

    @classmethod
    def from_crawler(cls, crawler: Crawler, robotstxt_body: bytes) -> _NothingAllowed:
        return cls()

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        return False


class _Site:
    """The robots.txt of a site: the rules in force, and the requests that wait for them."""

    def __init__(self) -> None:
        self.parser: RobotParser | None = None
        self.due: float = 0
        self.is_good = False
        self.is_fetching = False
        self.waiting: list[Deferred[None]] = []

    def is_fresh(self) -> bool:
        """Returns true if the rules need not be requested again."""
        return self.parser is not None and time.monotonic() < self.due

    def finish(self, parser: RobotParser | None) -> None:
        """Sets the rules after a fetch, and continues all waiting requests.

        After a failure (``None``), the last good rules stay in force; without any, nothing is allowed.
        """
        if parser is not None:
            self.parser, self.is_good, self.due = parser, True, time.monotonic() + FRESH
        else:
            self.parser = self.parser if self.is_good else _NothingAllowed()
            self.due = time.monotonic() + RETRY
        self.is_fetching = False
        waiting, self.waiting = self.waiting, []
        for deferred in waiting:
            if not deferred.called:
                deferred.callback(None)


class _Received:
    """The number of bytes of a robots.txt that were received."""

    def __init__(self) -> None:
        self.count = 0

    def is_enough(self) -> bool:
        """Returns true if the part that applies was received, so that the rest does not matter."""
        return self.count >= MAX_BYTES


class ComityEncodingMiddleware:
    """A downloader middleware that decodes each robots.txt, and flags it if its encoded body is cut off or damaged.

    Scrapy decodes as much of such a body as it can, removes its ``Content-Encoding``, and decodes up to 1 GiB.
    """

    def process_response(self, request: Request, response: Response) -> Response:
        """Decodes a response, or flags it."""
        if ROBOTS_TXT not in request.meta or not _encodings(response):
            return response
        decoded = _decoded(response)
        if decoded is None:
            response.flags.append(NOT_DECODABLE)
            return response
        del response.headers["Content-Encoding"]
        return response.replace(body=decoded)


class ComityRobotsTxtMiddleware(RobotsTxtMiddleware):
    """A downloader middleware that lets no request through before the robots.txt of its site is known."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._sites: dict[tuple[str, str], _Site] = {}
        crawler.signals.connect(self._received, signal=bytes_received)

    def _received(self, data: bytes, request: Request) -> None:
        """Ends the download of a robots.txt after the bytes that apply."""
        received = request.meta.get(ROBOTS_TXT)
        if received is not None:
            received.count += len(data)
            if received.is_enough():
                raise StopDownload(fail=False)

    async def robot_parser(self, request: Request) -> RobotParser:
        """Returns the rules of the site of a request. Fetches its robots.txt if it is due."""
        url = urlparse_cached(request)
        key = (url.scheme, url.netloc)
        site = self._sites.setdefault(key, _Site())
        while not site.is_fresh():
            if site.is_fetching:
                # A deferred for each waiting request: one that is shared gives its result to the first only.
                deferred: Deferred[None] = Deferred()
                site.waiting.append(deferred)
                await maybe_deferred_to_future(deferred)
                continue
            site.is_fetching = True
            parser = None
            try:
                parser = await self._fetch(f"{url.scheme}://{url.netloc}/robots.txt", request)
            finally:
                # Also if this request is canceled: the others must not wait forever.
                site.finish(parser)
        assert site.parser is not None
        return site.parser

    async def _fetch(self, url: str, request: Request) -> RobotParser | None:
        """Fetches a robots.txt. Returns ``None`` if that failed, so that nothing is known about the site."""
        stats = self.crawler.stats
        assert stats is not None
        stats.inc_value("robotstxt/request_count")
        try:
            response = await self._follow(url)
        except IgnoreRequest as error:
            self._failed(url, repr(error))
            return None
        except Exception as error:
            stats.inc_value(f"robotstxt/exception_count/{type(error)}")
            self._failed(url, repr(error))
            return None
        if response is None:
            # Too many redirects: as if there were no file (RFC 9309 §2.3.1.2).
            return ComityRobotParser(b"")
        stats.inc_value("robotstxt/response_count")
        stats.inc_value(f"robotstxt/response_status_count/{response.status}")
        parser = self._parse(response)
        if parser is None:
            self._failed(url, f"status {response.status}, {len(response.body)} bytes, {response.flags}")
            return None
        await self.crawler.signals.send_catch_log_async(signal=robots_parsed, robotparser=parser, request=request)
        return parser

    async def _follow(self, url: str) -> Response | None:
        """Requests a robots.txt and follows its redirects. Returns ``None`` if there are too many."""
        for _ in range(MAX_REDIRECTS + 1):
            response = await self._send(url)
            target = _target(url, response)
            if target is None:
                return response
            url = target
        return None

    async def _send(self, url: str) -> Response:
        """Sends one request for a robots.txt."""
        timeout = min(DEADLINE, self.crawler.settings.getfloat("DOWNLOAD_TIMEOUT") or DEADLINE)
        received = _Received()
        request = Request(
            url,
            headers={"Accept-Encoding": "identity"},
            priority=self.DOWNLOAD_PRIORITY,
            callback=NO_CALLBACK,
            meta={
                ROBOTS_TXT: received,
                "dont_obey_robotstxt": True,
                # Scrapy's HTTP cache keeps each response forever: an old file would open a site that has closed since,
                # and an old 503 would close a site for good.
                "dont_cache": True,
                # `allowed_domains` are for pages, and the file that applies to a site may be on another host.
                "allow_offsite": True,
                # Scrapy follows as many redirects as its settings say, and a `meta refresh` whatever the status: an
                # error page would be replaced by the page that it leads to.
                "dont_redirect": True,
                "dont_retry": True,
                "download_timeout": timeout,
            },
        )
        assert self.crawler.engine is not None
        response = await self.crawler.engine.download_async(request)
        if received.is_enough() and STOPPED in response.flags:
            response.flags.remove(STOPPED)
        return response

    def _parse(self, response: Response) -> RobotParser | None:
        """Returns the rules that a response means. ``None`` if nothing is known about the site.

        These are the rows of comity's standard policy.
        """
        # Not "partial", the flag of each body that ends with the connection: it is complete (RFC 9112 §6.3).
        is_cut = not {"dataloss", STOPPED, NOT_DECODABLE}.isdisjoint(response.flags)
        if 200 <= response.status < 300 and response.status != PART:
            # Scrapy removes the encodings that it has decoded.
            return None if is_cut or _encodings(response) else ComityRobotParser(response.body)
        # There is no file (RFC 9309 §2.3.1.3).
        if 400 <= response.status < 500 and response.status not in NO_ANSWER:
            return ComityRobotParser(b"")
        return None

    def _failed(self, url: str, why: str) -> None:
        """Logs that a robots.txt could not be fetched."""
        assert self.crawler.stats is not None
        self.crawler.stats.inc_value("robotstxt/unreachable_count")
        logger.warning(
            "%(url)s could not be fetched (%(why)s): its site is not fetched until this works",
            {"url": url, "why": why},
            extra={"spider": self.crawler.spider},
        )


def _encodings(response: Response) -> list[bytes]:
    """Returns the encodings of a body, in the order in which they were applied."""
    values = b",".join(response.headers.getlist("Content-Encoding")).lower().split(b",")
    return [value.strip() for value in values if value.strip() not in {b"", b"identity"}]


def _decoded(response: Response) -> bytes | None:
    """Returns the first bytes of an encoded body, decoded. ``None`` if it is not a complete gzip stream.

    Some servers send gzip whatever they are asked for, since their files are stored so. Nothing else is accepted.
    """
    if _encodings(response) not in ([b"gzip"], [b"x-gzip"]):
        return None
    decoder = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    try:
        decoded = decoder.decompress(response.body, MAX_BYTES)
    except zlib.error:
        return None
    is_whole = decoder.eof and not decoder.unused_data
    return decoded if is_whole or len(decoded) == MAX_BYTES else None


def _target(url: str, response: Response) -> str | None:
    """Returns the URL that a redirect leads to. ``None`` if the response is no redirect that can be followed."""
    locations = {location.strip() for location in response.headers.getlist("Location")}
    if response.status not in REDIRECTS or len(locations) != 1:
        return None
    location = locations.pop()
    target = urljoin(url, safe_url_string(location))
    parts = urlsplit(target)
    # An empty reference would mean the same URL, which no server intends.
    is_usable = location and parts.scheme in {"http", "https"} and parts.hostname and "@" not in parts.netloc
    return target if is_usable else None
