//! Rows of the crawler table.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::crawler::page_support::PageSupport;
use crate::crawler::uses::Uses;
use crate::crawler::verification::Verification;
use crate::dialect::Dialect;
use crate::name::names;

/// A row of the crawler table: the documented facts about one crawler.
///
/// Create your own rows with [`Profile::new`] or, with the feature `serde`, deserialize them:
///
/// ```
/// use comity::{Crawler, Crawlers, Profile, Purpose, Robots};
///
/// let mut crawlers = Crawlers::builtin();
/// crawlers.add(Profile::new("AcmeBot-Images", "Acme", Purpose::Search).with_fallback(["AcmeBot"]));
///
/// let robots = Robots::parse(b"User-agent: AcmeBot\nDisallow: /img/\n");
/// let acme = Crawler::from(crawlers.find("acmebot-images").unwrap());
/// assert!(robots.check(&acme, "/img/a.png").is_disallowed());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct Profile {
    /// The product token, in the operator's spelling.
    pub token: Cow<'static, str>,
    /// The operator of the crawler.
    pub operator: Cow<'static, str>,
    /// The purpose that it fetches pages for.
    pub purpose: Purpose,
    /// The uses of the pages, if they are stated: see [`uses`](Self::uses). All rows of the built-in table state them.
    #[cfg_attr(
        feature = "serde",
        serde(default, rename = "uses", deserialize_with = "some", skip_serializing_if = "Option::is_none")
    )]
    pub stated_uses: Option<Uses>,
    /// The tokens that are looked up, in this order and before `*`, if no group names the crawler's own token.
    #[cfg_attr(feature = "serde", serde(default))]
    pub fallback: Cow<'static, [Cow<'static, str>]>,
    /// True if the groups for `*` apply to it when no group names it.
    #[cfg_attr(feature = "serde", serde(default = "yes", alias = "obeys-star"))]
    pub obeys_star: bool,
    /// The statement of its operator on whether it obeys robots.txt.
    #[cfg_attr(feature = "serde", serde(default))]
    pub governed: Governed,
    /// The support for `Crawl-delay`.
    #[cfg_attr(feature = "serde", serde(default, alias = "crawl-delay"))]
    pub crawl_delay: DelaySupport,
    /// The dialect in which it parses robots.txt files. Defaults to the standard dialect, which is assumed where the
    /// operator documents no other.
    #[cfg_attr(feature = "serde", serde(default))]
    pub dialect: Dialect,
    /// The page rules that it supports. By default, nothing is documented.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "PageSupport::is_empty"))]
    pub page_rules: PageSupport,
    /// The ways to verify that a request is from it. By default, none is known.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Verification::is_empty"))]
    pub verification: Verification,
    /// The URL of its documentation by the operator, or else of a public list that describes it, without the scheme;
    /// empty if there is none.
    #[cfg_attr(feature = "serde", serde(default))]
    pub docs: Cow<'static, str>,
    /// The month in which the row was last compared with its sources, such as `2026-11`; empty if it is not known.
    #[cfg_attr(feature = "serde", serde(default))]
    pub checked: Cow<'static, str>,
    /// True if the row is confirmed by the operator's own documentation, false if it is inferred or reported.
    #[cfg_attr(feature = "serde", serde(default))]
    pub confirmed: bool,
    /// True if the operator has retired it.
    #[cfg_attr(feature = "serde", serde(default))]
    pub retired: bool,
    /// A note of one or more sentences; often empty.
    #[cfg_attr(feature = "serde", serde(default))]
    pub note: Cow<'static, str>,
}

#[cfg(feature = "serde")]
fn some<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Uses>, D::Error> {
    serde::Deserialize::deserialize(deserializer).map(Some)
}

#[cfg(feature = "serde")]
fn yes() -> bool {
    true
}

impl Profile {
    /// Creates a row for a crawler that obeys robots.txt: the groups that name it, else those for `*`.
    pub fn new(token: impl Into<Cow<'static, str>>, operator: impl Into<Cow<'static, str>>, purpose: Purpose) -> Self {
        Self {
            token: token.into(),
            operator: operator.into(),
            purpose,
            stated_uses: None,
            fallback: Cow::Borrowed(&[]),
            obeys_star: true,
            governed: Governed::Yes,
            crawl_delay: DelaySupport::Unknown,
            dialect: Dialect::STANDARD,
            page_rules: PageSupport::default(),
            verification: Verification::default(),
            docs: Cow::Borrowed(""),
            checked: Cow::Borrowed(""),
            confirmed: false,
            retired: false,
            note: Cow::Borrowed(""),
        }
    }

    /// Sets the tokens that are looked up if no group names its own. Defaults to none.
    #[must_use]
    pub fn with_fallback<T: Into<Cow<'static, str>>>(mut self, tokens: impl IntoIterator<Item = T>) -> Self {
        self.fallback = tokens.into_iter().map(Into::into).collect::<Vec<_>>().into();
        self
    }

    /// Returns the uses of the pages that it fetches: those that are stated, or else those that its purpose implies, with
    /// its documentation as their source.
    ///
    /// ```
    /// use comity::{Crawler, Use};
    ///
    /// let crawler = Crawler::known("bingbot").unwrap();
    /// let uses = crawler.profile().unwrap().uses();
    /// assert_eq!(uses.iter().map(|(used, _)| used).collect::<Vec<_>>(), [Use::Training, Use::Search]);
    /// assert_eq!(uses.source(Use::Training), Some("developers.cloudflare.com/bots/additional-configurations/block-ai-bots/"));
    /// ```
    pub fn uses(&self) -> Uses {
        self.stated_uses.clone().unwrap_or_else(|| Uses::of_purpose(self.purpose, self.docs.clone()))
    }

    /// Returns true if it fetches pages for AI: for training, for a model that a person asks, or for a search engine that
    /// answers by a model. False for other search engines, which may use the pages for training, too: a rule against it
    /// would remove the pages from the search engine.
    ///
    /// ```
    /// use comity::Crawler;
    ///
    /// let is_for_ai = |name| Crawler::known(name).unwrap().profile().unwrap().is_for_ai();
    /// assert!(is_for_ai("GPTBot") && is_for_ai("OAI-SearchBot"));
    /// assert!(is_for_ai("CCBot")); // an archive that models are trained on
    /// assert!(!is_for_ai("FeedFetcher-Google")); // a person asks, and no model answers
    /// assert!(!is_for_ai("Googlebot"));
    /// ```
    pub fn is_for_ai(&self) -> bool {
        let uses = self.uses();
        let is_used = uses.training.is_some() || uses.agent.is_some();
        self.purpose == Purpose::AiSearch || self.purpose != Purpose::Search && is_used
    }

    /// Returns its own token and then its fallback tokens.
    pub fn chain(&self) -> impl Iterator<Item = &str> {
        core::iter::once(self.token.as_ref()).chain(self.fallback.iter().map(AsRef::as_ref))
    }
}

/// The purpose that a crawler fetches pages for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Purpose {
    /// Pages for the index of a search engine.
    Search,
    /// Pages that a language model searches and answers with.
    AiSearch,
    /// Data for the training of models, including data that is sold for this purpose.
    AiTraining,
    /// A request by a person, who has just asked for this page.
    UserTriggered,
    /// Advertising: checks of landing pages and of pages that show ads.
    Ads,
    /// Link previews.
    Preview,
    /// Reports for site owners and marketers.
    Seo,
    /// An archive of the web.
    Archive,
    /// Safety and malware checks.
    Security,
    /// A tool that the crawler's operator offers to site owners.
    Tool,
    /// Something else.
    Other,
}

names! {
    Purpose is "a purpose" {
        Search = "search",
        AiSearch = "ai-search",
        AiTraining = "ai-training",
        UserTriggered = "user-triggered",
        Ads = "ads",
        Preview = "preview",
        Seo = "seo",
        Archive = "archive",
        Security = "security",
        Tool = "tool",
        Other = "other",
    }, Display
}

impl Purpose {
    /// Returns a label for people, such as `AI search`.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::AiSearch => "AI search",
            Self::AiTraining => "AI training",
            Self::UserTriggered => "user-triggered",
            Self::Ads => "ads",
            Self::Preview => "preview",
            Self::Seo => "SEO",
            Self::Archive => "archive",
            Self::Security => "security",
            Self::Tool => "tool",
            Self::Other => "other",
        }
    }
}

/// The statement of an operator on whether a crawler obeys robots.txt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Governed {
    /// Its operator states that it obeys robots.txt.
    #[default]
    Yes,
    /// Its operator states that it may bypass the rules. Verdicts are advisory.
    MayBypass,
    /// Its operator states that it does not obey robots.txt. The answer is "not governed".
    No,
    /// A control token: it makes no requests, and its groups control the use of pages that others fetched.
    ControlToken,
    /// Its operator makes no statement, or it is reported not to obey. Verdicts are advisory.
    Unstated,
}

names! {
    Governed is "an answer to whether robots.txt governs a crawler" {
        Yes = "yes",
        MayBypass = "may-bypass",
        No = "no",
        ControlToken = "control-token",
        Unstated = "unstated",
    }, Display
}

impl Governed {
    /// Returns true if a verdict is only a request of the file, and the crawler may ignore it.
    pub fn is_advisory(self) -> bool {
        matches!(self, Self::MayBypass | Self::Unstated)
    }
}

/// The support of a crawler for `Crawl-delay`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum DelaySupport {
    /// It obeys `Crawl-delay`.
    Obeyed,
    /// It ignores `Crawl-delay`.
    Ignored,
    /// Not documented.
    #[default]
    Unknown,
}

names! {
    DelaySupport is "an answer to whether a crawler obeys crawl-delays" {
        Obeyed = "obeyed",
        Ignored = "ignored",
        Unknown = "unknown",
    }, Display
}
