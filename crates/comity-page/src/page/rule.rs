//! The known rules of pages, and the crawlers that obey them.

use std::fmt;

use comity::{PageSupport, Profile};

use super::date::Moment;

/// One rule of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PageRule {
    /// `all`: nothing is restricted, which is the default.
    All,
    /// `index`: the default.
    Index,
    /// `follow`: the default.
    Follow,
    /// `noindex`: the page must not be shown in results.
    NoIndex,
    /// `nofollow`: the links must not be followed.
    NoFollow,
    /// `none`: `noindex` and `nofollow`.
    None,
    /// `nosnippet`: no text of the page may be shown, or used for answers.
    NoSnippet,
    /// `max-snippet`: the maximum number of characters of text that may be shown.
    MaxSnippet(Limit),
    /// `max-image-preview`: the maximum size of previews of images.
    MaxImagePreview(ImagePreview),
    /// `max-video-preview`: the maximum number of seconds of a video that may be shown.
    MaxVideoPreview(Limit),
    /// `notranslate`: no translation may be offered.
    NoTranslate,
    /// `noimageindex`: images on the page must not be indexed.
    NoImageIndex,
    /// `unavailable_after`: the same as `noindex` from this moment on.
    UnavailableAfter(Moment),
    /// `indexifembedded`: together with `noindex`, the page may be indexed where it is embedded.
    IndexIfEmbedded,
    /// `noarchive`: no copy may be shown. Some operators do not use such pages for answers or training.
    NoArchive,
    /// `nocache`: answers may only use address, title and snippet.
    NoCache,
    /// `nositelinkssearchbox`: no search box for the site. Without effect, because search boxes were discontinued.
    NoSitelinksSearchBox,
    /// `noodp`: no description from a directory that no longer exists.
    NoOdp,
    /// `noydir`: no description from a directory that no longer exists.
    NoYdir,
    /// `noai`: the page must not be used for AI. It has no specification.
    NoAi,
    /// `noimageai`: images must not be used for AI. It has no specification.
    NoImageAi,
    /// `nopagereadaloud`: the page must not be read aloud.
    NoPageReadAloud,
    /// A known rule with a malformed value. It has no effect.
    #[non_exhaustive]
    NotUnderstood {
        /// The form of the value that was expected, for messages.
        expected: &'static str,
    },
    /// Any other text. It has no effect.
    Unknown,
}

/// A limit on the part of a page that may be shown. Ordered from less to more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(clippy::exhaustive_enums, reason = "there is no third way")]
pub enum Limit {
    /// At most this much; 0 means nothing.
    To(u32),
    /// No limit: `-1`.
    Unlimited,
}

/// The maximum size of a preview. Ordered from less to more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum ImagePreview {
    /// No preview.
    None,
    /// A preview of the usual size.
    Standard,
    /// A preview as large as the viewport.
    Large,
}

/// Rules without a value.
const FLAGS: [(&str, PageRule); 19] = [
    ("all", PageRule::All),
    ("index", PageRule::Index),
    ("follow", PageRule::Follow),
    ("noindex", PageRule::NoIndex),
    ("nofollow", PageRule::NoFollow),
    ("none", PageRule::None),
    ("nosnippet", PageRule::NoSnippet),
    ("notranslate", PageRule::NoTranslate),
    ("noimageindex", PageRule::NoImageIndex),
    ("indexifembedded", PageRule::IndexIfEmbedded),
    ("noarchive", PageRule::NoArchive),
    ("nocache", PageRule::NoCache),
    ("nositelinkssearchbox", PageRule::NoSitelinksSearchBox),
    ("noodp", PageRule::NoOdp),
    ("noydir", PageRule::NoYdir),
    ("noai", PageRule::NoAi),
    ("noimageai", PageRule::NoImageAi),
    ("nopagereadaloud", PageRule::NoPageReadAloud),
    // `archive` is often written as the opposite of `noarchive`, and is the default.
    ("archive", PageRule::All),
];

const MAX_SNIPPET: &str = "max-snippet";
const MAX_IMAGE_PREVIEW: &str = "max-image-preview";
const MAX_VIDEO_PREVIEW: &str = "max-video-preview";
pub(super) const UNAVAILABLE_AFTER: &str = "unavailable_after";

/// Returns true if a name is that of a rule with a value, and so never that of a crawler.
pub(super) fn has_value(name: &[u8]) -> bool {
    [MAX_SNIPPET, MAX_IMAGE_PREVIEW, MAX_VIDEO_PREVIEW, UNAVAILABLE_AFTER]
        .iter()
        .any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
}

impl PageRule {
    /// Returns the rule without a value that has this name. ASCII case does not matter.
    pub(super) fn flag(name: &[u8]) -> Self {
        let known = FLAGS.iter().find(|(known, _)| name.eq_ignore_ascii_case(known.as_bytes()));
        known.map_or(Self::Unknown, |(_, rule)| *rule)
    }

    /// Returns the rule with this name and value.
    pub(super) fn valued(name: &[u8], value: &[u8]) -> Self {
        let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
        let (rule, expected) = if is(MAX_SNIPPET) {
            (limit(value).map(Self::MaxSnippet), "expected a number of characters, or -1")
        } else if is(MAX_VIDEO_PREVIEW) {
            (limit(value).map(Self::MaxVideoPreview), "expected a number of seconds, or -1")
        } else if is(MAX_IMAGE_PREVIEW) {
            (ImagePreview::parse(value).map(Self::MaxImagePreview), "expected none, standard or large")
        } else if is(UNAVAILABLE_AFTER) {
            (Moment::parse(value).map(Self::UnavailableAfter), "expected a date such as 2030-01-31 or 31 Jan 2030")
        } else {
            (Some(Self::Unknown), "")
        };
        rule.unwrap_or(Self::NotUnderstood { expected })
    }

    /// Returns the name of the rule in its usual spelling, without the value. Empty for an unknown rule and for one
    /// that is not understood.
    pub fn name(&self) -> &'static str {
        match self {
            Self::MaxSnippet(_) => MAX_SNIPPET,
            Self::MaxImagePreview(_) => MAX_IMAGE_PREVIEW,
            Self::MaxVideoPreview(_) => MAX_VIDEO_PREVIEW,
            Self::UnavailableAfter(_) => UNAVAILABLE_AFTER,
            flag => FLAGS.iter().find(|(_, rule)| rule == flag).map_or("", |(name, _)| name),
        }
    }

    /// Returns true if the rule restricts anything, as far as it is understood.
    #[must_use]
    pub fn is_restriction(&self) -> bool {
        !matches!(
            self,
            Self::All
                | Self::Index
                | Self::Follow
                | Self::IndexIfEmbedded
                | Self::NoOdp
                | Self::NoYdir
                | Self::NoSitelinksSearchBox
                | Self::NotUnderstood { .. }
                | Self::Unknown
                | Self::MaxSnippet(Limit::Unlimited)
                | Self::MaxVideoPreview(Limit::Unlimited)
                | Self::MaxImagePreview(ImagePreview::Large)
        )
    }

    /// Returns the support of the rule by a crawler, as listed in its row of the [crawler table](comity::crawlers).
    ///
    /// ```
    /// use comity::{Crawlers, Profile, Purpose};
    /// use comity_page::{PageRule, Support};
    ///
    /// let crawlers = Crawlers::builtin();
    /// let support = |token| PageRule::NoArchive.support_by(crawlers.find(token).unwrap());
    /// assert_eq!(support("bingbot"), Support::Supported);
    /// assert_eq!(support("Googlebot"), Support::Ignored);
    /// let acme = Profile::new("AcmeBot", "Acme", Purpose::Search);
    /// assert_eq!(PageRule::NoArchive.support_by(&acme), Support::Unknown);
    /// ```
    pub fn support_by(&self, crawler: &Profile) -> Support {
        match self {
            Self::All | Self::Index | Self::Follow | Self::NoIndex | Self::NoFollow => Support::Supported,
            Self::NoOdp | Self::NoYdir | Self::Unknown | Self::NotUnderstood { .. } => Support::Ignored,
            rule if PageSupport::lists(&crawler.page_rules.supports, rule.name()) => Support::Supported,
            rule if PageSupport::lists(&crawler.page_rules.ignores, rule.name()) => Support::Ignored,
            _ => Support::Unknown,
        }
    }
}

/// The support of a rule by a crawler, as documented by its operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[must_use]
#[non_exhaustive]
pub enum Support {
    /// The operator states that the crawler obeys the rule.
    Supported,
    /// The operator states that the crawler does not obey the rule, or no longer does.
    Ignored,
    /// Not documented.
    Unknown,
}

impl ImagePreview {
    fn parse(value: &[u8]) -> Option<Self> {
        let sizes = [(&b"none"[..], Self::None), (b"standard", Self::Standard), (b"large", Self::Large)];
        sizes.into_iter().find(|(name, _)| value.eq_ignore_ascii_case(name)).map(|(_, size)| size)
    }
}

/// Parses `-1` or digits. A number that is too large becomes the greatest one, which no page exceeds.
fn limit(value: &[u8]) -> Option<Limit> {
    if value == b"-1" {
        return Some(Limit::Unlimited);
    }
    let is_number = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
    let add = |number: u32, digit: &u8| number.saturating_mul(10).saturating_add(u32::from(digit - b'0'));
    is_number.then(|| Limit::To(value.iter().fold(0, add)))
}

impl fmt::Display for PageRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Self::MaxSnippet(limit) | Self::MaxVideoPreview(limit) => write!(f, ":{limit}"),
            Self::MaxImagePreview(size) => write!(f, ":{size}"),
            Self::UnavailableAfter(moment) => write!(f, ":{moment}"),
            Self::NotUnderstood { expected } => f.write_str(expected),
            Self::Unknown => f.write_str("unknown"),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::To(number) => number.fmt(f),
            Self::Unlimited => f.write_str("-1"),
        }
    }
}

impl fmt::Display for ImagePreview {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::None => "none",
            Self::Standard => "standard",
            Self::Large => "large",
        })
    }
}
