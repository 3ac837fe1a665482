//! Checks of everything in the file.

use std::collections::{BTreeMap, BTreeSet};

use redb::{ReadTransaction, ReadableTable as _, ReadableTableMetadata as _};

use super::errors::RedbError;
use super::tables::{self, BODIES, RECORDS, USES, VERSIONS};
use crate::store::content::ContentHash;
use crate::store::entry;
use crate::store::report::VerifyReport;

/// Reads every value, and compares the tables with each other. The database's pages were checked when the file was opened.
pub(super) fn verify(transaction: &ReadTransaction) -> Result<VerifyReport, RedbError> {
    let records = transaction.open_table(RECORDS)?;
    let versions = transaction.open_table(VERSIONS)?;
    let bodies = transaction.open_table(BODIES)?;
    let uses = transaction.open_table(USES)?;

    let mut report = VerifyReport::default();
    let mut owners: BTreeMap<ContentHash, u64> = BTreeMap::new();
    for row in records.iter()? {
        let (origin, value) = row?;
        let origin = origin.value();
        report.origins += 1;
        let copy = match tables::unseal_record(origin, value.value()) {
            Ok(kept) => kept.copy(),
            Err(error) => {
                report.add(Some(origin), None, error.0.what());
                None
            }
        };
        let history = tables::versions(&versions, origin).unwrap_or_else(|error| {
            report.add(Some(origin), None, error.0.what());
            Vec::new()
        });
        for hash in entry::contents(copy.as_ref(), &history) {
            *owners.entry(hash).or_default() += 1;
            if bodies.get(hash.as_bytes())?.is_none() {
                report.add(Some(origin), Some(hash), "is missing");
            }
        }
        if records.get(origin)?.is_none() {
            report.add(Some(origin), None, "is there and can't be found");
        }
    }
    let mut histories = 0;
    for row in versions.iter()? {
        let (origin, _) = row?;
        histories += 1;
        if records.get(origin.value())?.is_none() {
            report.add(Some(origin.value()), None, "has a history and no record");
        }
    }
    for row in bodies.iter()? {
        let (hash, value) = row?;
        let hash = ContentHash::from_bytes(*hash.value());
        report.bodies += 1;
        if tables::decompress(hash, value.value()).is_err() {
            report.add(None, Some(hash), "is not as it was written");
        }
        if bodies.get(hash.as_bytes())?.is_none() {
            report.add(None, Some(hash), "is there and can't be found");
        }
        if !owners.contains_key(&hash) {
            report.add(None, Some(hash), "belongs to no origin");
        }
    }
    let mut counted = BTreeSet::new();
    for row in uses.iter()? {
        let (hash, uses) = row?;
        let hash = ContentHash::from_bytes(*hash.value());
        counted.insert(hash);
        let found = owners.get(&hash).copied().unwrap_or_default();
        if uses.value() != found {
            let message = format!("is counted for {} origins, and belongs to {found}", uses.value());
            report.add(None, Some(hash), message);
        }
    }
    for hash in owners.keys().filter(|hash| !counted.contains(hash)) {
        report.add(None, Some(*hash), "is not counted");
    }
    let lengths = [records.len()?, versions.len()?, bodies.len()?, uses.len()?];
    let found = [report.origins, histories, report.bodies, counted.len() as u64];
    if lengths != found {
        report.add(None, None, format!("the tables should have {lengths:?} entries, and {found:?} were found"));
    }
    Ok(report)
}
