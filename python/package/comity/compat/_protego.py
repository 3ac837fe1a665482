"""A replacement for Protego."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import time
from typing import NamedTuple

from comity import Robots
from comity.compat._file import ParsedFile


class RequestRate(NamedTuple):
    """A number of requests in a number of seconds, in a part of the day (UTC)."""

    requests: int
    seconds: int
    start_time: time | None
    end_time: time | None


class VisitTime(NamedTuple):
    """The part of the day (UTC) in which a crawler may visit."""

    start_time: time
    end_time: time


class Protego:
    """A parsed robots.txt with the methods of ``protego.Protego``.

    >>> from comity.compat import Protego
    >>> robots = Protego.parse("User-agent: *\\nDisallow: /private/\\nCrawl-delay: 2\\n")
    >>> robots.can_fetch("https://example.com/private/", "ExampleBot/1.0")
    False
    >>> robots.crawl_delay("ExampleBot")
    2.0
    """

    def __init__(self) -> None:
        self._file = ParsedFile(Robots.parse(b""))

    @classmethod
    def parse(cls, content: str) -> Protego:
        """Parses a file."""
        if not isinstance(content, str):
            raise TypeError(f"Protego.parse expects str, got {type(content).__name__}; decode it first")
        parsed = cls()
        parsed._file = ParsedFile(Robots.parse(content))
        return parsed

    def can_fetch(self, url: str, user_agent: str) -> bool:
        """Returns true if the user agent may fetch the URL."""
        return self._file.rules_for(user_agent).is_allowed(url)

    def crawl_delay(self, user_agent: str) -> float | None:
        """Returns the crawl-delay for the user agent in seconds, or ``None``."""
        return self._file.rules_for(user_agent).crawl_delay

    def request_rate(self, user_agent: str) -> RequestRate | None:
        """Returns the last request rate for the user agent, or ``None``."""
        rates = self._file.robots._pace(self._file.token_of(user_agent))["request_rates"]
        if not rates:
            return None
        requests, seconds, window = rates[-1]
        start, end = (None, None) if window is None else _window(window)
        return RequestRate(requests, seconds, start, end)

    def visit_time(self, user_agent: str) -> VisitTime | None:
        """Returns the last visit time for the user agent, or ``None``."""
        windows = self._file.robots._pace(self._file.token_of(user_agent))["visit_times"]
        return VisitTime(*_window(windows[-1])) if windows else None

    @property
    def sitemaps(self) -> Iterator[str]:
        """An iterator over the URLs of the sitemaps."""
        return iter(self._file.robots.sitemaps)

    @property
    def preferred_host(self) -> str | None:
        """The value of the last ``Host`` record, or ``None``."""
        hosts = [record.value for record in self._file.robots.records if record.name == "Host"]
        return hosts[-1] if hosts else None


def _window(window: tuple[int, int]) -> tuple[time, time]:
    """Returns the times of a window in minutes since midnight."""
    start, end = (time(minute // 60 % 24, minute % 60) for minute in window)
    return start, end
