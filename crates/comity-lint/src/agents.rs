//! The crawlers of the table, by their tokens and by misspellings of them.

use std::cell::OnceCell;

use comity::{Crawlers, Profile};

/// A table of crawlers, and what lints look up in it.
#[derive(Debug)]
pub(crate) struct Agents<'t> {
    table: &'t Crawlers,
    /// The rows that a misspelled token may mean, with the letters of their tokens and the maximum number of mistakes.
    spelled: OnceCell<Vec<(u32, u32, &'t Profile)>>,
}

impl<'t> Agents<'t> {
    pub(crate) fn new(table: &'t Crawlers) -> Self {
        Self { table, spelled: OnceCell::new() }
    }

    pub(crate) fn table(&self) -> &'t Crawlers {
        self.table
    }

    /// Returns the row of a token, ignoring ASCII case.
    pub(crate) fn find(&self, token: &[u8]) -> Option<&'t Profile> {
        self.table.find(std::str::from_utf8(token).ok()?)
    }

    /// Returns true if some crawler that is not retired obeys the groups of a row: the row's own crawler, or one that
    /// has its token as a fallback token.
    pub(crate) fn is_obeyed(&self, row: &Profile) -> bool {
        let mut living = self.table.iter().filter(|other| !other.retired);
        !row.retired || living.any(|other| other.fallback.iter().any(|token| token.eq_ignore_ascii_case(&row.token)))
    }

    /// Returns the rows that are not retired and whose tokens are long enough that a misspelling is recognizable, each
    /// with the set of its letters and the maximum number of mistakes.
    pub(crate) fn spelled(&self) -> &[(u32, u32, &'t Profile)] {
        self.spelled.get_or_init(|| {
            // A crawler has this word for a name. Vspider and Xspider are names of others, and not misspellings of it.
            let is_word = |token: &str| token.eq_ignore_ascii_case("Spider");
            let is_clear = |row: &&Profile| row.token.len() >= MIN_MISSPELLED && !row.retired && !is_word(&row.token);
            let rows = self.table.iter().filter(is_clear);
            let most = |row: &Profile| if row.token.len() < 12 { 1 } else { 2 };
            rows.map(|row| (letters(row.token.as_bytes()), most(row), row)).collect()
        })
    }
}

/// The minimum length of a token that is compared with known tokens as a possible misspelling.
pub(crate) const MIN_MISSPELLED: usize = 6;

/// Returns the set of the letters of a token, with one bit for each letter of the alphabet.
pub(crate) fn letters(token: &[u8]) -> u32 {
    let bit = |b: &u8| if b.is_ascii_alphabetic() { 1 << ((b | 0x20) - b'a') } else { 0 };
    token.iter().map(bit).fold(0, |set, bit: u32| set | bit)
}
