//! How a crawler treats the rules of pages.

use alloc::borrow::Cow;

/// How a crawler treats the rules of pages (`X-Robots-Tag`, meta robots), as its operator documents it. Rules are named
/// without their values: `max-snippet`, `noarchive`.
///
/// The engine keeps these columns and does not use them; the crate `comity-page` does. By default, nothing
/// is documented. With the feature `serde`, the keys are those of the fields:
///
/// ```
/// # #[cfg(feature = "serde")] {
/// let row = r#"{"token": "AcmeBot", "operator": "Acme", "purpose": "search",
///               "page_rules": {"heeds": ["noarchive"], "forbid_training": ["noarchive"]}}"#;
/// let profile: comity::Profile = serde_json::from_str(row).unwrap();
/// assert_eq!(*profile.page_rules.forbid_training, ["noarchive"]);
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = CrawlerPageRules))]
#[non_exhaustive]
pub struct PageSupport {
    /// The rules that it heeds, beside `index`, `noindex`, `follow` and `nofollow`, which every crawler does.
    pub heeds: Cow<'static, [Cow<'static, str>]>,
    /// The rules that its operator says it does not heed.
    pub ignores: Cow<'static, [Cow<'static, str>]>,
    /// The rules that forbid to train models on the page.
    pub forbid_training: Cow<'static, [Cow<'static, str>]>,
    /// The rules that forbid to use the page as an input of answers. A `max-snippet` of 0 is a `nosnippet`.
    pub forbid_ai_input: Cow<'static, [Cow<'static, str>]>,
    /// Whether `none` means `nosnippet` in addition to `noindex` and `nofollow`.
    pub none_means_nosnippet: bool,
    /// The names of meta tags that it heeds beside `robots`. If there are none, those of its tokens.
    pub meta_names: Cow<'static, [Cow<'static, str>]>,
    /// Rules that it heeds under names that are not its tokens: `google: nopagereadaloud`.
    pub heeds_under: Cow<'static, [Cow<'static, str>]>,
}

impl PageSupport {
    /// Returns whether nothing is documented.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns whether it heeds a rule under a name that is not one of its tokens.
    pub fn heeds_under(&self, name: &str, rule: &str) -> bool {
        self.heeds_under.iter().filter_map(|entry| entry.split_once(':')).any(|(listed, listed_rule)| {
            listed.trim().eq_ignore_ascii_case(name) && listed_rule.trim().eq_ignore_ascii_case(rule)
        })
    }

    /// Returns whether a list of names contains one, ASCII case folded.
    pub fn lists(names: &[Cow<'static, str>], name: &str) -> bool {
        names.iter().any(|listed| listed.eq_ignore_ascii_case(name))
    }
}
