//! The answers of comity as data: the documents that its command prints with `--format json` and that its service
//! sends. They are built only in this crate, so that the command and the service give an answer in the same shape.
//!
//! A [`Question`] is a URL to check, and a [`CrawlerQuery`] is the crawler to check it for. A [`Check`] answers by a given
//! file, by the files of the sites themselves, or by the access to a site without rules.
//! [`Inspection`], [`Matrix`], [`AiReport`] and [`Linted`] are about one file, [`SiteFacts`] and [`FetchLog`] about a
//! site. [`Diff`] and [`Proof`] are about all URLs, and a [`VersionChange`] is the difference between two versions of a
//! site's file. A [`BatchLine`] is a line of a batch. A [`PageCheck`] is about a page, its rules and its resources, a
//! [`SitemapCheck`] about the pages that sitemaps list. [`generate()`] writes a file from choices.
//!
//! This crate does not print, read files or use the network, except that [`Check::find`] uses the client that it is
//! given.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod ai;
mod answer;
mod batch;
mod check;
mod choices;
mod copy;
mod crawler_query;
mod diff;
mod document;
mod error;
mod fetch_log;
mod files;
mod generate;
mod headline;
mod history;
mod inspect;
mod lines;
mod lint;
mod matrix;
mod operator;
mod outage;
mod overview;
mod page;
mod pattern;
mod prove;
mod question;
mod refusal;
mod scope;
mod site;
mod sitemaps;
mod test;
mod variants;

pub use ai::{AiReport, AiRow, Stated, UsageStatement};
pub use answer::{
    AnswerReason, CheckRow, Explain, Explained, PolicyReason, SingleAnswer, SiteRef, VerdictOrPolicy, deciding_line,
    verdict_or_policy,
};
pub use batch::{BatchLine, BatchQuestion, BatchRules, BatchUrls, LineCrawler, LineError, LineLimits, MAX_AGENTS};
pub use check::{Answered, Check};
pub use copy::{CopyFacts, CopySource};
pub use crawler_query::{CrawlerQuery, crawler_queries, similar};
pub use diff::{
    Diff, DiffAnswer, DiffBeside, DiffChange, DiffDelay, DiffException, DiffFile, DiffListed, DiffManaged, DiffOmitted,
    DiffOutcome, DiffRule, DiffSignal, DiffSignalValue, DiffSitemaps, DiffWords,
};
pub use document::{CheckDocument, FileDocument};
pub use error::AskError;
pub use fetch_log::{ExchangeFacts, FetchLog};
pub use files::Files;
pub use generate::{
    GenerateChoices, GenerateError, GeneratePreset, Generated, HeaderServer, generate, generate_headers,
};
pub use headline::{Headline, Tone, counted, number, open_to, site_headline};
pub use history::{VersionChange, history_headline, version_changes};
pub use inspect::{
    IgnoredLine, InspectedAgent, InspectedGroup, InspectedRecord, InspectedRule, Inspection, Note, never_matches,
};
pub use lines::{capitalized, looks_like, looks_like_html, shorten, shown as lines};
pub use lint::{Bounded, Finding, FixRun, Fixing, Linted, Related, columns, line_start};
pub use matrix::{DialectDifference, Matrix, MatrixRow, usual_names};
pub use operator::{OperatorAnswer, OperatorAnswers, OperatorQuestion, Readings};
pub use outage::if_it_lasts;
pub use overview::{Overview, OverviewPart, OverviewTopic};
pub use page::{
    HeaderSignal, IgnoredStatement, MAX_PAGE_BYTES, MAX_RESOURCE_SITES, Mining, NamedLicense, PageCheck, PageDocument,
    PageHop, PageResources, PageResponse, PageSources, PageTerms, ResourceKind, ResourceRow, read_answer,
};
pub use pattern::pattern_words;
pub use prove::{ClaimKind, ClaimText, Proof, ProofCounterexample, ProofOutcome, ProvenClaim, ungoverned};
pub use question::{MAX_URL_BYTES, Question, Questions, accepts_raw_urls, site_of};
pub use refusal::{is_refused, is_unanswered};
pub use scope::ProofScope;
pub use site::{SiteFacts, SiteVersions, Stamp, VersionFacts, robots_url, stamp, unknown_coding};
pub use sitemaps::{
    CheckedSitemap, NESTED_INDEX, NamedSitemap, SitemapCheck, SitemapCounts, SitemapRow, SitemapsDocument,
};
pub use test::{TestCase, TestRun};
pub use variants::{SiteVariant, Variants, site_variants};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
