//! What comity answers, as data: the documents that its command prints with `--format json` and that its service
//! sends. They are made here and nowhere else, so that there is one shape, whoever asks.
//!
//! Questions are [`Question`]s by [`CrawlerQuery`]s; a [`FileCheck`] puts them to a file that is at hand, a [`LiveCheck`] to
//! the sites' own, an [`AccessCheck`] to a site without one. [`Inspection`], [`Matrix`], [`AiReport`] and [`Linted`] are about one file, [`SiteFacts`] and
//! [`Story`] about a site. [`Object`] is a line of a batch.
//!
//! Nothing here prints, reads files or talks to the network by itself.
//!
//! # Features
//!
//! - `openapi`: schemas of the documents, by utoipa.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod access;
mod ai;
mod check;
mod choices;
mod crawler_query;
mod diff;
mod error;
mod files;
mod inspect;
pub mod json;
mod lines;
mod lint;
mod matrix;
mod object;
mod operator;
mod question;
mod row;
#[cfg(feature = "openapi")]
mod schema;
mod site;
mod story;

pub use access::AccessCheck;
pub use ai::{AiReport, AiRow, Stated, Statement};
pub use check::{Answered, FileCheck, LiveCheck, deciding_line};
pub use crawler_query::{CrawlerQuery, askers, similar};
pub use diff::{Diff, DiffAnswer, DiffChange, DiffFile, DiffOutcome, DiffRule};
pub use error::AskError;
pub use files::{Files, Parsed};
pub use inspect::{Ignored, InspectedAgent, InspectedGroup, InspectedRecord, InspectedRule, Inspection, Note};
pub use lines::{looks_like_html, shown as lines};
pub use lint::{Bounded, Edit, Finding, FixRun, Fixing, Linted, NotApplied, Related, columns, line_start};
pub use matrix::{Difference, Matrix, MatrixRow, usual_names};
pub use object::{MOST_AGENTS, Object, ObjectError, Who};
pub use operator::OperatorAnswer;
pub use question::{Question, Questions, accepts_raw_urls, site_of};
pub use row::{Explain, Explained, Row, Sentences, SiteRef, VerdictOrPolicy, why_without_rules};
pub use site::{EventFacts, HopFacts, SiteFacts, VersionFacts, robots_url, stamp};
pub use story::{StepFacts, Story};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
