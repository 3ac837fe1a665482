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
mod line;
mod matcher;
#[cfg(feature = "url")]
mod origin;
mod path;
mod pattern;
mod select;
mod text;
pub mod user_agent;
mod verdict;

pub use agent::Crawler;
pub use crawlers::{Crawlers, Governed, Profile, Purpose};
pub use dialect::{Dialect, LINE_LIMIT, SIZE_LIMIT};
pub use directive::Field;
pub use document::{Agent, CrawlDelay, Group, Record, Robots, Rule};
pub use escape::Escaped;
pub use explain::{Considered, Explanation, GroupUsed};
pub use line::{Content, Effect, Line, Lines, RuleKind};
pub use matcher::decide;
pub use matcher::index::Rules;
#[cfg(feature = "url")]
pub use origin::{Origin, OriginError};
pub use text::{Encoding, MAX_BYTES, Size, Text};
pub use verdict::{Answer, Basis, Reason, Verdict};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
