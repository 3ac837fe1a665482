//! Any header, any meta tag: nothing panics, and no statement is lost.
//!
//! The input is a line with the name of a meta tag, and lines of values, each used as a header and as a content.

#![no_main]

use comity::{Crawler, Robots};
use comity_page::{Page, permissions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let mut lines = input.split(|byte| *byte == b'\n');
    let Some(name) = lines.next() else { return };
    let mut page = Page::new();
    for value in lines.take(50) {
        for field in ["X-Robots-Tag", "Robots-Tag", "Content-Usage"] {
            assert!(page.header(field, value));
        }
        page.meta(name, value);
    }
    let robots = Robots::parse(b"User-agent: *\nDisallow: /no\n");
    for crawler in [Crawler::ANY, Crawler::literal("otherbot"), Crawler::known("Googlebot-News").unwrap()] {
        let rules = page.rules_for(&crawler);
        assert!(rules.applied.len() + rules.others.len() + rules.ignored.len() >= page.statements().len());
        let text = rules.to_string();
        assert!(!text.is_empty() && !text.chars().any(char::is_control));
        for url in ["/", "/no"] {
            let found = permissions(&robots, &crawler, url, &page);
            for conflict in &found.conflicts {
                assert!(!conflict.to_string().chars().any(char::is_control));
            }
        }
    }
});
