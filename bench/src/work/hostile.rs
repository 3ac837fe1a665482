//! Files of 500 KiB and a path of 8 KiB that were made to make parsers slow.

use std::fmt::Write as _;

use super::random::Random;
use super::synthetic::star_rules;
use super::{AGENT, Body, Point, SITE, case};

const LIMIT: usize = 512_000;

pub(super) fn files() -> Vec<Point> {
    let nested = |i: usize| format!("/{}", "a".repeat(i));
    let bomb = |i: usize| format!("/*{}{}b{}", "a".repeat(40), letters(i), "a".repeat(30));
    let around = noise(2_700);
    vec![
        hostile("distinct literals", rules(|i| format!("/{i:06x}"))),
        hostile("nested literals", rules(nested)),
        hostile("a wildcard in each rule", rules(|i| format!("/*{i:05x}"))),
        hostile("stars that almost match", cut(star_rules(20_000, 40, "*b"))),
        hostile("long runs that almost match", rules(bomb)),
        // Each search of these stumbles at every octet, or reads all of the path; none of the patterns matches.
        asked("a run, one octet short", rules(one_short), &("aaaaaaab".repeat(1_000) + "xyzw0123456789")),
        asked("many short segments", rules(segments(1, 60)), &noise(8_190)),
        asked("many pairs", rules(segments(2, 30)), &noise(8_190)),
        asked(
            "two letters",
            rules(|i| format!("*{}", two_letters(&mut Random::new(i as u64), 24))),
            &two_letters(&mut Random::new(0), 8_190),
        ),
        asked("gaps", rules(|i| gaps(&around, i)), &[&*around, &"A".repeat(2_700), &around].concat()),
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
    asked(label, text, &path())
}

fn asked(label: &str, text: String, path: &str) -> Point {
    let body = Body::new(label, text.into_bytes());
    let url = format!("{SITE}/{path}");
    Point { x: None, label: label.to_owned(), cases: vec![case(&body, AGENT, vec![url; 4])] }
}

/// A first segment that a path of `aaaaaaab` almost has everywhere, and then some that it has at its end only.
fn one_short(i: usize) -> String {
    format!("*aaaaaaaa*x*y*z*w{i}")
}

/// So many segments, of so many octets each, that a long path has one after the other, and an end that it lacks.
fn segments(octets: usize, count: usize) -> impl Fn(usize) -> String {
    move |i| {
        let noise = Random::new(i as u64);
        let segments = (0..count).scan(noise, |noise, _| Some(format!("*{}", noise_of(noise, octets))));
        segments.collect::<String>() + "*/-"
    }
}

/// A segment of the path's start, one that comes again only behind the gap, and one of the gap's with an end it lacks.
fn gaps(path: &str, i: usize) -> String {
    let (first, second) = (i * 7 % 600, 1_000 + i * 11 % 1_600);
    format!("*{}*{}*A-{i}", &path[first..first + 4], &path[second..second + 8])
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
    "a".repeat(6_143) + &noise(2_048)
}

fn noise(octets: usize) -> String {
    noise_of(&mut Random::new(8_192), octets)
}

fn noise_of(random: &mut Random, octets: usize) -> String {
    (0..octets).map(|_| char::from(b"abcdefghijklmnopqrstuvwxyz0123456789/"[random.below(37)])).collect()
}

/// Of two letters only, so that each place of the path is almost one of the segment's.
fn two_letters(random: &mut Random, octets: usize) -> String {
    (0..octets).map(|_| random.pick(&["a", "b"])).collect()
}

fn letters(number: usize) -> String {
    number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'c')).collect()
}
