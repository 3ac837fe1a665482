"""An add-on for Scrapy that obeys robots.txt: ``ADDONS = {"comity.scrapy.Addon": 500}``.

It replaces the parser and the downloader middleware. A request waits until the robots.txt of its site was fetched, and
is dropped if the file forbids it, or if the file could not be fetched. ``docs/scrapy.md`` explains why the parser alone
is not enough.
"""

from __future__ import annotations

import logging
import time
import zlib
from typing import TYPE_CHECKING, Any

import scrapy
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest, StopDownload
from scrapy.http import Request, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.robotstxt import RobotParser
from scrapy.signals import bytes_received, request_reached_downloader, response_downloaded
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.python import to_unicode
from twisted.internet.defer import Deferred

from comity import Robots
from comity._comity import SiteFetch, site_of
from comity.compat._file import ParsedFile

try:
    from scrapy.signals import robots_parsed
except ImportError:
    raise ImportError(f"expected Scrapy 2.18 or newer, found {scrapy.__version__}: upgrade it") from None

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)

MAX_DELAY = 24 * 60 * 60
"""The default of the setting ``COMITY_MAX_DELAY``: the longest delay that a site can ask for, in seconds."""

MAX_SITES = 10_000
"""The default of the setting ``COMITY_MAX_SITES``: the number of sites whose rules are kept."""

MAX_BYTES = 512 * 1024
"""The number of bytes of a file that are received and decoded: more than the 500 KiB that apply (RFC 9309 §2.5)."""

ROBOTS_TXT = "comity_robotstxt"
"""The key of a ``_Received`` in the ``meta`` of a request for a robots.txt."""

DELAY = "comity_delay"
"""The key of the delay in seconds that a site asks for, in the ``meta`` of a request for a page."""

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

    def __init__(self, robotstxt_body: bytes | Robots) -> None:
        body = robotstxt_body
        self._file = ParsedFile(body if isinstance(body, Robots) else Robots.parse(body))

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

    def interval(self, user_agent: str | bytes) -> float:
        """Returns the time between two requests that ``Crawl-delay`` and ``Request-rate`` ask for now, in seconds."""
        return self._file.rules_for(to_unicode(user_agent)).interval(time.time())


class _NothingAllowed(ComityRobotParser):
    """The rules of a site whose robots.txt could not be fetched."""

    def __init__(self) -> None:
        super().__init__(b"")

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        return False


class _Site:
    """The robots.txt of a site: the rules in force, and the requests that wait for them."""

    def __init__(self, url: str) -> None:
        self.state = SiteFetch(url)
        self.parser: ComityRobotParser = _NothingAllowed()
        self.is_fetching = False
        self.waiting: list[Deferred[None]] = []

    def finish(self) -> None:
        """Sets the rules after a fetch, and continues all waiting requests."""
        access = self.state.access(time.time())
        robots = self.state.robots() if access == "rules" else None
        if robots is not None:
            self.parser = ComityRobotParser(robots)
        else:
            self.parser = ComityRobotParser(b"") if access == "allow-all" else _NothingAllowed()
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
        # In the order of their last use.
        self._sites: dict[str, _Site] = {}
        self._max_sites = crawler.settings.getint("COMITY_MAX_SITES", MAX_SITES)
        self._max_delay = crawler.settings.getfloat("COMITY_MAX_DELAY", MAX_DELAY)
        crawler.signals.connect(self._received, signal=bytes_received)
        # Before a request gets into the queue of its slot, and after AutoThrottle has changed the delay of the slot.
        crawler.signals.connect(self._slow_down, signal=request_reached_downloader)
        crawler.signals.connect(self._slow_down, signal=response_downloaded)

    def _received(self, data: bytes, request: Request) -> None:
        """Ends the download of a robots.txt after the bytes that apply."""
        received = request.meta.get(ROBOTS_TXT)
        if received is not None:
            received.count += len(data)
            if received.is_enough():
                raise StopDownload(fail=False)

    def process_request_2(self, rp: RobotParser | None, request: Request) -> None:
        """Drops a forbidden request. Notes the delay that the site of an allowed one asks for."""
        request.meta.pop(DELAY, None)
        super().process_request_2(rp, request)
        if self._max_delay > 0 and isinstance(rp, ComityRobotParser):
            agent = self._robotstxt_useragent or request.headers.get(b"User-Agent", self._default_useragent)
            delay = min(rp.interval(agent or b""), self._max_delay)
            if delay > 0:
                request.meta[DELAY] = delay

    def _slow_down(self, request: Request) -> None:
        """Sets the delay of the download slot of a request to the one that its site asks for, if that is longer."""
        delay: float = request.meta.get(DELAY, 0)
        assert self.crawler.engine is not None
        slot: Any = self.crawler.engine.downloader.slots.get(request.meta.get("download_slot", ""))
        if not delay or slot is None:
            return
        stats = self.crawler.stats
        assert stats is not None
        stats.max_value("robotstxt/delay_max", delay)
        slot.delay = max(slot.delay, delay)
        # Scrapy varies delays by 50 %, also to shorter ones. The attribute has another name before 2.19.
        setattr(slot, "jitter" if hasattr(slot, "jitter") else "randomize_delay", 0)

    async def robot_parser(self, request: Request) -> RobotParser:
        """Returns the rules of the site of a request. Fetches its robots.txt if it is due."""
        site = self._site_of(request.url)
        while site.state.is_due(time.time()):
            if site.is_fetching:
                # A deferred for each waiting request: one that is shared gives its result to the first only.
                deferred: Deferred[None] = Deferred()
                site.waiting.append(deferred)
                await maybe_deferred_to_future(deferred)
                continue
            site.is_fetching = True
            try:
                await self._fetch(site.state)
            finally:
                # Also if this request is canceled: the others must not wait forever.
                site.finish()
            if not site.state.is_unreachable(time.time()):
                await self.crawler.signals.send_catch_log_async(
                    signal=robots_parsed, robotparser=site.parser, request=request
                )
        return site.parser

    def _site_of(self, url: str) -> _Site:
        """Returns the state of the site of a URL. Releases those that were not used for the longest time."""
        key = site_of(url)
        site = self._sites.pop(key, None) or _Site(url)
        self._sites[key] = site
        if len(self._sites) > self._max_sites:
            oldest = next((key for key, old in self._sites.items() if old is not site and not old.is_fetching), None)
            if oldest is not None:
                del self._sites[oldest]
        return site

    async def _fetch(self, site: SiteFetch) -> None:
        """Fetches a robots.txt, as the policy says."""
        stats = self.crawler.stats
        assert stats is not None
        stats.inc_value("robotstxt/request_count")
        step = site.start(time.time())
        response: Response | None = None
        detail = "canceled"
        try:
            while step is not None:
                url, timeout = step
                try:
                    response = await self._send(url, timeout)
                except Exception as error:
                    if not isinstance(error, IgnoreRequest):
                        stats.inc_value(f"robotstxt/exception_count/{type(error)}")
                    response, detail = None, repr(error)
                    step = site.fail(detail, time.time())
                else:
                    detail = f"status {response.status}, {len(response.body)} bytes, {response.flags}"
                    headers = [(name, value) for name, values in response.headers.items() for value in values]
                    cut = _cut(response)
                    step = site.answer(response.status, headers, response.body, time.time(), cut=cut)
        finally:
            # Has an effect only if this request is canceled.
            site.fail("canceled", time.time())
        if response is not None:
            stats.inc_value("robotstxt/response_count")
            stats.inc_value(f"robotstxt/response_status_count/{response.status}")
        if site.is_unreachable(time.time()):
            stats.inc_value("robotstxt/unreachable_count")
            logger.warning(
                "The robots.txt of %(site)s could not be fetched (%(detail)s): %(reason)s",
                {"site": site.origin, "detail": detail, "reason": site.reason(time.time())},
                extra={"spider": self.crawler.spider},
            )

    async def _send(self, url: str, timeout: float) -> Response:
        """Sends one request for a robots.txt, which must be answered in ``timeout`` seconds."""
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
                "download_timeout": min(timeout, self.crawler.settings.getfloat("DOWNLOAD_TIMEOUT") or timeout),
            },
        )
        assert self.crawler.engine is not None
        response = await self.crawler.engine.download_async(request)
        if received.is_enough() and STOPPED in response.flags:
            response.flags.remove(STOPPED)
        return response


def _cut(response: Response) -> str | None:
    """Returns the failure that ended a body early, if any."""
    # Not by "partial", the flag of each body that ends with the connection: it is complete (RFC 9112 §6.3).
    if not {"dataloss", STOPPED}.isdisjoint(response.flags):
        return "truncated"
    # Scrapy removes the encodings that it has decoded.
    return "encoding" if NOT_DECODABLE in response.flags or _encodings(response) else None


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
