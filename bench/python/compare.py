"""Measures the Python package beside Protego, urllib.robotparser and Scrapy's parsers. `cargo xtask bench --python` runs it.

Each round measures both participants one after another, for about the same time and in time of the processor, so that
other programs disturb both alike. Only ratios within a round are compared; the table has the median over the rounds. A
ratio below its bound is an error, and so is a wheel above its bound. The arguments are the wheels of the package, of its
client and of its columns.

URLs are in the form in which crawlers send them, as those are that Scrapy and the libraries for HTTP ask about. One row
has URLs as pages write them, with spaces, letters outside ASCII, brackets and hosts in capitals.
"""

from __future__ import annotations

import asyncio
import gzip
import itertools
import json
import os
import random
import re
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.robotparser import RobotFileParser

from protego import Protego
from scrapy.robotstxt import ProtegoRobotParser

import comity
from comity.client import Client
from comity.scrapy import ComityRobotParser

ROUNDS = 7
MIN_SECONDS = 0.1
AGENT = "ExampleBot"
MAX_WHEEL = 1_100_000
MAX_CLIENT_WHEEL = 5_000_000
MAX_COLUMNS_WHEEL = 820_000
MAX_IMPORT_MS = 3.0
MAX_AWAIT = 3.0
ROW = "| wheels of the libraries |"
MAX_DRIFT = 0.03
"""The share by which the size of a wheel may differ from the one that the docs state: compilers differ."""


def files() -> list[tuple[bytes, list[str]]]:
    """Returns files and URLs to ask about: the reference data, or generated files if it is not there."""
    shared = Path(os.environ.get("COMITY_SHARED", "../shared"))
    recorded = shared / "golden/verdicts.jsonl.gz"
    if not recorded.exists():
        return list(generated())
    found: list[tuple[bytes, list[str]]] = []
    with gzip.open(recorded, "rt", encoding="utf-8") as lines:
        for line in lines:
            file = json.loads(line)
            body = (shared / "corpus" / file["file"]).read_bytes()
            urls = sorted({case["url"] for case in file["cases"] if SENT.fullmatch(case.get("url", ""))})
            if body.isascii() and urls:
                found.append((body, urls))
    return random.Random(1).sample(found, 600)


def generated() -> Iterator[tuple[bytes, list[str]]]:
    """Returns files of all sizes."""
    numbers = random.Random(1)
    for count in range(600):
        rules = [f"Disallow: /{numbers.randrange(9)}/{name}/*{name}" for name in range(count // 3)]
        body = "User-agent: *\n" + "\n".join(rules)
        yield body.encode(), [f"https://example.com/{numbers.randrange(9)}/{path}/x" for path in range(100)]


SENT = re.compile(r"https?://[a-z][a-z0-9.-]*[a-z](/(?![.%])[A-Za-z0-9._~!$&()*+,;=:@?%-]*)+")


def timed(work: Callable[[], int]) -> float:
    """Returns the time for a unit of work, in seconds. The work returns the number of its units."""
    units = 0
    start = time.thread_time()
    while (spent := time.thread_time() - start) < MIN_SECONDS:
        units += work()
    return spent / units


def distinct(urls: list[str], count: int) -> list[str]:
    """Returns this number of URLs. A crawler asks about each URL once, so none is repeated."""
    cycled = itertools.islice(itertools.cycle(urls), count)
    return [f"{url}{'&' if '?' in url else '?'}p={number}" for number, url in enumerate(cycled)]


def as_written(urls: list[str]) -> list[str]:
    """Returns URLs outside of normal form, of five kinds in turn."""
    kinds = [" {}", "/ü{}", "[]={}", "|{}"]
    written = [url + kinds[number % 4].format(number) for number, url in enumerate(urls)]
    return [re.sub("//([^/]*)", lambda host: host[0].upper(), url, count=1) if number % 5 == 4 else url for number, url in enumerate(written)]


def urllib_parser(text: str) -> RobotFileParser:
    parser = RobotFileParser()
    parser.parse(text.splitlines())
    return parser


def main() -> None:
    data = files()
    bodies = [body for body, _ in data]
    texts = [body.decode() for body in bodies]
    url = "https://example.com/shop/page.html?a=b"
    largest = sorted(data, key=lambda file: len(file[0]))[-100:]
    many = [(body, distinct(urls, 100)) for body, urls in largest]
    count = sum(len(urls) for _, urls in many)
    compiled = [(comity.Robots.parse(body).rules_for(AGENT), urls) for body, urls in many]
    protegos = [(Protego.parse(body.decode()), urls) for body, urls in many]
    written = [(rules, as_written(urls)) for rules, urls in compiled]
    written_protegos = [(parser, as_written(urls)) for parser, urls in protegos]
    urllibs = [(urllib_parser(body.decode()), urls) for body, urls in many]
    sites = [(body, distinct(urls, 20)) for body, urls in data[:300]]

    def parse_and_ask() -> int:
        for body in bodies:
            comity.Robots.parse(body).is_allowed(url, crawler=AGENT)
        return len(bodies)

    def parse_and_ask_protego() -> int:
        for body in bodies:
            Protego.parse(body.decode()).can_fetch(url, AGENT)
        return len(bodies)

    def parse_and_ask_urllib() -> int:
        for text in texts:
            urllib_parser(text).can_fetch(AGENT, url)
        return len(texts)

    def ask_list() -> int:
        for rules, urls in compiled:
            rules.are_allowed(urls)
        return count

    def ask_each() -> int:
        for rules, urls in compiled:
            for asked in urls:
                rules.is_allowed(asked)
        return count

    def ask_verdicts() -> int:
        for rules, urls in compiled:
            for asked in urls:
                rules.check(asked)
        return count

    def ask_written() -> int:
        for rules, urls in written:
            for asked in urls:
                rules.is_allowed(asked)
        return count

    def ask_written_protego() -> int:
        for parser, urls in written_protegos:
            for asked in urls:
                parser.can_fetch(asked, AGENT)
        return count

    def ask_protego() -> int:
        for parser, urls in protegos:
            for asked in urls:
                parser.can_fetch(asked, AGENT)
        return count

    def ask_urllib() -> int:
        for parser, urls in urllibs:
            for asked in urls:
                parser.can_fetch(AGENT, asked)
        return count

    def scrapy_with(parser: type) -> Callable[[], int]:
        def ask() -> int:
            for body, urls in sites:
                rules = parser.from_crawler(None, body)  # type: ignore[attr-defined]
                for asked in urls:
                    rules.allowed(asked, "ExampleBot/1.0 (+https://example.com/bot)")
            return len(sites)

        return ask

    # Each row: its name, comity, and the others with the least ratio.
    rows: list[tuple[str, Callable[[], int], list[tuple[str, Callable[[], int], float]]]] = [
        ("parse, one question", parse_and_ask, [("protego", parse_and_ask_protego, 20), ("urllib", parse_and_ask_urllib, 0)]),
        ("many questions, a list", ask_list, [("protego", ask_protego, 100), ("urllib", ask_urllib, 0)]),
        ("many questions, one by one", ask_each, [("protego", ask_protego, 0), ("urllib", ask_urllib, 0)]),
        # The floor is the row above it: such a URL is escaped first, and then asked about.
        ("URLs as pages write them, one by one", ask_written, [("protego", ask_written_protego, 25)]),
        ("many verdicts, one by one", ask_verdicts, [("protego", ask_protego, 0)]),
        (
            "Scrapy's interface, a site",
            scrapy_with(ComityRobotParser),
            [("protego", scrapy_with(ProtegoRobotParser), 12)],
        ),
    ]
    failures = []
    print(f"{len(data)} files, {count} questions, {ROUNDS} rounds; medians\n")
    print("| | comity | " + "beside | time | ratio | bound |")
    print("|---|--:|---|--:|--:|--:|")
    for name, own, others in rows:
        for other_name, other, bound in others:
            times = [(timed(own), timed(other)) for _ in range(ROUNDS)]
            ratio = statistics.median(theirs / ours for ours, theirs in times)
            ours, theirs = (statistics.median(column) for column in zip(*times))
            limit = f"{bound:.0f}" if bound else "–"
            print(f"| {name} | {show(ours)} | {other_name} | {show(theirs)} | {ratio:.0f} | {limit} |", flush=True)
            if ratio < bound:
                failures.append(f"{name}: {ratio:.1f} times as fast as {other_name}, expected {bound:.0f}")

    one, two = threads(compiled)
    print(f"\nlists in one thread: {one:.1f} M questions/s; in two threads: {two:.1f} M questions/s")
    milliseconds = import_time()
    print(f"import comity: {milliseconds:.2f} ms (bound {MAX_IMPORT_MS})")
    if milliseconds > MAX_IMPORT_MS:
        failures.append(f"import comity takes {milliseconds:.2f} ms")
    awaited = await_ratio()
    print(f"await client.check, from memory: {awaited:.1f} times as long as check_blocking (bound {MAX_AWAIT})")
    if awaited > MAX_AWAIT:
        failures.append(f"await client.check takes {awaited:.1f} times as long as check_blocking")
    bounds = [("comity", MAX_WHEEL), ("comity-client", MAX_CLIENT_WHEEL), ("comity-columns", MAX_COLUMNS_WHEEL)]
    stated = stated_sizes()
    for wheel, (name, bound) in zip(sys.argv[1:], bounds, strict=True):
        size = Path(wheel).stat().st_size
        print(f"wheel of {name}: {size} bytes (bound {bound})")
        if size > bound:
            failures.append(f"the wheel of {name} has {size} bytes, expected at most {bound}")
        if abs(size - stated.get(name, 0)) > size * MAX_DRIFT:
            failures.append(f"docs/install.md: expected the wheel of {name} in the row {ROW!r}: `{name}` {size:,}")
    if failures:
        raise SystemExit("\n".join(failures))


def stated_sizes() -> dict[str, int]:
    """Returns the sizes of the wheels that the docs state."""
    text = (Path(__file__).parent.parent.parent / "docs/install.md").read_text(encoding="utf-8")
    [row] = [line for line in text.splitlines() if line.startswith(ROW)]
    return {name: int(size.replace(",", "")) for name, size in re.findall(r"`([a-z-]+)` ([0-9,]+[0-9])", row)}


def await_ratio() -> float:
    """Returns the time of ``await client.check`` for a site in memory, as a multiple of that of ``check_blocking``."""
    url = "http://127.0.0.1:9/page"
    ratios = []

    async def measure() -> None:
        # The address is refused without a connection, and this result is kept in memory.
        async with Client("ExampleBot/1.0") as client:
            await client.check(url)
            for _ in range(ROUNDS):
                began = time.process_time()
                for _ in range(5_000):
                    client.check_blocking(url)
                middle = time.process_time()
                for _ in range(5_000):
                    await client.check(url)
                ratios.append((time.process_time() - middle) / (middle - began))

    asyncio.run(measure())
    return statistics.median(ratios)


def threads(compiled: list[tuple[comity.Rules, list[str]]]) -> tuple[float, float]:
    """Returns the millions of questions a second in one thread, and in two."""
    lists = [(rules, urls * 50) for rules, urls in compiled]
    questions = sum(len(urls) for _, urls in lists)

    def ask() -> None:
        for rules, urls in lists:
            rules.are_allowed(urls)

    rates = []
    for count in (1, 2):
        running = [threading.Thread(target=ask) for _ in range(count)]
        start = time.perf_counter()
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()
        rates.append(count * questions / (time.perf_counter() - start) / 1e6)
    return rates[0], rates[1]


def import_time() -> float:
    """Returns the least time that the import takes, in milliseconds."""
    code = "import time; start = time.perf_counter(); import comity; print(time.perf_counter() - start)"
    run = [sys.executable, "-c", code]
    return min(float(subprocess.run(run, capture_output=True, text=True, check=True).stdout) for _ in range(10)) * 1e3


def show(seconds: float) -> str:
    """Returns a time in the unit that suits it."""
    if seconds < 1e-6:
        return f"{seconds * 1e9:.0f} ns"
    return f"{seconds * 1e6:.1f} µs" if seconds < 1e-3 else f"{seconds * 1e3:.2f} ms"


if __name__ == "__main__":
    main()
