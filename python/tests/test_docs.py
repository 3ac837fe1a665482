"""The examples in `docs/python.md`."""

from __future__ import annotations

import doctest

import comity
from reference import ROOT


def test_examples_of_the_guide() -> None:
    text = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    example = doctest.DocTestParser().get_doctest(text, {}, "docs/python.md", None, 0)
    failed, attempted = doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL).run(example)
    assert (failed, attempted > 15) == (0, True)


def test_the_guide_shows_the_messages() -> None:
    # Details of exceptions are not compared above, since Python writes the module in front of the name.
    try:
        comity.Robots.parse("").rules_for("Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com/bot)")
    except comity.InvalidCrawler as error:
        assert f"comity.InvalidCrawler: {error}\n" in (ROOT / "docs/python.md").read_text(encoding="utf-8")
