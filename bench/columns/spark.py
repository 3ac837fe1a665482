"""Measures Spark in a cluster on this machine: two workers with one core each, which are processes of their own. Adds a table
to a report, in Markdown.

    python bench/columns/spark.py REPORT [SITES QUESTIONS]

The sites and questions are generated: files of 4.5 KB as those of real sites, URLs of 80 bytes in random order, and one
site with a tenth of the questions. The time of the processor is that of Spark and of the Python workers together, so it
depends less on other programs than the elapsed time does.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TextIO

import pyarrow as pa
import pyarrow.parquet as pq

CRAWLER = "ExampleBot"
ROUNDS = 3
#: The share of the questions that are about the largest site.
LARGEST = 0.1


def generate(folder: Path, sites: int, questions: int) -> None:
    """Writes sites, bodies and questions, as `comity warc` writes them."""
    generator = random.Random(1)

    def body(site: int) -> str:
        rules = (f"Disallow: /{generator.randrange(1_000)}/{rule}-of-{site}/*/a-longer-path-of-a-site\n" for rule in range(85))
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


def shuffled(events: Path) -> dict[str, tuple[int, int]]:
    """Returns the bytes and rows that each job has written for a shuffle, by the description of the job."""
    jobs: dict[int, str] = {}
    found: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for path in events.rglob("*"):
        if not path.is_file() or path.name.startswith("appstatus"):
            continue
        for line in path.read_text(encoding="utf-8").splitlines():
            event = json.loads(line)
            if event["Event"] == "SparkListenerJobStart":
                for stage in event["Stage IDs"]:
                    jobs.setdefault(stage, event["Properties"].get("spark.job.description", ""))
            elif event["Event"] == "SparkListenerTaskEnd" and "Task Metrics" in event:
                written = event["Task Metrics"]["Shuffle Write Metrics"]
                total = found[jobs.get(event["Stage ID"], "")]
                total[0] += written["Shuffle Bytes Written"]
                total[1] += written["Shuffle Records Written"]
    return {name: (octets, rows) for name, (octets, rows) in found.items()}


def measure(report: TextIO, folder: Path, sites: int, questions: int) -> None:
    """Measures each way of asking, and writes a table."""
    from pyspark.sql import DataFrame, SparkSession

    import comity.spark

    os.environ["PYSPARK_PYTHON"] = sys.executable
    events = folder / "events"
    events.mkdir()
    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
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
    asked, known, bodies = (session.read.parquet(f"{folder}/{name}.parquet") for name in ("questions", "sites", "bodies"))

    def run(name: str, way: Callable[[], DataFrame]) -> tuple[float, float]:
        session.sparkContext.setJobDescription(name)
        start, used = time.perf_counter(), processor_time()
        way().write.format("noop").mode("overwrite").save()
        return time.perf_counter() - start, processor_time() - used

    def check(by_site: bool) -> DataFrame:
        return comity.spark.check(asked, known, bodies, crawler=CRAWLER, by_site=by_site)

    # The broadcast is last, since its workers have the most memory.
    ways = {
        "the scan alone": lambda: asked,
        "the identity function": lambda: asked.mapInArrow(lambda batches: batches, asked.schema),
        "by site": lambda: check(True),
        "sites sent to each worker": lambda: check(False),
    }
    report.write(
        "`local-cluster[2,1,2048]`: two workers with one core each, which are processes of their own. The identity function shows "
        "what the transport between Spark and Python takes. The time of the processor is that of Spark and of the Python workers "
        "together. One site has a tenth of the questions.\n\n"
    )
    report.write("| | M rows/s | M rows in a second of the processor | peak of a Python worker |\n|---|--:|--:|--:|\n")
    for name, way in ways.items():
        run(name, way)  # starts the workers
        times = sorted(run(f"{name}, measured", way) for _ in range(ROUNDS))
        elapsed = times[ROUNDS // 2][0]
        used = sorted(used for _, used in times)[ROUNDS // 2]
        report.write(f"| {name} | {questions / elapsed / 1e6:.2f} | {questions / used / 1e6:.2f} | {peak_of_workers()} MiB |\n")
    session.stop()
    moved, rows = shuffled(events)["by site, measured"]
    of_questions = os.path.getsize(folder / "questions.parquet") / questions
    of_bodies = os.path.getsize(folder / "bodies.parquet") / sites
    report.write(
        f"\n{questions} questions about {sites} sites. Medians of {ROUNDS} runs. By site, the shuffle moves {rows // ROUNDS} rows in "
        f"{moved / ROUNDS / 1e6:.0f} MB. A question takes {of_questions:.0f} bytes in Parquet, and a body {of_bodies:.0f}.\n"
    )


def add_to(report: TextIO, sites: int = 20_000, questions: int = 2_000_000) -> None:
    """Adds the measurements to a report, or the reason why there are none."""
    report.write("\n## Spark\n\n")
    if find_spec("pyspark") is None:
        report.write("Not measured: PySpark is not installed.\n")
        return
    if shutil.which("java") is None:
        report.write("Not measured: there is no Java.\n")
        return
    with tempfile.TemporaryDirectory() as folder:
        generate(Path(folder), sites, questions)
        measure(report, Path(folder), sites, questions)


if __name__ == "__main__":
    with open(sys.argv[1], "a", buffering=1, encoding="utf-8") as file:
        add_to(file, *map(int, sys.argv[2:]))
