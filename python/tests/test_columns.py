"""Columns of questions, with the libraries that have them."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import comity
import comity.duckdb
import comity.polars
from comity.columns import Answers, Table, check_array
from reference import ROOT, as_bytes, json_lines, reference

ROBOTS = "User-agent: *\nDisallow: /a\n\nUser-agent: Googlebot\nDisallow: /b\n"
URLS = ["/a", "/b", None, "https://site.example/a", "/x/../a", "no url"]
EXPECTED = [
    (False, 2, "rule"),
    (True, None, "no-rule-matches"),
    (None, None, "missing-input"),
    (False, 2, "rule"),
    (False, 2, "rule"),
    (None, None, "invalid-url"),
]


def rows(answers: Answers) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in pa.array(answers).to_pylist()]


LAYOUTS = {
    "string": pa.array(URLS),
    "large_string": pa.array(URLS, pa.large_string()),
    "string_view": pa.array(URLS, pa.string_view()),
    "binary": pa.array(URLS, pa.string()).cast(pa.binary()),
    "dictionary": pa.array(URLS).dictionary_encode(),
    "chunked": pa.chunked_array([URLS[:1], [], URLS[1:]]),
    "slice": pa.array(["/b", "/b", *URLS, "/b"])[2:-1],
    "one column": pa.table({"url": URLS}),
    "Polars": pl.Series(URLS),
    "Polars, sliced": pl.Series(["/b", *URLS]).slice(1),
    "pandas": pd.Series(URLS, dtype=pd.ArrowDtype(pa.string())),
    "DuckDB": duckdb.sql("SELECT unnest(['/a', '/b', NULL, 'https://site.example/a', '/x/../a', 'no url']) AS url"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_columns_of_any_library(layout: str) -> None:
    assert rows(check_array(ROBOTS, LAYOUTS[layout], crawler="ExampleBot")) == EXPECTED
    table = Table(pa.array(["key"]), pa.array([ROBOTS]))
    keys = pa.array(["key"] * len(URLS))
    assert rows(table.check(keys, LAYOUTS[layout], crawler="ExampleBot")) == EXPECTED


def test_answers_are_those_of_rules() -> None:
    rules = comity.Robots.parse(ROBOTS).rules_for("Googlebot-Image")
    urls = ["/a", "/b", "/b/c", "/robots.txt"]
    found = rows(check_array(ROBOTS, pa.array(urls), crawler="Googlebot-Image"))
    verdicts = [rules.check(url) for url in urls]
    assert found == [(verdict.allowed, verdict.line, verdict.reason) for verdict in verdicts]


def test_a_crawler_of_a_table_of_one_s_own() -> None:
    row = '[{"token": "OurBot-Images", "operator": "We", "purpose": "search", "fallback": ["Googlebot"]}]'
    crawler = comity.Crawlers.parse(row)["OurBot-Images"]
    urls = pa.array(["/a", "/b"])
    expected = [(True, None, "no-rule-matches"), (False, 5, "rule")]
    assert rows(check_array(ROBOTS, urls, crawler=crawler)) == expected
    assert rows(check_array(ROBOTS, urls, crawler="OurBot-Images")) == [(False, 2, "rule"), (True, None, "no-rule-matches")]
    table = Table(pa.array(["https://a.example"]), pa.array([ROBOTS]))
    found = pl.DataFrame({"url": ["https://a.example/b"]}).select(comity.polars.check(table, crawler=crawler))
    assert found["answer"][0]["allowed"] is False
    connection = duckdb.connect()
    comity.duckdb.register(connection, table, crawler=crawler)
    assert connection.sql("select robots('https://a.example/b').allowed").fetchall() == [(False,)]


def test_bodies_and_crawlers_may_be_columns() -> None:
    crawlers = pa.chunked_array([["ExampleBot", "Googlebot"], [None, "Mozilla/5.0 (X11)", "*"]])
    urls = pa.chunked_array([["/a"], ["/b", "/b", "/b"], ["/a"]])
    expected = [(False, 2), (False, 5), (None, None), (None, None), (False, 2)]
    bodies = pa.array([ROBOTS] * 5)
    for column in (bodies, bodies.dictionary_encode(), bodies.cast(pa.string_view())):
        found = rows(check_array(column, urls, crawler=crawlers))
        assert [row[:2] for row in found] == expected
    assert [row[2] for row in found[2:4]] == ["missing-input", "invalid-crawler"]
    literal = rows(check_array(ROBOTS, pa.array(["/b"]), crawler="Googlebot-Image", literal=True))
    assert literal == [(True, None, "no-rule-matches")]
    # Dots are resolved in each form: no client sends them.
    assert rows(check_array(ROBOTS, pa.array(["/x/../a"]), crawler="ExampleBot", as_is=True))[0][0] is False


def test_a_table_by_origin() -> None:
    table = Table(pl.Series(["https://a.example", "https://b.example"]), pl.Series([ROBOTS, ""]))
    assert len(table) == 2 and table.memory > 0
    urls = pa.array(["https://a.example/a", "https://b.example/a", "https://c.example/a"])
    found = rows(table.check(None, urls, crawler="ExampleBot"))
    assert [row[0] for row in found] == [False, True, None]
    keys = pa.array(["https://a.example", "https://a.example", "https://c.example"])
    found = rows(table.check(keys, urls, crawler="ExampleBot"))
    assert [row[2] for row in found] == ["rule", "out-of-scope", "unknown-key"]


def test_answers_are_arrow_data() -> None:
    answers = check_array(ROBOTS, pa.array(URLS), crawler="ExampleBot")
    assert len(answers) == 6
    assert repr(answers) == "<Answers: 1 allowed, 3 disallowed, 2 without a verdict>"
    array = pa.array(answers)
    assert pa.types.is_struct(array.type)
    array.validate(full=True)
    assert pa.table(answers).column_names == ["allowed", "line", "reason"]
    assert pl.DataFrame(answers)["allowed"].to_list() == [row[0] for row in EXPECTED]
    assert duckdb.execute("SELECT count(*) FROM answers WHERE allowed").fetchall() == [(1,)]
    assert len(check_array(ROBOTS, pa.array([], pa.string()), crawler="ExampleBot")) == 0
    # The data outlives its producer, and every producer its data.
    kept = [pa.array(check_array(ROBOTS, pa.array(URLS), crawler="ExampleBot")) for _ in range(100)]
    del answers
    gc.collect()
    assert all(array.equals(kept[0]) for array in kept)


def test_columns_that_do_not_fit_are_errors() -> None:
    for urls, message in [
        (["/a"], "expected urls as an Arrow column.*found list; pyarrow.array"),
        (pa.array([1]), "expected the column of urls as strings or binary data.*found Int64"),
        (pa.table({"a": [1], "b": [2]}), "expected urls as one column, found a table of a, b"),
    ]:
        with pytest.raises(TypeError, match=message):
            check_array(ROBOTS, urls, crawler="ExampleBot")
    with pytest.raises(ValueError, match="expected columns of the same length, found 1 urls and 2 robots or keys"):
        check_array(pa.array(["", ""]), pa.array(["/a"]), crawler="ExampleBot")
    with pytest.raises(comity.InvalidCrawler, match="User-Agent header"):
        check_array(ROBOTS, pa.array(["/a"]), crawler="Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com)")
    with pytest.raises(TypeError, match="expected a product token as str"):
        check_array(ROBOTS, pa.array(["/a"]), crawler=["ExampleBot"])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="did you mean `google`"):
        check_array(ROBOTS, pa.array(["/a"]), crawler="ExampleBot", dialect="gogle")  # type: ignore[arg-type]


class ArrayCapsules:
    """A producer that returns the same capsules again and again, which nobody should."""

    def __init__(self, *capsules: Any) -> None:
        self.capsules = capsules

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return self.capsules


class StreamCapsule:
    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.capsule


def test_capsules_are_used_once() -> None:
    column = pa.array(URLS)
    schema, array = column.__arrow_c_array__()
    whole = ArrayCapsules(schema, array)
    assert rows(check_array(ROBOTS, whole, crawler="ExampleBot")) == EXPECTED
    stream = StreamCapsule(pa.chunked_array([URLS]).__arrow_c_stream__())
    assert rows(check_array(ROBOTS, stream, crawler="ExampleBot")) == EXPECTED
    fresh_schema, fresh_array = column.__arrow_c_array__()
    for used in (whole, stream, ArrayCapsules(schema, fresh_array), ArrayCapsules(fresh_schema, array)):
        with pytest.raises(ValueError, match="already (used|released)"):
            check_array(ROBOTS, used, crawler="ExampleBot")
    for wrong in (ArrayCapsules(*reversed(column.__arrow_c_array__())), ArrayCapsules(fresh_schema), ArrayCapsules(1, 2)):
        with pytest.raises((TypeError, ValueError, IndexError)):
            check_array(ROBOTS, wrong, crawler="ExampleBot")


def test_one_bad_url_of_a_million() -> None:
    urls = ["/a"] * 1_000_000
    urls[777_777] = "http://["
    found = pa.table(check_array(ROBOTS, pa.array(urls), crawler="ExampleBot"))
    assert found["allowed"].null_count == 1 and found["allowed"][777_777].as_py() is None
    assert sum(chunk.false_count for chunk in found["allowed"].chunks) == 999_999


def test_threads_share_a_table() -> None:
    table = Table(pa.array(["key"]), pa.array([ROBOTS]))
    keys, urls = pa.array(["key"] * len(URLS)), pa.array(URLS)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: rows(table.check(keys, urls, crawler="ExampleBot")), range(200)))
    assert all(answers == EXPECTED for answers in found)


def many(count: int) -> tuple[Table, list[str], list[bool]]:
    """Returns the files of 100 sites, and this number of URLs with their answers."""
    sites = [f"https://site{number}.example" for number in range(100)]
    table = Table(pa.array(sites), pa.array([f"User-agent: *\nDisallow: /{number % 7}/\n" for number in range(100)]))
    urls = [f"{sites[number % 100]}/{number % 13}/page-{number}.html" for number in range(count)]
    return table, urls, [number % 100 % 7 != number % 13 for number in range(count)]


def test_polars() -> None:
    table, urls, expected = many(100_000)
    frame = pl.DataFrame({"url": urls}).lazy().with_columns(key=pl.col("url").str.extract("^(https://[^/]+)"))
    for key in (None, "key", pl.col("key")):
        answers = frame.with_columns(comity.polars.check(table, crawler="ExampleBot", key=key)).collect()
        assert answers["answer"].struct.field("allowed").to_list() == expected
    streamed = frame.with_columns(comity.polars.check(table, crawler="ExampleBot")).collect(engine="streaming")
    assert streamed["answer"].struct.field("allowed").to_list() == expected
    allowed = frame.filter(comity.polars.check(table, crawler="ExampleBot").struct.field("allowed")).collect()
    assert len(allowed) == sum(expected)


def test_polars_takes_expressions() -> None:
    table = Table(pl.Series(["https://a.example"]), pl.Series([ROBOTS]))
    frame = pl.DataFrame({"path": [" /a", "/b "], "who": ["ExampleBot", "Googlebot"]})
    url = pl.lit("https://a.example") + pl.col("path").str.strip_chars()
    for answer in (
        comity.polars.check(table, url=url, crawler=pl.col("who")),
        url.robots.check(table, crawler=pl.col("who")),  # type: ignore[attr-defined]
        url.robots.check(table, crawler=pl.col("who"), key=pl.lit("https://a.example")),  # type: ignore[attr-defined]
    ):
        found = frame.lazy().select(answer).collect().unnest("answer")
        assert found.rows() == [(False, 2, "rule"), (False, 5, "rule")]
    named = frame.with_columns(url=url).select(pl.col("url").robots.check(table, crawler="Googlebot"))  # type: ignore[attr-defined]
    assert named.unnest("answer")["allowed"].to_list() == [True, False]
    assert frame.clear().select(comity.polars.check(table, url=url, crawler=pl.col("who"))).height == 0


def test_duckdb() -> None:
    table, urls, expected = many(100_000)
    with duckdb.connect() as connection:
        comity.duckdb.register(connection, table, crawler="ExampleBot")
        questions = pa.table({"id": range(len(urls)), "url": urls})
        connection.register("questions", questions)
        key = "regexp_extract(url, '^https://[^/]+')"
        for call in ("robots(url)", "robots(url, 'ExampleBot')", f"robots(url, 'ExampleBot', {key})"):
            found = connection.sql(f"SELECT {call} AS answer FROM questions ORDER BY id").fetchall()
            assert [answer["allowed"] for (answer,) in found] == expected
            assert found[0][0]["reason"] in ("rule", "no-rule-matches")
        nothing = connection.sql("SELECT robots(NULL).reason, robots('https://other.example/a').reason").fetchall()
        assert nothing == [("missing-input", "unknown-key")]
        with pytest.raises(duckdb.Error, match="expected the column of urls as strings"):
            connection.sql("SELECT robots(1)").fetchall()
        with pytest.raises(duckdb.Error, match=r"expected robots\(url\).* found 4 arguments"):
            connection.sql("SELECT robots('', '', '', '')").fetchall()


def test_duckdb_takes_a_column_of_crawlers() -> None:
    table = Table(pa.array(["https://a.example"]), pa.array([ROBOTS]))
    questions = pa.table({"url": ["https://a.example/a"] * 4, "who": ["ExampleBot", "Googlebot", None, "a bot"]})
    with duckdb.connect() as connection:
        comity.duckdb.register(connection, table, crawler="ExampleBot")
        connection.register("questions", questions)
        found = connection.sql("SELECT robots(url, who).allowed, robots(url, who).reason FROM questions").fetchall()
        assert found == [(False, "rule"), (True, "no-rule-matches"), (None, "missing-input"), (None, "invalid-crawler")]
        # Another crawler under the same name, and a second name.
        comity.duckdb.register(connection, table, crawler="Googlebot")
        comity.duckdb.register(connection, table, crawler="ExampleBot", name="of_example")
        both = connection.cursor().sql("SELECT robots(url).allowed, of_example(url).allowed FROM questions LIMIT 1")
        assert both.fetchall() == [(True, False)]


def test_pandas() -> None:
    table = Table(pa.array(["https://a.example"]), pa.array([ROBOTS]))
    frame = pd.DataFrame({"url": ["https://a.example/a", "https://a.example/b", "https://b.example/"]}, index=[7, 8, 9])
    answers = pd.DataFrame.from_arrow(table.check(None, frame["url"], crawler="ExampleBot")).set_index(frame.index)
    assert list(answers.columns) == ["allowed", "line", "reason"]
    assert answers["reason"].tolist() == ["rule", "no-rule-matches", "unknown-key"]
    assert frame[answers["allowed"] == True].index.tolist() == [8]  # noqa: E712


def recorded() -> list[tuple[bytes, list[dict[str, Any]]]]:
    """Returns the bodies and cases of the recorded verdicts."""
    files = [(reference("corpus").joinpath(file["file"]).read_bytes(), file["cases"]) for file in json_lines("verdicts")]
    return files + [(as_bytes(file, "body"), file["cases"]) for file in json_lines("adversarial")]


def test_recorded_verdicts() -> None:
    # Several tokens at once are not a crawler of a column, and tested with the engine.
    by_agent: dict[str, list[tuple[int, dict[str, Any]]]] = {}
    files = recorded()
    for number, (_, cases) in enumerate(files):
        for case in cases:
            if "agent" in case:
                by_agent.setdefault(case["agent"], []).append((number, case))
    bodies = pa.array([body for body, _ in files], pa.large_binary())
    keys = pa.array([str(number) for number in range(len(files))])
    table = Table(keys, bodies, dialect="google-parser")
    count, differences = 0, []
    for agent, questions in by_agent.items():
        urls = pa.array([as_bytes(case, "url") for _, case in questions], pa.binary())
        numbers = pa.array([number for number, _ in questions], pa.int32())
        robots = pa.DictionaryArray.from_arrays(numbers, bodies)
        found = [
            rows(check_array(robots, urls, crawler=agent, dialect="google-parser", literal=True, as_is=True)),
            rows(table.check(keys.take(numbers), urls, crawler=agent, literal=True, as_is=True)),
        ]
        for answers in found:
            for (number, case), (allowed, line, _) in zip(questions, answers, strict=True):
                if (allowed, line or 0) != (case["allowed"], case["line"]):
                    differences.append(f"file {number}: expected {case}, found {allowed} {line}")
        count += len(questions)
    assert not differences, "\n".join(differences[:10])
    assert count > 690_000


def test_examples_of_the_guide() -> None:
    names: dict[str, Any] = {}
    compared = 0
    for block in (ROOT / "docs/scale.md").read_text(encoding="utf-8").split("```python\n")[1:]:
        for line in block.split("```")[0].splitlines():
            code, _, value = line.partition("  # ")
            if value:
                assert repr(eval(code, names)) == value, line
                compared += 1
            else:
                exec(code, names)
    assert compared >= 3


def test_what_needs_the_package_is_imported_when_it_is_used() -> None:
    assert comity.Table is Table and comity.check_array is check_array
    with pytest.raises(AttributeError, match="module 'comity' has no attribute 'Tables'"):
        comity.Tables  # type: ignore[attr-defined]
