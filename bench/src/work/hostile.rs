//! Files of 500 KiB and a path of 8 KiB that were made to make parsers slow.

use std::fmt::Write as _;

use super::random::Random;
use super::synthetic::star_rules;
use super::{AGENT, Body, Point, SITE, case};

const LIMIT: usize = 512_000;

pub(super) fn files() -> Vec<Point> {
    let nested = |i: usize| format!("/{}", "a".repeat(i));
    let bomb = |i: usize| format!("/*{}{}b{}", "a".repeat(40), letters(i), "a".repeat(30));
    vec![
        hostile("distinct literals", rules(|i| format!("/{i:06x}"))),
        hostile("nested literals", rules(nested)),
        hostile("a wildcard in each rule", rules(|i| format!("/*{i:05x}"))),
        hostile("stars that almost match", cut(star_rules(20_000, 40, "*b"))),
        hostile("long runs that almost match", rules(bomb)),
        hostile("one line", cut(format!("User-agent: *\nDisallow: /{}", "a".repeat(LIMIT)))),
        hostile(
            "a group for each rule",
            cut((0..40_000).map(|i| format!("User-agent: {}\nDisallow: /{i}\n", letters(i))).collect()),
        ),
        hostile("nothing but line ends", "\n".repeat(LIMIT)),
        hostile(
            "prose",
            cut("These are words: none of them is a rule, and a colon stands in each line.\n".repeat(8_000)),
        ),
    ]
}

fn hostile(label: &str, text: String) -> Point {
    let body = Body::new(label, text.into_bytes());
    Point { x: None, label: label.to_owned(), cases: vec![case(&body, AGENT, vec![path(); 4])] }
}

/// Rules until the limit is reached.
fn rules(pattern: impl Fn(usize) -> String) -> String {
    let mut text = String::from("User-agent: *\n");
    for i in 0.. {
        let before = text.len();
        let _ = writeln!(text, "Disallow:{}", pattern(i));
        if text.len() > LIMIT {
            text.truncate(before);
            break;
        }
    }
    text
}

fn cut(mut text: String) -> String {
    text.truncate(LIMIT);
    text
}

/// Three quarters `a`, and a quarter that has any pair of characters, so that no summary of the path rules much out.
fn path() -> String {
    let mut random = Random::new(8_192);
    let noise = (0..2_048).map(|_| char::from(b"abcdefghijklmnopqrstuvwxyz0123456789/"[random.below(37)]));
    format!("{SITE}/{}{}", "a".repeat(6_143), noise.collect::<String>())
}

fn letters(number: usize) -> String {
    number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'c')).collect()
}
