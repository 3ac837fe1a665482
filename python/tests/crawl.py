"""Runs a real crawl with Scrapy, and prints what happened as JSON. The tests start it in a process of its own.

The argument is JSON: ``urls``, ``settings`` in addition to those below, and ``allowed_domains``, or ``null``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from typing import Any

import scrapy
from scrapy.crawler import CrawlerProcess

TASK = json.loads(sys.argv[1])
FETCHED: list[str] = []
FAILED: dict[str, str] = {}


class OneRequestForEachUrl(scrapy.Spider):
    """A spider that requests all URLs at once."""

    name = "one-request-for-each-url"
    allowed_domains = TASK["allowed_domains"]

    async def start(self) -> AsyncIterator[Any]:
        for url in TASK["urls"]:
            # Requests that are not filtered may go to any domain.
            every = self.allowed_domains is None
            yield scrapy.Request(url, callback=self.parse, errback=self.failed, dont_filter=every)

    def parse(self, response: Any, **arguments: Any) -> None:
        FETCHED.append(response.url)

    def failed(self, failure: Any) -> None:
        FAILED[failure.request.url] = f"{type(failure.value).__name__}: {failure.value}"


# A setting of `None` is left out.
SETTINGS = {
    "LOG_LEVEL": "ERROR",
    "ROBOTSTXT_OBEY": True,
    "USER_AGENT": "ExampleBot/1.0 (+https://example.com/bot)",
    "CONCURRENT_REQUESTS": 500,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 500,
    "DOWNLOAD_DELAY": 0,
    "DOWNLOAD_TIMEOUT": 2,
    "RETRY_TIMES": 2,
    "TELNETCONSOLE_ENABLED": False,
    **TASK["settings"],
}
process = CrawlerProcess({name: value for name, value in SETTINGS.items() if value is not None})
crawler = process.create_crawler(OneRequestForEachUrl)
process.crawl(crawler)
process.start()
stats = {key: value for key, value in (crawler.stats.get_stats() if crawler.stats else {}).items() if "robots" in key}
print(json.dumps({"scrapy": scrapy.__version__, "fetched": FETCHED, "failed": FAILED, "stats": stats}))
