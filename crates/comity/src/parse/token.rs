//! Product tokens: the crawlers that the value of a user-agent line names.

use crate::dialect::{Dialect, ProductToken};
use crate::parse::directive::{is_space, trim};

/// Whether the value of a user-agent line stands for every crawler.
pub(crate) fn is_star(value: &[u8], dialect: &Dialect) -> bool {
    match value {
        b"*" => true,
        [b'*', next, ..] => dialect.star_with_text && is_space(*next),
        _ => false,
    }
}

/// The product token that a user-agent line names; how much of the value counts differs.
pub(crate) fn product_token<'a>(value: &'a [u8], dialect: &Dialect) -> &'a [u8] {
    let run = |accepts: fn(u8) -> bool| {
        let end = value.iter().position(|b| !accepts(*b)).unwrap_or(value.len());
        &value[..end]
    };
    match dialect.product_token {
        ProductToken::Letters => run(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'-')),
        ProductToken::Wide => {
            let mut token = run(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'));
            while let Some(shorter) = token.strip_suffix(b".") {
                token = shorter;
            }
            token
        }
        ProductToken::Contained => trim(run(|b| b != b'/')),
    }
}

/// Whether a user-agent line with this value names the asked token. `value` is not a `*`.
pub(crate) fn names(value: &[u8], asked: &[u8], dialect: &Dialect) -> bool {
    let token = product_token(value, dialect);
    match dialect.product_token {
        // An empty token is equal to an empty one, as in the reference.
        ProductToken::Letters => token.eq_ignore_ascii_case(asked),
        ProductToken::Wide => {
            !asked.is_empty() && (token.eq_ignore_ascii_case(asked) || value.eq_ignore_ascii_case(asked))
        }
        ProductToken::Contained => {
            !token.is_empty() && asked.windows(token.len()).any(|part| part.eq_ignore_ascii_case(token))
        }
    }
}
