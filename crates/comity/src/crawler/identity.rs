//! The crawler that a question is about.

use crate::crawler::crawlers::Crawlers;
use crate::crawler::profile::{Governed, Profile};
use crate::dialect::Dialect;

/// Who asks: one product token, a crawler of the table with its fallback tokens, or several tokens at once.
///
/// A string is a literal token: it is never cut, never looked up, and its only fallback is `*`.
///
/// ```
/// use comity::{Crawler, Robots};
///
/// let robots = Robots::parse(b"User-agent: Googlebot\nDisallow: /img/\n");
/// // Literally, nobody has told this token anything:
/// assert!(robots.check("Googlebot-Image", "/img/a.png").is_allowed());
/// // As the crawler that Google documents, it falls back to Googlebot's group:
/// let known = Crawler::known("Googlebot-Image").unwrap();
/// assert!(robots.check(known, "/img/a.png").is_disallowed());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crawler<'a>(Who<'a>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who<'a> {
    Token(&'a [u8]),
    Merged(&'a [&'a str]),
    Known(&'a Profile),
}

impl Crawler<'static> {
    /// Any crawler that no group names: only the groups of `*` bind it.
    pub const ANY: Self = Self(Who::Token(b"*"));

    /// A crawler of the [built-in table](Crawlers::builtin), ASCII case folded: its own token, its documented
    /// fallback tokens, whether `*` binds it and whether robots.txt governs it at all.
    pub fn known(name: &str) -> Option<Self> {
        static BUILTIN: Crawlers = Crawlers::builtin();
        BUILTIN.find(name).map(Self::from)
    }
}

impl<'a> Crawler<'a> {
    /// Several tokens at once: the groups of all of them are merged, as Google's library does when it is given
    /// several names. For a crawler with fallback tokens this is the wrong tool; see [`Crawler::known`].
    pub const fn merged(tokens: &'a [&'a str]) -> Self {
        Self(Who::Merged(tokens))
    }

    /// The row of the table, if it is known.
    pub fn profile(&self) -> Option<&'a Profile> {
        match self.0 {
            Who::Known(profile) => Some(profile),
            Who::Token(_) | Who::Merged(_) => None,
        }
    }

    /// Whether robots.txt governs it; a literal token says nothing else, so yes.
    pub fn governed(&self) -> Governed {
        self.profile().map_or(Governed::Yes, |profile| profile.governed)
    }

    /// Whether the groups of `*` bind it when no group names it.
    pub fn obeys_star(&self) -> bool {
        self.profile().is_none_or(|profile| profile.obeys_star)
    }

    /// Whether all its tokens count together instead of the first that has a group.
    pub fn merges(&self) -> bool {
        matches!(self.0, Who::Merged(_))
    }

    /// The tokens that are tried before `*`, in order.
    pub fn tokens(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let (first, merged, fallback): (Option<&'a [u8]>, &'a [&'a str], _) = match self.0 {
            Who::Token(token) => (Some(token), &[], None),
            Who::Merged(tokens) => (None, tokens, None),
            Who::Known(profile) => (Some(profile.token.as_bytes()), &[], Some(profile.fallback.iter())),
        };
        let fallback = fallback.into_iter().flatten().map(|token| token.as_bytes());
        first.into_iter().chain(merged.iter().map(|token| token.as_bytes())).chain(fallback)
    }

    /// The same, with the dialect's own fallback for literal tokens.
    pub(crate) fn tokens_in(&self, dialect: &Dialect) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let family = match self.0 {
            Who::Token(token) if !matches!(token, b"" | b"*") => {
                dialect.fallback_token.map(str::as_bytes).filter(|family| !family.eq_ignore_ascii_case(token))
            }
            _ => None,
        };
        self.tokens().chain(family)
    }
}

impl<'a> From<&'a str> for Crawler<'a> {
    fn from(token: &'a str) -> Self {
        Self(Who::Token(token.as_bytes()))
    }
}

impl<'a> From<&'a [u8]> for Crawler<'a> {
    fn from(token: &'a [u8]) -> Self {
        Self(Who::Token(token))
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Crawler<'a> {
    fn from(token: &'a [u8; N]) -> Self {
        Self(Who::Token(token))
    }
}

impl<'a> From<&'a alloc::string::String> for Crawler<'a> {
    fn from(token: &'a alloc::string::String) -> Self {
        Self(Who::Token(token.as_bytes()))
    }
}

impl<'a> From<&'a Profile> for Crawler<'a> {
    fn from(profile: &'a Profile) -> Self {
        Self(Who::Known(profile))
    }
}
