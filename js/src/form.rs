//! The forms in which the input names a crawler.

use comity::Crawler;

use crate::crawler::{read, token};
use crate::parts::Reader;
use crate::row::{ROW, checked_row};

/// A token, a name of the table, or `*`.
const NAME: u32 = 0;
/// A token that is neither looked up nor checked.
const LITERAL: u32 = 1;
/// Parts of several tokens, whose groups are merged.
const MERGED: u32 = 2;
/// Parts of several tokens that are not checked.
const MERGED_LITERAL: u32 = 3;

/// Calls a function with the crawler that the bytes name. Returns `None` if they name none, and writes the reason and
/// the name that is probably meant to the output.
pub(crate) fn with_crawler<R>(form: u32, bytes: &[u8], call: impl FnOnce(&Crawler<'_>) -> R) -> Option<R> {
    let (tokens, profile);
    let crawler = match form & 7 {
        LITERAL => Crawler::literal(bytes),
        MERGED | MERGED_LITERAL => {
            tokens = Reader::new(bytes).texts();
            if form == MERGED && !tokens.iter().all(|name| token(name).is_some()) {
                return None;
            }
            Crawler::merged_literal(&tokens)
        }
        ROW => {
            profile = checked_row(form, bytes)?;
            Crawler::from(&profile)
        }
        NAME => read(std::str::from_utf8(bytes).expect("text is encoded as UTF-8"))?,
        _ => panic!("{form} is no form of a crawler"),
    };
    Some(call(&crawler))
}
