//! Rows of the built-in table, in the short form in which it is written.

use alloc::borrow::Cow;

use crate::crawler::page_support::PageSupport;
use crate::crawler::profile::{DelaySupport, Governed, Profile, Purpose};
use crate::crawler::uses::Uses;
use crate::crawler::verification::Verification;
use crate::dialect::Dialect;

type Names = &'static [Cow<'static, str>];

/// A list of tokens or names.
macro_rules! names {
    ($($name:literal),+) => { const { &[$(Cow::Borrowed($name)),+] } };
}
pub(super) use names;

/// A row without its token, operator and purpose. It is `Copy`, so that rows can use struct update syntax, which
/// `Profile` does not allow because of its destructor.
#[derive(Clone, Copy)]
pub(super) struct Facts {
    /// The sources of the uses.
    pub(super) training: Option<&'static str>,
    pub(super) search: Option<&'static str>,
    pub(super) agent: Option<&'static str>,
    pub(super) fallback: Names,
    pub(super) obeys_star: bool,
    pub(super) governed: Governed,
    pub(super) crawl_delay: DelaySupport,
    pub(super) dialect: Dialect,
    pub(super) pages: Pages,
    pub(super) ranges: Names,
    pub(super) hosts: Names,
    pub(super) verified_by: &'static str,
    pub(super) docs: &'static str,
    pub(super) checked: &'static str,
    pub(super) confirmed: bool,
    pub(super) retired: bool,
    pub(super) note: &'static str,
}

/// The columns of [`PageSupport`], in the same order.
#[derive(Clone, Copy)]
pub(super) struct Pages {
    pub(super) supports: Names,
    pub(super) ignores: Names,
    pub(super) forbid_training: Names,
    pub(super) forbid_ai_input: Names,
    pub(super) none_means_nosnippet: bool,
    pub(super) meta_names: Names,
    pub(super) supports_under: Names,
}

/// The columns of a crawler whose operator documents no page rules.
pub(super) const NO_PAGES: Pages = Pages {
    supports: &[],
    ignores: &[],
    forbid_training: &[],
    forbid_ai_input: &[],
    none_means_nosnippet: false,
    meta_names: &[],
    supports_under: &[],
};

/// The defaults of a row.
pub(super) const FACTS: Facts = Facts {
    training: None,
    search: None,
    agent: None,
    fallback: &[],
    obeys_star: true,
    governed: Governed::Yes,
    crawl_delay: DelaySupport::Unknown,
    dialect: Dialect::STANDARD,
    pages: NO_PAGES,
    ranges: &[],
    hosts: &[],
    verified_by: "",
    docs: "",
    checked: "",
    confirmed: false,
    retired: false,
    note: "",
};

#[allow(clippy::large_types_passed_by_value, reason = "it runs when the program is compiled")]
pub(super) const fn row(token: &'static str, operator: &'static str, purpose: Purpose, facts: Facts) -> Profile {
    Profile {
        token: Cow::Borrowed(token),
        operator: Cow::Borrowed(operator),
        purpose,
        stated_uses: Some(Uses {
            training: borrowed(facts.training),
            search: borrowed(facts.search),
            agent: borrowed(facts.agent),
        }),
        fallback: Cow::Borrowed(facts.fallback),
        obeys_star: facts.obeys_star,
        governed: facts.governed,
        crawl_delay: facts.crawl_delay,
        dialect: facts.dialect,
        page_rules: PageSupport {
            supports: Cow::Borrowed(facts.pages.supports),
            ignores: Cow::Borrowed(facts.pages.ignores),
            forbid_training: Cow::Borrowed(facts.pages.forbid_training),
            forbid_ai_input: Cow::Borrowed(facts.pages.forbid_ai_input),
            none_means_nosnippet: facts.pages.none_means_nosnippet,
            meta_names: Cow::Borrowed(facts.pages.meta_names),
            supports_under: Cow::Borrowed(facts.pages.supports_under),
        },
        verification: Verification {
            ranges: Cow::Borrowed(facts.ranges),
            hosts: Cow::Borrowed(facts.hosts),
            source: Cow::Borrowed(detail(facts.verified_by)),
            confirmed: false,
        },
        docs: Cow::Borrowed(detail(facts.docs)),
        checked: Cow::Borrowed(detail(facts.checked)),
        confirmed: facts.confirmed,
        retired: facts.retired,
        note: Cow::Borrowed(detail(facts.note)),
    }
}

const fn borrowed(source: Option<&'static str>) -> Option<Cow<'static, str>> {
    match source {
        Some(source) => Some(Cow::Borrowed(detail(source))),
        None => None,
    }
}

/// Returns a text of the feature `references`, which is empty without it.
const fn detail(text: &'static str) -> &'static str {
    if cfg!(feature = "references") { text } else { "" }
}
