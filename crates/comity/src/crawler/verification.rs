//! The ways to verify that a request is from a crawler.

use alloc::borrow::Cow;

/// The ways to verify that a request is from a crawler, which anybody can claim to be. By default, none is known.
///
/// The engine only stores these columns. With the feature `serde`, the keys are the names of the fields:
///
/// ```
/// # #[cfg(feature = "serde")] {
/// let row = r#"{"token": "AcmeBot", "operator": "Acme", "purpose": "search",
///               "verification": {"hosts": ["bot.acme.example"], "source": "acme.example/bot"}}"#;
/// let profile: comity::Profile = serde_json::from_str(row).unwrap();
/// assert_eq!(*profile.verification.hosts, ["bot.acme.example"]);
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
#[non_exhaustive]
pub struct Verification {
    /// The URLs of the operator's lists of addresses, without the scheme. The addresses change, so they are not in the
    /// table.
    pub ranges: Cow<'static, [Cow<'static, str>]>,
    /// The DNS names of its addresses: the reverse look-up of an address must return one of these or a name below it, and the
    /// forward look-up of that name must return the address.
    pub hosts: Cow<'static, [Cow<'static, str>]>,
    /// The URL of the operator's page that states it, without the scheme.
    pub source: Cow<'static, str>,
    /// True if that page was read; false if others report what it states.
    pub confirmed: bool,
}

impl Verification {
    /// Returns true if no way is known.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty() && self.hosts.is_empty()
    }
}
