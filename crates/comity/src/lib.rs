#![doc = include_str!("../docs/book.md")]
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;

mod crawler;
pub mod dialect;
mod document;
mod escape;
mod explain;
mod extent;
mod inline_vec;
mod matcher;
mod name;
mod normal_form;
#[cfg(feature = "url")]
mod origin;
mod parse;
mod records;
pub mod spelling;
#[cfg(feature = "url")]
#[cfg_attr(docsrs, doc(cfg(feature = "url")))]
pub mod url;
mod verdict;

pub use crawler::crawlers::{Crawlers, DelaySupport, Governed, PageSupport, Profile, Purpose, Use, Uses, Verification};
pub use crawler::identity::Crawler;
pub use crawler::selection::Basis;
pub use crawler::token_error::TokenError;
pub use crawler::{crawlers, user_agent};
pub use dialect::{Dialect, LINE_LIMIT, READ_LIMIT, SIZE_LIMIT};
pub use document::{Agent, CrawlDelay, Group, Record, Robots, Rule};
pub use escape::Escaped;
pub use explain::{Considered, Explanation, GroupUsed};
pub use extent::{Extent, Reach};
pub use matcher::compiled::Rules;
pub use matcher::decide;
pub use name::UnknownName;
pub use normal_form::unsent_octets;
#[cfg(feature = "url")]
#[cfg_attr(docsrs, doc(cfg(feature = "url")))]
pub use origin::{Origin, OriginError};
pub use parse::directive::Field;
pub use parse::line::{Content, Line, Lines, RuleEffect, RuleKind};
pub use parse::source_text::{Encoding, MAX_BYTES, Size, SourceText};
pub use records::structured;
pub use records::{
    CleanParam, ContentSignal, ContentUsage, Meaning, Pace, Preference, Preferences, RequestRate, Signal, Signals,
    StatedPreference, Usage, Window,
};
#[cfg(feature = "serde")]
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
pub use verdict::VerdictFields;
pub use verdict::{Answer, Reason, Verdict};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
