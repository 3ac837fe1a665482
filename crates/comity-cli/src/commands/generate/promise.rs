//! The verdicts that the choices promise, and the check that a file gives them.

use std::fmt;

use anyhow::{Result, bail};
use comity::{Crawler, Crawlers, Dialect, Escaped, Governed, Profile, Robots};

use super::plan::{Plan, Protected, contains};

/// A token that represents the crawlers that the table does not contain.
const UNNAMED: &str = "a-crawler-nobody-has-heard-of";

/// A verdict that the written file must give.
pub(super) struct Promise {
    /// The crawler's profile; `None` if the table does not contain it.
    profile: Option<Profile>,
    token: String,
    path: String,
    is_allowed: bool,
    /// The dialects in which the verdict must hold.
    dialects: Vec<Dialect>,
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.is_allowed { "may" } else { "may not" };
        write!(f, "{} {word} fetch {}", Escaped(self.token.as_bytes()), Escaped(self.path.as_bytes()))
    }
}

/// The choices for one crawler.
enum Chosen<'p> {
    /// The crawler may fetch nothing.
    Nothing,
    /// The crawler may fetch everything except these paths.
    AllBut(Vec<&'p Protected>),
}

impl Plan {
    /// Returns every verdict that the choices promise: for each crawler that is named or known, and for one that is
    /// neither.
    pub(super) fn promises(&self, table: &Crawlers) -> Vec<Promise> {
        const PAGES: [&str; 3] = ["/", "/a-page", "/a/folder/page.html?q=1"];
        let mut promises = Vec::new();
        let mut promise = |profile: Option<&Profile>, token: &str| {
            let dialects = self.dialects_of(profile, token, table);
            let (chosen, all_pages) = match self.chosen_for(profile, token) {
                Chosen::Nothing => (Vec::new(), Some(false)),
                Chosen::AllBut(protected) => (protected, None),
            };
            let mut add = |path: String, is_allowed| {
                let (profile, dialects) = (profile.cloned(), dialects.clone());
                promises.push(Promise { profile, token: token.to_owned(), path, is_allowed, dialects });
            };
            chosen.iter().flat_map(|protected| protected.samples()).for_each(|path| add(path, false));
            for page in PAGES {
                if !chosen.iter().any(|protected| protected.covers(page)) {
                    add(page.to_owned(), all_pages.unwrap_or(true));
                }
            }
        };
        promise(None, UNNAMED);
        for token in self.named().filter(|token| table.find(token).is_none()) {
            promise(None, token);
        }
        // No rule affects crawlers whose operators state that they do not obey robots.txt.
        for profile in table.iter().filter(|profile| profile.governed != Governed::No) {
            promise(Some(profile), &profile.token);
        }
        promises
    }

    /// Returns the dialects that a crawler's verdicts must hold in: its operator's dialect, or for a crawler without a
    /// profile those of all operators.
    fn dialects_of(&self, profile: Option<&Profile>, token: &str, table: &Crawlers) -> Vec<Dialect> {
        if let Some(profile) = profile {
            return vec![profile.dialect];
        }
        // Google's parser truncates other tokens, and they are not Google's.
        let is_word = token.bytes().all(|b| b.is_ascii_alphabetic() || matches!(b, b'-' | b'_'));
        if !is_word {
            return vec![Dialect::STANDARD];
        }
        let mut dialects: Vec<Dialect> = Vec::new();
        for dialect in table.iter().map(|profile| profile.dialect) {
            // If a group names the fallback token of a dialect, only the operator's own crawlers follow it.
            let is_family =
                |token: &str| dialect.fallback_token.is_some_and(|family| family.eq_ignore_ascii_case(token));
            if !dialects.contains(&dialect) && !self.named().any(is_family) {
                dialects.push(dialect);
            }
        }
        dialects
    }

    /// Returns the choices for a crawler: those for the first of its tokens that is named, or else those for all
    /// crawlers.
    fn chosen_for(&self, profile: Option<&Profile>, token: &str) -> Chosen<'_> {
        let followed = profile.into_iter().flat_map(|profile| profile.fallback.iter().map(AsRef::as_ref));
        let is_kept = profile.and_then(Profile::ai_use).is_some_and(|purpose| self.kept == Some(purpose));
        for token in std::iter::once(token).chain(followed) {
            if let Some(group) = self.blocked.iter().find(|group| contains(&group.tokens, token)) {
                // A group that blocks crawlers for their purpose must not also block crawlers with another purpose.
                if is_kept && group.is_ai {
                    continue;
                }
                return Chosen::Nothing;
            }
            if contains(&self.open, token) {
                return Chosen::AllBut(self.protected.iter().filter(|protected| protected.is_for(token)).collect());
            }
        }
        if self.block_all { Chosen::Nothing } else { Chosen::AllBut(self.for_all().collect()) }
    }
}

/// Reads the text as crawlers will, and fails if a verdict differs from its promise.
pub(super) fn prove(text: &str, promises: &[Promise]) -> Result<()> {
    let mut parsed: Vec<Robots> = Vec::new();
    for promise in promises {
        for dialect in &promise.dialects {
            let at = parsed.iter().position(|robots| robots.dialect() == dialect).unwrap_or_else(|| {
                parsed.push(Robots::parse_with(text, dialect));
                parsed.len() - 1
            });
            let crawler = promise.profile.as_ref().map_or(Crawler::literal(&promise.token), Crawler::from);
            let verdict = parsed[at].check(&crawler, &promise.path);
            if verdict.is_allowed() != promise.is_allowed || verdict.is_disallowed() == promise.is_allowed {
                bail!(
                    "no file can express these choices: they mean that {promise}, but in the {dialect} dialect it is \
                     {verdict}; leave out the choice about this path or crawler, or name the crawler with another one"
                );
            }
        }
    }
    Ok(())
}
