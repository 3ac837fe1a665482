"""The classes and functions of the native module: answers, messages, threads."""

from __future__ import annotations

import doctest
import importlib.util
import inspect
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import comity

ROBOTS = comity.Robots.parse(
    """\
User-agent: Googlebot
Disallow: /private/
Crawl-delay: 3

User-agent: *
Allow: /a
Disallow: /*.htm
Disallow:
Crawl-delay: 2.5

Sitemap: https://example.com/sitemap.xml
"""
)
HEADER = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)"


def test_a_verdict_names_its_rule() -> None:
    verdict = ROBOTS.check("https://example.com/x.htm", crawler="ExampleBot")
    assert (verdict.allowed, verdict.disallowed, verdict.answer, verdict.line) == (False, True, "disallowed", 7)
    assert (verdict.reason, verdict.basis, verdict.advisory, verdict.names_crawler) == ("rule", "star", False, False)
    rule = verdict.rule
    assert rule is not None
    assert (str(rule), rule.kind, rule.value, rule.pattern, rule.line) == (
        "Disallow: /*.htm",
        "disallow",
        "/*.htm",
        "/*.htm",
        7,
    )
    assert str(verdict) == "disallowed by line 7"
    assert repr(verdict) == "<Verdict: disallowed by line 7>"
    assert verdict == ROBOTS.rules_for("ExampleBot").check("/x.htm")
    assert len({verdict, ROBOTS.rules_for("ExampleBot").check("/y.htm")}) == 1
    assert ROBOTS.check("/b", crawler="GoogleBOT").rule is None


def test_known_crawlers_have_their_fallbacks() -> None:
    assert ROBOTS.check("/private/x", crawler="Googlebot-Image").basis == "fallback-token"
    assert ROBOTS.check("/private/x", crawler="Googlebot-Image", literal=True).basis == "star"
    assert not ROBOTS.is_allowed("/private/x", crawler="Googlebot-Image")
    assert ROBOTS.is_allowed("/private/x", crawler="Googlebot-Image", literal=True)
    # Several tokens: their groups are merged.
    assert ROBOTS.rules_for(["ExampleBot", "Googlebot"]).check("/private/").basis == "merged-tokens"


def test_urls_are_parsed_as_a_browser_parses_them() -> None:
    rules = comity.Robots.parse("User-agent: *\nDisallow: /private/\nDisallow: /caf%C3%A9\n").rules_for("ExampleBot")
    urls = [
        "/private/x",
        "/a/../private/x",
        "/./private/",
        "https://example.com/a/%2e%2e/private/",
        "HTTPS://user:word@Example.com:443/private/?q#f",
        "/café",
        "https://example.com/caf\u00e9",
        "https:\\\\example.com\\private\\",
    ]
    assert rules.are_allowed(urls) == [False] * len(urls)
    # As it is, nothing is escaped. Dot segments and backslashes are resolved, as in every request.
    assert not rules.check_as_is("/a/../private/x").allowed
    assert rules.check_as_is("private/x").answer == "out-of-scope"
    assert not rules.check_as_is(b"/private/\xff").allowed


@pytest.mark.parametrize("origin", [None, "https://a.test"])
@pytest.mark.parametrize("dialect", ["standard", "google", "google-parser", "bing", "yandex"])
def test_no_host_is_read_in_a_path(dialect: Any, origin: str | None) -> None:
    robots = comity.Robots.parse("User-agent: *\nDisallow: /*private\n", dialect=dialect, origin=origin)
    rules = robots.rules_for("ExampleBot")
    for path in ["/.//private/x", "/a/..//private/x", "/%2e//private/x"]:
        for url in [path, f"https://a.test{path}"]:
            assert rules.check(url).disallowed
            assert robots.check(url, crawler="ExampleBot").disallowed
            assert robots.explain(url, crawler="ExampleBot").verdict.disallowed
            assert not rules.is_allowed(url)
            assert rules.are_allowed([url]) == [False]
    with pytest.raises(comity.InvalidURL):
        rules.check("/\\private/x")


@pytest.mark.parametrize("origin", [None, "https://a.test"])
@pytest.mark.parametrize("dialect", ["standard", "google-parser"])
def test_lists_have_the_answers_of_single_urls(dialect: Any, origin: str | None) -> None:
    sites = ["https://a.test", "https://a.test:8443", "https://a.test:443", "http://a.test", "https://a.testing"]
    paths = ["/private/x", "/a/../private/x", "/%70rivate/", "/.private/", "/public", "/private/#f", "/x?/../private/"]
    urls = [site + path for site in [*sites, "HTTPS://A.test", ""] for path in paths] + ["https://a.test//private/"]
    # Each URL after each other one, since what is known about the site of the last one is used for the next.
    urls = [url for first in urls for second in urls for url in (first, second)]
    rules = comity.Robots.parse("User-agent: *\nDisallow: /private/\n", dialect=dialect, origin=origin).rules_for("*")
    expected = {url: rules.is_allowed(url) for url in set(urls)}
    assert set(expected.values()) == {True, False}
    for form in (urls, tuple(urls), iter(urls)):
        assert rules.are_allowed(form) == [expected[url] for url in urls]


def test_the_file_of_a_site_is_silent_about_others() -> None:
    robots = comity.Robots.parse("User-agent: *\nDisallow: /b\n", origin="https://example.com/robots.txt")
    assert robots.origin == "https://example.com"
    assert robots.check("https://example.com/b", crawler="*").answer == "disallowed"
    assert robots.check("/b", crawler="*").answer == "disallowed"
    for url in ["https://example.org/", "http://example.com/", "https://example.com:8443/"]:
        verdict = robots.check(url, crawler="*")
        assert (verdict.answer, verdict.allowed, verdict.disallowed) == ("out-of-scope", False, False)
        assert robots.rules_for("*").are_allowed([url]) == [False]


def test_no_rule_of_a_site_is_a_reason_for_others() -> None:
    body = "User-agent: *\nContent-Signal: ai-train=no\nDisallow: /b\n"
    robots = comity.Robots.parse(body, origin="https://example.com/robots.txt")
    headers = {"X-Robots-Tag": "noindex"}
    for url in ["https://example.com/b", "/b"]:
        assert robots.explain(url, crawler="*").verdict.disallowed
        assert robots.permissions(url, crawler="*", headers=headers).fetch.disallowed
    assert robots.permissions("https://example.com/", crawler="*", headers=headers).training.stance == "no"
    for url in ["https://example.org/", "http://example.com/b", "https://example.com:8443/b"]:
        why = robots.explain(url, crawler="*")
        assert (why.verdict.answer, why.verdict.allowed, why.rules, why.deciding) == ("out-of-scope", False, [], None)
        assert str(why).startswith("verdict   out of scope")
        found = robots.permissions(url, crawler="*", headers=headers)
        assert (found.fetch.answer, found.fetch.allowed) == ("out-of-scope", False)
        # The page's own rules apply wherever it is.
        assert (found.index.stance, found.training.stance) == ("no", "not-stated")


def test_a_crawler_that_obeys_no_file_gets_no_answer() -> None:
    names = ["Google-Safety", "Googlebot"]
    answers = [ROBOTS.check("/a", crawler=name).answer for name in names]
    assert answers == ["not-governed", "allowed"]
    assert not ROBOTS.is_allowed("/a", crawler=names[0])


def test_contents_of_a_file() -> None:
    assert ROBOTS.sitemaps == ["https://example.com/sitemap.xml"]
    assert ROBOTS.crawl_delay("ExampleBot") == 2.5
    assert ROBOTS.crawl_delay("Googlebot") is None  # It ignores them.
    assert ROBOTS.rules_for("ExampleBot").crawl_delay == 2.5
    first, second = ROBOTS.groups
    assert (first.line, first.agents, [str(rule) for rule in first.rules]) == (
        1,
        ["Googlebot"],
        ["Disallow: /private/"],
    )
    assert second.agents == ["*"]
    assert ROBOTS.dialect == "standard"
    assert ROBOTS.memory > 0


@pytest.mark.parametrize("body", [b"", "", b"\xff\xfe\x00", "<html>", bytearray(b"User-agent: *"), "\ud800", b"\0" * 9])
def test_any_body_is_parsed(body: Any) -> None:
    assert comity.Robots.parse(body).is_allowed("/", crawler="*")


def test_an_explanation_lists_the_rules() -> None:
    why = ROBOTS.explain("/a.htm", crawler="ExampleBot")
    assert (why.verdict.line, why.path, why.tokens, why.token) == (7, "/a.htm", ["ExampleBot"], None)
    assert why.because == "line 7 is longer (6 bytes) than line 6 (2)"
    assert why.basis == "the group of line 5, for every crawler: no group names `ExampleBot`"
    assert why.deciding is not None and why.runner_up is not None
    assert [(rule.line, rule.kind, rule.matches, rule.rank) for rule in why.rules][:2] == [
        (6, "allow", True, 2),
        (7, "disallow", True, 1),
    ]
    assert "<- decides" in str(why)


def test_findings_of_lints() -> None:
    findings = comity.lint(b"User-agent: *\nDisallow: private/\n")
    found = next(finding for finding in findings if finding.name == "missing-leading-slash")
    assert (found.code, found.line, found.severity) == ("L010", 2, "error")
    assert str(found).startswith("line 2: error: ")
    assert comity.lint("", ignore=["all"]) == []


def test_differences() -> None:
    old, new = comity.Robots.parse("User-agent: *\nDisallow: /a\n"), comity.Robots.parse("User-agent: *\nDisallow: /b\n")
    difference = comity.diff(old, new)
    assert difference.outcome == "differs"
    assert [(change.direction, change.pattern, change.line) for change in difference.changes] == [
        ("blocked", "/b", 2),
        ("allowed", "/a", 2),
    ]
    assert str(difference.changes[0]).startswith("newly blocked for ")
    assert comity.diff(old, old).outcome == "same"
    assert comity.diff(old, new, under="/c").outcome == "same"
    assert comity.diff(old, new, crawlers=["ExampleBot"]).changes[0].crawlers == ["ExampleBot"]


def test_proofs() -> None:
    robots = comity.Robots.parse("User-agent: *\nDisallow: /private/\n\nUser-agent: ExampleBot\nAllow: /\n")
    assert comity.prove(robots, disallowed="/private/", crawlers=["*"]).holds is True
    refuted = comity.prove(robots, disallowed="/private/", crawlers=["ExampleBot"])
    assert refuted.holds is False
    assert refuted.counterexample is not None
    assert (refuted.counterexample.crawler, refuted.counterexample.path) == ("ExampleBot", "/private/")
    assert comity.prove(robots, allowed="/", exceptions=["/private/"], crawlers=["*"]).holds is True


def test_permissions_of_a_page() -> None:
    robots = comity.Robots.parse("User-agent: *\nContent-Signal: ai-train=no\nDisallow: /drafts/\n")
    every_form: list[Any] = [{"X-Robots-Tag": "noindex"}, [("x-robots-tag", b"noindex")], [(b"X-Robots-Tag", "noindex")]]
    for headers in every_form:
        found = robots.permissions("/a", crawler="ExampleBot", headers=headers)
        assert (found.index.stance, found.index.forbidden, found.training.stance) == ("no", True, "no")
        assert found.fetch.allowed
    found = robots.permissions("/a", crawler="ExampleBot", html="<meta name=ExampleBot content=noindex>")
    assert found.index.because == ['HTML line 1: <meta name="ExampleBot"> noindex']
    found = robots.permissions("/drafts/", crawler="ExampleBot", html=b"<meta name=robots content=noindex>")
    assert (found.index.stance, found.follow.stance, len(found.conflicts)) == ("hidden", "hidden", 1)
    late = {"X-Robots-Tag": "unavailable_after: 2030-01-31"}
    stances = [robots.permissions("/a", crawler="*", headers=late, now=now).index.stance for now in (0, 1_900_000_000)]
    assert stances == ["not-stated", "no"]
    # More meta tags than are read: the rest may forbid what nothing else forbids.
    html = "<meta name=robots content=nofollow>" + "<meta name=robots content=''>" * 20_000
    for last in ["", "<meta name=robots content='noindex, noai'>"]:
        found = robots.permissions("/a", crawler="ExampleBot", html=html + last)
        assert (found.index.stance, found.index.forbidden, found.index.because) == ("hidden", True, [])
        assert (found.follow.stance, found.ai_input.stance, found.ai_input.forbidden) == ("no", "hidden", True)


def test_tokens_in_headers() -> None:
    assert comity.candidates(HEADER) == ["GPTBot"]
    assert comity.candidates("Mozilla/5.0 (X11; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0") == []


RULES = ROBOTS.rules_for("ExampleBot")
INVALID: list[tuple[str, Callable[[], Any], type[Exception], str]] = [
    ("a header", lambda: ROBOTS.rules_for(HEADER), comity.InvalidCrawler, 'use crawler="GPTBot"'),
    ("a version", lambda: ROBOTS.check("/", crawler="ExampleBot/1.0"), comity.InvalidCrawler, 'crawler="ExampleBot"'),
    ("two words", lambda: ROBOTS.check("/", crawler="Googlebot Image"), comity.InvalidCrawler, "use crawler="),
    ("white space", lambda: ROBOTS.check("/", crawler="my bot"), comity.InvalidCrawler, "white space in it"),
    ("a URL as crawler", lambda: ROBOTS.check("/", crawler="/private/"), comity.InvalidCrawler, "looks like a URL"),
    ("no crawler", lambda: ROBOTS.check("/", crawler=""), comity.InvalidCrawler, 'use crawler="*"'),
    ("spaces", lambda: ROBOTS.check("/", crawler=" * "), comity.InvalidCrawler, 'use crawler="*"'),
    ("no crawlers", lambda: ROBOTS.rules_for([]), comity.InvalidCrawler, "found an empty list"),
    ("one header of two", lambda: ROBOTS.rules_for(["a", HEADER]), comity.InvalidCrawler, 'use crawler="GPTBot"'),
    ("None as crawler", lambda: ROBOTS.rules_for(None), TypeError, "found NoneType"),  # type: ignore[arg-type]
    ("bytes as crawler", lambda: ROBOTS.rules_for(b"a"), TypeError, "found bytes"),
    ("an argument by position", lambda: ROBOTS.check("ExampleBot", "/x"), TypeError, "positional"),  # type: ignore[call-arg]
    ("no scheme", lambda: RULES.check("example.com/x"), comity.InvalidURL, "found `example.com/x`"),
    ("another host", lambda: RULES.check("//example.com/x"), comity.InvalidURL, "names another host"),
    ("another host, obscured", lambda: RULES.check("/\t/example.com/x"), comity.InvalidURL, "names another host"),
    ("no text", lambda: RULES.check(""), comity.InvalidURL, "expected a URL such as"),
    ("no host", lambda: RULES.check("mailto:a@example.com"), comity.InvalidURL, "has no host"),
    ("a password", lambda: RULES.check("https://user:s3cret@:0/"), comity.InvalidURL, "found `https://:0/`"),
    ("the third of a list", lambda: RULES.are_allowed(["/", "/", "x"]), comity.InvalidURL, r"urls\[2\]: "),
    ("bytes as URL", lambda: RULES.check(b"/"), TypeError, "found bytes"),  # type: ignore[arg-type]
    ("a number in a list", lambda: RULES.are_allowed(["/", 1]), TypeError, "found int"),  # type: ignore[list-item]
    ("a string as list", lambda: RULES.are_allowed("/a"), TypeError, "expected a list of URLs, found str"),
    ("no list", lambda: RULES.are_allowed(None), TypeError, "not iterable"),  # type: ignore[arg-type]
    ("no body", lambda: comity.Robots.parse(None), TypeError, "expected the body as bytes or str, found NoneType"),  # type: ignore[arg-type]
    ("an unknown dialect", lambda: comity.Robots.parse("", dialect="gogle"), ValueError, "did you mean `google`"),  # type: ignore[arg-type]
    ("no origin", lambda: comity.Robots.parse("", origin="example.com"), comity.InvalidURL, "absolute URL"),
    ("an unknown lint", lambda: comity.lint("", select=["L9"]), ValueError, "no lint is called `L9`"),
    ("a pattern", lambda: comity.prove(ROBOTS, allowed="x"), comity.InvalidPattern, "matches no URL"),
    ("no crawlers", lambda: comity.prove(ROBOTS, allowed="/", crawlers=[]), ValueError, "at least one"),
    ("no crawlers to compare", lambda: comity.diff(ROBOTS, ROBOTS, crawlers=[]), ValueError, "at least one"),
    (
        "a crawler without rules",
        lambda: comity.prove(ROBOTS, disallowed="/", crawlers=["FeedFetcher-Google"]),
        comity.InvalidCrawler,
        "ignores robots.txt",
    ),
    ("a pattern of a diff", lambda: comity.diff(ROBOTS, ROBOTS, under="x"), comity.InvalidPattern, "matches no URL"),
    ("two claims", lambda: comity.prove(ROBOTS, allowed="/", disallowed="/"), TypeError, "expected one of"),
    ("no headers", lambda: ROBOTS.permissions("/", crawler="*", headers=[1]), TypeError, "expected headers"),  # type: ignore[list-item]
    ("a verdict as truth", lambda: bool(RULES.check("/")), TypeError, "use .allowed"),
    ("a difference as truth", lambda: bool(comity.diff(ROBOTS, ROBOTS)), TypeError, "use .outcome"),
    ("a proof as truth", lambda: bool(comity.prove(ROBOTS, allowed="/")), TypeError, "use .holds"),
    (
        "a permission as truth",
        lambda: bool(ROBOTS.permissions("/", crawler="*").index),
        TypeError,
        "use .stance or .forbidden",
    ),
]


@pytest.mark.parametrize(("call", "error", "message"), [case[1:] for case in INVALID], ids=[case[0] for case in INVALID])
def test_invalid_arguments(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as raised:
        call()
    assert "s3cret" not in str(raised.value)
    if error is comity.InvalidCrawler:
        assert isinstance(raised.value, ValueError) and isinstance(raised.value, comity.ComityError)


def test_the_exception_suggests_a_token() -> None:
    with pytest.raises(comity.InvalidCrawler) as raised:
        ROBOTS.rules_for(HEADER)
    assert raised.value.suggestion == "GPTBot"


def test_everything_is_immutable() -> None:
    values: list[Any] = [ROBOTS, RULES, RULES.check("/"), ROBOTS.groups[0], ROBOTS.groups[0].rules[0]]
    for value in values:
        with pytest.raises(AttributeError):
            value.line = 1
        with pytest.raises(TypeError):
            type(value)()


def public_docstrings() -> Iterator[tuple[str, str]]:
    yield "comity", comity.__doc__ or ""
    for name in comity.__all__:
        item = getattr(comity, name)
        members = vars(item).items() if inspect.isclass(item) else ()
        for path, value in [(name, item), *((f"{name}.{member}", value) for member, value in members)]:
            yield path, getattr(value, "__doc__", None) or ""


def test_docstrings() -> None:
    ran = 0
    for name, docstring in public_docstrings():
        example = doctest.DocTestParser().get_doctest(docstring, {"comity": comity}, name, None, 0)
        failed, attempted = doctest.DocTestRunner().run(example)
        assert failed == 0, name
        ran += attempted
    assert ran > 25


def test_everything_public_has_a_docstring() -> None:
    missing = [name for name, docstring in public_docstrings() if not docstring and "._" not in name]
    assert missing == []


def test_threads_get_the_same_answers() -> None:
    lines = [f"Disallow: /{number}/*x\nAllow: /{number}/y\n" for number in range(300)]
    rules = comity.Robots.parse("User-agent: *\n" + "".join(lines)).rules_for("ExampleBot")
    urls = [f"/{number % 400}/{'xy'[number % 2]}x" for number in range(100_000)]
    expected = rules.are_allowed(urls)
    assert 0 < sum(expected) < len(expected)
    results: list[bool] = []

    def ask() -> None:
        results.append(all(rules.are_allowed(urls) == expected for _ in range(10)))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 8


def test_other_threads_run_during_long_calls() -> None:
    rules = comity.Robots.parse("User-agent: *\n" + "".join(f"Disallow: /*{n}*a*b*c\n" for n in range(500)))
    compiled = rules.rules_for("ExampleBot")
    urls = ["/" + "ab" * 200] * 200_000
    done = threading.Event()
    ticks = 0

    def ask() -> None:
        compiled.are_allowed(urls)
        done.set()

    thread = threading.Thread(target=ask)
    start = time.perf_counter()
    thread.start()
    while not done.is_set():
        time.sleep(0.001)
        ticks += 1
    duration = time.perf_counter() - start
    thread.join()
    assert duration > 0.1, "the call is too short to show anything"
    assert ticks > 3, f"{ticks} turns of this thread in {duration} s"


def test_subinterpreters_are_refused_cleanly() -> None:
    code = textwrap.dedent(
        """
        import sys
        try:
            import _interpreters as interpreters
            identifier = interpreters.create("legacy")
            def run(code):
                failure = interpreters.exec(identifier, code)
                if failure is not None:
                    raise RuntimeError(failure.formatted)
        except ImportError:
            import _xxsubinterpreters as interpreters
            identifier = interpreters.create(isolated=False)
            run = lambda code: interpreters.run_string(identifier, code)
        import comity
        for name in ("comity", "comity_client") if sys.argv[1:] else ("comity",):
            try:
                run(f"import {name}")
            except Exception as error:
                assert "ImportError" in str(error) and "use threads or processes" in str(error), error
                print("refused")
        # The first interpreter is not disturbed, and may import the package again.
        for name in [name for name in sys.modules if name.partition(".")[0] == "comity"]:
            del sys.modules[name]
        import comity
        assert comity.Robots.parse("").is_allowed("/", crawler="*")
        try:
            comity.Robots.parse("").is_allowed("x", crawler="*")
        except comity.InvalidURL:
            print("caught")
        """
    )
    has_client = importlib.util.find_spec("comity_client") is not None
    arguments = [sys.executable, "-c", code, *(["client"] if has_client else [])]
    ran = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == ["refused"] * (1 + has_client) + ["caught"]


def test_the_import_loads_few_modules() -> None:
    """The import takes a millisecond because it loads little: a time would depend on the machine."""
    code = "import sys; before = set(sys.modules); import comity; print(*set(sys.modules) - before)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(ran.stdout.split())
    assert "comity" in loaded
    assert len(loaded) < 40, loaded
    assert loaded.isdisjoint({"asyncio", "email", "inspect", "json", "logging", "ssl", "urllib.parse"}), loaded
