"""Measures Spark in a cluster on this machine: two workers with one core each, which are processes of their own. Adds tables
to a report, in Markdown.

    python bench/columns/spark.py REPORT

The sites and questions are generated: files of 4.5 KB as those of real sites, URLs of 80 bytes in random order, and one
site with a tenth of the questions. Three sizes are measured, so that the cost of a question, that of a site, and what each
job takes once are known apart. The time of the processor is that of Spark and of the Python workers together; it depends
less on other programs than the elapsed time does.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TextIO

import pyarrow as pa
import pyarrow.parquet as pq

CRAWLER = "ExampleBot"
ROUNDS = 3
#: The sites and questions. The base is measured twice, and its first time is not counted: Spark is still compiled then.
MORE_QUESTIONS, BASE, MORE_SITES = SIZES = [(5_000, 4_000_000), (5_000, 1_000_000), (60_000, 1_000_000)]
#: The share of the questions that are about the largest site.
LARGEST = 0.1


def generate(folder: Path, sites: int, questions: int) -> None:
    """Writes sites, bodies and questions, as `comity warc` writes them."""
    generator = random.Random(1)

    def body(site: int) -> str:
        # One in ten rules has a wildcard.
        paths = ((generator.randrange(1_000), rule, "*/" * (rule % 10 == 0)) for rule in range(88))
        rules = (f"Disallow: /{number}/{rule}-of-{site}/{wildcard}a-longer-path-of-a-site\n" for number, rule, wildcard in paths)
        return "User-agent: *\n" + "".join(rules)

    origins = [f"https://www.site-{site}.example" for site in range(sites)]
    hashes = [f"body {site}" for site in range(sites)]
    columns = {"origin": origins, "outcome": ["rules"] * sites, "body_hash": hashes}
    pq.write_table(pa.table({**columns, "fetched": pa.array([0] * sites, pa.timestamp("ms", "UTC"))}), folder / "sites.parquet")
    pq.write_table(pa.table({"hash": hashes, "body": [body(site) for site in range(sites)]}), folder / "bodies.parquet")

    def url() -> str:
        site = 0 if generator.random() < LARGEST else generator.randrange(sites)
        number = generator.randrange(1_000)
        return f"{origins[site]}/{number}/{number % 85}-of-{site}/a-page-of-this-site-{generator.randrange(10**9)}.html"

    with pq.ParquetWriter(folder / "questions.parquet", pa.schema({"url": pa.string()})) as writer:
        for start in range(0, questions, 250_000):
            urls = [url() for _ in range(min(250_000, questions - start))]
            writer.write_table(pa.table({"url": urls}))


def processes() -> list[int]:
    """Returns the processes that this one has started, and those that they have started."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:  # it has ended
            continue
    found = {os.getpid()}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return sorted(found - {os.getpid()})


def processor_time() -> float:
    """Returns the seconds of the processor that these processes have used."""
    ticks = 0
    for process in processes():
        try:
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def peak_of_workers() -> int:
    """Returns the most memory that a Python worker has had, in MiB."""
    peak = 0
    for process in processes():
        try:
            if "pyspark.daemon" in Path(f"/proc/{process}/cmdline").read_text():
                lines = Path(f"/proc/{process}/status").read_text().splitlines()
                peak = max(peak, *(int(line.split()[1]) >> 10 for line in lines if line.startswith("VmHWM")))
        except OSError:
            continue
    return peak


def shuffled(events: Path) -> dict[str, int]:
    """Returns the bytes that the jobs of each description have written for shuffles."""
    jobs: dict[int, str] = {}
    found: dict[str, int] = defaultdict(int)
    for path in sorted(events.rglob("events_*")):
        for line in path.read_text(encoding="utf-8").splitlines():
            event = json.loads(line)
            if event["Event"] == "SparkListenerJobStart":
                for stage in event["Stage IDs"]:
                    jobs.setdefault(stage, event["Properties"].get("spark.job.description", ""))
            elif event["Event"] == "SparkListenerTaskEnd" and "Task Metrics" in event:
                written = event["Task Metrics"]["Shuffle Write Metrics"]
                found[jobs.get(event["Stage ID"], "")] += written["Shuffle Bytes Written"]
    return found


def apart(costs: dict[tuple[int, int], float]) -> tuple[float, float, float]:
    """Returns the cost of a question, that of a site, and the rest, by the costs of the three sizes."""
    question = (costs[MORE_QUESTIONS] - costs[BASE]) / (MORE_QUESTIONS[1] - BASE[1])
    site = (costs[MORE_SITES] - costs[BASE]) / (MORE_SITES[0] - BASE[0])
    return question, site, costs[BASE] - question * BASE[1] - site * BASE[0]


def start(events: Path) -> Any:
    """Starts the cluster."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    events.mkdir()
    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "2g",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": f"file://{events}",
        "spark.eventLog.enabled": "true",
        "spark.executor.memory": "2g",
        "spark.sql.shuffle.partitions": "16",
        "spark.ui.enabled": "false",
    }
    builder = SparkSession.builder.master("local-cluster[2,1,2048]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


def ways(session: Any, folder: Path) -> dict[str, Callable[[], Any]]:
    """Returns the ways of asking. The last one leaves the workers with the most memory."""
    import comity.spark

    asked, known, bodies = (session.read.parquet(f"{folder}/{name}.parquet") for name in ("questions", "sites", "bodies"))
    return {
        "the scan alone": lambda: asked,
        "the identity function": lambda: asked.mapInArrow(lambda batches: batches, asked.schema),
        "by site": lambda: comity.spark.check(asked, known, bodies, crawler=CRAWLER, by_site=True),
        "sites sent to each worker": lambda: comity.spark.check(asked, known, bodies, crawler=CRAWLER),
    }


def measure(report: TextIO, folder: Path) -> None:
    """Measures each way of asking, and writes tables."""
    session = start(folder / "events")
    used: dict[str, dict[tuple[int, int], float]] = defaultdict(dict)
    elapsed: dict[str, dict[tuple[int, int], float]] = defaultdict(dict)
    peaks: dict[str, dict[tuple[int, int], float]] = defaultdict(dict)
    for turn, (sites, questions) in enumerate([BASE, *SIZES]):
        files = folder / str(turn)
        files.mkdir()
        generate(files, sites, questions)
        for name, way in ways(session, files).items():
            times = []
            for number in range(ROUNDS + 1):
                # The first run starts the workers, and is not counted.
                session.sparkContext.setJobDescription(f"{name} {sites} {questions}" if turn and number else "")
                before = time.perf_counter(), processor_time()
                way().write.format("noop").mode("overwrite").save()
                times.append((time.perf_counter() - before[0], processor_time() - before[1]))
            elapsed[name][sites, questions] = statistics.median(time for time, _ in times[1:])
            used[name][sites, questions] = statistics.median(time for _, time in times[1:])
            peaks[name].setdefault((sites, questions), peak_of_workers())
    session.stop()
    written = shuffled(folder / "events")
    moved = {size: written[f"by site {size[0]} {size[1]}"] / ROUNDS for size in SIZES}
    report.write(
        "| seconds of the processor | for a million questions | for 1,000 sites | for the job | M questions/s, elapsed |\n"
        "|---|--:|--:|--:|--:|\n"
    )
    for name, costs in used.items():
        question, site, rest = apart(costs)
        rate = MORE_QUESTIONS[1] / elapsed[name][MORE_QUESTIONS] / 1e6
        report.write(f"| {name} | {question * 1e6:.2f} | {site * 1e3:.2f} | {rest:.1f} | {rate:.2f} |\n")
    question, site, _ = apart(moved)
    # Workers are kept, so their peak is that of all jobs before.
    sent = peaks["sites sent to each worker"]
    memory = f"{peaks['by site'][BASE]} MiB by site, and {sent[BASE]} or {sent[MORE_SITES]} MiB with {BASE[0]} or {MORE_SITES[0]} sites sent to it"
    report.write(
        f"\nBy site, the shuffles move {question:.0f} bytes for a question and {site:.0f} for a site. The peak of a Python worker "
        f"is {memory}. Sizes: {', '.join(f'{sites} sites and {questions} questions' for sites, questions in SIZES)}. Medians of "
        f"{ROUNDS} runs; rates are those of the first size.\n"
    )


def add_to(report: TextIO) -> None:
    """Adds the measurements to a report, or the reason why there are none."""
    report.write("\n## Spark\n\n")
    if find_spec("pyspark") is None:
        report.write("Not measured: PySpark is not installed.\n")
        return
    if shutil.which("java") is None:
        report.write("Not measured: there is no Java.\n")
        return
    report.write(
        "`local-cluster[2,1,2048]`: two workers with one core each, which are processes of their own. The identity function shows "
        "what the transport between Spark and Python takes. The time of the processor is that of Spark and of the Python workers "
        "together. One site has a tenth of the questions.\n\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        measure(report, Path(folder))


if __name__ == "__main__":
    with open(sys.argv[1], "a", buffering=1, encoding="utf-8") as file:
        add_to(file)
