//! Applies fixes to the files of `fixes.toml`, and checks the results and that no fix blocks a page unexpectedly.

use comity::{Crawler, Dialect, Robots, crawlers};
use comity_lint::{CHECKED_DIALECTS, Evidence, Fixes, Linter, Mended, Reason, Safety};
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
    closing: Option<String>,
}

fn cases() -> Vec<Case> {
    toml::from_str::<Cases>(include_str!("fixes.toml")).unwrap().file
}

impl Case {
    fn mend(&self, fixes: impl Into<Fixes>) -> (Mended, String) {
        let mut evidence = Evidence::default();
        evidence.location.clone_from(&self.location);
        let mended = Linter::new().mend(self.robots.as_bytes(), &evidence, fixes);
        let text = String::from_utf8(mended.body.clone()).unwrap();
        (mended, text)
    }
}

#[test]
fn files_become_what_is_expected() {
    for case in cases() {
        let fixed = case.fixed.as_ref().unwrap_or(&case.robots);
        assert_eq!(case.mend(Safety::Safe).1, *fixed, "{}: --fix", case.name);
        let (mended, text) = case.mend(Safety::Unsafe);
        assert_eq!(text, *case.risky.as_ref().unwrap_or(fixed), "{}: --unsafe-fixes", case.name);
        let left_out = mended.left_out.iter().map(|left| {
            let reason = match left.reason {
                Reason::Closes(_) => "closes",
                Reason::ChangesVerdict(_) => "changes a verdict",
                _ => "unchecked",
            };
            format!("{} {} {reason}", left.lint.code, left.line)
        });
        assert_eq!(left_out.collect::<Vec<_>>(), case.left_out, "{}", case.name);
        let (mended, text) = case.mend(Fixes::new(Safety::Unsafe).allow_closing(true));
        if let Some(closing) = &case.closing {
            assert_eq!(text, *closing, "{}: --allow-closing", case.name);
        }
        assert!(mended.left_out.iter().all(|left| !matches!(left.reason, Reason::Closes(_))), "{}", case.name);
    }
}

/// Compares verdicts without the linter's own check: for every known crawler, those of the file, and one that no file
/// names.
#[test]
fn no_site_is_closed_and_safe_fixes_keep_verdicts() {
    let named = ["*", "unnamed", "Googelbot"].map(Crawler::literal);
    let crawlers = || crawlers::TABLE.iter().map(Crawler::from).chain(named);
    for case in cases() {
        for (safety, paths) in [
            (Safety::Safe, &["/", "/some-article-123", "/cart/x", "/user/register/x", "/n", "/abc", "/x?q=1"][..]),
            (Safety::Unsafe, &["/", "/some-article-123", "/x/y/z.html", "/x?q=1"]),
        ] {
            let (mended, _) = case.mend(safety);
            for dialect in CHECKED_DIALECTS {
                let [before, after] =
                    [case.robots.as_bytes(), &mended.body].map(|body| Robots::parse_with(body, dialect));
                for (crawler, path) in crawlers().flat_map(|crawler| paths.iter().map(move |path| (crawler, *path))) {
                    let (was, is) = (before.check(&crawler, path), after.check(&crawler, path));
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
    assert_eq!(missing, [&Dialect::GOOGLE_PARSER, &Dialect::NOROBOTS_1996]);
}
