//! The rows of a table in the order of their tokens, so that a lookup does not compare a token with every row.

use alloc::borrow::Cow;
use core::cmp::Ordering;

use crate::crawler::profile::Profile;
use crate::crawler::table::TABLE;

/// The positions of all rows of a table, sorted by token without regard to ASCII case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TokenIndex {
    positions: Cow<'static, [u32]>,
}

impl TokenIndex {
    /// Returns the index of an empty table.
    pub(crate) const fn empty() -> Self {
        Self { positions: Cow::Borrowed(&[]) }
    }

    /// Returns the index of the built-in table.
    pub(crate) const fn builtin() -> Self {
        Self { positions: Cow::Borrowed(&BUILTIN) }
    }

    /// Returns the row with a token, ignoring ASCII case.
    pub(crate) fn find<'p>(&self, profiles: &'p [Profile], token: &str) -> Option<&'p Profile> {
        let at = self.search(profiles, token).ok()?;
        profiles.get(self.positions[at] as usize)
    }

    /// Adds a row at the end of a table, or replaces the one with the same token.
    pub(crate) fn add(&mut self, profiles: &mut Cow<'static, [Profile]>, profile: Profile) {
        match self.search(profiles, &profile.token) {
            Ok(at) => profiles.to_mut()[self.positions[at] as usize] = profile,
            Err(at) => {
                // A table has fewer rows than a u32 can count: a row takes more than a hundred bytes.
                self.positions.to_mut().insert(at, profiles.len() as u32);
                profiles.to_mut().push(profile);
            }
        }
    }

    /// Returns where the position of a token's row is, or where it belongs.
    fn search(&self, profiles: &[Profile], token: &str) -> Result<usize, usize> {
        self.positions.binary_search_by(|&position| {
            let row = &profiles[position as usize];
            compare(row.token.as_bytes(), token.as_bytes())
        })
    }
}

static BUILTIN: [u32; TABLE.len()] = sorted();

/// Sorts the built-in table at compile time.
const fn sorted() -> [u32; TABLE.len()] {
    let mut positions = [0; TABLE.len()];
    let mut row = 0;
    while row < TABLE.len() {
        let mut at = row;
        while at > 0 && compare(builtin_token(row), builtin_token(positions[at - 1] as usize)).is_lt() {
            positions[at] = positions[at - 1];
            at -= 1;
        }
        positions[at] = row as u32;
        row += 1;
    }
    positions
}

const fn builtin_token(row: usize) -> &'static [u8] {
    match &TABLE[row].token {
        Cow::Borrowed(token) => token.as_bytes(),
        Cow::Owned(_) => panic!("the built-in table has literals only"),
    }
}

/// Compares two tokens without regard to ASCII case. It is a `const fn`, which the standard library's comparisons are
/// not.
const fn compare(a: &[u8], b: &[u8]) -> Ordering {
    let mut at = 0;
    while at < a.len() && at < b.len() {
        // Tokens that are compared last have most bytes in common.
        if a[at] != b[at] {
            let (x, y) = (a[at].to_ascii_lowercase(), b[at].to_ascii_lowercase());
            if x != y {
                return if x < y { Ordering::Less } else { Ordering::Greater };
            }
        }
        at += 1;
    }
    if a.len() == b.len() {
        Ordering::Equal
    } else if a.len() < b.len() {
        Ordering::Less
    } else {
        Ordering::Greater
    }
}

#[cfg(test)]
mod tests {
    use alloc::{string::ToString as _, vec::Vec};

    use super::*;
    use crate::crawlers::{Crawlers, Purpose};

    fn by_comparing_all<'t>(table: &'t Crawlers, token: &str) -> Option<&'t Profile> {
        table.iter().find(|row| row.token.eq_ignore_ascii_case(token))
    }

    #[test]
    fn every_built_in_row_is_found_in_any_case() {
        let table = Crawlers::builtin();
        for row in &table {
            for token in [row.token.to_string(), row.token.to_lowercase(), row.token.to_uppercase()] {
                assert_eq!(table.find(&token), Some(row), "{token}");
            }
            for other in [&row.token[1..], &row.token[..row.token.len() - 1], &alloc::format!("{}x", row.token)] {
                assert_eq!(table.find(other), by_comparing_all(&table, other), "{other}");
            }
        }
        assert_eq!(table.find(""), None);
    }

    #[test]
    fn added_rows_are_found_and_replace_each_other() {
        let mut table: Crawlers = [].into_iter().collect();
        for token in ["Zebra", "ant", "Ant-Images", "ANT", "bee", "", "zebra"] {
            table.add(Profile::new(token, "Acme", Purpose::Search));
        }
        let tokens: Vec<&str> = table.iter().map(|row| &*row.token).collect();
        assert_eq!(tokens, ["zebra", "ANT", "Ant-Images", "bee", ""]);
        for token in ["Zebra", "ant", "ant-images", "BEE", "", "an", "zebras"] {
            assert_eq!(table.find(token), by_comparing_all(&table, token), "{token}");
        }

        let mut own = Crawlers::builtin();
        own.add(Profile::new("googleBOT", "Acme", Purpose::Search));
        own.add(Profile::new("AcmeBot", "Acme", Purpose::Search));
        assert_eq!(own.iter().count(), TABLE.len() + 1);
        assert_eq!(own.find("Googlebot").map(|row| &*row.operator), Some("Acme"));
        assert_eq!(own.find("acmebot").map(|row| &*row.operator), Some("Acme"));
    }
}
