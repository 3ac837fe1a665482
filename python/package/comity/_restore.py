"""Restores objects that were pickled. The native module names these functions in ``__reduce__``."""

from __future__ import annotations

from collections.abc import Sequence

from comity._comity import Crawler, Robots, Rules, Verdict


def robots(body: bytes, dialect: str, origin: str | None) -> Robots:
    """Parses a file again."""
    return Robots.parse(body, dialect=dialect, origin=origin)  # type: ignore[arg-type]


def rules(robots: Robots, crawler: str | bytes | Sequence[str] | Crawler, literal: bool) -> Rules:
    """Compiles rules again."""
    return robots.rules_for(crawler, literal=literal)


def verdict(fields: str, rule: tuple[int, str, str, str] | None) -> Verdict:
    """Reads a verdict."""
    return Verdict._restored(fields, rule)


def crawler(row: str) -> Crawler:
    """Reads a row of a table."""
    return Crawler._restored(row)
