"""Columns of questions for ``comity``. Import it from ``comity.columns``."""

from comity_columns._columns import Answers, Table, check_array

__all__ = ["Answers", "Table", "check_array"]
