//! Any bytes, linted and fixed: nothing panics, findings are within the file, safe fixes keep verdicts and terminate, and
//! unsafe fixes close nothing.

#![no_main]

use comity::{Crawler, Robots};
use comity_lint::{CHECKED_DIALECTS, Evidence, Linter, Safety};
use libfuzzer_sys::fuzz_target;

// The first line is a URL of the site, and the rest is its robots.txt.
fuzz_target!(|input: &[u8]| {
    let (url, body) = input.split_at(input.iter().position(|b| *b == b'\n').map_or(0, |end| end + 1));
    let url = String::from_utf8_lossy(url).trim_end().to_owned();
    let mut linter = Linter::new();
    linter.select("all").unwrap();
    let mut evidence = Evidence::default();
    evidence.location = Some("https://example.com/robots.txt".to_owned());
    evidence.add_url(&url, 2);
    evidence.add_sitemap_url(&url);
    evidence.add_noindex(&url);

    let report = linter.lint(body, &evidence);
    for found in &report.diagnostics {
        assert!(report.source().get(found.span.clone()).is_some(), "{}", found.lint.code);
    }
    let mut fixed = linter.fix(body, &evidence, Safety::Safe).body;
    // A line that one run rewrites lets only a later run delete another line, so there are several runs.
    for _ in 0..3 {
        fixed = linter.fix(&fixed, &evidence, Safety::Safe).body;
    }
    assert_eq!(linter.fix(&fixed, &evidence, Safety::Safe).applied, 0);
    let risky = linter.fix(body, &evidence, Safety::Unsafe).body;
    for dialect in CHECKED_DIALECTS {
        let [old, new, last] = [body, &fixed, &risky].map(|body| Robots::parse_with(body, dialect));
        for agent in ["*", "Googlebot", "YandexBot", "a"] {
            let crawler = Crawler::literal(agent);
            for path in ["/", "/a", "/a/b?c=d", url.as_str()] {
                let (was, is) = (old.check(&crawler, path).is_allowed(), new.check(&crawler, path).is_allowed());
                assert_eq!(was, is, "{dialect} {agent} {path}");
            }
            assert!(
                !(old.check(&crawler, "/").is_allowed() && last.check(&crawler, "/").is_disallowed()),
                "{dialect} {agent}"
            );
        }
    }
});
