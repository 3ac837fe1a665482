"""The sites of `testdata/sites`, as tables of pyarrow: what `comity warc` records, and the answers that all engines give."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from reference import ROOT

tomllib = pytest.importorskip("tomllib", reason="needs Python 3.11 or newer, which reads TOML")

CRAWL = tomllib.loads((ROOT / "testdata/sites/outcomes.toml").read_text(encoding="utf-8"))
ALLOWED = {"allowed": True, "disallowed": False, "no verdict": None}

ROWS = [(f"https://{site['name']}.example", row) for site in CRAWL["site"] for row in site["rows"]]
ASKED = [(f"https://{site['name']}.example", question) for site in CRAWL["site"] for question in site["ask"]]

SITES = pa.table(
    {
        "origin": [origin for origin, _ in ROWS],
        "fetched": pa.array([row.get("fetched") for _, row in ROWS], pa.timestamp("s")).cast(pa.timestamp("ms", "UTC")),
        "status": pa.array([None] * len(ROWS), pa.uint16()),
        "outcome": [row["outcome"] for _, row in ROWS],
        "truncated": [False] * len(ROWS),
        "body_hash": pa.array([row["body"].encode() if "body" in row else None for _, row in ROWS], pa.binary()),
    }
)
BODIES = pa.table(
    {
        "hash": pa.array([name.encode() for name in CRAWL["bodies"]], pa.binary()),
        "body": pa.array([body.encode() for body in CRAWL["bodies"].values()], pa.binary()),
    }
)
QUESTIONS = pa.table({"id": range(len(ASKED)), "url": [origin + question["path"] for origin, question in ASKED]})

#: The answer to each question: `allowed`, `line` and `reason`.
ANSWERS = [(ALLOWED[question["is"]], question.get("line"), question["reason"]) for _, question in ASKED]


def rows(table: Any) -> list[tuple[Any, ...]]:
    """Returns the columns of an answer as rows."""
    return [(row["allowed"], row["line"], row["reason"]) for row in pa.table(table).to_pylist()]
