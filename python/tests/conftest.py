"""The order of the tests."""

from __future__ import annotations

import itertools

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts the tests with Spark first, which take the longest by far, and another one after each.

    Each process starts with two tests. At the end of the list, these ran alone for the last 100 of 230 seconds.
    """
    of_spark = [item for item in items if item.path.name == "test_spark.py"]
    others = [item for item in items if item not in of_spark]
    pairs = itertools.chain.from_iterable(zip(of_spark, others))
    items[:] = [*pairs, *others[len(of_spark) :], *of_spark[len(others) :]]
