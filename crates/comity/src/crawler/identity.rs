//! The crawler that a question is about.

use crate::crawler::crawlers::Crawlers;
use crate::crawler::profile::{Governed, Profile};
use crate::crawler::token_error::{TokenError, is_token};
use crate::dialect::Dialect;

/// A crawler, as robots.txt files name it: one product token, a crawler of the table with its fallback tokens, or several
/// tokens at once.
///
/// It is checked when it is made. A `User-Agent` header is no product token and would only ever get the rules of `*`:
///
/// ```
/// use comity::{Crawler, Robots};
///
/// let robots = Robots::parse(b"User-agent: HobbyBot\nDisallow: /img/\n");
/// let hobby_bot = Crawler::token("HobbyBot")?;
/// assert!(robots.check(&hobby_bot, "/img/a.png").is_disallowed());
///
/// let error = Crawler::token("HobbyBot/0.1 (+https://hobby.example)").unwrap_err();
/// assert_eq!(error.to_string(), "expected a product token, found a User-Agent header; use `HobbyBot`");
/// # Ok::<(), comity::TokenError>(())
/// ```
///
/// A token is never looked up, and its only fallback is `*`. [`Crawler::known`] uses the table:
///
/// ```
/// use comity::{Crawler, Robots};
///
/// let robots = Robots::parse(b"User-agent: Googlebot\nDisallow: /img/\n");
/// // No group names this token:
/// let token = Crawler::token("Googlebot-Image")?;
/// assert!(robots.check(&token, "/img/a.png").is_allowed());
/// // The crawler that Google documents falls back to Googlebot's group:
/// let known = Crawler::known("Googlebot-Image").unwrap();
/// assert!(robots.check(&known, "/img/a.png").is_disallowed());
/// # Ok::<(), comity::TokenError>(())
/// ```
///
/// Text is no crawler, so arguments cannot be swapped.
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

    /// Returns a crawler of the [built-in table](Crawlers::builtin), ASCII case folded: its own token, its documented
    /// fallback tokens, whether `*` binds it and whether robots.txt governs it at all. `None` if the table has no crawler
    /// of this name.
    ///
    /// Some names, such as `Sogou web spider`, are no product tokens and exist only there. Rows of another table are
    /// crawlers, too: see [`Profile`].
    pub fn known(name: &str) -> Option<Self> {
        static BUILTIN: Crawlers = Crawlers::builtin();
        BUILTIN.find(name).map(Self::from)
    }
}

impl<'a> Crawler<'a> {
    /// Returns the crawler with a product token: one or more ASCII letters, digits, `_`, `-` and `.`. It is compared
    /// without regard to ASCII case.
    ///
    /// RFC 9309 §2.2.1 has only letters, `_` and `-`; real crawlers have the others, too (`Baiduspider-render2.0`).
    ///
    /// # Errors
    ///
    /// If the text is anything else. For a `User-Agent` header, the error [suggests](TokenError::suggestion) the token
    /// that is probably meant.
    pub fn token(token: &'a str) -> Result<Self, TokenError> {
        if is_token(token) { Ok(Self(Who::Token(token.as_bytes()))) } else { Err(TokenError::new(token)) }
    }

    /// Returns the crawler with any bytes for a token, unchecked. It is for test oracles and for files and tools that
    /// decide what a token is; [`Crawler::token`] is for everything else.
    pub fn literal(token: &'a (impl AsRef<[u8]> + ?Sized)) -> Self {
        Self(Who::Token(token.as_ref()))
    }

    /// Returns a crawler with several tokens at once: the groups of all of them are merged, as Google's library does when
    /// it is given several names. For a crawler with fallback tokens this is the wrong tool; see [`Crawler::known`].
    ///
    /// # Errors
    ///
    /// If one of them is no [token](Self::token).
    pub fn merged(tokens: &'a [&'a str]) -> Result<Self, TokenError> {
        match tokens.iter().find(|token| !is_token(token)) {
            Some(other) => Err(TokenError::new(other)),
            None => Ok(Self(Who::Merged(tokens))),
        }
    }

    /// Returns a crawler with several tokens at once, unchecked, as [`literal`](Self::literal) is to
    /// [`token`](Self::token).
    pub const fn merged_literal(tokens: &'a [&'a str]) -> Self {
        Self(Who::Merged(tokens))
    }

    /// Returns its row of the table, if it is from one.
    pub fn profile(&self) -> Option<&'a Profile> {
        match self.0 {
            Who::Known(profile) => Some(profile),
            Who::Token(_) | Who::Merged(_) => None,
        }
    }

    /// Returns whether robots.txt governs it. Of a token nothing else is known, so that is a yes.
    pub fn governed(&self) -> Governed {
        self.profile().map_or(Governed::Yes, |profile| profile.governed)
    }

    /// Returns whether the groups of `*` bind it when no group names it.
    pub fn obeys_star(&self) -> bool {
        self.profile().is_none_or(|profile| profile.obeys_star)
    }

    /// Returns whether all its tokens count together instead of the first that has a group.
    pub fn merges(&self) -> bool {
        matches!(self.0, Who::Merged(_))
    }

    /// Returns the tokens that are tried before `*`, in order.
    pub fn tokens(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let (first, merged, fallback): (Option<&'a [u8]>, &'a [&'a str], _) = match self.0 {
            Who::Token(token) => (Some(token), &[], None),
            Who::Merged(tokens) => (None, tokens, None),
            Who::Known(profile) => (Some(profile.token.as_bytes()), &[], Some(profile.fallback.iter())),
        };
        let fallback = fallback.into_iter().flatten().map(|token| token.as_bytes());
        first.into_iter().chain(merged.iter().map(|token| token.as_bytes())).chain(fallback)
    }

    /// Returns the tokens, with the dialect's own fallback for those that are not from a table.
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

/// Checks as [`Crawler::token`] does.
impl<'a> TryFrom<&'a str> for Crawler<'a> {
    type Error = TokenError;

    fn try_from(token: &'a str) -> Result<Self, TokenError> {
        Self::token(token)
    }
}

impl<'a> From<&'a Profile> for Crawler<'a> {
    fn from(profile: &'a Profile) -> Self {
        Self(Who::Known(profile))
    }
}

/// Does not compile: the crawler is a [`Crawler`], comes first, and is made of nothing unchecked. Each of these differs from
/// a working example in one expression.
///
/// ```
/// use comity::{Crawler, Robots, decide};
/// let (robots, bot) = (Robots::parse(b""), Crawler::token("HobbyBot").unwrap());
/// let _ = (robots.check(&bot, "/x"), robots.explain(&bot, "/x"), decide(b"", &bot, "/x"), robots.rules_for(&bot));
/// ```
///
/// ```compile_fail,E0308
/// use comity::{Crawler, Robots};
/// let (robots, bot) = (Robots::parse(b""), Crawler::token("HobbyBot").unwrap());
/// let _ = robots.check("/x", "HobbyBot");
/// ```
///
/// ```compile_fail,E0308
/// use comity::{Crawler, Robots};
/// let (robots, bot) = (Robots::parse(b""), Crawler::token("HobbyBot").unwrap());
/// let _ = robots.check("HobbyBot/0.1 (+https://hobby.example)", "/x");
/// ```
///
/// ```compile_fail,E0308
/// use comity::{Crawler, Robots};
/// let (robots, bot) = (Robots::parse(b""), Crawler::token("HobbyBot").unwrap());
/// let _ = robots.check("/x", &bot);
/// ```
///
/// ```compile_fail,E0308
/// use comity::{Crawler, Robots};
/// let (robots, bot) = (Robots::parse(b""), Crawler::token("HobbyBot").unwrap());
/// let _ = robots.explain("/x", &bot);
/// ```
///
/// ```compile_fail,E0308
/// use comity::{Crawler, decide};
/// let bot = Crawler::token("HobbyBot").unwrap();
/// let _ = decide(b"", "/x", &bot);
/// ```
///
/// ```compile_fail,E0277
/// use comity::{Crawler, Robots};
/// let (robots, bot) = (Robots::parse(b""), Crawler::token("HobbyBot").unwrap());
/// let _ = robots.check(&bot, bot);
/// ```
///
/// ```compile_fail,E0308
/// use comity::{Crawler, Robots};
/// let (robots, bot) = (Robots::parse(b""), Crawler::token("HobbyBot").unwrap());
/// let _ = robots.rules_for("HobbyBot");
/// ```
///
/// ```compile_fail,E0277
/// let _ = comity::Crawler::from("HobbyBot/0.1");
/// ```
#[cfg(doctest)]
struct Misuse;
