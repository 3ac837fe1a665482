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

from crawl_of_sites import ANSWERS, BODIES, QUESTIONS, SITES, rows
from reference import ROOT

if shutil.which("java") is None:
    pytest.skip("there is no Java; Debian's openjdk-17-jre-headless has one", allow_module_level=True)
pytest.importorskip("pyspark", reason="PySpark is not installed; python/requirements-spark.txt names it")

HOSTS = 100
COUNT = 100_000
#: A cluster on this machine: two workers with one core and 1 GiB each, which are processes of their own.
MASTER = os.environ.get("COMITY_SPARK_MASTER", "local-cluster[2,1,1024]")
#: The environment of Spark. Each of its machines lives for seconds: with the optimizing compiler, they spent most of their
#: processor time in it, which was a fifth of that of all tests of Python.
SPARK = {
    "PYSPARK_PYTHON": sys.executable,
    "SPARK_LOCAL_IP": "127.0.0.1",
    "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


def run(folder: Path, tables: dict[str, pa.Table], crawler: str, more: list[str]) -> pa.Table:
    """Runs the program of the guide with these tables. Returns the answers in the order of `id`."""
    words = ["--crawler", crawler, "--output", str(folder / "answers"), *more]
    for name, table in tables.items():
        pq.write_table(table, folder / f"{name}.parquet", row_group_size=10_000, compression="zstd")
        words += [f"--{name}", str(folder / f"{name}.parquet")]
    # Where musl is installed beside the usual C library, Spark's Snappy does not load.
    settings = {
        **SPARK,
        "PYSPARK_SUBMIT_ARGS": f"--master {MASTER} --conf spark.ui.enabled=false --conf spark.driver.memory=1g "
        "--conf spark.sql.shuffle.partitions=4 --conf spark.sql.parquet.compression.codec=zstd pyspark-shell",
    }
    program = [sys.executable, str(ROOT / "docs/scale/verdicts.py"), *words]
    ended = subprocess.run(program, env={**os.environ, **settings}, capture_output=True, text=True, timeout=600)
    assert ended.returncode == 0, ended.stderr[-4_000:]
    return pq.read_table(folder / "answers").sort_by("id")


def many() -> tuple[dict[str, pa.Table], list[bool]]:
    """Returns tables of many questions about some hosts, and the answers."""
    bodies = [f"User-agent: *\nDisallow: /{number % 7}/\n".encode() for number in range(7)]
    hashes = [f"body {number}".encode() for number in range(7)]
    sites = {
        "origin": [f"https://site{number}.example" for number in range(HOSTS)],
        "outcome": ["rules"] * HOSTS,
        "body_hash": [hashes[number % 7] for number in range(HOSTS)],
    }
    # Half of the questions are about one host, so that it takes several batches.
    host = [0 if number % 2 else number % HOSTS for number in range(COUNT)]
    urls = [f"https://site{host[number]}.example/{number % 13}/{number}.html" for number in range(COUNT)]
    questions = {"id": list(range(COUNT)), "url": urls}
    tables = {"questions": pa.table(questions), "sites": pa.table(sites), "bodies": pa.table({"hash": hashes, "body": bodies})}
    return tables, [host[number] % 7 != number % 13 for number in range(COUNT)]


@pytest.mark.parametrize("by_site", [False, True])
def test_the_answers_are_those_of_the_other_engines(tmp_path: Path, by_site: bool) -> None:
    # All questions in one run: most of its time, the cluster starts.
    tables, expected = many()
    first = QUESTIONS.num_rows
    tables["questions"] = tables["questions"].set_column(0, "id", pa.array(range(first, first + COUNT)))
    for name, table in {"questions": QUESTIONS, "sites": SITES, "bodies": BODIES}.items():
        tables[name] = pa.concat_tables([table, tables[name]], promote_options="permissive")
    answers = run(tmp_path, tables, "anybot", ["--by-site"] * by_site)
    assert answers.column_names == ["id", "url", "allowed", "line", "reason"]
    assert answers["id"].to_pylist() == list(range(first + COUNT))
    assert rows(answers.slice(0, first)) == ANSWERS
    assert answers["allowed"].to_pylist()[first:] == expected


#: Asks about URLs in other notations, by expressions for the URL and the crawler, and prints the reasons for each way.
NOTATIONS = r"""
import comity.spark
from pyspark.sql import SparkSession, functions as f

spark = SparkSession.builder.getOrCreate()
rules = "User-agent: one\nDisallow: /a\n\nUser-agent: two\nDisallow: /b\n"
bodies = spark.createDataFrame([("x", rules)], "hash string, body string")
outcomes = [("https://a.example", "rules", "x"), ("http://a.example", "disallow-all", None)]
outcomes += [("http://a.example:81", "allow-all", None), ("http://[::1]", "allow-all", None)]
sites = spark.createDataFrame(outcomes, "origin string, outcome string, body_hash string")
urls = ["https://a.example/a", "HTTPS://A.Example:443/a", " https://user:b@a.example/b", "https:\\\\a.example\\a"]
urls += ["http://a.example/", "http://a.example:81?a", "http://[::1]/", "https://b.example/", "/a", "no url", None]
questions = spark.createDataFrame(list(enumerate(urls)), "id int, address string")
for by_site in (False, True):
    found = comity.spark.check(
        questions, sites, bodies, crawler=f.lit("one"), url=f.trim("address"), by_site=by_site
    )
    assert found.columns == ["id", "address", "allowed", "line", "reason"], found.columns
    print(*(row.reason for row in found.orderBy("id").collect()))
"""


def test_urls_in_other_notations() -> None:
    settings = {**SPARK, "PYSPARK_SUBMIT_ARGS": "--master local[2] --conf spark.ui.enabled=false pyspark-shell"}
    program = [sys.executable, "-c", NOTATIONS]
    ended = subprocess.run(program, env={**os.environ, **settings}, capture_output=True, text=True, timeout=600)
    assert ended.returncode == 0, ended.stderr[-4_000:]
    sent, by_site = (line.split() for line in ended.stdout.splitlines())
    rules = ["rule", "rule", "no-rule-matches", "rule"]
    others = ["disallow-all", "allow-all", "allow-all", "unknown-key", "invalid-url", "invalid-url", "missing-input"]
    assert sent == rules + others
    assert by_site == sent
