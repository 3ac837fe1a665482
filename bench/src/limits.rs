//! What no parser can be faster than: the parts of the work, each alone, with nothing around it.

use std::hint::black_box;
use std::time::Instant;

use comity::{Dialect, Robots};
use serde::Serialize;

use crate::results::median;
use crate::work::{AGENT, Case, Library, Point};

/// A part of the work, measured alone: nanoseconds a unit, one for each round.
#[derive(Debug, Serialize)]
pub(crate) struct Limit {
    /// Beside which workload it stands.
    pub(crate) workload: &'static str,
    pub(crate) what: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) nanoseconds: Vec<f64>,
}

impl Limit {
    pub(crate) fn median(&self) -> Option<f64> {
        median(&self.nanoseconds)
    }
}

pub(crate) fn measure(library: &Library, rounds: usize) -> anyhow::Result<Vec<Limit>> {
    let files: Vec<&[u8]> = library.bodies.iter().map(|body| &*body.bytes).collect();
    let mut copy = vec![0; files.iter().map(|file| file.len()).max().unwrap_or(0)];
    let largest = sorted(&library.make("largest-files")?);
    let many = sorted(&library.make("many-rules")?);

    let mut limits = vec![
        limit("one-shot", "memcpy of the body", "file"),
        limit("one-shot", "lines, by memchr", "file"),
        limit("one-shot", "bare tokeniser", "file"),
        limit("decide-many", "path cut and one prefix lookup", "question"),
        limit("many-rules", "path cut and one prefix lookup", "question"),
    ];
    for _ in 0..rounds {
        let count = files.len();
        let figures = [
            each(count, || files.iter().for_each(|file| copy_of(file, &mut copy))),
            each(count, || files.iter().for_each(|file| look(lines(file)))),
            each(count, || files.iter().for_each(|file| look(tokens(file)))),
            lookups(&largest),
            lookups(&many),
        ];
        for (limit, figure) in limits.iter_mut().zip(figures) {
            limit.nanoseconds.push(figure);
        }
    }
    Ok(limits)
}

fn limit(workload: &'static str, what: &'static str, unit: &'static str) -> Limit {
    Limit { workload, what, unit, nanoseconds: Vec::new() }
}

/// Nanoseconds for one of so many.
fn each(count: usize, work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_nanos() as f64 / count.max(1) as f64
}

fn copy_of(file: &[u8], to: &mut [u8]) {
    to[..file.len()].copy_from_slice(black_box(file));
    black_box(&to[..file.len()]);
}

/// So that the optimiser does not leave the work out.
fn look(count: usize) {
    black_box(count);
}

fn lines(file: &[u8]) -> usize {
    memchr::memchr2_iter(b'\n', b'\r', file).count()
}

/// Splits into lines, fields and values; trims; and looks at the field's first octet.
fn tokens(file: &[u8]) -> usize {
    let mut kept = 0;
    let mut rest = file;
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
    kept
}

fn sorted(points: &[Point]) -> Vec<SortedCase> {
    points.iter().flat_map(|point| &point.cases).map(SortedCase::new).collect()
}

/// The patterns of the crawler's rules as sorted prefixes, each behind its first eight octets, and what is asked.
struct SortedCase {
    prefixes: Vec<(u64, Box<[u8]>)>,
    urls: Vec<String>,
}

impl SortedCase {
    fn new(case: &Case) -> Self {
        let robots = Robots::parse_with(&case.body.bytes, &Dialect::GOOGLE);
        let own = robots.groups().any(|group| group.agents().any(|agent| agent.token() == AGENT.as_bytes()));
        let counts = |agent: comity::Agent<'_>| if own { agent.token() == AGENT.as_bytes() } else { agent.is_any() };
        let groups = robots.groups().filter(|group| group.agents().any(counts));
        let patterns = groups.flat_map(|group| group.rules()).map(|rule| rule.pattern());
        let mut prefixes: Vec<_> = patterns.map(|pattern| (head(pattern), pattern.into())).collect();
        prefixes.sort();
        prefixes.dedup();
        Self { prefixes, urls: case.questions.iter().map(|question| question.url.clone()).collect() }
    }
}

/// The first eight octets, so that their order is that of the text.
fn head(text: &[u8]) -> u64 {
    let mut octets = [0; 8];
    let count = text.len().min(8);
    octets[..count].copy_from_slice(&text[..count]);
    u64::from_be_bytes(octets)
}

/// Nanoseconds for a question.
fn lookups(cases: &[SortedCase]) -> f64 {
    let questions = cases.iter().map(|case| case.urls.len()).sum();
    each(questions, || {
        for SortedCase { prefixes, urls } in cases {
            for url in urls {
                black_box(lookup(prefixes, path(black_box(url).as_bytes())));
            }
        }
    })
}

fn path(url: &[u8]) -> &[u8] {
    let authority = memchr::memchr(b':', url).map_or(0, |colon| colon + 3);
    let start = memchr::memchr(b'/', &url[authority..]).map_or(url.len(), |slash| authority + slash);
    &url[start..]
}

fn lookup(prefixes: &[(u64, Box<[u8]>)], path: &[u8]) -> bool {
    let head = head(path);
    let place = prefixes.partition_point(|(first, prefix)| *first < head || (*first == head && &**prefix <= path));
    place.checked_sub(1).is_some_and(|nearest| path.starts_with(&prefixes[nearest].1))
}
