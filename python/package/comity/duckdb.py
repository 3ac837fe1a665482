"""Answers in SQL of DuckDB: ``comity.duckdb.register(connection, table, crawler="ExampleBot")``."""

from __future__ import annotations

import contextlib
from typing import Any

import duckdb
import pyarrow as pa

from comity import Crawler
from comity.columns import Table

ANSWER = pa.struct({"allowed": pa.bool_(), "line": pa.uint32(), "reason": pa.string()})


def register(
    connection: duckdb.DuckDBPyConnection, table: Table, *, crawler: str | Crawler, name: str = "robots"
) -> None:
    """Registers a function of a URL, which returns a struct of the answer. It replaces one of the same name.

    ``robots(url).allowed`` is null where there is no verdict. ``robots(url, crawler)`` answers for the crawler of each row
    instead, and ``robots(url, crawler, key)`` by a key of the table instead of the URL's origin.
    """

    def check(*columns: Any) -> Any:
        urls, *more = columns
        if len(more) > 2:
            raise TypeError(f"expected {name}(url), {name}(url, crawler) or {name}(url, crawler, key), found {len(columns)} arguments")
        keys = more[1] if len(more) > 1 else None
        answers = table.check(keys, urls, crawler=more[0] if more else crawler)
        return pa.table(answers).to_struct_array().cast(ANSWER)

    result = duckdb.struct_type({"allowed": "BOOLEAN", "line": "UINTEGER", "reason": "VARCHAR"})
    with contextlib.suppress(duckdb.InvalidInputException):  # there was none
        connection.remove_function(name)
    # Without types of parameters, the function takes as many as it is given.
    options: dict[str, Any] = {"type": "arrow", "null_handling": "special"}
    connection.create_function(name, check, None, result, **options)
