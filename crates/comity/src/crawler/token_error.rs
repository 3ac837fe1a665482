//! The error for text that is not a product token.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use core::fmt;

use crate::crawler::crawlers::Crawlers;
use crate::crawler::{misnomer, user_agent};
use crate::escape::Escaped;

/// Returns true if a text is a product token: ASCII letters, digits, `_`, `-` and `.`.
pub(super) fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|octet| octet.is_ascii_alphanumeric() || matches!(octet, b'_' | b'-' | b'.'))
}

/// The error for text that is not a product token. Returned by [`Crawler::token`](crate::Crawler::token).
///
/// ```
/// use comity::Crawler;
///
/// let message = |text| Crawler::token(text).unwrap_err().to_string();
/// assert_eq!(
///     message("Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)"),
///     "expected a product token, found a User-Agent header; use `GPTBot`"
/// );
/// assert_eq!(
///     message("Googlebot Image"),
///     "expected a product token, found `Googlebot Image`, which has white space in it; use `Googlebot-Image`"
/// );
/// assert_eq!(message("/private/x"), "expected a product token, found `/private/x`, which looks like a URL");
/// assert_eq!(message(""), "expected a product token, found no text; for a crawler without one, use `Crawler::ANY`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenError(NotAToken);

#[derive(Clone, Debug, PartialEq, Eq)]
enum NotAToken {
    Empty,
    Star,
    /// A `User-Agent` header, with the token that it probably means.
    Header(Option<String>),
    /// A name of the built-in table that is not a token.
    Known(String),
    /// A name with white space in it, with the token that it probably means.
    Spaced(String, Option<String>),
    Url(String),
    Other(String),
}

impl TokenError {
    #[cold]
    pub(super) fn new(text: &str) -> Self {
        const MAX_CHARS: usize = 60;
        let cut = || match text.char_indices().nth(MAX_CHARS) {
            Some((end, _)) => alloc::format!("{}…", &text[..end]),
            None => text.to_owned(),
        };
        let name = text.trim();
        let table = Crawlers::builtin();
        let known = table.find(name);
        Self(match (name, known) {
            ("", _) => NotAToken::Empty,
            ("*", _) => NotAToken::Star,
            (_, Some(profile)) => NotAToken::Known(profile.token.to_string()),
            _ if name.starts_with('/') || (name.contains("://") && !name.contains(' ')) => NotAToken::Url(cut()),
            _ if user_agent::is_header(name, &table) => {
                NotAToken::Header(user_agent::candidates(name, &table).first().map(ToString::to_string))
            }
            _ if name.contains(char::is_whitespace) => NotAToken::Spaced(cut(), misnomer::joined(name, &table)),
            _ => NotAToken::Other(cut()),
        })
    }

    /// Returns true if the text is a `User-Agent` header.
    pub fn is_header(&self) -> bool {
        matches!(self.0, NotAToken::Header(_))
    }

    /// Returns the token or table name that the text probably means. For a header, it is the first of its
    /// [candidates](user_agent::candidates).
    pub fn suggestion(&self) -> Option<&str> {
        match &self.0 {
            NotAToken::Header(suggestion) | NotAToken::Spaced(_, suggestion) => suggestion.as_deref(),
            NotAToken::Known(name) => Some(name),
            NotAToken::Empty | NotAToken::Star | NotAToken::Url(_) | NotAToken::Other(_) => None,
        }
    }
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected a product token, found ")?;
        match &self.0 {
            NotAToken::Empty => f.write_str("no text; for a crawler without one, use `Crawler::ANY`"),
            NotAToken::Star => f.write_str("`*`; for any crawler that no group names, use `Crawler::ANY`"),
            NotAToken::Header(Some(token)) if is_token(token) => write!(f, "a User-Agent header; use `{token}`"),
            NotAToken::Header(Some(name)) => write!(f, "a User-Agent header; use `Crawler::known(\"{name}\")`"),
            NotAToken::Header(None) => f.write_str("a User-Agent header that names no crawler"),
            NotAToken::Known(name) if is_token(name) => write!(f, "spaces around it; use `{name}`"),
            NotAToken::Known(name) => write!(f, "a name of the crawler table; use `Crawler::known(\"{name}\")`"),
            NotAToken::Spaced(text, suggestion) => {
                write!(f, "`{}`, which has white space in it", Escaped(text.as_bytes()))?;
                suggestion.as_ref().map_or(Ok(()), |token| write!(f, "; use `{token}`"))
            }
            NotAToken::Url(text) => write!(f, "`{}`, which looks like a URL", Escaped(text.as_bytes())),
            NotAToken::Other(text) => {
                write!(f, "`{}`; only ASCII letters, digits, `_`, `-` and `.` are possible", Escaped(text.as_bytes()))
            }
        }
    }
}

impl core::error::Error for TokenError {}
