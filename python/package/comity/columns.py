"""Columns of questions, as Arrow data: ``pip install "comity[columns]"``.

It is a package of its own, since the crates of Arrow are several times as large as the engine.
"""

from importlib.util import find_spec

if find_spec("comity_columns") is None:
    raise ModuleNotFoundError(
        "expected the package comity-columns, found none: install it with `pip install \"comity[columns]\"`",
        name="comity_columns",
    )

from comity_columns import Answers, Table, check_array  # noqa: E402

__all__ = ["Answers", "Table", "check_array"]
