"""The client of ``comity``. Import it from ``comity.client``."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable
from typing import Literal, TypeVar

# First, since it has the exceptions, and refuses sub-interpreters.
import comity  # noqa: F401
from comity_client._client import Decision, NativeClient, SiteFile, Task

__all__ = ["Client", "Decision", "SiteFile"]

_T = TypeVar("_T")


class Client:
    """Fetches robots.txt files as a polite crawler does, caches them, and decides by them.

    Concurrent questions about a site share one fetch. After an error, the last good copy decides, or nothing is allowed.
    Only public addresses are connected to, and hosts of ``trust``.
    """

    def __init__(
        self,
        user_agent: str,
        *,
        store: str | os.PathLike[str] | None = None,
        policy: Literal["standard", "google", "google-2019", "rfc9309", "strict", "archive"] = "standard",
        dialect: Literal["standard", "google", "google-parser", "bing", "yandex", "norobots-1996"] = "standard",
        timeout: float | None = None,
        trust: Iterable[str] = (),
    ) -> None:
        """Creates a client.

        ``user_agent`` is sent to sites: the true name of your crawler, with an address where you can be reached. ``store``
        is a folder that keeps the files when the program ends. ``timeout`` is the maximum time of a fetch in seconds.
        ``trust`` are URLs of hosts that may have private addresses, for tests.
        """
        self._native = NativeClient(user_agent, store, policy, dialect, timeout, list(trust))

    async def check(self, url: str, *, crawler: str) -> Decision:
        """Decides whether a crawler may fetch a URL. Fetches the robots.txt of its site if it is due."""
        return await _wait(lambda done: self._native.start_check(url, crawler, done))

    async def robots(self, url: str) -> SiteFile:
        """Returns the robots.txt of the site of a URL. Fetches it if it is due."""
        return await _wait(lambda done: self._native.start_robots(url, done))

    def check_blocking(self, url: str, *, crawler: str) -> Decision:
        """Decides as ``check`` does, and waits for the decision. Other threads run meanwhile."""
        return self._native.check_blocking(url, crawler)

    def robots_blocking(self, url: str) -> SiteFile:
        """Returns the robots.txt of the site of a URL as ``robots`` does, and waits for it."""
        return self._native.robots_blocking(url)

    @property
    def requests(self) -> int:
        """The number of requests that were sent so far."""
        return self._native.requests


async def _wait(start: Callable[[Callable[[_T | Exception], None]], Task]) -> _T:
    """Waits for the answer of a task, which calls back from another thread. Cancels it if the caller is canceled."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[_T] = loop.create_future()

    def set_answer(answer: _T | Exception) -> None:
        if future.done():
            return
        if isinstance(answer, Exception):
            future.set_exception(answer)
        else:
            future.set_result(answer)

    task = start(lambda answer: _ignore(loop.call_soon_threadsafe(set_answer, answer)))
    try:
        return await future
    finally:
        task.cancel()


def _ignore(_: object) -> None:
    """Drops a value."""
