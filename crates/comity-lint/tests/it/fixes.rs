//! Applies fixes to the files of `fixes.toml`, and checks the results and that no fix blocks a page unexpectedly.

use std::cell::Cell;

use comity::{Crawler, Dialect, Robots, crawlers};
use comity_lint::{CHECKED_DIALECTS, Evidence, FixedFile, Fixes, LeftOutReason, Linter, Safety};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    file: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    #[allow(dead_code, reason = "for readers")]
    why: Option<String>,
    location: Option<String>,
    robots: String,
    fixed: Option<String>,
    #[serde(rename = "unsafe")]
    risky: Option<String>,
    #[serde(default)]
    left_out: Vec<String>,
    blocking: Option<String>,
}

fn cases() -> Vec<Case> {
    toml::from_str::<Cases>(include_str!("../fixes.toml")).unwrap().file
}

impl Case {
    fn fix(&self, chosen: impl Into<Fixes>) -> (FixedFile, String) {
        let mut evidence = Evidence::default();
        evidence.location.clone_from(&self.location);
        let fixed = Linter::new().fix(self.robots.as_bytes(), &evidence, chosen);
        let text = String::from_utf8(fixed.body.clone()).unwrap();
        (fixed, text)
    }
}

#[test]
fn files_become_what_is_expected() {
    for case in cases() {
        let safe = case.fixed.as_ref().unwrap_or(&case.robots);
        assert_eq!(case.fix(Safety::Safe).1, *safe, "{}: --fix", case.name);
        let (fixed, text) = case.fix(Safety::Unsafe);
        assert_eq!(text, *case.risky.as_ref().unwrap_or(safe), "{}: --unsafe-fixes", case.name);
        let left_out = fixed.left_out.iter().map(|left| {
            let reason = match left.reason {
                LeftOutReason::BlocksSite(_) => "blocks_site",
                LeftOutReason::ChangesVerdict(_) => "changes a verdict",
                LeftOutReason::ChangesRecord { .. } => "changes a record",
                _ => "unchecked",
            };
            format!("{} {} {reason}", left.lint.code, left.line)
        });
        assert_eq!(left_out.collect::<Vec<_>>(), case.left_out, "{}", case.name);
        let (fixed, text) = case.fix(Fixes::new(Safety::Unsafe).allow_blocking(true));
        if let Some(blocking) = &case.blocking {
            assert_eq!(text, *blocking, "{}: --allow-blocking", case.name);
        }
        assert!(
            fixed.left_out.iter().all(|left| !matches!(left.reason, LeftOutReason::BlocksSite(_))),
            "{}",
            case.name
        );
    }
}

/// Each unsafe fix is checked on its own, and those that close a site when all are applied close it alone.
#[test]
fn closing_fixes_are_marked() {
    for case in cases() {
        let (linter, body) = (Linter::new(), case.robots.as_bytes());
        let mut evidence = Evidence::default();
        evidence.location.clone_from(&case.location);
        let mut report = linter.lint(body, &evidence);
        let mut unchecked = report.diagnostics.iter().filter_map(|found| found.fix.as_ref());
        assert!(unchecked.all(|fix| fix.may_block_site() == (fix.safety == Safety::Unsafe)), "{}", case.name);
        linter.check_blocking(&mut report);
        let mut blocking = Vec::new();
        for found in &report.diagnostics {
            let Some(fix) = &found.fix else { continue };
            let expected = (fix.safety == Safety::Unsafe).then(|| linter.blocks_site(body, fix));
            assert_eq!(fix.blocks_site, expected, "{}: {} in line {}", case.name, found.lint.code, found.line);
            assert_eq!(fix.may_block_site(), expected == Some(true), "{}", case.name);
            if fix.may_block_site() {
                blocking.push(format!("{} {} blocks_site", found.lint.code, found.line));
            }
        }
        assert_eq!(blocking, case.left_out, "{}", case.name);
    }
}

/// Fixes that can't be checked within the bound are marked as well, and the caller can end the checks.
#[test]
fn checks_of_closing_fixes_are_bounded() {
    let linter = Linter::new();
    let rules: String = (0..5_000).map(|n| format!("Disallow: p{n}\n")).collect();
    let file = |start: &str| format!("User-agent: *\n{start}{rules}");
    let marks = |body: &str, most: usize| {
        let mut report = linter.lint(body.as_bytes(), &Evidence::default());
        let calls = Cell::new(0);
        let keep_going = || {
            calls.set(calls.get() + 1);
            calls.get() < most
        };
        let is_checked = linter.check_blocking_while(&mut report, &keep_going).is_ok();
        let marks = report.diagnostics.iter().filter_map(|found| found.fix.as_ref()?.blocks_site);
        (is_checked, marks.filter(|closes| *closes).count(), calls.get())
    };
    assert_eq!(marks(&file(""), usize::MAX).1, 0, "no rule names nothing");
    let (is_checked, blocking, calls) = marks(&file("Disallow: /\n"), usize::MAX);
    assert!(is_checked && blocking > 900 && calls > 5, "{blocking} {calls}");
    for most in [1, calls] {
        let (is_checked, _, calls) = marks(&file("Disallow: /\n"), most);
        assert_eq!((is_checked, calls), (false, most));
    }
}

/// Compares verdicts without the linter's own check: for every known crawler, those of the file, and one that no file
/// names.
#[test]
fn no_site_is_closed_and_safe_fixes_keep_verdicts() {
    let named = ["*", "unnamed", "Googelbot"].map(Crawler::literal);
    let crawlers: Vec<_> = crawlers::TABLE.iter().map(Crawler::from).chain(named).collect();
    for case in cases() {
        for (safety, paths) in [
            (Safety::Safe, &["/", "/some-article-123", "/cart/x", "/user/register/x", "/n", "/abc", "/x?q=1"][..]),
            (Safety::Unsafe, &["/", "/some-article-123", "/x/y/z.html", "/x?q=1"]),
        ] {
            let (fixed, _) = case.fix(safety);
            for dialect in CHECKED_DIALECTS {
                let [before, after] =
                    [case.robots.as_bytes(), &fixed.body].map(|body| Robots::parse_with(body, dialect));
                for (crawler, path) in
                    crawlers.iter().flat_map(|crawler| paths.iter().map(move |path| (crawler, *path)))
                {
                    let (was, is) = (before.check(crawler, path), after.check(crawler, path));
                    let holds = was.answer() == is.answer() || safety == Safety::Unsafe && is.is_allowed();
                    assert!(holds, "{}: {dialect}, {crawler:?}, {path}", case.name);
                }
            }
        }
    }
}

#[test]
fn all_dialects_of_search_engines_are_checked() {
    let missing: Vec<_> = Dialect::ALL.iter().filter(|dialect| !CHECKED_DIALECTS.contains(dialect)).collect();
    assert_eq!(missing, [&Dialect::NOROBOTS_1996]);
}
