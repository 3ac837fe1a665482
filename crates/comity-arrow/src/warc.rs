//! Archives of robots.txt files, as Common Crawl publishes them (WARC, one gzip member for each record).
//!
//! [`WarcReader`] reads the records of an archive. [`ArchivedFetch::of`] decides what a record means, by a policy of
//! `comity-policy`. [`SiteBatches`] collects the results as two tables: the sites, and the distinct bodies.

mod batches;
mod fetch;
mod reader;

pub use batches::{SiteBatches, bodies_schema, sites_schema};
pub use fetch::{ArchivedFetch, ArchivedOutcome};
pub use reader::{WarcError, WarcReader, WarcRecord};
