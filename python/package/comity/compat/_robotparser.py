"""A replacement for ``urllib.robotparser``."""

from __future__ import annotations

import time
from collections.abc import Iterable
from urllib.parse import urlsplit
from urllib.robotparser import RequestRate

from comity import Group, Robots
from comity.compat._file import ParsedFile

_USER_AGENT = "comity (Python)"
"""The user agent of ``read``, as the original has no way to set another one."""


class RobotFileParser:
    """A robots.txt with the methods of ``urllib.robotparser.RobotFileParser``.

    >>> from comity.compat import RobotFileParser
    >>> parser = RobotFileParser()
    >>> parser.parse(["User-agent: *", "Disallow: /private/"])
    >>> parser.can_fetch("ExampleBot/1.0", "https://example.com/private/")
    False

    As long as nothing was parsed, nothing may be fetched.
    """

    def __init__(self, url: str = "") -> None:
        self._file: ParsedFile | None = None
        self.disallow_all = False
        self.allow_all = False
        self.last_checked: float = 0
        self.set_url(url)

    def mtime(self) -> float:
        """Returns the time at which the file was last parsed, in seconds since 1970. 0 means never."""
        return self.last_checked

    def modified(self) -> None:
        """Sets the time at which the file was last parsed to now."""
        self.last_checked = time.time()

    def set_url(self, url: str) -> None:
        """Sets the URL of the file."""
        self.url = url
        self.host, self.path = urlsplit(url)[1:3]

    def read(self) -> None:
        """Fetches the file by ``comity.client``, which ``pip install "comity[client]"`` installs.

        Where the original allows everything after an error of the server, or raises an exception, nothing may be fetched.

        It connects to the host of the URL at any address, also one of this machine or its network. For hosts that strangers
        name, use ``comity.client.Client``, which connects to public addresses only.
        """
        from comity.client import Client

        # The URL is the caller's own, so it may be one of this machine. No site chose it.
        with Client(_USER_AGENT, trust=[self.url]) as client:
            site = client.site_blocking(self.url)
        self.allow_all = site.access == "allow-all"
        self.disallow_all = site.access == "disallow-all"
        self._file = ParsedFile(Robots.parse(site.body)) if site.access == "rules" and site.body is not None else None
        self.modified()

    def parse(self, lines: Iterable[str]) -> None:
        """Parses the lines of a file."""
        if isinstance(lines, str):
            raise TypeError("expected the lines of the file, found str; use text.splitlines()")
        self._file = ParsedFile(Robots.parse("\n".join(line.rstrip("\r\n") for line in lines)))
        self.modified()

    def can_fetch(self, useragent: str, url: str) -> bool:
        """Returns true if the user agent may fetch the URL."""
        if self.disallow_all:
            return False
        if self.allow_all:
            return True
        if self._file is None or not self.last_checked:
            return False
        return self._file.rules_for(useragent).is_allowed(url)

    def crawl_delay(self, useragent: str) -> float | None:
        """Returns the crawl-delay for the user agent in seconds, or ``None``."""
        if self._file is None:
            return None
        return _whole(self._file.rules_for(useragent).crawl_delay)

    def request_rate(self, useragent: str) -> RequestRate | None:
        """Returns the first request rate for the user agent, or ``None``."""
        if self._file is None:
            return None
        rates = self._file.robots._pace(self._file.token_of(useragent))["request_rates"]
        return RequestRate(*rates[0][:2]) if rates else None

    def site_maps(self) -> list[str] | None:
        """Returns the URLs of the sitemaps, or ``None`` if there are none."""
        return (self._file.robots.sitemaps or None) if self._file else None

    def __str__(self) -> str:
        groups = self._file.robots.groups if self._file else []
        # The groups for every crawler are last, as they apply last.
        groups = sorted(groups, key=lambda group: "*" in group.agents)
        return "\n\n".join(self._text(group) for group in groups)

    def _text(self, group: Group) -> str:
        """Returns the text of a group."""
        lines = [f"User-agent: {agent}" for agent in group.agents]
        delay = self.crawl_delay(group.agents[0]) if group.agents[0] else None
        rate = self.request_rate(group.agents[0]) if group.agents[0] else None
        if delay is not None:
            lines.append(f"Crawl-delay: {delay}")
        if rate is not None:
            lines.append(f"Request-rate: {rate.requests}/{rate.seconds}")
        return "\n".join(lines + [str(rule) for rule in group.rules])


def _whole(delay: float | None) -> float | None:
    """Returns a whole number of seconds as an integer, as the original does."""
    return int(delay) if delay is not None and delay.is_integer() else delay
