//! Any file, any crawler, any URL: nothing panics, all ways to ask agree, and so does the naive implementation of the
//! tests.
//!
//! The input is a byte that selects the kind of crawler and the dialect, then a line with the agent, a line with the URL,
//! and the file:
//!
//! | first byte | crawler |
//! |---|---|
//! | `0` to `5` | a literal token |
//! | `6` to `;` | tokens, separated by commas and merged |
//! | `<` to `A` | the crawler of the table with this token |
//!
//! In each row, the six dialects follow one another. Other bytes continue the cycle.

#![no_main]

use comity::{Crawlers, Dialect, Robots};
use libfuzzer_sys::fuzz_target;

#[path = "../../crates/comity/tests/it/naive/mod.rs"]
mod naive;

use naive::{Asker, File, Outcome, walk};

fuzz_target!(|input: &[u8]| {
    let Some((how, rest)) = input.split_first() else { return };
    let how = usize::from(how.wrapping_sub(b'0'));
    let mut parts = rest.splitn(3, |byte| *byte == b'\n');
    let (Some(agent), Some(url), Some(body)) = (parts.next(), parts.next(), parts.next()) else { return };
    let dialect = Dialect::ALL[how % Dialect::ALL.len()];
    let table = Crawlers::builtin();
    let asker = match (how / Dialect::ALL.len() % 3, std::str::from_utf8(agent)) {
        (1, Ok(agents)) => Asker::Merged(agents.split(',').collect()),
        (2, Ok(token)) if let Some(profile) = table.find(token) => Asker::Profile(Box::new(profile.clone())),
        _ => Asker::Token(agent.to_vec()),
    };
    let crawler = asker.crawler();

    let robots = Robots::parse_with(body, &dialect);
    walk(&robots, body);
    let rules = robots.rules_for(&crawler);
    assert_eq!(rules.crawl_delay(), robots.crawl_delay(&crawler));

    let verdict = robots.check_bytes(&crawler, url);
    assert_eq!(rules.check_bytes(url), verdict, "compiled");
    assert_eq!(dialect.decide_bytes(body, &crawler, url), verdict, "while reading");
    assert_eq!(Outcome::from(verdict), File::read(dialect.name, body).ask(&asker, url), "naive");

    let why = robots.explain_bytes(&crawler, url);
    assert_eq!(why.verdict, verdict);
    assert_eq!(why.deciding().map(|rule| rule.line), verdict.line());
    let text = why.to_string();
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
});
