"""Answers questions in Spark: which pages of a crawl may a crawler fetch?

    spark-submit verdicts.py --questions questions.parquet --sites sites.parquet --bodies sites.bodies.parquet \\
        --crawler GPTBot --output answers [--join]

The questions have a column `url`; the sites and bodies are those of `comity warc`. With --join, bodies are joined to the
questions instead of being sent to each worker: for more sites than the memory of a worker holds.
"""

from __future__ import annotations

import argparse

import comity.spark
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f


def origin(url: str) -> f.Column:
    """Returns the scheme and the host of URLs, which is the origin of those in the form in which crawlers send them."""
    return f.regexp_extract(url, "^https?://[^/?#]+", 0)


def files(sites: DataFrame, bodies: DataFrame) -> DataFrame:
    """Returns the file of each site. Sites without rules have no row here, so questions about them have no verdict."""
    rules = sites.where("outcome = 'rules'")
    latest = rules.groupBy("origin").agg(f.max_by("body_hash", "fetched").alias("hash"))
    return latest.join(bodies, "hash").select("origin", f.col("body").alias("robots"))


def main() -> None:
    arguments = argparse.ArgumentParser()
    for name in ("questions", "sites", "bodies", "crawler", "output"):
        arguments.add_argument(f"--{name}", required=True)
    arguments.add_argument("--join", action="store_true")
    given = arguments.parse_args()
    spark = SparkSession.builder.getOrCreate()
    questions = spark.read.parquet(given.questions)
    robots = files(spark.read.parquet(given.sites), spark.read.parquet(given.bodies))
    if given.join:
        # Rows of a site are next to each other, so its file is looked up once for each batch.
        joined = questions.withColumn("origin", origin("url")).join(robots, "origin", "left")
        sorted_rows = joined.repartition("origin").sortWithinPartitions("origin")
        answers = comity.spark.check(sorted_rows, crawler=given.crawler).drop("robots")
    else:
        answers = comity.spark.check(questions, robots, crawler=given.crawler)
    answers.write.mode("overwrite").parquet(given.output)


if __name__ == "__main__":
    main()
