"""The cases of `testdata/cases`, which all interfaces of comity run."""

from __future__ import annotations

import base64
from typing import Any

import pytest

import comity
from reference import ROOT

tomllib = pytest.importorskip("tomllib", reason="needs Python 3.11 or newer, which reads TOML")

DIALECTS: list[Any] = ["standard", "google", "google-parser", "bing", "yandex", "norobots-1996"]
MODERN = DIALECTS[:5]


def body_of(file: dict[str, Any]) -> bytes:
    if "robots" in file:
        return str(file["robots"]).encode()
    parts = (
        (part["text"].encode() if "text" in part else base64.b64decode(part["b64"])) * part.get("times", 1)
        for part in file["parts"]
    )
    return b"".join(parts)


def expected_in(dialect: str, file: dict[str, Any], question: dict[str, Any]) -> str | None:
    """Returns the expected answer in a dialect. `google` includes `google-parser`."""
    names = [dialect, "google"] if dialect == "google-parser" else [dialect]
    for name in names:
        if name in question:
            return str(question[name])
    is_asked = any(name in file.get("dialects", MODERN) for name in names)
    return str(question["is"]) if is_asked and "is" in question else None


def crawler_of(file: dict[str, Any], question: dict[str, Any]) -> tuple[Any, bool]:
    """Returns the crawler, and whether it is literal."""
    if "crawler" in question:
        return question["crawler"], False
    if "agent_b64" in question:
        return base64.b64decode(question["agent_b64"]), True
    return question.get("agents") or question.get("agent", file.get("agent", "anybot")), True


FILES = [
    pytest.param(file, id=f"{path.stem}-{file['name']}")
    for path in sorted(ROOT.glob("testdata/cases/*.toml"))
    for file in tomllib.loads(path.read_text(encoding="utf-8")).get("file", [])
]


@pytest.mark.parametrize("file", FILES)
def test_file(file: dict[str, Any]) -> None:
    asked = 0
    for dialect in DIALECTS:
        robots = comity.Robots.parse(body_of(file), dialect=dialect)
        for question in file["ask"]:
            expected = expected_in(dialect, file, question)
            if expected is None:
                continue
            crawler, literal = crawler_of(file, question)
            rules = robots.rules_for(crawler, literal=literal)
            is_raw = question.get("raw", file.get("raw", False)) or "url_b64" in question
            url: Any = base64.b64decode(question["url_b64"]) if "url_b64" in question else question["url"]
            verdicts = [rules.check_as_is(url)]
            if not is_raw:
                verdicts += [rules.check(url), robots.check(url, crawler=crawler, literal=literal)]
                assert rules.are_allowed([url]) == [rules.is_allowed(url)] == [verdicts[0].allowed]
            answer, _, line = expected.partition(" ")
            for verdict in verdicts:
                assert verdict.answer == {"allow": "allowed", "disallow": "disallowed"}.get(answer, answer), question
                if line:
                    assert (verdict.line or 0) == int(line), question
                assert question.get("names_crawler", verdict.names_crawler) == verdict.names_crawler
                assert question.get("advisory", verdict.advisory) == verdict.advisory
            if "crawl_delay" in question:
                delay = -1 if rules.crawl_delay is None else rules.crawl_delay
                assert delay == question["crawl_delay"]
            asked += 1
    assert asked > 0
