#![doc = include_str!("../docs/book.md")]
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;

mod agent;
pub mod crawlers;
pub mod dialect;
mod directive;
mod document;
mod escape;
mod explain;
mod extent;
mod line;
mod matcher;
#[cfg(feature = "url")]
mod origin;
mod pace;
mod path;
mod pattern;
#[cfg(feature = "url")]
mod plain;
mod records;
mod select;
// Shared with `comity-page`; no part of the public API.
#[doc(hidden)]
pub mod structured;
mod text;
pub mod user_agent;
mod verdict;

pub use agent::Crawler;
pub use crawlers::{AiUse, Crawlers, Governed, Profile, Purpose};
pub use dialect::{Dialect, LINE_LIMIT, READ_LIMIT, SIZE_LIMIT};
pub use directive::Field;
pub use document::{Agent, CrawlDelay, Group, Record, Robots, Rule};
pub use escape::Escaped;
pub use explain::{Considered, Explanation, GroupUsed};
pub use extent::{Extent, Reach};
pub use line::{Content, Effect, Line, Lines, RuleKind};
pub use matcher::decide;
pub use matcher::index::Rules;
#[cfg(feature = "url")]
pub use origin::{Origin, OriginError, without_userinfo};
pub use pace::Pace;
#[cfg(feature = "url")]
#[cfg_attr(docsrs, doc(cfg(feature = "url")))]
pub use plain::is_plain_path;
pub use records::{
    CleanParam, ContentSignal, ContentUsage, Meaning, Preference, Preferences, RequestRate, Signal, Signals,
    StatedPreference, Usage, Window,
};
pub use text::{Encoding, MAX_BYTES, Size, Text};
pub use verdict::{Answer, Basis, Reason, Verdict};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
