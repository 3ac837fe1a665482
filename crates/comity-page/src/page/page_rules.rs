//! The rules of a page for one crawler: all statements that it obeys, of which the most restrictive apply.

use std::fmt;

use comity::{Crawler, Crawlers, Escaped};

use super::date::Moment;
use super::rule::{ImagePreview, Limit, PageRule};
use super::statement::{Relation, Source, Statement};

/// The rules of a page for one crawler, returned by [`Page::rules_for`](crate::Page::rules_for). Each field is the
/// first statement of its rule, or `None` if there is no such statement.
#[derive(Clone, Debug, Default)]
#[must_use]
#[non_exhaustive]
pub struct PageRules<'p> {
    /// The page must not be shown in results: `noindex` or `none`.
    pub noindex: Option<&'p Statement>,
    /// The links must not be followed: `nofollow` or `none`.
    pub nofollow: Option<&'p Statement>,
    /// No snippet may be shown: `nosnippet`, for Apple also `none`.
    pub nosnippet: Option<&'p Statement>,
    /// The lowest of the limits for snippets, in characters.
    pub max_snippet: Option<(Limit, &'p Statement)>,
    /// The smallest of the sizes that the page states for previews of its images.
    pub max_image_preview: Option<(ImagePreview, &'p Statement)>,
    /// The lowest of the limits for previews of videos, in seconds.
    pub max_video_preview: Option<(Limit, &'p Statement)>,
    /// The earliest moment from which the page is treated as `noindex`.
    pub unavailable_after: Option<(Moment, &'p Statement)>,
    /// No translation may be offered.
    pub notranslate: Option<&'p Statement>,
    /// Images of the page must not be indexed.
    pub noimageindex: Option<&'p Statement>,
    /// The page may be indexed as a part of pages that embed it, for example in an `iframe`, in spite of `noindex`.
    pub indexifembedded: Option<&'p Statement>,
    /// No copy may be shown.
    pub noarchive: Option<&'p Statement>,
    /// Only address, title and snippet may be used.
    pub nocache: Option<&'p Statement>,
    /// The page must not be used for AI.
    pub noai: Option<&'p Statement>,
    /// Images must not be used for AI.
    pub noimageai: Option<&'p Statement>,
    /// The page must not be read aloud.
    pub nopagereadaloud: Option<&'p Statement>,
    /// All statements for this crawler, or for every crawler, that the crawler understands.
    pub applied: Vec<&'p Statement>,
    /// The statements for other crawlers.
    pub others: Vec<&'p Statement>,
    /// The statements for this crawler, or for every crawler, that have no effect.
    pub ignored: Vec<(&'p Statement, Ignored<'p>)>,
}

/// The reason why a statement has no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Ignored<'p> {
    /// The name of the rule is not known.
    Unknown,
    /// The rule is known, but its value is not understood.
    NotUnderstood,
    /// The feature that the rule is about no longer exists.
    Obsolete,
    /// `indexifembedded` has an effect only together with `noindex`.
    WithoutNoindex,
    /// The crawler obeys no meta tag of that name: see [`PageSupport::meta_names`](comity::PageSupport::meta_names). In
    /// the built-in table, only Google's search is that strict: it obeys `robots`, `googlebot` and `googlebot-news`.
    NotInMeta,
    /// The field has another name than `X-Robots-Tag`.
    OtherField,
    /// The meta tag does not have the form `<meta name="robots" content="…">`, or that with this name in place of
    /// `robots`.
    OtherTag(&'p str),
}

impl fmt::Display for Ignored<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = match self {
            Self::Unknown => "no such rule is known",
            Self::NotUnderstood => "the value is not understood",
            Self::Obsolete => "the feature no longer exists",
            Self::WithoutNoindex => "it has an effect only together with noindex",
            Self::NotInMeta => "the crawler obeys no meta tags of that name",
            Self::OtherField => "crawlers read the field X-Robots-Tag only",
            Self::OtherTag(name) => {
                let name = Escaped(name.as_bytes());
                return write!(f, "crawlers read the form <meta name=\"{name}\" content=\"…\"> only");
            }
        };
        f.pad(reason)
    }
}

impl<'p> PageRules<'p> {
    /// Returns the limit on the text that may be shown, and the statement that sets it. `nosnippet` is a limit of 0.
    #[must_use]
    pub fn snippet(&self) -> Option<(Limit, &'p Statement)> {
        self.nosnippet.map(|statement| (Limit::To(0), statement)).or(self.max_snippet)
    }

    pub(super) fn take(&mut self, statement: &'p Statement, crawler: &Crawler<'_>, crawlers: &Crawlers) {
        match statement.relation_to(crawler, crawlers) {
            Relation::Obeyed => {}
            Relation::ForOthers => return self.others.push(statement),
            Relation::NotInMeta => return self.ignored.push((statement, Ignored::NotInMeta)),
        }
        match statement.source {
            Source::OtherField => return self.ignored.push((statement, Ignored::OtherField)),
            Source::OtherTag => {
                let name = statement.agent.as_deref().unwrap_or("robots");
                return self.ignored.push((statement, Ignored::OtherTag(name)));
            }
            Source::XRobotsTag | Source::RobotsTag | Source::Meta => {}
        }
        let set = |place: &mut Option<&'p Statement>| {
            place.get_or_insert(statement);
        };
        match statement.rule {
            PageRule::All | PageRule::Index | PageRule::Follow => {}
            PageRule::NoIndex => set(&mut self.noindex),
            PageRule::NoFollow => set(&mut self.nofollow),
            PageRule::None => {
                set(&mut self.noindex);
                set(&mut self.nofollow);
                if crawler.profile().is_some_and(|profile| profile.page_rules.none_means_nosnippet) {
                    set(&mut self.nosnippet);
                }
            }
            PageRule::NoSnippet => set(&mut self.nosnippet),
            PageRule::MaxSnippet(limit) => least(&mut self.max_snippet, limit, statement),
            PageRule::MaxImagePreview(size) => least(&mut self.max_image_preview, size, statement),
            PageRule::MaxVideoPreview(limit) => least(&mut self.max_video_preview, limit, statement),
            PageRule::UnavailableAfter(moment) => least(&mut self.unavailable_after, moment, statement),
            PageRule::NoTranslate => set(&mut self.notranslate),
            PageRule::NoImageIndex => set(&mut self.noimageindex),
            PageRule::IndexIfEmbedded => set(&mut self.indexifembedded),
            PageRule::NoArchive => set(&mut self.noarchive),
            PageRule::NoCache => set(&mut self.nocache),
            PageRule::NoAi => set(&mut self.noai),
            PageRule::NoImageAi => set(&mut self.noimageai),
            PageRule::NoPageReadAloud => set(&mut self.nopagereadaloud),
            PageRule::NoSitelinksSearchBox | PageRule::NoOdp | PageRule::NoYdir => {
                return self.ignored.push((statement, Ignored::Obsolete));
            }
            PageRule::NotUnderstood { .. } => return self.ignored.push((statement, Ignored::NotUnderstood)),
            PageRule::Unknown => return self.ignored.push((statement, Ignored::Unknown)),
        }
        self.applied.push(statement);
    }
}

/// Writes all restrictions as one value, such as `noindex, max-snippet:20`, or `all` if nothing is restricted.
impl fmt::Display for PageRules<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flags = [
            (self.noindex, PageRule::NoIndex),
            (self.nofollow, PageRule::NoFollow),
            (self.nosnippet, PageRule::NoSnippet),
            (self.notranslate, PageRule::NoTranslate),
            (self.noimageindex, PageRule::NoImageIndex),
            (self.indexifembedded, PageRule::IndexIfEmbedded),
            (self.noarchive, PageRule::NoArchive),
            (self.nocache, PageRule::NoCache),
            (self.noai, PageRule::NoAi),
            (self.noimageai, PageRule::NoImageAi),
            (self.nopagereadaloud, PageRule::NoPageReadAloud),
        ];
        let flags = flags.into_iter().filter_map(|(statement, rule)| statement.map(|_| rule));
        let valued = [
            self.max_snippet.map(|(limit, _)| PageRule::MaxSnippet(limit)),
            self.max_image_preview.map(|(size, _)| PageRule::MaxImagePreview(size)),
            self.max_video_preview.map(|(limit, _)| PageRule::MaxVideoPreview(limit)),
            self.unavailable_after.map(|(moment, _)| PageRule::UnavailableAfter(moment)),
        ];
        let mut is_empty = true;
        for rule in flags.chain(valued.into_iter().flatten()) {
            write!(f, "{}{rule}", if is_empty { "" } else { ", " })?;
            is_empty = false;
        }
        if is_empty { f.write_str("all") } else { Ok(()) }
    }
}

/// Keeps the lower value, and the first of equal ones.
fn least<'p, T: Ord>(place: &mut Option<(T, &'p Statement)>, value: T, statement: &'p Statement) {
    if place.as_ref().is_none_or(|(known, _)| value < *known) {
        *place = Some((value, statement));
    }
}
