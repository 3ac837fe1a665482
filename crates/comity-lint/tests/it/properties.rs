//! Properties that hold for any file: nothing panics, findings are within a line, fixes change nothing else, and safe
//! fixes keep every verdict and leave nothing to fix.

use crate::shared;

use std::cell::Cell;

use comity::{Crawler, Robots};
use comity_lint::{CHECKED_DIALECTS, Evidence, LeftOutReason, Linter, Report, Safety, Served, Stopped};
use comity_meaning::{Comparison, Outcome};
use proptest::prelude::*;

/// Returns a linter with all lints, and evidence about the site.
fn everything() -> (Linter, Evidence) {
    let mut linter = Linter::new();
    linter.select("all").unwrap();
    let mut evidence = Evidence::default();
    evidence.location = Some("https://example.com/robots.txt".to_owned());
    for url in ["/a", "/ab?aid=1", "/A/b.html", "/administer?q=\u{1F600}", "https://example.com/b/a.css", "\u{FF}"] {
        evidence.add_url(url, 3);
        evidence.add_sitemap_url(url);
        evidence.add_noindex(url);
        evidence.add_resource("https://example.com/", format!("https://example.com{url}"), true);
    }
    evidence.served = Some(Served::new("https://example.com/robots.txt", 503));
    evidence.add_variant("http://example.com/robots.txt", 200, "User-agent: *\nDisallow: /a\n");
    evidence.add_lost_sitemap("https://example.com/s", "answered 404", "https://example.com/s");
    (linter, evidence)
}

/// Generates files from a few words, so that rules often overlap.
fn file() -> impl Strategy<Value = Vec<u8>> {
    let word = prop::sample::select(vec![
        "User-agent: *",
        "User-agent: Googlebot",
        "User-agent: bingbot/2.0",
        "User-agent: Googelbot, a",
        "User-agent:",
        "Useragent: b",
        "Disallow: /",
        "Disallow: /a",
        "Disallow: /a*",
        "Disallow: /a/**/b",
        "Allow: /a",
        "Allow: /a*$",
        "Dissallow: /é",
        "Disallow /b",
        "Allow: /index.html",
        "Allow: /index.html*",
        "Allow: /a/*/index.htm",
        "Disallow: /$",
        "Disallow: /*$",
        "Disallow: /a$b",
        "Disallow:",
        "Allow:",
        "Disallow: /%61",
        "Disallow: /a%2fb",
        "Disallow: b",
        "Disallow: /*id=",
        "Disallow: /b #c",
        "Disallow: /b#c",
        "Sitemap: /s",
        "Sitemap: https://example.com/a",
        "Crawl-delay: 1",
        "Noindex: /a",
        "# comity: ignore[L025]",
        "Disallow: /a Allow: /b",
        "Disallow: /a&amp;b",
        "Disallow: /\u{A0}",
        "",
        " ",
        "Disallow: /x\0y",
        "Disallow: /a/b",
        "Disallow: /a/b*",
        "Allow: /*b",
        "Allow: /*b$*",
        "Disallow: /a$*$",
    ]);
    let end = prop::sample::select(vec!["\n", "\r\n", "\r"]);
    let line = (word, end).prop_map(|(word, end)| format!("{word}{end}"));
    prop::collection::vec(line, 0..24).prop_map(|lines| lines.concat().into_bytes())
}

fn check(report: &Report<'_>) {
    let source = report.source();
    for found in &report.diagnostics {
        assert!(found.span.end <= source.len() && found.span.start <= found.span.end);
        assert!(!source[found.span.clone()].iter().any(|b| matches!(b, b'\r' | b'\n')), "{}", found.lint.code);
        assert!(!found.message.ends_with('.') && !found.message.contains(['\n', '\u{1B}']), "{}", found.message);
        let ends = source[..found.span.start]
            .iter()
            .enumerate()
            .filter(|(at, b)| **b == b'\n' || **b == b'\r' && source.get(at + 1) != Some(&b'\n'));
        assert_eq!(found.line as usize, ends.count() + 1, "{}: {}", found.lint.code, found.message);
        let edits = found.fix.iter().flat_map(|fix| &fix.edits).map(|edit| edit.span.clone());
        let edits: Vec<_> = edits.collect();
        assert!(edits.windows(2).all(|pair| pair[0].end <= pair[1].start), "{}", found.lint.code);
    }
}

/// Compares the verdicts for every agent of a file and every path of its rules, independently of the linter's own
/// check.
fn same_verdicts(before: &[u8], after: &[u8]) {
    for dialect in CHECKED_DIALECTS {
        let [old, new] = [before, after].map(|body| Robots::parse_with(body, dialect));
        assert_eq!(Comparison::new(&old, &new).verdicts_only().run().outcome(), Outcome::Same, "{dialect}");
        for agent in ["*", "Googlebot", "bingbot", "Googelbot", "a", "b", "other"] {
            let crawler = Crawler::literal(agent);
            for path in [
                "/",
                "/a",
                "/ab",
                "/a/b",
                "/a/x/b",
                "/b",
                "/bc",
                "/b#c",
                "/index.html",
                "/index.htm",
                "/a/c/",
                "/%C3%A9",
                "/x",
                "/a$b",
                "/xid=1",
                "/a%2Fb",
            ] {
                assert_eq!(
                    old.check(&crawler, path).is_allowed(),
                    new.check(&crawler, path).is_allowed(),
                    "{dialect} {agent} {path}"
                );
            }
        }
    }
}

/// Unsafe fixes don't newly block the home page, or a path of words that no rule contains.
fn closes_nothing(before: &[u8], after: &[u8]) {
    for dialect in CHECKED_DIALECTS {
        let [old, new] = [before, after].map(|body| Robots::parse_with(body, dialect));
        for agent in ["*", "Googlebot", "bingbot", "Googelbot", "a", "b", "other"] {
            let crawler = Crawler::literal(agent);
            for path in ["/", "/zzz", "/zzz/", "/zzz/zzz.zzz?zzz=zzz"] {
                let newly = old.check(&crawler, path).is_allowed() && new.check(&crawler, path).is_disallowed();
                assert!(!newly, "{dialect} {agent} {path}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn any_bytes_can_be_linted_and_fixed(body in prop::collection::vec(any::<u8>(), 0..400)) {
        let (linter, evidence) = everything();
        check(&linter.lint(&body, &evidence));
        shared::settled(&linter, &evidence, &body);
        let _ = linter.fix(&body, &evidence, Safety::Unsafe);
    }

    #[test]
    fn safe_fixes_keep_every_verdict_and_leave_nothing_to_fix(body in file()) {
        let (linter, evidence) = everything();
        check(&linter.lint(&body, &evidence));
        let fixed = linter.fix(&body, &evidence, Safety::Safe);
        same_verdicts(&body, &fixed.body);
        let settled = shared::settled(&linter, &evidence, &body);
        same_verdicts(&body, &settled);
        let fixed = linter.fix(&body, &evidence, Safety::Unsafe);
        closes_nothing(&body, &fixed.body);
        let mut report = linter.lint(&body, &evidence);
        linter.check_blocking(&mut report);
        for fix in report.diagnostics.iter().filter_map(|found| found.fix.as_ref()) {
            prop_assert_eq!(fix.may_block_site(), fix.safety == Safety::Unsafe && linter.blocks_site(&body, fix));
        }
    }
}

/// Files with many pairs of rules, and files with many findings: the work is bounded, and the report names the bound.
#[test]
fn hostile_files_reach_a_bound_and_say_so() {
    let (linter, evidence) = everything();
    let stars: String = (0..12_000).map(|i| format!("Disallow: /*a*{i}*b\n")).collect();
    let report_of = |body: &str| {
        let report = linter.lint(body.as_bytes(), &evidence);
        report.bounded.iter().map(|(lint, _)| lint.code).collect::<Vec<_>>()
    };
    assert!(report_of(&format!("User-agent: *\n{stars}")).contains(&"L029"));
    assert!(report_of(&"User-agent: *bot\nDisallow: a\n".repeat(2_000)).contains(&"L010"));
    // There are too many verdicts to check the fix, so it is left out, and the file is unchanged.
    let group = |i: usize| -> String {
        let rules = (0..250).map(|j| format!("Disallow: /{i}/{j}/*\n"));
        format!("User-agent: a{i}\n") + &rules.collect::<String>()
    };
    let many: String = (0..200).map(group).collect();
    let fixed = linter.fix(many.as_bytes(), &evidence, Safety::Safe);
    assert!(fixed.applied == 0 && !fixed.left_out.is_empty() && fixed.body == many.as_bytes());
}

/// Yandex ignores a file over its size limit. A fix that makes the file smaller would give it rules.
#[test]
fn fixes_do_not_bring_a_file_below_a_size_limit() {
    let (linter, evidence) = (Linter::new(), Evidence::default());
    let start = "User-agent: *\nDisallow: /a\nDisallow: /a\n";
    let fill = |len: usize| format!("{start}{}", "# 45678\n".repeat(len / 8 - start.len() / 8));
    let fixed = linter.fix(fill(512_008).as_bytes(), &evidence, Safety::Safe);
    assert_eq!(fixed.applied, 0);
    let LeftOutReason::ChangesVerdict(change) = &fixed.left_out[0].reason else { panic!("{:?}", fixed.left_out) };
    assert_eq!((change.dialect, &*change.path, change.allowed), ("yandex", "/a", false));
    assert_eq!(linter.fix(fill(511_000).as_bytes(), &evidence, Safety::Safe).applied, 1);
}

/// Whenever the caller says so, and at every interval until then, the work ends without a result.
#[test]
fn callers_can_stop_the_work() {
    let (mut linter, evidence) = everything();
    // Fixing a file does not repeat this lint.
    linter.ignore("rule-without-effect").unwrap();
    let body: String = (0..1_500).map(|i| format!("Dissallow: /{i}\n")).collect();
    let body = format!("User-agent: *\n{body}");
    let calls = |until: usize| {
        let count = Cell::new(0);
        let keep_going = || {
            count.set(count.get() + 1);
            count.get() < until
        };
        let linted = linter.lint_while(body.as_bytes(), &evidence, &keep_going).map(drop);
        let linting = count.replace(0);
        let fixed = linter.fix_while(body.as_bytes(), &evidence, Safety::Safe, &keep_going).map(drop);
        ((linted, linting), (fixed, count.get()))
    };
    let ((linted, linting), (fixed, fixing)) = calls(usize::MAX);
    assert!(linted.is_ok() && fixed.is_ok());
    // The caller is asked between lints, and while verdicts are compared.
    assert!(linting > 50 && fixing > 2 * linting, "{linting} {fixing}");
    for until in [1, 2, linting] {
        let (linted, fixed) = calls(until);
        assert_eq!((linted, fixed), ((Err(Stopped), until), (Err(Stopped), until)));
    }
}

/// The proof that rules have no effect is no reason for any fix, so fixing a file does not repeat it.
#[test]
fn lints_without_fixes_are_not_repeated() {
    let rules: String = (0..3_000).map(|n| format!("Disallow: /{n}/*x\nAllow: /{n}/*y\n")).collect();
    let body = format!("User-agent: *\nDisalow: /a\n{rules}");
    let calls = |linter: &Linter| {
        let count = Cell::new(0);
        let keep_going = || {
            count.set(count.get() + 1);
            true
        };
        let evidence = Evidence::default();
        assert!(linter.lint_while(body.as_bytes(), &evidence, &keep_going).is_ok());
        let linting = count.replace(0);
        assert!(linter.fix_while(body.as_bytes(), &evidence, Safety::Safe, &keep_going).is_ok());
        (linting, count.get())
    };
    let [usual, all] = [Linter::new(), everything().0].map(|linter| calls(&linter));
    assert!(all.0 > usual.0 + 100, "{usual:?} {all:?}");
    assert!(all.1 < usual.1 + 100, "{usual:?} {all:?}");
}
