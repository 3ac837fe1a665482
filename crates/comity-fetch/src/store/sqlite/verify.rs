//! Checks of everything in the file.

use std::collections::BTreeSet;

use super::errors::{SqliteError, broken};
use super::tables::{self, CONTENT, Tables, bytes};
use super::transaction::millis;
use crate::store::content::ContentHash;
use crate::store::entry;
use crate::store::report::VerifyReport;

/// Checks the pages, reads every value, and compares the tables with each other.
pub(super) fn verify(tables: Tables<'_>) -> Result<VerifyReport, SqliteError> {
    // A single wrong pointer can hide half of a table from the rest of this.
    let pages: String = tables.0.query_row("pragma integrity_check(1)", [], |row| row.get(0))?;
    if pages != "ok" {
        return Err(broken(&pages).into());
    }
    let mut report = VerifyReport::default();
    let mut used = BTreeSet::new();
    let mut records = tables.0.prepare("select id, origin, record, history, ended from records order by origin")?;
    let mut rows = records.query([])?;
    while let Some(row) = rows.next()? {
        report.origins += 1;
        let origin: String = row.get(1)?;
        let kept = tables::unseal_record(&origin, bytes(row, 2)).map(Some);
        let kept = kept.unwrap_or_else(|error| {
            report.add(Some(&origin), None, error.0.what());
            None
        });
        let history = tables::unseal_history(&origin, bytes(row, 3)).unwrap_or_else(|error| {
            report.add(Some(&origin), None, error.0.what());
            Vec::new()
        });
        if let Some(kept) = &kept
            && kept.record.last.as_ref().map(|last| millis(last.ended)) != row.get(4)?
        {
            report.add(Some(&origin), None, "contradicts the end of its last attempt");
        }
        let contents = entry::contents(kept.and_then(|kept| kept.copy()).as_ref(), &history);
        let noted = tables.uses(row.get(0)?)?;
        for hash in contents.difference(&noted) {
            report.add(Some(&origin), Some(*hash), "is used, and not noted");
        }
        for hash in noted.difference(&contents) {
            report.add(Some(&origin), Some(*hash), "is noted, and not used");
        }
        used.extend(contents);
    }
    let mut bodies = tables.0.prepare(&format!("select hash, {CONTENT} from bodies order by hash"))?;
    let mut rows = bodies.query([])?;
    while let Some(row) = rows.next()? {
        report.bodies += 1;
        let hash = ContentHash::from_bytes(row.get(0)?);
        if tables::decompress(hash, bytes(row, 1)).is_err() {
            report.add(None, Some(hash), "is not as it was written");
        }
        if !used.remove(&hash) {
            report.add(None, Some(hash), "belongs to no origin");
        }
    }
    for hash in used {
        report.add(None, Some(hash), "is missing");
    }
    Ok(report)
}
