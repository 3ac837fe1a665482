"""Answers as columns of Polars: ``pl.col("url").robots.check(table, crawler="ExampleBot")``.

Importing this module adds the namespace ``robots`` to expressions. ``comity.polars.check`` is the same as a function, for
type checkers, which do not know namespaces.
"""

from __future__ import annotations

import polars as pl

from comity import Crawler
from comity.columns import Answers, Table

ANSWER = pl.Struct({"allowed": pl.Boolean, "line": pl.UInt32, "reason": pl.String})


def check(
    table: Table,
    *,
    crawler: str | Crawler | pl.Expr,
    url: str | pl.Expr = "url",
    key: str | pl.Expr | None = None,
) -> pl.Expr:
    """Returns an expression with the answer to each row, as a struct of ``allowed``, ``line`` and ``reason``.

    ``allowed`` is null where there is no verdict. ``url`` is the name of a column, or an expression. ``crawler`` is the name
    of a crawler, a ``comity.Crawler``, or an expression of names. ``key`` is the name of the column with the keys of the table, or an expression;
    without it, the origins of the URLs are the keys. It works in lazy and streaming queries, row by row.
    """
    columns = [_named("url", url)]
    if isinstance(crawler, pl.Expr):
        columns.append(crawler.alias("crawler"))
    if key is not None:
        columns.append(_named("key", key))

    def answers(rows: pl.Series) -> pl.Series:
        keys = None if key is None else rows.struct.field("key")
        who = rows.struct.field("crawler") if isinstance(crawler, pl.Expr) else crawler
        return series(table.check(keys, rows.struct.field("url"), crawler=who))

    return pl.struct(columns).map_batches(answers, return_dtype=ANSWER, is_elementwise=True).alias("answer")


def _named(name: str, column: str | pl.Expr) -> pl.Expr:
    return (pl.col(column) if isinstance(column, str) else column).alias(name)


@pl.api.register_expr_namespace("robots")
class Robots:
    """The namespace ``robots`` of an expression of URLs."""

    def __init__(self, url: pl.Expr) -> None:
        self._url = url

    def check(self, table: Table, *, crawler: str | Crawler | pl.Expr, key: str | pl.Expr | None = None) -> pl.Expr:
        """Returns the answer to each URL. See ``comity.polars.check``."""
        return check(table, crawler=crawler, url=self._url, key=key)


def series(answers: Answers) -> pl.Series:
    """Returns a column of answers as a series of structs."""
    return pl.DataFrame(answers).cast({"reason": pl.String}).to_struct("answer")
