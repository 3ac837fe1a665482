//! A row of the crawler table.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::crawler::page_support::PageSupport;
use crate::dialect::Dialect;

/// What is known of one crawler, by its product token.
///
/// Rows of your own are made with [`Profile::new`] or, with the feature `serde`, read from any format:
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
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Crawler))]
#[non_exhaustive]
pub struct Profile {
    /// The product token, in the operator's spelling.
    pub token: Cow<'static, str>,
    /// Who runs it.
    pub operator: Cow<'static, str>,
    /// What it fetches for.
    pub purpose: Purpose,
    /// What AI it fetches for, where the purpose does not say it; [`ai_use`](Self::ai_use) knows both.
    #[cfg_attr(feature = "serde", serde(default))]
    pub ai: Option<AiUse>,
    /// The tokens that are tried, in this order, when no group names its own; then `*`.
    #[cfg_attr(feature = "serde", serde(default))]
    pub fallback: Cow<'static, [Cow<'static, str>]>,
    /// Whether the `*` groups bind it when no group names it.
    #[cfg_attr(feature = "serde", serde(default = "yes", alias = "obeys-star"))]
    pub obeys_star: bool,
    /// Whether robots.txt governs it at all.
    #[cfg_attr(feature = "serde", serde(default))]
    pub governed: Governed,
    /// Whether it heeds `Crawl-delay`.
    #[cfg_attr(feature = "serde", serde(default, alias = "crawl-delay"))]
    pub crawl_delay: DelaySupport,
    /// The dialect that its operator's crawlers read robots.txt files in. Defaults to the standard one, which is assumed where the operator documents nothing else.
    #[cfg_attr(feature = "serde", serde(default))]
    #[cfg_attr(feature = "openapi", schema(value_type = String, example = "google"))]
    pub dialect: Dialect,
    /// How it treats the rules of pages. Defaults to nothing documented.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "PageSupport::is_empty"))]
    pub page_rules: PageSupport,
    /// Where its operator documents it, without the scheme; empty if nowhere.
    #[cfg_attr(feature = "serde", serde(default))]
    pub docs: Cow<'static, str>,
    /// Whether the row was read in the operator's own documentation, rather than inferred or reported.
    #[cfg_attr(feature = "serde", serde(default))]
    pub confirmed: bool,
    /// Whether the operator has retired it.
    #[cfg_attr(feature = "serde", serde(default))]
    pub retired: bool,
    /// What else there is to know, in a sentence; often empty.
    #[cfg_attr(feature = "serde", serde(default))]
    pub note: Cow<'static, str>,
}

#[cfg(feature = "serde")]
fn yes() -> bool {
    true
}

impl Profile {
    /// A crawler that obeys robots.txt, its own groups first and then those of `*`.
    pub fn new(token: impl Into<Cow<'static, str>>, operator: impl Into<Cow<'static, str>>, purpose: Purpose) -> Self {
        Self {
            token: token.into(),
            operator: operator.into(),
            purpose,
            ai: None,
            fallback: Cow::Borrowed(&[]),
            obeys_star: true,
            governed: Governed::Yes,
            crawl_delay: DelaySupport::Unknown,
            dialect: Dialect::STANDARD,
            page_rules: PageSupport::default(),
            docs: Cow::Borrowed(""),
            confirmed: false,
            retired: false,
            note: Cow::Borrowed(""),
        }
    }

    /// The same with tokens to try when no group names its own.
    #[must_use]
    pub fn with_fallback<T: Into<Cow<'static, str>>>(mut self, tokens: impl IntoIterator<Item = T>) -> Self {
        self.fallback = tokens.into_iter().map(Into::into).collect::<Vec<_>>().into();
        self
    }

    /// The same for a crawler that the `*` groups don't bind.
    #[must_use]
    pub fn ignoring_star(mut self) -> Self {
        self.obeys_star = false;
        self
    }

    /// The same with another answer to whether robots.txt governs it.
    #[must_use]
    pub fn with_governed(mut self, governed: Governed) -> Self {
        self.governed = governed;
        self
    }

    /// The same for a crawler that reads robots.txt files in another dialect than the standard one.
    #[must_use]
    pub fn with_dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// The same with what its operator documents of the rules of pages.
    #[must_use]
    pub fn with_page_rules(mut self, page_rules: PageSupport) -> Self {
        self.page_rules = page_rules;
        self
    }

    /// The same with another use for AI than its purpose says.
    #[must_use]
    pub fn with_ai_use(mut self, ai: AiUse) -> Self {
        self.ai = Some(ai);
        self
    }

    /// What AI it fetches for, if any: of an archive that models are trained on, training.
    ///
    /// ```
    /// use comity::{AiUse, Crawler};
    ///
    /// let ai_use = |name| Crawler::known(name).unwrap().profile().unwrap().ai_use();
    /// assert_eq!(ai_use("GPTBot"), Some(AiUse::Training));
    /// assert_eq!(ai_use("CCBot"), Some(AiUse::Training)); // an archive by purpose
    /// assert_eq!(ai_use("FeedFetcher-Google"), None); // a person asks, and no model answers
    /// ```
    pub fn ai_use(&self) -> Option<AiUse> {
        let by_purpose = match self.purpose {
            Purpose::AiTraining => AiUse::Training,
            Purpose::AiSearch => AiUse::Search,
            Purpose::UserTriggered => AiUse::UserTriggered,
            _ => AiUse::None,
        };
        Some(self.ai.unwrap_or(by_purpose)).filter(|ai| *ai != AiUse::None)
    }

    /// Its own token, then its fallback tokens.
    pub fn chain(&self) -> impl Iterator<Item = &str> {
        core::iter::once(self.token.as_ref()).chain(self.fallback.iter().map(AsRef::as_ref))
    }
}

/// What a crawler fetches for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub enum Purpose {
    /// A search engine's index.
    Search,
    /// Answers and search by a language model.
    AiSearch,
    /// Training of models, or data sold for it.
    AiTraining,
    /// A person who asked for this page just now.
    UserTriggered,
    /// Advertising: landing pages, placements.
    Ads,
    /// Link previews.
    Preview,
    /// Reports for site owners and marketers.
    Seo,
    /// An archive of the web.
    Archive,
    /// Safety and malware checks.
    Security,
    /// A tool that its operator offers to site owners.
    Tool,
    /// Something else.
    Other,
}

crate::__names! {
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
    /// Returns the words for people, such as `AI search`.
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

/// What AI a crawler fetches for, by [`Profile::ai_use`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub enum AiUse {
    /// Models are trained on it.
    Training,
    /// Models search in it, and answer with it.
    Search,
    /// A person asked for this page, and a model reads it for them.
    UserTriggered,
    /// No model gets it.
    None,
}

crate::__names! {
    AiUse is "a use by AI" {
        Training = "training",
        Search = "search",
        UserTriggered = "user-triggered",
        None = "none",
    }, Display
}

impl AiUse {
    /// Returns the words for people, such as `AI search`.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Training => "AI training",
            Self::Search => "AI search",
            Self::UserTriggered => "fetched because a person asks",
            Self::None => "no AI",
        }
    }
}

/// Whether robots.txt governs a crawler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub enum Governed {
    /// Its operator says that it obeys.
    #[default]
    Yes,
    /// Its operator says that it may pass over the rules: verdicts are advisory.
    MayBypass,
    /// Its operator says that it does not heed robots.txt: there is no verdict.
    No,
    /// A control token: it makes no requests; its groups say what may be done with pages that others fetched.
    ControlToken,
    /// Its operator does not say, or is reported not to obey: verdicts are advisory.
    Unstated,
}

crate::__names! {
    Governed is "an answer to whether robots.txt governs a crawler" {
        Yes = "yes",
        MayBypass = "may-bypass",
        No = "no",
        ControlToken = "control-token",
        Unstated = "unstated",
    }, Display
}

impl Governed {
    /// Whether a verdict only says what the file asks for, not what the crawler will do.
    pub fn is_advisory(self) -> bool {
        matches!(self, Self::MayBypass | Self::Unstated)
    }
}

/// Whether a crawler heeds `Crawl-delay`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub enum DelaySupport {
    /// Yes.
    Heeded,
    /// No.
    Ignored,
    /// Not documented.
    #[default]
    Unknown,
}

crate::__names! {
    DelaySupport is "an answer to whether a crawler heeds crawl-delays" {
        Heeded = "heeded",
        Ignored = "ignored",
        Unknown = "unknown",
    }, Display
}
