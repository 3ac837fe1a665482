"""Columns from files of strangers: no array is read outside of its buffers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

NO_VALUE: list[Any] = [[None, "missing-input"]]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="each array is checked in a fork, and this system has none")
def test_damaged_arrays_are_errors_or_have_no_verdict() -> None:
    script = Path(__file__).with_name("hostile_arrays.py")
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False, timeout=300)
    assert ran.returncode == 0, ran.stderr[-3_000:]
    found = json.loads(ran.stdout)
    # Offsets that fall and rise again are of values inside of the buffer, in the wrong order.
    others = {
        "offsets that fall": [[False, "rule"], [None, "missing-input"], [None, "invalid-url"]],
        "offsets that fall, foreign": [[False, "rule"], [None, "missing-input"], [None, "invalid-url"]],
        "as keys of a table": [[None, "unknown-key"]],
        "as bodies of a table": [[None, "unknown-key"]],
    }
    for name, result in found.items():
        expected: Any
        if name.startswith(("too small", "offsets that are not aligned")):
            expected = "ValueError"
        elif name.endswith(", chunk"):
            # The row of the chunk before is answered.
            expected = [[False, "rule"], *NO_VALUE]
        else:
            expected = others.get(name, NO_VALUE)
        assert result == expected, name
    assert len(found) == 8 * (10 + 2) + 6 * 4 + 5 * 2 + 5
