"""Answers in Spark: ``comity.spark.check(questions, sites, bodies, crawler="ExampleBot")``."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark import Broadcast
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import StructType

from comity import Crawler
from comity.columns import Table

ANSWER = pa.schema({"allowed": pa.bool_(), "line": pa.int32(), "reason": pa.string()})

#: The host of a URL as browsers read it, without user information and port, so that all origins of a host have one key. Of
#: other texts, the start, so that not all of them are in one partition. Without backtracking, it takes a third of the time.
HOST = r"^[\x00-\x20]*+(?:[A-Za-z]++:[/\\]*+(?:[^/?#\\@]*+@)?+)?+(.[^/?#\\:]*+)"

#: Answers questions by a table of sites.
_Answer = Callable[[pa.RecordBatch, Table], pa.RecordBatch]

_table: dict[str, Any] = {}


def check(
    questions: DataFrame,
    sites: DataFrame,
    bodies: DataFrame,
    *,
    crawler: str | Crawler | Column,
    url: str | Column = "url",
    by_site: bool = False,
) -> DataFrame:
    """Returns the questions with the columns ``allowed`` (null without a verdict), ``line`` and ``reason``.

    ``sites`` and ``bodies`` are the tables that ``comity warc`` writes, for ``Table.from_sites``. They are sent to each
    worker, and must fit into its memory. ``by_site`` partitions the questions and the sites by host instead, for any number
    of sites; the order of the questions is then lost. ``crawler`` is the name of a crawler, a
    ``comity.Crawler``, or a column of names.
    """
    names = questions.columns
    # The function below is sent to the workers, and a column cannot be.
    name = None if isinstance(crawler, Column) else crawler
    rows, place = questions, url if isinstance(url, str) else "comity_url"
    if isinstance(url, Column):
        rows = rows.withColumn(place, url)
    if isinstance(crawler, Column):
        rows = rows.withColumn("comity_crawler", crawler)
    schema = StructType(list(questions.schema.fields))
    schema.add("allowed", "boolean").add("line", "integer").add("reason", "string")

    def answer(batch: pa.RecordBatch, table: Table) -> pa.RecordBatch:
        who = batch["comity_crawler"] if name is None else name
        found = pa.table(table.check(None, batch[place], crawler=who)).cast(ANSWER)
        answers = [column.combine_chunks() for column in found.columns]
        return pa.RecordBatch.from_arrays([*batch.columns[: len(names)], *answers], [*names, *ANSWER.names])

    columns = [column for column in ("origin", "outcome", "body_hash", "fetched") if column in sites.columns]
    sites, bodies = sites.select(*columns), bodies.select("hash", "body")
    if by_site:
        return _by_host(rows, place, sites, bodies).mapInArrow(lambda batches: _each_host(batches, answer), schema)
    sent = (uuid.uuid4().hex, sites.toArrow(), bodies.toArrow())
    broadcast = questions.sparkSession.sparkContext.broadcast(sent)
    return rows.mapInArrow(lambda batches: (answer(batch, _sent(broadcast)) for batch in batches), schema)


def _sent(broadcast: Broadcast[Any]) -> Table:
    """Returns the table of the sites that were sent. A worker has one, for all of its tasks."""
    key, sites, bodies = broadcast.value
    if _table.get("key") != key:
        _table.update(key=key, table=Table.from_sites(sites, bodies))
    table: Table = _table["table"]
    return table


def _by_host(questions: DataFrame, url: str, sites: DataFrame, bodies: DataFrame) -> DataFrame:
    """Returns the questions and the sites as rows of one table, in which the sites of a host precede its questions."""

    def host(column: str) -> Column:
        return f.lower(f.regexp_extract(column, HOST, 1))

    found = sites.join(bodies.withColumnRenamed("hash", "body_hash"), "body_hash", "left")
    site = f.struct(*(f.col(name) for name in found.columns))
    found = found.select(host("origin").alias("comity_host"), site.alias("comity_site"))
    rows = questions.withColumn("comity_host", host(url))
    rows = rows.unionByName(found, allowMissingColumns=True)
    return rows.repartition("comity_host").sortWithinPartitions("comity_host", f.col("comity_site").isNull())


def _each_host(batches: Iterable[pa.RecordBatch], answer: _Answer) -> Iterator[pa.RecordBatch]:
    """Answers the questions about each host by its sites, which are in the same batch or an earlier one."""
    known: pa.Table | None = None
    table: Table | None = None
    for batch in batches:
        is_question = pc.is_null(batch["comity_site"])
        found = pa.Table.from_batches([batch.filter(pc.invert(is_question)).select(["comity_host", "comity_site"])])
        if known is None or found.num_rows:
            known, table = found if known is None else pa.concat_tables([known, found]), None
        questions = batch.filter(is_question)
        if questions.num_rows:
            if table is None:
                sites = pa.Table.from_struct_array(known["comity_site"])
                table = Table.from_sites(sites, {"hash": sites["body_hash"], "body": sites["body"]})
            yield answer(questions, table)
        # The next batch may have more questions about the last host. Those of a large one have one table.
        last = known.filter(pc.equal(known["comity_host"], batch["comity_host"][-1]))
        if last.num_rows < known.num_rows:
            known, table = last, None
