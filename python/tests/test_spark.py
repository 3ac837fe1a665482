"""The Spark program of `docs/scale.md`, with Spark. Skipped where there is no Java or no PySpark."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reference import ROOT

if shutil.which("java") is None:
    pytest.skip("there is no Java; Debian's openjdk-17-jre-headless has one", allow_module_level=True)
pytest.importorskip("pyspark", reason="PySpark is not installed; python/requirements-spark.txt names it")

SITES = 100
QUESTIONS = 100_000
#: A cluster on this machine: two workers with one core and 1 GiB each, which are processes of their own.
MASTER = os.environ.get("COMITY_SPARK_MASTER", "local-cluster[2,1,1024]")


def write_tables(folder: Path) -> list[bool | None]:
    """Writes sites, bodies and questions, as `comity warc` does. Returns the answers."""
    bodies = [f"User-agent: *\nDisallow: /{number % 7}/\n".encode() for number in range(7)]
    hashes = [bytes([number]) * 32 for number in range(7)]
    pq.write_table(pa.table({"hash": hashes, "body": bodies}), folder / "bodies.parquet")
    sites = {
        "origin": [f"https://site{number}.example" for number in range(SITES)],
        "fetched": pa.array([1_000 * number for number in range(SITES)], pa.timestamp("ms", "UTC")),
        "outcome": ["rules"] * (SITES - 1) + ["redirect"],
        "body_hash": [hashes[number % 7] for number in range(SITES)],
    }
    pq.write_table(pa.table(sites), folder / "sites.parquet")
    numbers = range(QUESTIONS)
    urls = [f"https://site{number % SITES}.example/{number % 13}/{number}.html" for number in numbers]
    pq.write_table(pa.table({"id": list(numbers), "url": urls}), folder / "questions.parquet")
    last = SITES - 1
    return [None if number % SITES == last else number % SITES % 7 != number % 13 for number in numbers]


@pytest.mark.parametrize("join", [False, True])
def test_the_program_of_the_guide(tmp_path: Path, join: bool) -> None:
    expected = write_tables(tmp_path)
    words = ["--crawler", "ExampleBot", "--output", str(tmp_path / "answers")] + ["--join"] * join
    for name in ("questions", "sites", "bodies"):
        words += [f"--{name}", str(tmp_path / f"{name}.parquet")]
    settings = {
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_SUBMIT_ARGS": f"--master {MASTER} --conf spark.ui.enabled=false --conf spark.driver.memory=1g "
        "--conf spark.sql.shuffle.partitions=4 pyspark-shell",
    }
    program = [sys.executable, str(ROOT / "docs/scale/verdicts.py"), *words]
    ended = subprocess.run(program, env={**os.environ, **settings}, capture_output=True, text=True, timeout=600)
    assert ended.returncode == 0, ended.stderr[-4_000:]
    answers = pq.read_table(tmp_path / "answers").sort_by("id")
    assert answers.column_names[-3:] == ["allowed", "line", "reason"]
    assert answers["id"].to_pylist() == list(range(QUESTIONS))
    assert answers["allowed"].to_pylist() == expected
    assert set(answers["reason"].to_pylist()) == {"rule", "no-rule-matches", "missing-input" if join else "unknown-key"}
