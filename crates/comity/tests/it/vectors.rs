//! The 288 verdicts of the source documents: `STANDARD` as they expect it, `GOOGLE_PARSER` as the reference gave it.

use crate::shared;

use comity::{Crawler, Dialect, Robots};

#[test]
fn seed_vectors() {
    let Some(path) = shared::path("spec/seed_vectors.tsv") else { return };
    let table = std::fs::read_to_string(path).unwrap();
    let mut errors = Vec::new();
    let mut count = 0;
    for row in table.lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').collect();
        let [id, agents, url, body, expected, google, ..] = columns[..] else { panic!("{row}") };
        let body = unescape(body);
        let agents: Vec<&str> = agents.split(',').collect();
        let crawler = match agents[..] {
            [one] => Crawler::literal(one),
            _ => Crawler::merged_literal(&agents),
        };
        for (dialect, expected) in [(Dialect::STANDARD, expected), (Dialect::GOOGLE_PARSER, google)] {
            let robots = Robots::parse_with(&body, &dialect);
            let ways = [
                robots.check(&crawler, url),
                robots.rules_for(&crawler).check(url),
                dialect.decide(&body, &crawler, url),
            ];
            for verdict in ways {
                if verdict.is_allowed() != (expected == "allow") {
                    errors.push(format!("{id}, {dialect}: expected {expected}, found {verdict}"));
                }
            }
            count += 1;
        }
    }
    assert!(errors.is_empty(), "{}", errors.join("\n"));
    assert_eq!(count, 2 * 288);
}

fn unescape(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut chars = text.bytes();
    while let Some(byte) = chars.next() {
        match byte {
            b'\\' => match chars.next().unwrap() {
                b'n' => out.push(b'\n'),
                b'r' => out.push(b'\r'),
                b't' => out.push(b'\t'),
                b'x' => {
                    let digits = [chars.next().unwrap(), chars.next().unwrap()];
                    out.push(u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap());
                }
                other => out.push(other),
            },
            other => out.push(other),
        }
    }
    out
}
