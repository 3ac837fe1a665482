"""Waits for answers of the native module, which calls back from threads of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from comity_client._client import Site, Task, Turn

_T = TypeVar("_T")


async def wait(start: Callable[[Callable[[_T | Exception], None]], Task]) -> _T:
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


async def turn(site: Site, patience: float) -> Turn:
    """Waits for the turn of a site."""
    return await wait(lambda done: site._start_turn(patience, done))


def _ignore(_: object) -> None:
    """Drops a value."""
