//! Parts of the work, which run alone on the same questions and in the same loops as the participants. Their times are
//! limits: a participant that does all the work cannot be faster.

use std::cell::RefCell;
use std::hint::black_box;

use comity::{Dialect, Robots};

use super::Engine;
use crate::work::{Body, Question};

/// A part of the work that passes over the bytes of a body once for each question.
#[derive(Debug, Default)]
pub(super) struct OverBody<P>(P);

pub(super) trait Pass {
    const NAME: &'static str;

    fn over(&self, body: &[u8]) -> usize;
}

impl<P: Pass> Engine for OverBody<P> {
    const NAME: &'static str = P::NAME;
    type Parsed<'a> = &'a [u8];
    type Prepared<'a> = &'a [u8];

    fn version(&self) -> &'static str {
        "this tree"
    }

    fn parse<'a>(&self, body: &'a Body, _: &'a str) -> Option<&'a [u8]> {
        Some(&body.bytes)
    }

    fn prepare<'a>(&self, body: &'a Body, agent: &'a str) -> Option<&'a [u8]> {
        self.parse(body, agent)
    }

    fn decide(&self, body: &&[u8], _: &Question) -> Option<bool> {
        Some(self.0.over(body) > 0)
    }
}

#[derive(Debug, Default)]
pub(super) struct Memcpy(RefCell<Vec<u8>>);

impl Pass for Memcpy {
    const NAME: &'static str = "memcpy of the body";

    fn over(&self, body: &[u8]) -> usize {
        let mut to = self.0.borrow_mut();
        to.clear();
        to.extend_from_slice(body);
        black_box(&*to).len()
    }
}

#[derive(Debug, Default)]
pub(super) struct Lines;

impl Pass for Lines {
    const NAME: &'static str = "lines, by memchr";

    fn over(&self, body: &[u8]) -> usize {
        black_box(memchr::memchr2_iter(b'\n', b'\r', body).count())
    }
}

/// A part of the work: splits a body into lines, fields and values, trims them, and checks the first byte of each
/// field.
#[derive(Debug, Default)]
pub(super) struct Tokenizer;

impl Pass for Tokenizer {
    const NAME: &'static str = "bare tokenizer";

    fn over(&self, body: &[u8]) -> usize {
        let mut kept = 0;
        let mut rest = body;
        while !rest.is_empty() {
            let end = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
            let line = rest[..end].trim_ascii_start();
            rest = rest.get(end + 1..).unwrap_or_default();
            if line.first().is_none_or(|first| !b"aAdDuUsScC".contains(first)) {
                continue;
            }
            let Some(colon) = line.iter().position(|&octet| octet == b':') else { continue };
            kept += line[colon + 1..].trim_ascii().len();
        }
        black_box(kept)
    }
}

/// A part of the work: looks up a path among the patterns of the crawler's rules. The patterns are treated as prefixes,
/// and are sorted by their first eight bytes, then by the rest.
#[derive(Debug)]
pub(super) struct Lookup;

type Prefixes = Vec<(u64, Box<[u8]>)>;

impl Engine for Lookup {
    const NAME: &'static str = "path cut and one prefix lookup";
    type Parsed<'a> = Prefixes;
    type Prepared<'a> = Prefixes;

    fn version(&self) -> &'static str {
        "this tree"
    }

    fn parse<'a>(&self, body: &'a Body, agent: &'a str) -> Option<Prefixes> {
        let robots = Robots::parse_with(&body.bytes, &Dialect::GOOGLE_PARSER);
        let is_own = |other: comity::Agent<'_>| other.token().eq_ignore_ascii_case(agent.as_bytes());
        let own = robots.groups().any(|group| group.agents().any(is_own));
        let counts = |other: comity::Agent<'_>| if own { is_own(other) } else { other.is_any() };
        let groups = robots.groups().filter(|group| group.agents().any(counts));
        let patterns = groups.flat_map(|group| group.rules()).map(|rule| rule.pattern());
        let mut prefixes: Prefixes = patterns.map(|pattern| (head(pattern), pattern.into())).collect();
        prefixes.sort();
        prefixes.dedup();
        Some(prefixes)
    }

    fn prepare<'a>(&self, body: &'a Body, agent: &'a str) -> Option<Prefixes> {
        self.parse(body, agent)
    }

    fn decide(&self, prefixes: &Prefixes, question: &Question) -> Option<bool> {
        let path = path(question.url.as_bytes());
        let head = head(path);
        let place = prefixes.partition_point(|(first, prefix)| *first < head || (*first == head && &**prefix <= path));
        Some(place.checked_sub(1).is_some_and(|nearest| path.starts_with(&prefixes[nearest].1)))
    }
}

/// Returns the first eight bytes as a number. These numbers sort like the texts.
fn head(text: &[u8]) -> u64 {
    let mut octets = [0; 8];
    let count = text.len().min(8);
    octets[..count].copy_from_slice(&text[..count]);
    u64::from_be_bytes(octets)
}

fn path(url: &[u8]) -> &[u8] {
    let authority = memchr::memchr(b':', url).map_or(0, |colon| colon + 3);
    let start = memchr::memchr(b'/', &url[authority..]).map_or(url.len(), |slash| authority + slash);
    &url[start..]
}
