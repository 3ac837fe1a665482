//! Product tokens in the values of user-agent lines.

use crate::dialect::{Dialect, ProductToken};
use crate::parse::directive::{is_space, trim};

/// Returns true if the value of a user-agent line names every crawler (`*`).
pub(crate) fn is_star(value: &[u8], dialect: &Dialect) -> bool {
    match value {
        b"*" => true,
        [b'*', next, ..] => dialect.star_with_text && is_space(*next),
        _ => false,
    }
}

/// Returns the product token in the value of a user-agent line. The dialect determines how much of the value belongs to
/// it.
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

/// Returns true if a user-agent line with this value names the crawler's token `asked`. `value` must not be `*`.
pub(crate) fn names(value: &[u8], asked: &[u8], dialect: &Dialect) -> bool {
    let token = product_token(value, dialect);
    match dialect.product_token {
        // Empty tokens are equal, as in Google's parser.
        ProductToken::Letters => token.eq_ignore_ascii_case(asked),
        ProductToken::Wide => {
            !asked.is_empty() && (token.eq_ignore_ascii_case(asked) || value.eq_ignore_ascii_case(asked))
        }
        ProductToken::Contained => {
            !token.is_empty() && asked.windows(token.len()).any(|part| part.eq_ignore_ascii_case(token))
        }
    }
}
