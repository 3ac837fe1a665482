//! The crawler that a check is for.

use alloc::boxed::Box;
use alloc::sync::Arc;

use crate::crawler::crawlers::Crawlers;
use crate::crawler::profile::{Governed, Profile};
use crate::crawler::token_error::{TokenError, is_token};
use crate::dialect::Dialect;

/// A crawler, as named in robots.txt files: a product token, a crawler of the table with its fallback tokens, or
/// several tokens at once.
///
/// The token is checked on construction. A `User-Agent` header is not a product token, and would always get the rules
/// for `*`:
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
/// A string does not convert to a crawler implicitly, so arguments cannot be swapped by mistake.
///
/// A crawler borrows its names; [`into_owned`](Self::into_owned) returns one to keep. A clone of either allocates nothing.
#[derive(Clone, Debug)]
pub struct Crawler<'a>(Who<'a>);

#[derive(Clone, Debug)]
enum Who<'a> {
    Token(&'a [u8]),
    Merged(&'a [&'a str]),
    Known(&'a Profile),
    OwnedToken(Arc<[u8]>),
    OwnedMerged(Arc<[Box<str>]>),
    OwnedKnown(Arc<Profile>),
}

impl Crawler<'static> {
    /// A crawler that no group names, so that only the groups for `*` apply.
    ///
    /// ```
    /// use comity::{Crawler, Robots};
    ///
    /// let robots = Robots::parse(b"User-agent: a\nDisallow: /\n\nUser-agent: *\nDisallow: /cart/\n");
    /// assert!(robots.check(&Crawler::ANY, "/shoes").is_allowed());
    /// ```
    pub const ANY: Self = Self(Who::Token(b"*"));

    /// Returns a crawler of the [built-in table](Crawlers::builtin), ignoring ASCII case. The table has its token, its
    /// documented fallback tokens, and whether the groups for `*` apply to it and whether it obeys robots.txt at all.
    /// Returns `None` if there is no such crawler.
    ///
    /// Some names, such as `Sogou web spider`, are not product tokens and are accepted only here. For rows of another
    /// table, see [`Profile`].
    ///
    /// ```
    /// use comity::Crawler;
    ///
    /// let image = Crawler::known("googlebot-image").unwrap();
    /// let tokens: Vec<&[u8]> = image.tokens().collect();
    /// assert_eq!(tokens, [&b"Googlebot-Image"[..], b"Googlebot"]); // the second is its fallback token
    /// assert!(Crawler::known("HobbyBot").is_none()); // use `Crawler::token`
    /// ```
    pub fn known(name: &str) -> Option<Self> {
        static BUILTIN: Crawlers = Crawlers::builtin();
        BUILTIN.find(name).map(Self::from)
    }
}

impl<'a> Crawler<'a> {
    /// Returns a crawler with a product token: one or more ASCII letters, digits, `_`, `-` and `.`. ASCII case is
    /// ignored.
    ///
    /// RFC 9309 §2.2.1 allows only letters, `_` and `-`; real crawlers also use the others (`Baiduspider-render2.0`).
    ///
    /// # Errors
    ///
    /// Returns an error for any other text. For a `User-Agent` header, it [suggests](TokenError::suggestion) the token
    /// that is probably meant.
    ///
    /// ```
    /// use comity::Crawler;
    ///
    /// assert!(Crawler::token("HobbyBot").is_ok());
    /// let error = Crawler::token("HobbyBot/0.1").unwrap_err();
    /// assert!(error.is_header());
    /// assert_eq!(error.suggestion(), Some("HobbyBot"));
    /// ```
    pub fn token(token: &'a str) -> Result<Self, TokenError> {
        if is_token(token) { Ok(Self(Who::Token(token.as_bytes()))) } else { Err(TokenError::new(token)) }
    }

    /// Returns a crawler with any bytes as its token, unchecked. Use it in test oracles and in tools that validate
    /// tokens themselves. For everything else, use [`Crawler::token`].
    ///
    /// ```
    /// use comity::{Crawler, Robots};
    ///
    /// let robots = Robots::parse(b"User-agent: HobbyBot\nDisallow: /\n");
    /// // A header is taken as a token, which no group names. `Crawler::token` would return an error.
    /// assert!(robots.check(&Crawler::literal("HobbyBot/0.1 (+https://hobby.example)"), "/").is_allowed());
    /// ```
    pub fn literal(token: &'a (impl AsRef<[u8]> + ?Sized)) -> Self {
        Self(Who::Token(token.as_ref()))
    }

    /// Returns a crawler with several tokens. The groups of all of them are merged, as Google's library does with
    /// several names. Do not use it for a crawler with fallback tokens; see [`Crawler::known`].
    ///
    /// # Errors
    ///
    /// Returns an error if one of them is not a [token](Self::token).
    ///
    /// ```
    /// use comity::{Crawler, Robots};
    ///
    /// let robots = Robots::parse(b"User-agent: a\nDisallow: /x\n\nUser-agent: b\nDisallow: /y\n");
    /// let both = Crawler::merged(&["a", "b"])?;
    /// assert!(["/x", "/y"].iter().all(|url| robots.check(&both, url).is_disallowed()));
    /// # Ok::<(), comity::TokenError>(())
    /// ```
    pub fn merged(tokens: &'a [&'a str]) -> Result<Self, TokenError> {
        match tokens.iter().find(|token| !is_token(token)) {
            Some(other) => Err(TokenError::new(other)),
            None => Ok(Self(Who::Merged(tokens))),
        }
    }

    /// Returns a crawler with several unchecked tokens, which are merged as by [`merged`](Self::merged).
    pub const fn merged_literal(tokens: &'a [&'a str]) -> Self {
        Self(Who::Merged(tokens))
    }

    /// Returns the same crawler with names of its own, for a program that reads them at run time and keeps the crawler.
    ///
    /// ```
    /// use comity::Crawler;
    ///
    /// fn configured(name: &str) -> Result<Crawler<'static>, comity::TokenError> {
    ///     Ok(Crawler::token(name)?.into_owned())
    /// }
    ///
    /// assert_eq!(configured("HobbyBot")?, Crawler::token("HobbyBot")?);
    /// # Ok::<(), comity::TokenError>(())
    /// ```
    pub fn into_owned(self) -> Crawler<'static> {
        Crawler(match self.0 {
            Who::Token(token) => Who::OwnedToken(token.into()),
            Who::Merged(tokens) => Who::OwnedMerged(tokens.iter().map(|token| Box::from(*token)).collect()),
            Who::Known(profile) => Who::OwnedKnown(Arc::new(profile.clone())),
            Who::OwnedToken(token) => Who::OwnedToken(token),
            Who::OwnedMerged(tokens) => Who::OwnedMerged(tokens),
            Who::OwnedKnown(profile) => Who::OwnedKnown(profile),
        })
    }

    /// Returns the crawler's row of the table, if it is from a table.
    ///
    /// ```
    /// use comity::Crawler;
    ///
    /// assert_eq!(Crawler::known("GPTBot").unwrap().profile().unwrap().operator, "OpenAI");
    /// assert!(Crawler::token("GPTBot")?.profile().is_none()); // a token is never looked up
    /// # Ok::<(), comity::TokenError>(())
    /// ```
    pub fn profile(&self) -> Option<&Profile> {
        match &self.0 {
            Who::Known(profile) => Some(profile),
            Who::OwnedKnown(profile) => Some(profile),
            _ => None,
        }
    }

    /// Returns the dialect in which the crawler reads robots.txt files: that of its row, or the standard dialect.
    pub fn dialect(&self) -> Dialect {
        self.profile().map_or(Dialect::STANDARD, |profile| profile.dialect)
    }

    /// Returns the operator's statement on whether the crawler obeys robots.txt. A crawler that is not from a table is
    /// assumed to obey.
    pub fn governed(&self) -> Governed {
        self.profile().map_or(Governed::Yes, |profile| profile.governed)
    }

    /// Returns true if the groups for `*` apply to the crawler when no group names it.
    pub fn obeys_star(&self) -> bool {
        self.profile().is_none_or(|profile| profile.obeys_star)
    }

    /// Returns true if the groups of all tokens of the crawler are merged. Returns false if only the groups of the
    /// first token that has any apply.
    pub fn merges(&self) -> bool {
        matches!(self.0, Who::Merged(_) | Who::OwnedMerged(_))
    }

    /// Returns the tokens that are looked up before `*`, in order.
    pub fn tokens(&self) -> impl Iterator<Item = &[u8]> {
        let (merged, owned): (&[&str], &[Box<str>]) = match &self.0 {
            Who::Merged(tokens) => (tokens, &[]),
            Who::OwnedMerged(tokens) => (&[], tokens),
            _ => (&[], &[]),
        };
        let (own, fallback) = match self.profile() {
            Some(profile) => (Some(profile.token.as_bytes()), &*profile.fallback),
            None => (self.unlisted(), &[][..]),
        };
        let fallback = fallback.iter().map(|token| token.as_bytes());
        let merged = merged.iter().map(|token| token.as_bytes()).chain(owned.iter().map(|token| token.as_bytes()));
        own.into_iter().chain(merged).chain(fallback)
    }

    /// Returns the tokens, followed by the fallback token of the dialect if the crawler is not from a table.
    pub(crate) fn tokens_in(&self, dialect: &Dialect) -> impl Iterator<Item = &[u8]> {
        let own = self.unlisted().filter(|token| !matches!(*token, b"" | b"*"));
        let dialect_fallback = own.and_then(|token| {
            dialect.fallback_token.map(str::as_bytes).filter(|fallback| !fallback.eq_ignore_ascii_case(token))
        });
        self.tokens().chain(dialect_fallback)
    }

    /// Returns the only token of a crawler that is not from a table.
    fn unlisted(&self) -> Option<&[u8]> {
        match &self.0 {
            Who::Token(token) => Some(token),
            Who::OwnedToken(token) => Some(token),
            _ => None,
        }
    }
}

impl PartialEq for Crawler<'_> {
    fn eq(&self, other: &Crawler<'_>) -> bool {
        self.merges() == other.merges() && self.profile() == other.profile() && self.tokens().eq(other.tokens())
    }
}

impl Eq for Crawler<'_> {}

/// Converts like [`Crawler::token`].
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

/// Examples of misuse that must not compile: the crawler must be a [`Crawler`], come first, and be checked. Each of
/// them differs from a working example in one expression.
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
