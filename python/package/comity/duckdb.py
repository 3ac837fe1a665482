"""Answers in SQL of DuckDB: ``comity.duckdb.register(connection, table, crawler="ExampleBot")``."""

from __future__ import annotations

from typing import Any

import duckdb
import pyarrow as pa

from comity.columns import Table

ANSWER = pa.struct({"allowed": pa.bool_(), "line": pa.uint32(), "reason": pa.string()})


def register(connection: duckdb.DuckDBPyConnection, table: Table, *, crawler: str, name: str = "robots") -> None:
    """Registers a function of an origin (or another key) and a URL, which returns a struct of the answer.

    ``robots(origin, url).allowed`` is null where there is no verdict. If the origin is null, the row has no verdict.
    """

    def check(keys: Any, urls: Any) -> Any:
        return pa.table(table.check(keys, urls, crawler=crawler)).to_struct_array().cast(ANSWER)

    result = duckdb.struct_type({"allowed": "BOOLEAN", "line": "UINTEGER", "reason": "VARCHAR"})
    options: dict[str, Any] = {"type": "arrow", "null_handling": "special"}
    connection.create_function(name, check, ["VARCHAR", "VARCHAR"], result, **options)
