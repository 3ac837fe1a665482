//! Checks while reading the body, keeping only the best rule so far.

use alloc::vec::Vec;

use crate::crawler::identity::Crawler;
use crate::crawler::selection::Basis;
use crate::dialect::Dialect;
use crate::document::Robots;
use crate::matcher::rank::{Candidate, first_octet_differs, rank};
use crate::matcher::search::Search;
use crate::normal_form::normalize;
use crate::normal_form::path::with_path;
use crate::parse::line::{Content, RuleEffect};
use crate::parse::source_text::SourceText;
use crate::parse::token;
use crate::verdict::{Key, Premise, Verdict};

/// Checks whether a crawler may fetch a URL by a body that is not kept. It decides while reading, in the
/// [`STANDARD`](Dialect::STANDARD) dialect, and builds nothing.
///
/// ```
/// let my_bot = comity::Crawler::token("mybot")?;
/// assert!(comity::decide(b"User-agent: *\nDisallow: /a\n", &my_bot, "/abc").is_disallowed());
/// # Ok::<(), comity::TokenError>(())
/// ```
pub fn decide(body: impl AsRef<[u8]>, crawler: &Crawler<'_>, url: impl AsRef<str>) -> Verdict {
    Dialect::STANDARD.decide(body, crawler, url)
}

impl Dialect {
    /// Checks whether a crawler may fetch a URL by a body that is not kept, in this dialect. See [`decide`].
    pub fn decide(&self, body: impl AsRef<[u8]>, crawler: &Crawler<'_>, url: impl AsRef<str>) -> Verdict {
        self.decide_bytes(body.as_ref(), crawler, url.as_ref().as_bytes())
    }

    /// Like [`decide`](Self::decide), for a URL that need not be UTF-8.
    pub fn decide_bytes(&self, body: &[u8], crawler: &Crawler<'_>, url: &[u8]) -> Verdict {
        if crawler.tokens_in(self).count() > MAX_TOKENS && !crawler.merges() {
            return Robots::parse_with(body, self).check_bytes(crawler, url);
        }
        let text = SourceText::new(body, self);
        with_path(url, self, |path| {
            let (basis, best) = read(&text, crawler, path.octets, self);
            Premise::new(crawler, basis, text.size(), self).conclude(best, path.is_robots_txt)
        })
    }
}

/// The maximum number of tokens that are tracked at once. No known crawler has more than a few.
const MAX_TOKENS: usize = 15;

/// The state of the groups of one token, or of `*`.
#[derive(Clone, Copy)]
struct Track {
    seen: bool,
    /// True if the current group is one of the token's groups.
    open: bool,
    best: Key,
}

fn read(text: &SourceText<'_>, crawler: &Crawler<'_>, path: &[u8], dialect: &Dialect) -> (Basis, Key) {
    let mut tracks = [Track { seen: false, open: false, best: Key::NONE }; MAX_TOKENS + 1];
    // One track for each token, or one for all if they are merged, and the last one for `*`.
    let count = if crawler.merges() { 1 } else { crawler.tokens_in(dialect).count() };
    let tracks = &mut tracks[..=count];
    let mut rewritten = Vec::new();
    let mut search = Search::new(path);
    let mut any_open = false;
    for line in text.lines() {
        match line.content {
            Content::UserAgent { value, opens } => {
                if opens {
                    for track in &mut *tracks {
                        track.open = false;
                    }
                }
                let note = |track: &mut Track| {
                    track.open |= !track.seen || dialect.merge_groups;
                    track.seen = true;
                };
                if token::is_star(value, dialect) {
                    note(&mut tracks[count]);
                } else {
                    for (i, token) in crawler.tokens_in(dialect).enumerate() {
                        if token::names(value, token, dialect) {
                            note(&mut tracks[i.min(count - 1)]);
                        }
                    }
                }
                any_open = tracks.iter().any(|track| track.open);
            }
            Content::Rule { kind, value, effect: RuleEffect::Applies, cut }
                if any_open && !first_octet_differs(kind, value, path, dialect) =>
            {
                let mut pattern = value;
                if !normalize::is_normal(value, cut, dialect) {
                    rewritten.clear();
                    normalize::normalize(value, cut, dialect, &mut rewritten);
                    pattern = &rewritten;
                }
                let rule = Candidate { kind, line: line.number, pattern };
                for track in tracks.iter_mut().filter(|track| track.open) {
                    track.best = track.best.max(rank(rule, &mut search, track.best, dialect));
                }
            }
            _ => {}
        }
    }
    let star = tracks[count];
    match tracks[..count].iter().position(|track| track.seen) {
        Some(i) if crawler.merges() => (Basis::MergedTokens, tracks[i].best),
        Some(0) => (Basis::OwnToken, tracks[0].best),
        Some(i) => (Basis::FallbackToken, tracks[i].best),
        None if !star.seen => (Basis::Nothing, Key::NONE),
        None if crawler.obeys_star() => (Basis::Star, star.best),
        None => (Basis::StarIgnored, Key::NONE),
    }
}
