//! The page rules that a crawler supports.

use alloc::borrow::Cow;

/// The page rules (`X-Robots-Tag`, meta robots) that a crawler supports, as documented by its operator. Rules are
/// listed without their values: `max-snippet`, `noarchive`.
///
/// The engine only stores these columns; the crate `comity-page` uses them. By default, nothing is documented. With the
/// feature `serde`, the keys are the names of the fields:
///
/// ```
/// # #[cfg(feature = "serde")] {
/// let row = r#"{"token": "AcmeBot", "operator": "Acme", "purpose": "search",
///               "page_rules": {"supports": ["noarchive"], "forbid_training": ["noarchive"]}}"#;
/// let profile: comity::Profile = serde_json::from_str(row).unwrap();
/// assert_eq!(*profile.page_rules.forbid_training, ["noarchive"]);
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
#[non_exhaustive]
pub struct PageSupport {
    /// The rules that it obeys, besides `index`, `noindex`, `follow` and `nofollow`, which every crawler obeys.
    pub supports: Cow<'static, [Cow<'static, str>]>,
    /// The rules that it ignores according to its operator.
    pub ignores: Cow<'static, [Cow<'static, str>]>,
    /// The rules that forbid training models on the page.
    pub forbid_training: Cow<'static, [Cow<'static, str>]>,
    /// The rules that forbid using the page as input for answers. A `max-snippet` of 0 counts as `nosnippet`.
    pub forbid_ai_input: Cow<'static, [Cow<'static, str>]>,
    /// True if `none` means `nosnippet` in addition to `noindex` and `nofollow`.
    pub none_means_nosnippet: bool,
    /// The names of meta tags that it obeys besides `robots`. If empty, these are its tokens.
    pub meta_names: Cow<'static, [Cow<'static, str>]>,
    /// The rules that it obeys under names that are not its tokens, such as `google: nopagereadaloud`.
    pub supports_under: Cow<'static, [Cow<'static, str>]>,
}

impl PageSupport {
    /// Returns true if nothing is documented.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns true if it obeys a rule under a name that is not one of its tokens.
    pub fn supports_under(&self, name: &str, rule: &str) -> bool {
        self.supports_under.iter().filter_map(|entry| entry.split_once(':')).any(|(listed, listed_rule)| {
            listed.trim().eq_ignore_ascii_case(name) && listed_rule.trim().eq_ignore_ascii_case(rule)
        })
    }

    /// Returns true if a list contains a name, ignoring ASCII case.
    pub fn lists(names: &[Cow<'static, str>], name: &str) -> bool {
        names.iter().any(|listed| listed.eq_ignore_ascii_case(name))
    }
}
