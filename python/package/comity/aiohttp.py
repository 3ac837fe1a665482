"""A middleware for the client of aiohttp that obeys robots.txt.

>>> client = comity.client.Client("ExampleBot/1.0 (+https://example.com/bot)")
>>> session = aiohttp.ClientSession(middlewares=[comity.aiohttp.robots_middleware(client)])
"""

from __future__ import annotations

import aiohttp

from comity import Crawler
from comity.client import Client


def robots_middleware(
    client: Client, *, crawler: str | Crawler | None = None, patience: float = 60.0
) -> aiohttp.ClientMiddlewareType:
    """Returns a middleware that sends each request when the robots.txt of its site allows it.

    That includes the targets of redirects. It keeps the pace that the sites ask for. A request raises ``comity.Disallowed``
    if it is not allowed, and ``comity.TooSoon`` if its turn takes longer than ``patience`` seconds.
    """

    async def middleware(
        request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
    ) -> aiohttp.ClientResponse:
        with await client.permit(str(request.url), crawler=crawler, patience=patience) as turn:
            response = await handler(request)
            turn.end(response.status, response.headers.get("Retry-After"))
            return response

    return middleware
