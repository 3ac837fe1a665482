//! Rows of a crawler table of one's own.

#[cfg(any(feature = "check", feature = "diff"))]
use comity::Crawler;
use comity::{DelaySupport, Governed, Profile, Purpose};

#[cfg(any(feature = "check", feature = "diff"))]
use crate::crawler::refuse;
use crate::parts::Reader;

/// The form of a crawler that is a row: parts of the token and the fallback tokens. The other fields are bits of the
/// form: from the fourth, one for the groups for `*`, two for [`DelaySupport`], and the rest for [`Governed`].
#[cfg(any(feature = "check", feature = "diff"))]
pub(crate) const ROW: u32 = 4;

/// Reads a row. Returns `None` if its token is empty or a `User-Agent` header, and writes the reason to the output.
#[cfg(any(feature = "check", feature = "diff"))]
pub(crate) fn checked_row(form: u32, bytes: &[u8]) -> Option<Profile> {
    let row = row(form, bytes);
    // A name such as `Sogou web spider` is no token, and may be that of a row.
    if let Err(error) = Crawler::token(&row.token)
        && (error.is_header() || row.token.trim().is_empty())
    {
        refuse(&row.token, &error);
        return None;
    }
    Some(row)
}

/// Reads a row.
pub(crate) fn row(form: u32, bytes: &[u8]) -> Profile {
    let tokens = Reader::new(bytes).texts();
    let (token, fallback) = tokens.split_first().expect("a row has a token");
    let fallback = fallback.iter().map(|token| (*token).to_owned());
    let mut row = Profile::new((*token).to_owned(), "", Purpose::Other).with_fallback(fallback);
    row.obeys_star = form & 8 != 0;
    row.crawl_delay = DelaySupport::ALL[(form >> 4 & 3) as usize];
    row.governed = Governed::ALL[(form >> 6) as usize];
    row
}
