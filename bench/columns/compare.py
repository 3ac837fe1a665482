"""Measures columns in the engines of others, on the files that `comity-bench-columns` wrote: each engine alone, and with
comity. Adds tables to its report.

`cargo xtask bench --columns` runs it. The time is elapsed time: engines use all processors.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

import datafusion
import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from protego import Protego

import comity.duckdb
import comity.polars
import spark
from comity.columns import Table

ROUNDS = 3
BATCH = 65_536
#: The rows that a function of Python for each URL is asked about, since it takes so long.
PART = 100_000
CRAWLER = "ExampleBot"

#: What one engine does with a file. Returns the number of rows.
Work = Callable[[Path], int]


def rate(work: Work, path: Path, limit: int | None) -> str:
    """Returns the median of million rows a second."""
    rows, times = pq.read_metadata(path).num_rows, []
    rows = min(rows, limit or rows)
    for _ in range(ROUNDS):
        start = time.perf_counter()
        found = work(path)
        times.append(time.perf_counter() - start)
        assert found == rows, f"expected {rows} rows, found {found}"
    return f"{rows / statistics.median(times) / 1e6:.2f}"


def write_table(report: TextIO, folder: Path, rows: dict[str, Work], parts: dict[str, Work]) -> None:
    """Measures each row with both files, in turn, and writes a table."""
    report.write("| M rows/s, elapsed time | sorted by site | shuffled |\n|---|--:|--:|\n")
    for name, work in (rows | parts).items():
        limit = PART if name in parts else None
        rates = [rate(work, folder / f"{order}.parquet", limit) for order in ("sorted", "shuffled")]
        report.write(f"| {name} | {' | '.join(rates)} |\n")


def protego(sites: pa.Table) -> Work:
    """Returns the usual way: a function of Python for each URL, with Protego. A file is read when it is first asked about."""
    bodies = dict(zip(sites["origin"].to_pylist(), sites["robots"].to_pylist()))
    parsers: dict[str, Protego] = {}

    def is_allowed(url: str) -> bool:
        origin = "/".join(url.split("/", 3)[:3])
        if origin not in parsers:
            parsers[origin] = Protego.parse((bodies.get(origin) or b"").decode(errors="replace"))
        return bool(parsers[origin].can_fetch(url, CRAWLER))

    def work(path: Path) -> int:
        urls = pl.scan_parquet(path).head(PART)
        return len(urls.select(pl.col("url").map_elements(is_allowed, return_dtype=pl.Boolean)).collect())

    return work


def one_process(table: Table) -> dict[str, Work]:
    """Returns the engines that run in this process."""
    in_memory: dict[Path, list[pa.RecordBatch]] = {}
    answers = comity.polars.check(table, crawler=CRAWLER)

    def check(urls: pa.Array) -> pa.Array:
        return pa.array(table.check(None, urls, crawler=CRAWLER))

    def pyarrow_scan(path: Path) -> int:
        return sum(batch.num_rows for batch in pq.ParquetFile(path).iter_batches(BATCH))

    def pyarrow(path: Path) -> int:
        return sum(len(check(batch["url"])) for batch in pq.ParquetFile(path).iter_batches(BATCH))

    def pyarrow_in_memory(path: Path) -> int:
        if path not in in_memory:
            in_memory[path] = pq.read_table(path).to_batches(BATCH)
        return sum(len(check(batch["url"])) for batch in in_memory[path])

    def pandas_scan(path: Path) -> int:
        return len(pd.read_parquet(path))

    def pandas(path: Path) -> int:
        return len(pd.DataFrame.from_arrow(table.check(None, pd.read_parquet(path)["url"], crawler=CRAWLER)))

    def polars_scan(path: Path) -> int:
        return len(pl.scan_parquet(path).collect())

    def polars(path: Path) -> int:
        return len(pl.scan_parquet(path).select(answers).collect())

    def duckdb_scan(path: Path) -> int:
        [(rows, _)] = duckdb.sql(f"SELECT count(*), max(length(url)) FROM '{path}'").fetchall()
        return int(rows)

    def duckdb_answers(path: Path) -> int:
        with duckdb.connect() as connection:
            comity.duckdb.register(connection, table, crawler=CRAWLER)
            answer = f"SELECT robots(url) AS answer FROM '{path}'"
            [(rows, _)] = connection.sql(f"SELECT count(*), count(answer.allowed) FROM ({answer})").fetchall()
            return int(rows)

    def duckdb_identity(path: Path) -> int:
        with duckdb.connect() as connection:
            options: dict[str, Any] = {"type": "arrow"}
            connection.create_function("same", lambda urls: urls, [duckdb.sqltypes.VARCHAR], duckdb.sqltypes.VARCHAR, **options)
            [(rows, _)] = connection.sql(f"SELECT count(*), max(length(same(url))) FROM '{path}'").fetchall()
            return int(rows)

    def datafusion_sql(path: Path, column: str) -> int:
        context = datafusion.SessionContext()
        answer = check(pa.array([], pa.string_view())).type
        context.register_udf(datafusion.udf(check, [pa.string_view()], answer, "immutable", "robots"))
        context.register_parquet("questions", path)
        found = context.sql(f"SELECT count(*) AS rows, max({column}) FROM questions").to_pydict()
        return int(found["rows"][0])

    return {
        "pyarrow, the scan alone": pyarrow_scan,
        "pyarrow": pyarrow,
        "pyarrow, batches in memory": pyarrow_in_memory,
        "pandas, the scan alone": pandas_scan,
        "pandas": pandas,
        "Polars, the scan alone": polars_scan,
        "Polars": polars,
        "DuckDB, the scan alone": duckdb_scan,
        "DuckDB, a function that returns the URL": duckdb_identity,
        "DuckDB": duckdb_answers,
        "DataFusion, the scan alone": lambda path: datafusion_sql(path, "length(url)"),
        "DataFusion": lambda path: datafusion_sql(path, "robots(url)['line']"),
    }


def main() -> None:
    folder = Path(sys.argv[1])
    sites = pq.read_table(folder / "sites.parquet")
    start = time.perf_counter()
    table = Table(sites["origin"], sites["robots"])
    elapsed = 1e3 * (time.perf_counter() - start)
    with open(sys.argv[2], "a+", buffering=1, encoding="utf-8") as report:
        report.write(
            f"\n## Python\n\nA table of {len(table)} files is built in {elapsed:.0f} ms and takes {table.memory >> 10} KiB. pyarrow "
            f"passes batches of {BATCH} rows to comity in one thread; other engines use all {os.cpu_count()} processors. "
            f"The row of Protego is the first {PART} rows, and includes reading their files; one site after another, or all "
            f"of them. The function that returns the URL shows what the transport between DuckDB and Python takes. Load of the "
            f"machine before: {os.getloadavg()[0]:.1f}. Medians of {ROUNDS} runs.\n\n"
        )
        write_table(report, folder, one_process(table), {"Polars, a function of Python with Protego": protego(sites)})
        spark.add_to(report)
        report.seek(0)
        print(report.read())


if __name__ == "__main__":
    main()
