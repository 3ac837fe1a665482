//! Crawlers as data: who they are, which groups they obey, and where that is documented.
//!
//! A plain string is a literal product token and is never looked up. Only [`Crawler::known`](crate::Crawler::known)
//! and [`Crawlers::find`] use the table, with its fallback chains and exceptions.

use alloc::borrow::Cow;

pub use crate::crawler::page_support::PageSupport;
pub use crate::crawler::profile::{AiUse, DelaySupport, Governed, Profile, Purpose};
pub use crate::crawler::table::TABLE;

/// A table of crawlers: the built-in one, or one with rows of your own.
///
/// With the feature `serde` it is an object with a `version`, now `"1.0"`, and a list `crawler`. Another major version is
/// refused. A newer minor version is read without the fields that are unknown; in this one they are refused, as they are
/// misspelled. A table without a version is read as one of version 1.0, and may be the list alone.
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
}

impl Crawlers {
    /// The built-in table.
    pub const fn builtin() -> Self {
        Self { profiles: Cow::Borrowed(TABLE) }
    }

    /// Adds a row; one with the same token is replaced.
    pub fn add(&mut self, profile: Profile) {
        let profiles = self.profiles.to_mut();
        match profiles.iter_mut().find(|p| p.token.eq_ignore_ascii_case(&profile.token)) {
            Some(old) => *old = profile,
            None => profiles.push(profile),
        }
    }

    /// The row of a product token, ASCII case folded.
    pub fn find(&self, token: &str) -> Option<&Profile> {
        self.profiles.iter().find(|p| p.token.eq_ignore_ascii_case(token))
    }

    /// Returns the other control tokens of a crawler's operator: rows that fetch nothing, and say what the operator may do
    /// with pages.
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

    #[cfg(feature = "serde")]
    pub(crate) fn rows(&self) -> &[Profile] {
        &self.profiles
    }

    /// All rows, grouped by operator in the built-in table.
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
    /// Adds rows, each as [`add`](Self::add).
    fn extend<I: IntoIterator<Item = Profile>>(&mut self, profiles: I) {
        profiles.into_iter().for_each(|profile| self.add(profile));
    }
}

impl FromIterator<Profile> for Crawlers {
    /// Creates a table of these rows alone, without the built-in ones. Of rows with the same token, the last one counts.
    fn from_iter<I: IntoIterator<Item = Profile>>(profiles: I) -> Self {
        let mut table = Self { profiles: Cow::Borrowed(&[]) };
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
