"""Measures columns in the engines of others, on the files that `comity-bench-columns` wrote: each one alone, and with comity.

`cargo xtask bench --columns` runs it. The time is elapsed time: engines use all processors.
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import polars as pl
import pyarrow.parquet as pq

import comity.duckdb
import comity.polars
from comity.columns import Table

ROUNDS = 5
CRAWLER = "ExampleBot"


def rate(rows: int, work: Callable[[], int]) -> str:
    """Returns the median of million rows a second."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        found = work()
        times.append(time.perf_counter() - start)
        assert found == rows, f"expected {rows} rows, found {found}"
    return f"{rows / statistics.median(times) / 1e6:.2f}"


def main() -> None:
    folder = Path(sys.argv[1])
    sites = pq.read_table(folder / "sites.parquet")
    start = time.perf_counter()
    table = Table(sites["origin"], sites["robots"])
    print(f"a table of {len(table)} files: {1e3 * (time.perf_counter() - start):.0f} ms, {table.memory >> 10} KiB\n")
    print("| M rows/s, elapsed time | sorted by site | shuffled |")
    print("|---|--:|--:|")
    rows: dict[str, list[str]] = {}
    for order in ("sorted", "shuffled"):
        path = folder / f"{order}.parquet"
        count = pq.read_metadata(path).num_rows
        in_memory = pq.read_table(path).to_batches()

        def scan() -> int:
            return sum(batch.num_rows for batch in pq.ParquetFile(path).iter_batches(65_536))

        def pyarrow() -> int:
            batches = pq.ParquetFile(path).iter_batches(65_536)
            return sum(len(table.check(None, batch["url"], crawler=CRAWLER)) for batch in batches)

        def pyarrow_in_memory() -> int:
            return sum(len(table.check(None, batch["url"], crawler=CRAWLER)) for batch in in_memory)

        def polars() -> int:
            answers = comity.polars.answers(table, crawler=CRAWLER)
            return len(pl.scan_parquet(path).select(answers).collect())

        def polars_scan() -> int:
            return len(pl.scan_parquet(path).collect())

        def duckdb_udf() -> int:
            with duckdb.connect() as connection:
                comity.duckdb.register(connection, table, crawler=CRAWLER)
                origin = "regexp_extract(url, '^https://[^/]+')"
                answers = f"SELECT robots({origin}, url) AS answer FROM '{path}'"
                found = connection.sql(f"SELECT count(*), count(answer.allowed) FROM ({answers})").fetchall()
            return int(found[0][0])

        for name, work in [
            ("pyarrow, the scan alone", scan),
            ("pyarrow, batches in memory", pyarrow_in_memory),
            ("pyarrow, from Parquet", pyarrow),
            ("Polars, the scan alone", polars_scan),
            ("Polars", polars),
            ("DuckDB", duckdb_udf),
        ]:
            rows.setdefault(name, []).append(rate(count, work))
    for name, rates in rows.items():
        print(f"| {name} | {' | '.join(rates)} |", flush=True)
    spark(folder)


def spark(folder: Path) -> None:
    """Measures Spark: the identity function, and the answers."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        print("\nSpark: skipped, PySpark is not installed")
        return
    if shutil.which("java") is None:
        print("\nSpark: skipped, there is no Java")
        return
    import comity.spark

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    sites = session.read.parquet(str(folder / "sites.parquet"))
    for order in ("sorted", "shuffled"):
        path = str(folder / f"{order}.parquet")
        count = pq.read_metadata(path).num_rows

        def identity() -> int:
            frame = session.read.parquet(path)
            return int(frame.mapInArrow(lambda batches: batches, frame.schema).selectExpr("count(url)").collect()[0][0])

        def answers() -> int:
            found = comity.spark.check(session.read.parquet(path), sites, crawler=CRAWLER)
            return int(found.selectExpr("count(reason)").collect()[0][0])

        identity()
        print(f"Spark, local[2], {order}: identity {rate(count, identity)}, answers {rate(count, answers)} M rows/s", flush=True)
    session.stop()


if __name__ == "__main__":
    main()
