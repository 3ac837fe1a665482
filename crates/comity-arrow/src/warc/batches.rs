//! Archived fetches as columns.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::builder::{BinaryBuilder, BooleanBuilder, StringBuilder, TimestampMillisecondBuilder, UInt16Builder};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};
use foldhash::fast::RandomState;
use sha2::{Digest, Sha256};

use super::fetch::{ArchivedFetch, ArchivedOutcome};

/// Returns the columns of the sites: `origin`, `fetched`, `status`, `outcome`, `truncated`, `html` and `body_hash`.
pub fn sites_schema() -> SchemaRef {
    let time = DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into()));
    Arc::new(Schema::new(vec![
        Field::new("origin", DataType::Utf8, false),
        Field::new("fetched", time, true),
        Field::new("status", DataType::UInt16, true),
        Field::new("outcome", DataType::Utf8, false),
        Field::new("truncated", DataType::Boolean, false),
        Field::new("html", DataType::Boolean, false),
        Field::new("body_hash", DataType::Binary, true),
    ]))
}

/// Returns the columns of the bodies: `hash`, the SHA-256 of the body, and `body`.
pub fn bodies_schema() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("hash", DataType::Binary, false),
        Field::new("body", DataType::Binary, false),
    ]))
}

/// Collects archived fetches as batches of sites and of distinct bodies.
///
/// It remembers the hash of each body, in about 64 bytes, so that each body is in one batch only.
#[derive(Debug, Default)]
pub struct SiteBatches {
    seen: HashSet<[u8; 32], RandomState>,
    sites: Sites,
    bodies: Bodies,
}

#[derive(Debug, Default)]
struct Sites {
    origin: StringBuilder,
    fetched: TimestampMillisecondBuilder,
    status: UInt16Builder,
    outcome: StringBuilder,
    truncated: BooleanBuilder,
    html: BooleanBuilder,
    body_hash: BinaryBuilder,
    rows: usize,
}

#[derive(Debug, Default)]
struct Bodies {
    hash: BinaryBuilder,
    body: BinaryBuilder,
    bytes: usize,
}

impl SiteBatches {
    /// Returns the SHA-256 of a body.
    pub fn hash(body: &[u8]) -> [u8; 32] {
        Sha256::digest(body).into()
    }

    /// Adds a fetch. The hash is that of its body, if it has one.
    pub fn add(&mut self, fetch: &ArchivedFetch, hash: Option<[u8; 32]>) {
        let sites = &mut self.sites;
        sites.origin.append_value(fetch.origin.as_str());
        sites.fetched.append_option(fetch.fetched.map(|seconds| seconds.saturating_mul(1_000)));
        sites.status.append_option(fetch.status);
        sites.outcome.append_value(fetch.outcome.name());
        sites.truncated.append_value(fetch.is_truncated);
        sites.html.append_value(fetch.is_html);
        sites.body_hash.append_option(hash);
        sites.rows += 1;
        debug_assert_eq!(fetch.body.is_some(), fetch.outcome == ArchivedOutcome::Rules);
        if let (Some(body), Some(hash)) = (&fetch.body, hash)
            && self.seen.insert(hash)
        {
            self.bodies.hash.append_value(hash);
            self.bodies.body.append_value(body);
            self.bodies.bytes += body.len();
        }
    }

    /// Returns the number of sites since the last [`finish_sites`](Self::finish_sites).
    pub fn sites(&self) -> usize {
        self.sites.rows
    }

    /// Returns the number of bytes of bodies since the last [`finish_bodies`](Self::finish_bodies).
    pub fn body_bytes(&self) -> usize {
        self.bodies.bytes
    }

    /// Returns the number of distinct bodies so far.
    pub fn distinct_bodies(&self) -> usize {
        self.seen.len()
    }

    /// Returns the sites since the last call.
    ///
    /// # Errors
    ///
    /// Does not fail for the columns of this crate.
    pub fn finish_sites(&mut self) -> Result<RecordBatch, ArrowError> {
        let sites = &mut self.sites;
        sites.rows = 0;
        let fetched = sites.fetched.finish().with_timezone("UTC");
        RecordBatch::try_new(
            sites_schema(),
            vec![
                Arc::new(sites.origin.finish()),
                Arc::new(fetched),
                Arc::new(sites.status.finish()),
                Arc::new(sites.outcome.finish()),
                Arc::new(sites.truncated.finish()),
                Arc::new(sites.html.finish()),
                Arc::new(sites.body_hash.finish()),
            ],
        )
    }

    /// Returns the distinct bodies since the last call.
    ///
    /// # Errors
    ///
    /// Does not fail for the columns of this crate.
    pub fn finish_bodies(&mut self) -> Result<RecordBatch, ArrowError> {
        let bodies = &mut self.bodies;
        bodies.bytes = 0;
        RecordBatch::try_new(bodies_schema(), vec![Arc::new(bodies.hash.finish()), Arc::new(bodies.body.finish())])
    }
}
