//! Crawlers as data: who they are, which groups they obey, and where that is documented.
//!
//! A plain string is a literal product token and is never looked up. Only [`Crawler::known`](crate::Crawler::known)
//! and [`Crawlers::find`] use the table, with its fallback chains and exceptions.

use alloc::borrow::Cow;

pub use crate::crawler::profile::{AiUse, DelaySupport, Governed, Profile, Purpose};
pub use crate::crawler::table::TABLE;

/// A table of crawlers: the built-in one, or one with rows of your own.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
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

impl<'a> IntoIterator for &'a Crawlers {
    type Item = &'a Profile;
    type IntoIter = core::slice::Iter<'a, Profile>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
