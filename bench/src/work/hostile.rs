//! Files of 500 KiB and paths of 8 KiB that are made to slow down parsers.

use std::fmt::Write as _;

use super::random::Random;
use super::synthetic::star_rules;
use super::{AGENT, Body, Point, SITE, case};

const MAX_FILE_BYTES: usize = 512_000;

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
        // Searches for these segments find a partial match at every octet, or read the whole path. None of the patterns
        // matches.
        asked("a run, one octet short", rules(one_short), &("aaaaaaab".repeat(1_000) + "xyzw0123456789")),
        asked("many short segments", rules(segments(1, 60)), &noise(8_190)),
        asked("many pairs", rules(segments(2, 30)), &noise(8_190)),
        asked(
            "two letters",
            rules(|i| format!("*{}", two_letters(&mut Random::new(i as u64), 24))),
            &two_letters(&mut Random::new(0), 8_190),
        ),
        asked("gaps", rules(|i| gaps(&around, i)), &[&*around, &"A".repeat(2_700), &around].concat()),
        hostile("one line", cut(format!("User-agent: *\nDisallow: /{}", "a".repeat(MAX_FILE_BYTES)))),
        hostile(
            "a group for each rule",
            cut((0..40_000).map(|i| format!("User-agent: {}\nDisallow: /{i}\n", letters(i))).collect()),
        ),
        hostile("nothing but line ends", "\n".repeat(MAX_FILE_BYTES)),
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

/// Returns a pattern for a path of repeated `aaaaaaab`. The first segment almost matches everywhere, and the next ones
/// only occur at the end of the path.
fn one_short(i: usize) -> String {
    format!("*aaaaaaaa*x*y*z*w{i}")
}

/// Returns a function for patterns of `count` segments with `octets` bytes each. A long path contains all segments in
/// order, but not the end of the pattern.
fn segments(octets: usize, count: usize) -> impl Fn(usize) -> String {
    move |i| {
        let noise = Random::new(i as u64);
        let segments = (0..count).scan(noise, |noise, _| Some(format!("*{}", noise_of(noise, octets))));
        segments.collect::<String>() + "*/-"
    }
}

/// Returns a pattern with three segments: one from the start of the path, one that occurs again only after the gap, and
/// one that starts like the gap but ends with bytes that it does not contain.
fn gaps(path: &str, i: usize) -> String {
    let (first, second) = (i * 7 % 600, 1_000 + i * 11 % 1_600);
    format!("*{}*{}*A-{i}", &path[first..first + 4], &path[second..second + 8])
}

/// Returns a file with rules up to the size limit.
fn rules(pattern: impl Fn(usize) -> String) -> String {
    let mut text = String::from("User-agent: *\n");
    for i in 0.. {
        let before = text.len();
        let _ = writeln!(text, "Disallow:{}", pattern(i));
        if text.len() > MAX_FILE_BYTES {
            text.truncate(before);
            break;
        }
    }
    text
}

fn cut(mut text: String) -> String {
    text.truncate(MAX_FILE_BYTES);
    text
}

/// Returns a path of three quarters `a` and one quarter noise with almost any pair of characters, so that no summary of
/// the path excludes many patterns.
fn path() -> String {
    "a".repeat(6_143) + &noise(2_048)
}

fn noise(octets: usize) -> String {
    noise_of(&mut Random::new(8_192), octets)
}

fn noise_of(random: &mut Random, octets: usize) -> String {
    (0..octets).map(|_| char::from(b"abcdefghijklmnopqrstuvwxyz0123456789/"[random.below(37)])).collect()
}

/// Returns random bytes of two letters only, so that each segment almost matches at every position of the path.
fn two_letters(random: &mut Random, octets: usize) -> String {
    (0..octets).map(|_| random.pick(&["a", "b"])).collect()
}

fn letters(number: usize) -> String {
    number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'c')).collect()
}
