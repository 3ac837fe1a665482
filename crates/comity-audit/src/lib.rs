#![doc = include_str!("../README.md")]

mod audit;
mod auditor;
mod claims;
mod identity;
mod judge;
mod ranges;
mod report;
mod report_builder;
mod tally;
mod timeline;

pub use audit::{ALL_TIMES, Audit};
pub use auditor::Auditor;
pub use claims::Standing;
pub use identity::{DnsAnswer, DnsAnswers};
pub use judge::UnjudgedReason;
pub use ranges::{NotAList, RangeList, RangeLists, rfc3339};
pub use report::{
    AskedRow, AuditReport, CrawlerRow, DelayRow, ExampleRow, IdentityRow, ImpostorRow, LineProblem, Privacy, RuleRow,
    Totals,
};
pub use tally::Tally;
pub use timeline::{ForceVersion, GRACE, Timeline};
