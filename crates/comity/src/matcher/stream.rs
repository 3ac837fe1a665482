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
        let verdict = with_path(url, self, |path| {
            let (basis, best) = read(&text, crawler, path.octets, self);
            Premise::new(crawler, basis, text.size(), self).conclude(best, path.is_robots_txt)
        });
        verdict.unwrap_or_else(Verdict::out_of_scope)
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

/// The tracks of a crawler: one for each of its tokens, or one for all if they are merged, and the last one for `*`.
struct Tracks<'t, 'c> {
    all: &'t mut [Track],
    crawler: &'t Crawler<'c>,
    dialect: &'t Dialect,
    /// True if the current group is one of any track.
    any_open: bool,
}

fn read(text: &SourceText<'_>, crawler: &Crawler<'_>, path: &[u8], dialect: &Dialect) -> (Basis, Key) {
    let mut tracks = [Track { seen: false, open: false, best: Key::NONE }; MAX_TOKENS + 1];
    let count = if crawler.merges() { 1 } else { crawler.tokens_in(dialect).count() };
    let mut tracks = Tracks { all: &mut tracks[..=count], crawler, dialect, any_open: false };
    let mut rewritten = Vec::new();
    let mut search = Search::new(path);
    for line in text.lines() {
        match line.content {
            Content::UserAgent { value, opens } => tracks.note_agent(value, opens),
            Content::Rule { kind, value, effect: RuleEffect::Applies, cut }
                if tracks.any_open && !first_octet_differs(kind, value, path, dialect) =>
            {
                let pattern = normal_form(value, cut, dialect, &mut rewritten);
                tracks.rank(Candidate { kind, line: line.number, pattern }, &mut search);
            }
            _ => {}
        }
    }
    tracks.conclude()
}

/// Returns the normal form of a pattern, which is written to `rewritten` if it differs from the value.
fn normal_form<'v>(value: &'v [u8], cut: bool, dialect: &Dialect, rewritten: &'v mut Vec<u8>) -> &'v [u8] {
    if normalize::is_normal(value, cut, dialect) {
        return value;
    }
    rewritten.clear();
    normalize::normalize(value, cut, dialect, rewritten);
    rewritten
}

impl Tracks<'_, '_> {
    /// Notes a user-agent line, which may open a group.
    fn note_agent(&mut self, value: &[u8], opens: bool) {
        if opens {
            for track in &mut *self.all {
                track.open = false;
            }
        }
        let merges_groups = self.dialect.merge_groups;
        let note = |track: &mut Track| {
            track.open |= !track.seen || merges_groups;
            track.seen = true;
        };
        let star = self.all.len() - 1;
        if token::is_star(value, self.dialect) {
            note(&mut self.all[star]);
        } else {
            for (i, token) in self.crawler.tokens_in(self.dialect).enumerate() {
                if token::names(value, token, self.dialect) {
                    note(&mut self.all[i.min(star - 1)]);
                }
            }
        }
        self.any_open = self.all.iter().any(|track| track.open);
    }

    /// Ranks a rule of the current group.
    fn rank(&mut self, rule: Candidate<'_>, search: &mut Search<'_>) {
        for track in self.all.iter_mut().filter(|track| track.open) {
            track.best = track.best.max(rank(rule, search, track.best, self.dialect));
        }
    }

    /// Returns the groups that apply, and the greatest key of their matching rules.
    fn conclude(&self) -> (Basis, Key) {
        let Some((star, tokens)) = self.all.split_last() else { return (Basis::Nothing, Key::NONE) };
        match tokens.iter().position(|track| track.seen) {
            Some(i) if self.crawler.merges() => (Basis::MergedTokens, tokens[i].best),
            Some(0) => (Basis::OwnToken, tokens[0].best),
            Some(i) => (Basis::FallbackToken, tokens[i].best),
            None if !star.seen => (Basis::Nothing, Key::NONE),
            None if self.crawler.obeys_star() => (Basis::Star, star.best),
            None => (Basis::StarIgnored, Key::NONE),
        }
    }
}
