//! Files with records, composed of pieces that often interact, and URLs for them.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

pub(crate) fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) }
}

/// Generates text from pieces, and sometimes from any bytes.
pub(crate) fn pieces(pieces: &'static [&'static str], max: usize) -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        12 => select(pieces).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => vec(any::<u8>(), 0..4),
    ];
    vec(piece, 0..max).prop_map(|pieces| pieces.concat())
}

/// Lines of files with records.
pub(crate) const LINES: &[&str] = &[
    "user-agent: *\n",
    "user-agent: a\n",
    "user-agent: b\n",
    "disallow: /\n",
    "allow: /\n",
    "disallow:\n",
    "allow:\n",
    "disallow: /x\n",
    "allow: /x/y\n",
    "disallow: /*\n",
    "allow: *\n",
    "disallow: /*$\n",
    "allow: /index.html\n",
    "disallow: y\n",
    "disallow: /$\n",
    "\n",
    "content-usage: train-ai=n\n",
    "content-usage: /x train-ai=y\n",
    "content-usage: /x/y search=n, train-ai\n",
    "content-usage: train-ai=n,\n",
    "content-signal: ai-train=no\n",
    "content-signal: /x ai-train=yes, search=no\n",
    "crawl-delay: 10\n",
    "crawl-delay: 99999999999999999999\n",
    "request-rate: 1/10s\n",
    "request-rate: 1/50h 0600-0700\n",
    "request-rate: 3/1m 2200-0100\n",
    "visit-time: 0500-0800\n",
    "visit-time: 2300-0030\n",
    "clean-param: s&t /x\n",
    "clean-param: u\n",
    "host: a.example\n",
    "license: https://a.example/\n",
    "sitemap: https://a.example/\n",
    "sitemap: x\n",
];

/// URLs that rules and records of these files are about, and others.
pub(crate) const URLS: &[&str] =
    &["/", "/x", "/x/y", "/x/y/z?s=1&t=2&u=3", "/y", "/index.html", "/a?u=1#u=2", "https://a.example/x?t", "", "?u&v"];
