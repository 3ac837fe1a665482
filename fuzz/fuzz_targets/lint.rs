//! Any bytes, linted and mended: nothing panics, findings lie in the file, and safe fixes leave nothing to fix and keep
//! verdicts.

#![no_main]

use comity::{Dialect, Robots};
use comity_lint::{Evidence, Linter, Safety};
use libfuzzer_sys::fuzz_target;

// The first line is a URL of the site, the rest its robots.txt.
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
    let mended = linter.mend(body, &evidence, Safety::Safe);
    let again = linter.mend(&mended.body, &evidence, Safety::Safe);
    assert_eq!(again.body, mended.body);
    for dialect in [Dialect::STANDARD, Dialect::GOOGLE] {
        let [old, new] = [body, &mended.body].map(|body| Robots::parse_with(body, &dialect));
        for agent in ["*", "Googlebot", "a"] {
            for path in ["/", "/a", "/a/b?c=d", url.as_str()] {
                let (was, is) = (old.check(agent, path).is_allowed(), new.check(agent, path).is_allowed());
                assert_eq!(was, is, "{dialect} {agent} {path}");
            }
        }
    }
    linter.mend(body, &evidence, Safety::Unsafe);
});
