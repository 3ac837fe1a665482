//! Statements of a page, and the crawlers that obey them.

use std::fmt;

use comity::{Crawler, Crawlers, Escaped, PageSupport, Profile, Purpose};

use super::rule::PageRule;
use super::value;

/// A statement of a page for crawlers: one rule, and the crawler that it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Statement {
    /// The source.
    pub source: Source,
    /// The line there, from 1, if the caller gave it.
    pub line: Option<u32>,
    /// The name of the crawler that it is for, as written. `None` for every crawler.
    pub agent: Option<String>,
    /// The text as written.
    pub text: String,
    /// The rule.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serialize_rule"))]
    pub rule: PageRule,
}

#[cfg(feature = "serde")]
fn serialize_rule<S: serde::Serializer>(rule: &PageRule, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(rule)
}

/// The source of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Source {
    /// The HTTP field `X-Robots-Tag`.
    XRobotsTag,
    /// The HTTP field `Robots-Tag` (draft-illyes-repext-03).
    RobotsTag,
    /// A meta tag.
    Meta,
    /// An HTTP field with another name, which no crawler reads. The text is the whole field.
    OtherField,
    /// A meta tag of another form, which no crawler reads. The text is the whole tag.
    OtherTag,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::XRobotsTag => "X-Robots-Tag",
            Self::RobotsTag => "Robots-Tag",
            Self::Meta => "meta tag",
            Self::OtherField => "HTTP field that crawlers do not read",
            Self::OtherTag => "meta tag that crawlers do not read",
        })
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.source, &self.agent) {
            (Source::Meta, agent) => {
                let name = agent.as_deref().unwrap_or("robots");
                write!(f, "<meta name=\"{}\"> {}", Escaped(name.as_bytes()), Escaped(self.text.as_bytes()))
            }
            (Source::OtherField | Source::OtherTag, _) => write!(f, "{}", Escaped(self.text.as_bytes())),
            (source, None) => write!(f, "{source}: {}", Escaped(self.text.as_bytes())),
            (source, Some(agent)) => {
                write!(f, "{source}: {}: {}", Escaped(agent.as_bytes()), Escaped(self.text.as_bytes()))
            }
        }
    }
}

impl Statement {
    pub(super) fn new(source: Source, line: Option<u32>, item: value::Item<'_>) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { source, line, agent: item.agent.map(text), text: text(item.text), rule: item.rule }
    }

    /// Returns the relation of a crawler to the statement: the crawler obeys it, it is not for the crawler, or it is
    /// for the crawler but has no effect.
    pub(super) fn relation_to(&self, crawler: &Crawler<'_>, crawlers: &Crawlers) -> Relation {
        let profile = crawler.profile();
        let Some(agent) = &self.agent else {
            // Google's AdsBot obeys only meta tags that name it.
            let is_ads = profile.is_some_and(|profile| profile.purpose == Purpose::Ads);
            return if is_ads && self.source == Source::Meta { Relation::ForOthers } else { Relation::Obeyed };
        };
        if profile.is_some_and(|profile| profile.page_rules.supports_under(agent, self.rule.name())) {
            return Relation::Obeyed;
        }
        let is_same_operator = |token: &[u8]| {
            profile.is_none_or(|profile| {
                token.eq_ignore_ascii_case(profile.token.as_bytes())
                    || std::str::from_utf8(token)
                        .ok()
                        .and_then(|token| crawlers.find(token))
                        .is_none_or(|row| row.operator == profile.operator)
            })
        };
        let is_named =
            crawler.tokens().any(|token| token.eq_ignore_ascii_case(agent.as_bytes()) && is_same_operator(token));
        let is_meta_name = |profile: &Profile| {
            let names = &profile.page_rules.meta_names;
            names.is_empty() || PageSupport::lists(names, agent)
        };
        match is_named {
            false => Relation::ForOthers,
            true if self.source == Source::Meta && !profile.is_none_or(is_meta_name) => Relation::NotInMeta,
            true => Relation::Obeyed,
        }
    }
}

/// The reason why a crawler obeys or ignores a statement.
pub(super) enum Relation {
    /// The statement names the crawler, or all crawlers.
    Obeyed,
    /// The statement names only other crawlers.
    ForOthers,
    /// The statement names the crawler, but in a meta tag with a name that the crawler ignores.
    NotInMeta,
}
