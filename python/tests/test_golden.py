"""Recorded verdicts of Google's own parser: the answers and lines through Python are the same."""

from __future__ import annotations

from typing import Any

import comity
from reference import as_bytes, json_lines, reference


class Comparison:
    """Counts the questions of recorded files, and collects the differences."""

    def __init__(self) -> None:
        self.count = 0
        self.differences: list[str] = []

    def check(self, name: str, body: bytes, cases: list[dict[str, Any]]) -> None:
        robots = comity.Robots.parse(body, dialect="google-parser")
        compiled: dict[Any, comity.Rules] = {}
        for case in cases:
            crawler: Any = case.get("agent") if case.get("agent") is not None else tuple(case["agents"])
            rules = compiled.get(crawler)
            if rules is None:
                rules = compiled[crawler] = robots.rules_for(crawler, literal=True)
            verdict = rules.check_as_is(as_bytes(case, "url"))
            if (verdict.allowed, verdict.line or 0) != (case["allowed"], case["line"]):
                self.differences.append(f"{name}: expected {case}, found {verdict!r}")
        self.count += len(cases)

    def finish(self, expected: int) -> None:
        assert not self.differences, "\n".join(self.differences[:10])
        assert self.count == expected


def test_verdicts_on_real_files() -> None:
    comparison = Comparison()
    for file in json_lines("verdicts"):
        body = reference("corpus").joinpath(file["file"]).read_bytes()
        comparison.check(file["file"], body, file["cases"])
    comparison.finish(644_544)


def test_verdicts_on_hostile_files() -> None:
    comparison = Comparison()
    for file in json_lines("adversarial"):
        comparison.check(file["id"], as_bytes(file, "body"), file["cases"])
    comparison.finish(51_567)
