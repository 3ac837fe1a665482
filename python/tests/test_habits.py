"""Habits of Python: pickles, copies, equality, messages, and tables of one's own."""

from __future__ import annotations

import copy
import datetime
import importlib.metadata
import json
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import comity
from reference import ROOT

BODY = b"User-agent: *\nDisallow: /private/\nDisallow: /\xff\nCrawl-delay: 2\nRequest-rate: 1/5\n"
TABLE = """
[[crawler]]
token = "OurBot-Images"
operator = "We"
purpose = "search"
fallback = ["OurBot"]
"""


def objects() -> list[Any]:
    """Returns one object of each kind, and of each form."""
    robots = comity.Robots.parse(BODY, origin="https://a.example", dialect="google")
    row = comity.Crawlers.parse(TABLE)["OurBot-Images"]
    crawlers: list[Any] = ["ExampleBot", "Googlebot-Image", ["a", "b"], row, "*"]
    rules = [robots.rules_for(crawler) for crawler in crawlers] + [robots.rules_for(b"\xff", literal=True)]
    urls = ["/private/x", "/public", "https://other.example/", "/robots.txt"]
    return [robots, comity.Robots.parse(""), row, *rules, *(rules[0].check(url) for url in urls)]


def test_pickles_and_copies_are_equal() -> None:
    for thing in objects():
        for restored in (pickle.loads(pickle.dumps(thing)), copy.copy(thing), copy.deepcopy([thing])[0]):
            assert restored == thing and hash(restored) == hash(thing), thing
            assert repr(restored) == repr(thing)
    verdict = objects()[-4]
    restored = pickle.loads(pickle.dumps(verdict))
    assert (restored.rule, str(restored.rule)) == (verdict.rule, "Disallow: /private/")
    rules = pickle.loads(pickle.dumps(objects()[3]))
    assert rules.are_allowed(["/private/x", "/public", "https://other.example/"]) == [False, True, False]


def test_every_function_takes_crawlers_of_ones_own() -> None:
    table = comity.Crawlers.parse(TABLE)
    row = table["OurBot-Images"]
    old, new = (comity.Robots.parse(f"User-agent: OurBot\nDisallow: {path}\n") for path in ("/a", "/b"))
    for crawlers, outcome, holds in (([row], "differs", True), (["OurBot-Images"], "same", False)):
        assert comity.diff(old, new, crawlers=crawlers).outcome == outcome
        assert comity.prove(old, disallowed="/a", crawlers=crawlers).holds is holds
    with pytest.raises(TypeError, match="str, or a comity.Crawler, found list"):
        comity.diff(old, new, crawlers=[["a", "b"]])  # type: ignore[list-item]
    header = "Mozilla/5.0 (compatible; OurReader)"
    assert comity.candidates(header) == []
    assert comity.candidates(header, crawlers=comity.Crawlers.parse(TABLE.replace("OurBot-Images", "OurReader"))) == ["OurReader"]
    file = "User-agent: OurBot-Imags\nDisallow: /\n"
    assert not comity.lint(file, select=["misspelled-crawler"], ignore=["all"])
    [found] = comity.lint(file, select=["misspelled-crawler"], ignore=["all"], crawlers=table)
    assert "did you mean `OurBot-Images`" in found.message


def test_damaged_pickles_of_verdicts_are_refused() -> None:
    fields = comity.Robots.parse(BODY).check("/private/", crawler="*").__reduce__()[1][0]
    assert comity.Verdict._restored(fields, None).line == 2
    for name in ("answer", "rule", "line", "priority"):
        damaged = json.dumps({**json.loads(fields), name: None})
        with pytest.raises(comity.ComityError, match="expected"):
            comity.Verdict._restored(damaged, None)


def test_rules_go_to_other_processes() -> None:
    rules = comity.Robots.parse(BODY).rules_for("ExampleBot")
    with ProcessPoolExecutor(1) as pool:
        verdicts = list(pool.map(rules.check, ["/private/", "/public"]))
    assert verdicts == [rules.check("/private/"), rules.check("/public")]


def test_equality_is_that_of_the_content() -> None:
    robots = comity.Robots.parse(BODY)
    assert robots == comity.Robots.parse(bytearray(BODY)) and robots.body == BODY
    assert comity.Robots.parse("é").body == "é".encode()
    others = [comity.Robots.parse(b""), comity.Robots.parse(BODY, dialect="google")]
    others += [comity.Robots.parse(BODY, origin="https://a.example")]
    assert all(other != robots for other in others) and robots != BODY
    assert len({robots, comity.Robots.parse(BODY), *others}) == 4
    assert robots.rules_for("A") == comity.Robots.parse(BODY).rules_for("A") != robots.rules_for("B")
    assert robots.rules_for("A") != robots.rules_for("A", literal=True)


def test_rules_do_not_change_with_their_arguments() -> None:
    tokens = ["a"]
    rules = comity.Robots.parse(BODY).rules_for(tokens)
    tokens.append("b")
    assert rules == comity.Robots.parse(BODY).rules_for(["a"])
    assert repr(rules) == "<Rules: ('a',), standard>"


def test_the_interval_of_requests() -> None:
    def interval(text: str) -> float:
        return comity.Robots.parse("User-agent: *\n" + text).rules_for("A").interval(0)

    assert interval("Crawl-delay: 2\nRequest-rate: 1/5\n") == 5
    assert (interval("Crawl-delay: 2\n"), interval("")) == (2, 0)
    at_night = comity.Robots.parse("User-agent: *\nRequest-rate: 1/5 0000-0600\n").rules_for("A")
    assert (at_night.interval(3 * 3600), at_night.interval(12 * 3600), at_night.interval(float("nan"))) == (5, 0, 5)


def test_names_in_messages() -> None:
    assert repr(comity.Robots.parse("").rules_for("ExampleBot")) == "<Rules: 'ExampleBot', standard>"
    old, new = comity.Robots.parse(""), comity.Robots.parse("User-agent: *\nDisallow: /a\n")
    assert repr(comity.diff(old, new)) == "<Difference: differs, 1 change>"
    for error in (comity.ComityError, comity.InvalidURL, comity.InvalidCrawler, comity.TooSoon, comity.Disallowed):
        assert error.__module__ == "comity" and issubclass(error, comity.ComityError)
    assert comity.__version__ in (ROOT / "Cargo.toml").read_text(encoding="utf-8")


def test_every_exception_of_a_bad_value_is_a_comity_error() -> None:
    robots = comity.Robots.parse(BODY)
    half = "/\ud800"
    rules = robots.rules_for("A")
    calls: list[tuple[type[Exception], str, Any]] = [
        (comity.InvalidURL, "has half a surrogate pair", lambda: rules.is_allowed(half)),
        (comity.InvalidURL, "has half a surrogate pair", lambda: rules.are_allowed(["/", half])),
        (comity.InvalidURL, "has half a surrogate pair", lambda: rules.check_as_is(half)),
        (comity.InvalidCrawler, "has half a surrogate pair", lambda: robots.rules_for("\ud800")),
        (comity.InvalidArgument, "dialect: expected .* found", lambda: comity.Robots.parse("", dialect="x")),  # type: ignore[arg-type]
        (comity.InvalidArgument, "expected .* found", lambda: comity.lint("", select=["L999"])),
        (comity.InvalidArgument, "expected .* found", lambda: comity.diff(robots, robots, crawlers=[])),
        (comity.InvalidArgument, "expected .* in JSON: ", lambda: comity.Crawlers.parse("{")),
        (comity.InvalidArgument, "expected .* in JSON: ", lambda: comity.Crawlers.parse("[[crawler]")),
        (comity.InvalidArgument, "not UTF-8", lambda: comity.Crawlers.parse(b"\xff")),
        (TypeError, r"select: expected a list of lints.*found str", lambda: comity.lint("", select="L010")),
        (TypeError, "expected a User-Agent header as str, found NoneType", lambda: comity.candidates(None)),  # type: ignore[arg-type]
        (
            TypeError,
            "now: expected seconds since 1970 as int.*found datetime",
            lambda: robots.permissions("/", crawler="A", now=datetime.datetime.now()),  # type: ignore[arg-type]
        ),
        (TypeError, "a comity.Crawler, found int", lambda: robots.rules_for(1)),  # type: ignore[arg-type]
    ]
    for expected, message, call in calls:
        with pytest.raises(expected, match=message):
            call()
        assert expected is TypeError or issubclass(expected, comity.ComityError)


def test_a_table_of_ones_own() -> None:
    fields = {"token": "OurBot-Images", "operator": "We", "purpose": "search", "fallback": ["OurBot"]}
    robots = comity.Robots.parse("User-agent: OurBot\nDisallow: /\n")
    tables = [comity.Crawlers.parse(json.dumps({"crawler": [fields]}))]
    if sys.version_info >= (3, 11):
        tables.append(comity.Crawlers.parse(TABLE))
    for table in tables:
        row = table["ourbot-images"]
        assert (row.token, repr(row)) == ("OurBot-Images", "<Crawler: OurBot-Images>")
        assert not robots.is_allowed("/", crawler=row)
        assert robots.is_allowed("/", crawler="OurBot-Images")
        assert "OurBot-Images" in table and "Googlebot" in table and "NoBot" not in table
        assert len(list(table)) == len(table) > 100
        with pytest.raises(KeyError):
            table["NoBot"]
    with pytest.warns(UserWarning, match="unknown field `zzz` of the crawler `OurBot-Images`: ignored"):
        comity.Crawlers.parse(json.dumps([{**fields, "zzz": 1}]))


def test_an_import_needs_no_typing() -> None:
    code = "import sys; import comity; print('typing' in sys.modules)"
    path = str(Path(comity.__file__).parent.parent)
    ran = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path.insert(0, {path!r}); {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout == "False\n"


def test_the_version_is_that_of_the_distribution() -> None:
    try:
        assert importlib.metadata.version("comity") == comity.__version__
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the package is not installed, but on the path")
