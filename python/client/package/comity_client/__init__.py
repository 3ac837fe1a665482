"""The client of ``comity``. Import it from ``comity.client``."""

from __future__ import annotations

import os
from collections.abc import Iterable
from types import TracebackType
from typing import Literal

# First, since it has the exceptions, and refuses sub-interpreters.
from comity import Crawler, InvalidArgument, Robots
from comity_client._client import Decision, NativeClient, Site, Turn
from comity_client._wait import wait

__all__ = ["Client", "Decision", "Site", "Turn"]


class Client:
    """Fetches robots.txt files as a polite crawler does, caches them, and decides by them.

    Concurrent questions about a site share one fetch. After an error, the last good copy decides, or nothing is allowed.
    Only public addresses are connected to, and hosts of ``trust``. ``with`` and ``async with`` close it.
    """

    def __init__(
        self,
        user_agent: str,
        *,
        crawler: str | Crawler | None = None,
        store: str | os.PathLike[str] | None = None,
        policy: Literal["standard", "google", "google-2019", "rfc9309", "strict", "archive"] = "standard",
        dialect: Literal["standard", "google", "google-parser", "bing", "yandex", "norobots-1996"] = "standard",
        timeout: float | None = None,
        interval: float = 1.0,
        trust: Iterable[str] = (),
    ) -> None:
        """Creates a client.

        ``user_agent`` is sent to sites: the true name of your crawler, with an address where you can be reached.
        ``crawler`` is the product token of questions that name none: by default the one in the user agent. ``store`` is a
        folder that keeps the files when the program ends. ``timeout`` is the maximum time of a fetch in seconds.
        ``interval`` is the minimum time between two requests for pages to a host in seconds, whatever its site asks for.
        ``trust`` are the sites that may have private addresses, for tests, each with its scheme, host and port.
        """
        if isinstance(trust, str):
            raise InvalidArgument(f"expected a list of URLs to trust, found {trust!r}: use [{trust!r}]")
        self._user_agent = user_agent
        self._native = NativeClient(user_agent, crawler, store, policy, dialect, timeout, interval, list(trust))

    async def check(self, url: str, *, crawler: str | Crawler | None = None) -> Decision:
        """Decides whether a crawler may fetch a URL. Fetches the robots.txt of its site if it is due."""
        known = self._native.check_in_memory(url, crawler)
        if known is not None:
            return known
        return await wait(lambda done: self._native.start_check(url, crawler, done))

    async def site(self, url: str, *, crawler: str | Crawler | None = None) -> Site:
        """Returns the site of a URL for a crawler: its answers, its delay and its sitemaps.

        Fetches its robots.txt if it is due. Get another one from time to time: a site does not notice that its file is due.
        """
        known = self._native.site_in_memory(url, crawler)
        if known is not None:
            return known
        return await wait(lambda done: self._native.start_site(url, crawler, done))

    async def robots(self, url: str) -> Robots:
        """Returns the robots.txt in force for the site of a URL. Fetches it if it is due.

        It is empty if everything is allowed, and disallows everything if nothing is.
        """
        site = await self.site(url, crawler="*")
        return site.robots

    async def permit(self, url: str, *, crawler: str | Crawler | None = None, patience: float = 60.0) -> Turn:
        """Waits until a page may be requested with another HTTP client. Returns the turn of the request.

        The next request to the host waits until the turn ends: ``with await client.permit(url): …``. Raises ``Disallowed``
        if the page may not be requested, and ``TooSoon`` if that takes longer than ``patience`` seconds.
        """
        return await wait(lambda done: self._native.start_permit(url, crawler, patience, done))

    def check_blocking(self, url: str, *, crawler: str | Crawler | None = None) -> Decision:
        """Decides as ``check`` does, and waits for the decision. Other threads run meanwhile."""
        return self._native.check_blocking(url, crawler)

    def site_blocking(self, url: str, *, crawler: str | Crawler | None = None) -> Site:
        """Returns the site of a URL as ``site`` does, and waits for it."""
        return self._native.site_blocking(url, crawler)

    def robots_blocking(self, url: str) -> Robots:
        """Returns the robots.txt in force for the site of a URL as ``robots`` does, and waits for it."""
        return self.site_blocking(url, crawler="*").robots

    def permit_blocking(self, url: str, *, crawler: str | Crawler | None = None, patience: float = 60.0) -> Turn:
        """Waits for a turn as ``permit`` does. Other threads run meanwhile."""
        return self._native.permit_blocking(url, crawler, patience)

    def close(self) -> None:
        """Ends the threads of the client. Whatever waits for an answer gets a ``ClientError``, as do later questions."""
        self._native.close()

    @property
    def requests(self) -> int:
        """The number of requests for robots.txt files that were sent so far."""
        return self._native.requests

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        state = ", closed" if self._native.closed else ""
        return f"<Client: {self._user_agent}, crawler {self._native.crawler!r}, {self.requests} requests{state}>"
