//! The table of known crawlers: their tokens, the groups that apply to them, and the source of these facts.
//!
//! A [`Crawler::token`](crate::Crawler::token) is never looked up. Only [`Crawler::known`](crate::Crawler::known) and
//! [`Crawlers::find`] use the table, with its fallback chains and exceptions.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

pub use crate::crawler::misnomer::Misnomer;
pub use crate::crawler::page_support::PageSupport;
pub use crate::crawler::profile::{DelaySupport, Governed, Profile, Purpose};
pub use crate::crawler::table::TABLE;
use crate::crawler::token_index::TokenIndex;
pub use crate::crawler::uses::{Use, Uses};
pub use crate::crawler::verification::Verification;

/// A table of crawlers: the built-in one, or one with your own rows.
///
/// With the feature `serde`, it is an object with a `version`, currently `"1.0"`, and a list `crawler`. Another major
/// version is an error. Unknown fields are [ignored](Self::ignored_fields), but a field that probably misspells a known one
/// is an error. A table without a version has version 1.0, and may consist of the list only.
///
/// ```
/// # #[cfg(feature = "serde")] {
/// use comity::Crawlers;
///
/// let own = r#"{ "version": "1.0", "crawler": [{ "token": "AcmeBot", "operator": "Acme", "purpose": "search" }] }"#;
/// let mut table = Crawlers::builtin();
/// table.extend(serde_json::from_str::<Crawlers>(own).unwrap());
/// assert!(table.find("acmebot").is_some() && table.find("googlebot").is_some());
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crawlers {
    profiles: Cow<'static, [Profile]>,
    by_token: TokenIndex,
    pub(super) ignored_fields: Vec<String>,
}

impl Crawlers {
    /// Returns the built-in table.
    pub const fn builtin() -> Self {
        Self { profiles: Cow::Borrowed(TABLE), by_token: TokenIndex::builtin(), ignored_fields: Vec::new() }
    }

    /// Adds a row, or replaces the one with the same token.
    pub fn add(&mut self, profile: Profile) {
        self.by_token.add(&mut self.profiles, profile);
    }

    /// Returns the row of a product token, ignoring ASCII case. The lookup is a binary search.
    pub fn find(&self, token: &str) -> Option<&Profile> {
        self.by_token.find(&self.profiles, token)
    }

    /// Returns the explanation of a name that is probably not a product token: the name of a company or a product, a
    /// word for all crawlers or for any, or a name with characters that no product token has. Returns `None` for any
    /// other name, and for the tokens of this table. ASCII case is ignored.
    ///
    /// ```
    /// use comity::Crawlers;
    ///
    /// let table = Crawlers::builtin();
    /// assert_eq!(table.misnomer("Bing").unwrap().meant(), ["bingbot"]);
    /// assert_eq!(table.misnomer("Googlebot Image").unwrap().meant(), ["Googlebot-Image"]);
    /// assert!(table.misnomer("bingbot").is_none());
    /// assert!(table.misnomer("my-bot").is_none());
    /// ```
    pub fn misnomer(&self, name: &str) -> Option<Misnomer> {
        Misnomer::of(name, self)
    }

    /// Returns what [`misnomer`](Self::misnomer) does if a group for the name in a robots.txt is a mistake, too. `None` for
    /// words such as `bot` and for names of which a crawler that is not in this table may read a part.
    ///
    /// ```
    /// use comity::Crawlers;
    ///
    /// let table = Crawlers::builtin();
    /// assert!(table.misnomer_in_file("ChatGPT").is_some());
    /// assert!(table.misnomer_in_file("bot").is_none());
    /// ```
    pub fn misnomer_in_file(&self, name: &str) -> Option<Misnomer> {
        Misnomer::in_file(name, self)
    }

    /// Returns the other control tokens of a crawler's operator: tokens that make no requests and control the use of
    /// pages.
    ///
    /// ```
    /// use comity::Crawlers;
    ///
    /// let table = Crawlers::builtin();
    /// let tokens = table.control_tokens(table.find("Applebot").unwrap()).map(|row| row.token.as_ref());
    /// assert_eq!(tokens.collect::<Vec<_>>(), ["Applebot-Extended"]);
    /// ```
    pub fn control_tokens<'t>(&'t self, crawler: &Profile) -> impl Iterator<Item = &'t Profile> {
        self.iter().filter(move |row| {
            row.governed == Governed::ControlToken && row.operator == crawler.operator && row.token != crawler.token
        })
    }

    /// Returns the fields that were ignored when this table was deserialized, since this version does not know them: each
    /// once, such as "`color` of the crawler `AcmeBot`".
    pub fn ignored_fields(&self) -> &[String] {
        &self.ignored_fields
    }

    #[cfg(feature = "serde")]
    pub(crate) fn rows(&self) -> &[Profile] {
        &self.profiles
    }

    /// Returns all rows. In the built-in table, they are grouped by operator.
    pub fn iter(&self) -> core::slice::Iter<'_, Profile> {
        self.profiles.iter()
    }
}

impl Default for Crawlers {
    fn default() -> Self {
        Self::builtin()
    }
}

impl Extend<Profile> for Crawlers {
    /// Adds rows, as [`add`](Self::add) does.
    fn extend<I: IntoIterator<Item = Profile>>(&mut self, profiles: I) {
        profiles.into_iter().for_each(|profile| self.add(profile));
    }
}

impl FromIterator<Profile> for Crawlers {
    /// Creates a table of these rows only, without the built-in ones. Of several rows with the same token, the last one
    /// is kept.
    fn from_iter<I: IntoIterator<Item = Profile>>(profiles: I) -> Self {
        let mut table =
            Self { profiles: Cow::Borrowed(&[]), by_token: TokenIndex::empty(), ignored_fields: Vec::new() };
        table.extend(profiles);
        table
    }
}

impl IntoIterator for Crawlers {
    type Item = Profile;
    type IntoIter = alloc::vec::IntoIter<Profile>;

    fn into_iter(self) -> Self::IntoIter {
        self.profiles.into_owned().into_iter()
    }
}

impl<'a> IntoIterator for &'a Crawlers {
    type Item = &'a Profile;
    type IntoIter = core::slice::Iter<'a, Profile>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
