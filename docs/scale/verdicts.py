"""Answers questions in Spark: which pages of a crawl may a crawler fetch?

    spark-submit verdicts.py --questions questions.parquet --sites sites.parquet --bodies sites.bodies.parquet \\
        --crawler GPTBot --output answers [--by-site]

The questions have a column `url`; the sites and bodies are those of `comity warc`. With --by-site, questions and sites are
partitioned by host, instead of sending all sites to each worker: for more sites than the memory of a worker holds.
"""

from __future__ import annotations

import argparse

import comity.spark
from pyspark.sql import SparkSession


def main() -> None:
    arguments = argparse.ArgumentParser()
    for name in ("questions", "sites", "bodies", "crawler", "output"):
        arguments.add_argument(f"--{name}", required=True)
    arguments.add_argument("--by-site", action="store_true")
    given = arguments.parse_args()
    spark = SparkSession.builder.getOrCreate()
    questions, sites, bodies = (spark.read.parquet(path) for path in (given.questions, given.sites, given.bodies))
    answers = comity.spark.check(questions, sites, bodies, crawler=given.crawler, by_site=given.by_site)
    answers.write.mode("overwrite").parquet(given.output)


if __name__ == "__main__":
    main()
