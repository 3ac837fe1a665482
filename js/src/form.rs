//! The forms in which the input names a crawler.

use comity::{Crawler, DelaySupport, Governed, Profile, Purpose};

use crate::crawler::{read, refuse};
use crate::parts::Reader;

/// A token, a name of the table, or `*`.
const NAME: u32 = 0;
/// A token that is neither looked up nor checked.
const LITERAL: u32 = 1;
/// Parts of several tokens, whose groups are merged.
const MERGED: u32 = 2;
/// Parts of several tokens that are not checked.
const MERGED_LITERAL: u32 = 3;
/// Parts of a row of a crawler table: the token and the fallback tokens. The other fields are bits of the form: from
/// the fourth, one for the groups for `*`, two for [`DelaySupport`], and the rest for [`Governed`].
const ROW: u32 = 4;

/// Calls a function with the crawler that the bytes name. Returns `None` if they name none, and writes the reason and
/// the name that is probably meant to the output.
pub(crate) fn with_crawler<R>(form: u32, bytes: &[u8], call: impl FnOnce(&Crawler<'_>) -> R) -> Option<R> {
    match form & 7 {
        LITERAL => Some(call(&Crawler::literal(bytes))),
        MERGED | MERGED_LITERAL => {
            let tokens = Reader::new(bytes).texts();
            if form == MERGED
                && let Some(error) = tokens.iter().find_map(|token| Crawler::token(token).err())
            {
                refuse(&error);
                return None;
            }
            Some(call(&Crawler::merged_literal(&tokens)))
        }
        ROW => {
            let tokens = Reader::new(bytes).texts();
            let (token, fallback) = tokens.split_first().expect("a row has a token");
            if let Err(error) = Crawler::token(token)
                && (error.is_header() || token.trim().is_empty())
            {
                refuse(&error);
                return None;
            }
            let fallback = fallback.iter().map(|token| (*token).to_owned());
            let mut row = Profile::new((*token).to_owned(), "", Purpose::Other).with_fallback(fallback);
            row.obeys_star = form & 8 != 0;
            row.crawl_delay = DelaySupport::ALL[(form >> 4 & 3) as usize];
            row.governed = Governed::ALL[(form >> 6) as usize];
            Some(call(&Crawler::from(&row)))
        }
        NAME => {
            let name = std::str::from_utf8(bytes).expect("text is encoded as UTF-8");
            match read(name) {
                Ok(crawler) => Some(call(&crawler)),
                Err(error) => {
                    refuse(&error);
                    None
                }
            }
        }
        _ => panic!("{form} is no form of a crawler"),
    }
}
