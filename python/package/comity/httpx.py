"""A transport for httpx that obeys robots.txt.

>>> client = comity.client.Client("ExampleBot/1.0 (+https://example.com/bot)")
>>> http = httpx.AsyncClient(transport=comity.httpx.RobotsTransport(client))
"""

from __future__ import annotations

import httpx

from comity import Crawler
from comity.client import Client


class RobotsTransport(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Sends each request, also those to the targets of redirects, when the robots.txt of its site allows it.

    It keeps the pace that the sites ask for. A request raises ``comity.Disallowed`` if it is not allowed, and
    ``comity.TooSoon`` if its turn takes longer than ``patience`` seconds. It is for ``httpx.Client`` and
    ``httpx.AsyncClient``.
    """

    def __init__(
        self,
        client: Client,
        transport: httpx.BaseTransport | httpx.AsyncBaseTransport | None = None,
        *,
        crawler: str | Crawler | None = None,
        patience: float = 60.0,
    ) -> None:
        """Creates a transport. ``transport`` sends the requests: by default, that of httpx."""
        self._client = client
        self._transport = transport
        self._crawler = crawler
        self._patience = patience

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Sends a request of ``httpx.Client``."""
        if self._transport is None:
            self._transport = httpx.HTTPTransport()
        assert isinstance(self._transport, httpx.BaseTransport)
        with self._client.permit_blocking(str(request.url), crawler=self._crawler, patience=self._patience) as turn:
            response = self._transport.handle_request(request)
            turn.end(response.status_code, response.headers.get("Retry-After"))
            return response

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Sends a request of ``httpx.AsyncClient``."""
        if self._transport is None:
            self._transport = httpx.AsyncHTTPTransport()
        assert isinstance(self._transport, httpx.AsyncBaseTransport)
        with await self._client.permit(str(request.url), crawler=self._crawler, patience=self._patience) as turn:
            response = await self._transport.handle_async_request(request)
            turn.end(response.status_code, response.headers.get("Retry-After"))
            return response

    def close(self) -> None:
        """Closes the transport that sends the requests."""
        if isinstance(self._transport, httpx.BaseTransport):
            self._transport.close()

    async def aclose(self) -> None:
        """Closes the transport that sends the requests."""
        if isinstance(self._transport, httpx.AsyncBaseTransport):
            await self._transport.aclose()
