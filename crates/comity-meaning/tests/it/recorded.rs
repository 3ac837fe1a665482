//! Recorded verdicts of Google's parser as claims: that the URLs of a pattern, which is one URL, are allowed, or are not.
//!
//! `COMITY_MEANING_VERDICTS` sets the number of verdicts of each file that become claims. It defaults to 5,000.

use crate::shared;

use std::fs::File;
use std::io::{BufRead, BufReader};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use comity::{Crawler, Dialect, Robots};
use comity_meaning::{Claim, Held};
use flate2::read::MultiGzDecoder;
use serde_json::Value;

/// Returns the path and query of a URL as a pattern that matches nothing else. `None` if no pattern does.
fn pattern(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    let path = &rest[rest.find(['/', '?', ';', '#'])?..];
    // A star and a final dollar sign are operators, `#` starts a comment, and a line ends before its last blanks.
    let is_literal = path.bytes().all(|octet| octet.is_ascii_graphic() && !b"*#".contains(&octet));
    // The digits of an escape become capitals in a pattern, but not in a URL.
    let has_small_digits = |part: &str| part.bytes().take(2).any(|octet| (b'a'..=b'f').contains(&octet));
    let is_literal = is_literal && !path.split('%').skip(1).any(has_small_digits);
    (is_literal && path.starts_with('/') && !path.ends_with('$')).then(|| format!("{path}$"))
}

/// Claims what a case records, and the opposite. Returns `None` if no pattern matches its URL alone.
fn claimed(robots: &Robots, case: &Value) -> Option<Result<(), String>> {
    let (agent, url) = (case["agent"].as_str()?, case["url"].as_str()?);
    let pattern = pattern(url)?;
    let crawlers = [Crawler::literal(agent)];
    let claims = [Claim::none_allowed(pattern.as_bytes()), Claim::all_allowed(pattern.as_bytes())];
    let [blocked, allowed] = claims.map(|claim| claim.only(&crawlers).check(robots));
    let (recorded, opposite) = if case["allowed"].as_bool()? { (allowed, blocked) } else { (blocked, allowed) };
    let line = u32::try_from(case["line"].as_u64()?).ok()?;
    Some(match (recorded, opposite) {
        (Ok(Held::Yes), Ok(Held::No(found))) if found.line.unwrap_or(0) == line => Ok(()),
        answers => Err(format!("{case}: {answers:?}")),
    })
}

/// Claims some of the recorded verdicts of a file, which has `all` of them. Each of its lines is a body with its cases.
fn check(name: &str, all: usize, body: impl Fn(&Value) -> Vec<u8>) {
    let Some(path) = shared::path(&format!("golden/{name}.jsonl.gz")) else { return };
    let most = std::env::var("COMITY_MEANING_VERDICTS").ok().and_then(|most| most.parse().ok()).unwrap_or(5_000);
    let step = (all / most).max(1);
    let (mut index, mut held, mut left_out) = (0, 0, 0);
    let mut wrong = Vec::new();
    for line in BufReader::new(MultiGzDecoder::new(File::open(path).unwrap())).lines() {
        let value: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let cases = value["cases"].as_array().unwrap();
        let chosen: Vec<&Value> =
            cases.iter().enumerate().filter(|(at, _)| (index + at) % step == 0).map(|(_, case)| case).collect();
        index += cases.len();
        if chosen.is_empty() {
            continue;
        }
        let robots = Robots::parse_with(body(&value), &Dialect::GOOGLE_PARSER);
        for case in chosen {
            match claimed(&robots, case) {
                Some(Ok(())) => held += 1,
                Some(Err(error)) => wrong.push(error),
                None => left_out += 1,
            }
        }
    }
    println!("{name}: {held} of {all} verdicts were claimed and held; {left_out} more are of URLs that are no pattern");
    assert!(
        wrong.is_empty(),
        "{name}: {} do not hold, for example {}",
        wrong.len(),
        wrong[..wrong.len().min(5)].join("\n")
    );
    assert_eq!(index, all, "{name}: verdicts are missing");
    assert!(held > most / 2, "{name}: {held}");
}

#[test]
fn verdicts_on_real_files() {
    check("verdicts", 644_544, |value| {
        let name = format!("corpus/{}", value["file"].as_str().unwrap());
        std::fs::read(shared::path(&name).unwrap()).unwrap()
    });
}

#[test]
fn verdicts_on_synthetic_files() {
    check("adversarial", 51_567, |value| BASE64.decode(value["body_b64"].as_str().unwrap()).unwrap());
}
