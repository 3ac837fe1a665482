"""Answers in Spark, by ``DataFrame.mapInArrow``: ``comity.spark.check(questions, sites, crawler="ExampleBot")``."""

from __future__ import annotations

import uuid
from typing import Any

import pyarrow as pa
from pyspark import Broadcast
from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from comity.columns import Table, check_array

ANSWER = pa.schema({"allowed": pa.bool_(), "line": pa.int32(), "reason": pa.string()})
_table: dict[str, Any] = {}


def check(questions: DataFrame, sites: DataFrame | None = None, *, crawler: str, url: str = "url") -> DataFrame:
    """Returns the questions with the columns ``allowed`` (null without a verdict), ``line`` and ``reason``.

    ``sites`` (``origin``, ``robots``) must fit into the memory of each worker. Without it, questions have ``robots``.
    """
    files = None if sites is None else sites.select("origin", "robots").toArrow()
    sent = None if files is None else questions.sparkSession.sparkContext.broadcast((uuid.uuid4().hex, files))
    schema = StructType(list(questions.schema.fields))
    schema.add("allowed", "boolean").add("line", "integer").add("reason", "string")
    return questions.mapInArrow(lambda batches: (_answer(batch, sent, crawler, url) for batch in batches), schema)


def _answer(batch: pa.RecordBatch, sent: Broadcast[Any] | None, crawler: str, url: str) -> pa.RecordBatch:
    if sent is None:
        found = check_array(batch["robots"], batch[url], crawler=crawler)
    else:
        key, files = sent.value
        if _table.get("key") != key:  # a worker has one table, for all of its tasks
            _table.update(key=key, table=Table(files["origin"], files["robots"]))
        found = _table["table"].check(None, batch[url], crawler=crawler)
    answers = [column.combine_chunks() for column in pa.table(found).cast(ANSWER).columns]
    return pa.RecordBatch.from_arrays([*batch.columns, *answers], [*batch.schema.names, *ANSWER.names])
