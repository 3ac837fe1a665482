"""Answers as columns of Polars: ``frame.with_columns(comity.polars.answers(table, crawler="ExampleBot"))``."""

from __future__ import annotations

import polars as pl

from comity.columns import Answers, Table

ANSWER = pl.Struct({"allowed": pl.Boolean, "line": pl.UInt32, "reason": pl.String})


def answers(table: Table, *, crawler: str, url: str = "url", key: str | None = None) -> pl.Expr:
    """Returns an expression with the answer to each row, as a struct of ``allowed``, ``line`` and ``reason``.

    ``allowed`` is null where there is no verdict. ``key`` is the column with the keys of the table; without it, the origins
    of the URLs are the keys. It works in lazy and streaming queries, row by row.
    """

    def check(rows: pl.Series) -> pl.Series:
        keys = None if key is None else rows.struct.field(key)
        return series(table.check(keys, rows.struct.field(url), crawler=crawler))

    columns = [url] if key is None else [key, url]
    return pl.struct(columns).map_batches(check, return_dtype=ANSWER, is_elementwise=True).alias("answer")


def series(answers: Answers) -> pl.Series:
    """Returns a column of answers as a series of structs."""
    return pl.DataFrame(answers).cast({"reason": pl.String}).to_struct("answer")
