"""The test data of the project, and the reference data beside it."""

from __future__ import annotations

import base64
import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


def reference(name: str) -> Path:
    """Returns a path in the folder that COMITY_SHARED names, or skips the test."""
    path = ROOT / os.environ.get("COMITY_SHARED", "../shared") / name
    if not path.exists():
        pytest.skip(f"{path} is not there; set COMITY_SHARED to the reference data")
    return path


def json_lines(name: str) -> Iterator[Any]:
    """Returns the lines of a gzip-compressed JSON Lines file."""
    with gzip.open(reference(f"golden/{name}.jsonl.gz"), "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def as_bytes(value: dict[str, Any], key: str) -> bytes:
    """Returns a text field, or its base64 form."""
    text = value.get(key)
    return base64.b64decode(value[f"{key}_b64"]) if text is None else text.encode()
