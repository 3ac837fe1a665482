"""The replacements for other parsers, in the tests of these parsers.

The tests are those of the installed Python and of Protego's source package: they are read where they are, and not part of
this project. Each test that does not pass is named here, with the reason.
"""

from __future__ import annotations

import doctest
import importlib
import os
import subprocess
import sys
import tarfile
import unittest
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock
from xml.etree import ElementTree

import pytest

import comity.compat
from comity.compat import Protego, RobotFileParser
from reference import ROOT

WHOLE_TOKEN = "A group applies to the token that it names, not to longer or shorter ones (RFC 9309 §2.2.1)."
OTHER_RECORDS = "Other records and empty lines neither start nor end a group (RFC 9309 §2.2.4)."
NO_TOKEN = "A name with spaces or letters outside ASCII is not a product token (RFC 9309 §2.2.1)."

CPYTHON = {
    "UseFirstUserAgentWildcardTest.test_good_urls": "All groups of a crawler are merged (RFC 9309 §2.2.1).",
    "UserAgentGoogleMobileTest.test_bad_urls": WHOLE_TOKEN,
    "PasswordProtectedSiteTestCase.testPasswordProtectedSite": "403 means that there is no file (RFC 9309 §2.3.1.3).",
}

PROTEGO = {
    "test_user_agent_precedence[/group1-hedwig-news2]": WHOLE_TOKEN,
    "test_user_agent_precedence[/group3-hedwig-new]": WHOLE_TOKEN,
    "test_user_agent_precedence[/group3-hedwig-images]": WHOLE_TOKEN,
    "test_user_agent_boundary_matching[google-googlebot-mobile-True]": WHOLE_TOKEN,
    "test_request_rate": OTHER_RECORDS,
    "test_request_rate_bare_number": OTHER_RECORDS,
    "test_no_request_rate": OTHER_RECORDS,
    "test_visit_time": OTHER_RECORDS,
    "test_empty_user_agent_line": OTHER_RECORDS,
    "test_grouping_unknown_keys": OTHER_RECORDS,
    "test_unicode_url_and_useragent": NO_TOKEN,
    "test_generosity": NO_TOKEN,
    "test_generosity_visit_time": "A window is two times with `-`; only Protego accepts a space.",
    "test_generosity_sitemap": "The first colon of a line ends the name of its record (RFC 9309 §2.2).",
    "test_unescaped_url": "`<` in a pattern is compared as it is, and a URL has `%3C`, as in Google's parser.",
    "test_special_symbols_dual_behaviour": "A final `$` is the end of the path, never a dollar sign (RFC 9309 §2.2.3).",
    "test_with_absolute_urls": "A pattern starts with `/` or `*`; a URL is none (RFC 9309 §2.2.2).",
    "test_index_html_is_directory": "Only Google's parser allows a directory for its index.html.",
    "test_equal_sign_in_path[https://example.com/1/filter/page%3D5/-True]": "`%3D` and `=` differ (RFC 9309 §2.2.2).",
    "test_allowed_wildcards": "`xyz/foo.js` is neither a URL nor a path, and raises `InvalidURL`.",
    "test_line_endings": "It reads private attributes.",
}


def short_name(test: Any) -> str:
    """Returns the name of a unit test, without its module and the parameters of subtests."""
    return ".".join(test.id().split(" ")[0].split(".")[-2:])


def cpython_tests() -> ModuleType:
    try:
        return importlib.import_module("test.test_robotparser")
    except ImportError:
        pytest.skip("this Python was installed without its own tests")


class Recorder(unittest.TestResult):
    """The names of the tests that ran, and of those that failed."""

    def __init__(self) -> None:
        super().__init__()
        self.ran: set[str] = set()
        self.failed: set[str] = set()

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self.ran.add(short_name(test))

    def addError(self, test: unittest.TestCase, err: Any) -> None:
        self.failed.add(short_name(test))

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        self.failed.add(short_name(test))

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: Any) -> None:
        if err is not None:
            self.failed.add(short_name(test))


def test_robotparser_of_cpython() -> None:
    pytest.importorskip("comity_client", reason="comity-client is not installed, which `read` needs")
    module = cpython_tests()
    suite = unittest.TestSuite()
    for name, case in vars(module).items():
        if isinstance(case, type) and issubclass(case, unittest.TestCase) and name not in LEFT_OUT:
            suite.addTests(unittest.defaultTestLoader.loadTestsFromTestCase(case))
    recorder = Recorder()
    with mock.patch("urllib.robotparser.RobotFileParser", RobotFileParser):
        suite.run(recorder)
    assert len(recorder.ran) > 40
    assert recorder.failed == set(CPYTHON) & recorder.ran


LEFT_OUT = {"NetworkTestCase"}
"""It talks to a host on the Internet."""


def test_protego(tmp_path: Path) -> None:
    pytest.importorskip("protego")
    sources = sorted(Path(os.environ.get("COMITY_SDISTS", ROOT / "target/python/sdists")).glob("protego-*.tar.gz"))
    if not sources:
        pytest.skip("Protego's source package is not there; COMITY_SDISTS names its folder")
    with tarfile.open(sources[-1]) as archive:
        members = [member for member in archive.getmembers() if "/tests/" in member.name and member.isfile()]
        archive.extractall(tmp_path, members=members)
    (tmp_path / "with_comity.py").write_text("import protego, comity.compat\nprotego.Protego = comity.compat.Protego\n")
    report = tmp_path / "report.xml"
    options = ["-p", "with_comity", "-p", "no:cacheprovider", "--quiet", "--tb=no", f"--junit-xml={report}"]
    [folder] = tmp_path.glob("protego-*")
    subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(folder / "tests")],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])},
        capture_output=True,
        check=False,
    )
    cases = list(ElementTree.parse(report).iter("testcase"))
    names = {case.get("name", "") for case in cases}
    failed = {case.get("name", "") for case in cases if list(case)}
    assert len(cases) > 4_000
    assert failed == set(PROTEGO) & names
    # A name that no test has any more is removed.
    assert set(PROTEGO) <= names


HEADER = "Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com/bot)"


def test_the_two_orders_of_arguments() -> None:
    text = "User-agent: ExampleBot\nDisallow: /private/\nCrawl-delay: 3\nRequest-rate: 1/5\n"
    parser = RobotFileParser()
    assert not parser.can_fetch(HEADER, "https://example.com/")  # Nothing is parsed yet.
    assert parser.crawl_delay(HEADER) is None and parser.site_maps() is None
    parser.parse(text.splitlines())
    protego = Protego.parse(text)
    for path, allowed in [("/", True), ("/private/", False), ("/a/../private/", False)]:
        assert parser.can_fetch(HEADER, path) is protego.can_fetch(path, HEADER) is allowed
    assert (parser.crawl_delay(HEADER), protego.crawl_delay(HEADER)) == (3, 3.0)
    rates = parser.request_rate(HEADER), protego.request_rate(HEADER)
    assert rates == ((1, 5), (1, 5, None, None))
    assert parser.mtime() > 0


def test_a_header_obeys_the_token_that_the_file_names() -> None:
    robots = Protego.parse("User-agent: fetcher\nDisallow: /\n")
    assert not robots.can_fetch("/", "AcmeBot/1.0 fetcher/2.0")
    assert robots.can_fetch("/", "AcmeBot/1.0")
    # A browser names no crawler, so the groups of `*` apply.
    browser = "Mozilla/5.0 (X11; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0"
    assert not Protego.parse("User-agent: *\nDisallow: /\n").can_fetch("/", browser)


def test_many_user_agents_do_not_use_up_the_memory() -> None:
    robots = Protego.parse("User-agent: *\nDisallow: /private/\n")
    for number in range(1_000):
        assert not robots.can_fetch("/private/", f"Bot-{number}")
    assert len(robots._file._compiled) <= 64


def test_invalid_arguments() -> None:
    with pytest.raises(TypeError, match="expects str, got bytes"):
        Protego.parse(b"")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="use text.splitlines"):
        RobotFileParser().parse("User-agent: *")
    with pytest.raises(comity.InvalidURL):
        Protego.parse("").can_fetch("ExampleBot", "https://example.com/")


def test_docstrings() -> None:
    for item in (Protego, RobotFileParser):
        example = doctest.DocTestParser().get_doctest(item.__doc__ or "", {}, item.__name__, None, 0)
        assert doctest.DocTestRunner().run(example).failed == 0


def test_the_guide_lists_each_difference() -> None:
    text = " ".join((ROOT / "docs/python.md").read_text(encoding="utf-8").split())
    missing = {reason for reason in {**CPYTHON, **PROTEGO}.values() if reason not in text}
    assert missing == set()
