"""An adapter for requests that obeys robots.txt.

>>> client = comity.client.Client("ExampleBot/1.0 (+https://example.com/bot)")
>>> session = requests.Session()
>>> session.mount("https://", comity.requests.RobotsAdapter(client))
>>> session.mount("http://", comity.requests.RobotsAdapter(client))
"""

from __future__ import annotations

from typing import Any

import requests
from requests.adapters import HTTPAdapter

from comity import Crawler
from comity.client import Client


class RobotsAdapter(HTTPAdapter):
    """Sends each request, also those to the targets of redirects, when the robots.txt of its site allows it.

    It keeps the pace that the sites ask for. A request raises ``comity.Disallowed`` if it is not allowed, and
    ``comity.TooSoon`` if its turn takes longer than ``patience`` seconds. Mount it for both ``https://`` and ``http://``.
    """

    def __init__(
        self, client: Client, *, crawler: str | Crawler | None = None, patience: float = 60.0, **options: Any
    ) -> None:
        """Creates an adapter. ``options`` are those of ``requests.adapters.HTTPAdapter``."""
        super().__init__(**options)
        self._client = client
        self._crawler = crawler
        self._patience = patience

    def send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> requests.Response:
        """Sends a request."""
        with self._client.permit_blocking(str(request.url), crawler=self._crawler, patience=self._patience) as turn:
            response = super().send(request, *args, **kwargs)
            turn.end(response.status_code, response.headers.get("Retry-After"))
            return response
