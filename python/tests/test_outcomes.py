"""The same sites in each library: `Table.from_sites` makes the table, and the answers are those of `comity batch`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import comity.duckdb
import comity.polars
from comity.columns import Table
from crawl_of_sites import ANSWERS, BODIES, QUESTIONS, SITES, rows

CRAWLER = "anybot"


def by_pyarrow(table: Table, questions: pa.Table) -> Any:
    return table.check(None, questions["url"], crawler=CRAWLER)


def by_pandas(table: Table, questions: pa.Table) -> Any:
    frame = questions.to_pandas()
    answers = pd.DataFrame.from_arrow(table.check(None, frame["url"], crawler=CRAWLER))
    return pa.Table.from_pandas(answers, preserve_index=False)


def by_polars(table: Table, questions: pa.Table) -> Any:
    frame = pl.DataFrame(questions)
    return frame.lazy().select(comity.polars.check(table, crawler=CRAWLER)).collect(engine="streaming").unnest("answer")


def by_duckdb(table: Table, questions: pa.Table) -> Any:
    with duckdb.connect() as connection:
        comity.duckdb.register(connection, table, crawler=CRAWLER)
        found = connection.sql("SELECT unnest(robots(url)) FROM questions ORDER BY id")
        return found.to_arrow_table()


ENGINES = [by_pyarrow, by_pandas, by_polars, by_duckdb]


@pytest.mark.parametrize("engine", ENGINES)
def test_each_engine_gives_the_same_answers(engine: Callable[[Table, pa.Table], Any]) -> None:
    assert rows(engine(Table.from_sites(SITES, BODIES), QUESTIONS)) == ANSWERS


#: The sites as the tables of each library.
LIBRARIES: dict[str, Callable[[pa.Table], Any]] = {
    "pyarrow": lambda table: table,
    "pyarrow, in chunks": lambda table: pa.Table.from_batches(table.to_batches(max_chunksize=2)),
    "pyarrow, as a stream": lambda table: table.to_reader(),
    "pandas": lambda table: table.to_pandas(),
    "pandas, of Arrow": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "Polars": pl.DataFrame,
    "Polars, lazy": lambda table: pl.DataFrame(table).lazy(),
    "DuckDB": duckdb.from_arrow,
    "columns": lambda table: dict(zip(table.column_names, table.columns, strict=True)),
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_sites_in_tables_of_any_library(library: str) -> None:
    table = Table.from_sites(LIBRARIES[library](SITES), LIBRARIES[library](BODIES))
    assert rows(by_pyarrow(table, QUESTIONS)) == ANSWERS


def test_the_order_of_the_rows_does_not_matter() -> None:
    order = list(reversed(range(len(SITES))))
    assert rows(by_pyarrow(Table.from_sites(SITES.take(order), BODIES), QUESTIONS)) == ANSWERS


def test_times_may_be_missing() -> None:
    sites = pa.table({"origin": ["https://a.example"] * 2, "outcome": ["allow-all", "disallow-all"], "body_hash": [None] * 2})
    nothing = pa.table({"hash": pa.array([], pa.binary()), "body": pa.array([], pa.binary())})
    for columns in (sites, sites.append_column("fetched", pa.nulls(2))):
        table = Table.from_sites(columns, nothing)
        found = rows(table.check(None, pa.array(["https://a.example/"]), crawler=CRAWLER))
        assert found == [(False, None, "disallow-all")]


def test_sites_that_do_not_fit_are_errors() -> None:
    for sites, bodies, error, message in [
        (SITES.drop(["outcome"]), BODIES, TypeError, "expected a table with a column `outcome`.*rename the column"),
        (SITES, BODIES.rename_columns(["sha256", "body"]), TypeError, "expected a table with a column `hash`"),
        (SITES, BODIES.slice(1), ValueError, "expected a body for each outcome `rules`, found none with the hash private of"),
        (SITES.set_column(1, "fetched", SITES["origin"]), BODIES, TypeError, "expected the column of fetched as timestamps"),
        (SITES.set_column(0, "origin", SITES["status"]), BODIES, TypeError, "expected the column of origin as strings"),
        (SITES, BODIES.set_column(0, "hash", pa.array([b"\0" * 32] * 3)), ValueError, "expected a body with the SHA-256 0000"),
    ]:
        with pytest.raises(error, match=message):
            Table.from_sites(sites, bodies)
    short = {"hash": BODIES["hash"], "body": BODIES["body"].slice(1)}
    with pytest.raises(ValueError, match="expected columns of the same length, found 3 hash and 2 body"):
        Table.from_sites(SITES, short)
    with pytest.raises(ValueError, match="did you mean `google`"):
        Table.from_sites(SITES, BODIES, dialect="gogle")  # type: ignore[arg-type]


def test_a_key_with_two_bodies_is_an_error() -> None:
    keys = pa.array(["https://a.example"] * 2)
    assert len(Table(keys, pa.array([""] * 2))) == 1
    with pytest.raises(ValueError, match="expected one body for each key, found two for https://a.example: keep one"):
        Table(keys, pa.array(["", "User-agent: *\nDisallow: /\n"]))
