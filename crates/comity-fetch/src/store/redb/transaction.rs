//! Changes of the tables, in one transaction.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use comity_policy::{StoredRecord, Time};
use redb::{ReadableTable as _, ReadableTableMetadata as _, Table, WriteTransaction};

use super::errors::RedbError;
use super::tables::{self, BODIES, Kept, RECORDS, USES, VERSIONS};
use crate::store::content::ContentHash;
use crate::store::history::{self, Version, VersionCopy};
use crate::store::{ArchiveEntry, Purge, Stored, entry};

/// The tables of a write transaction.
pub(super) struct Tables<'t> {
    records: Table<'t, &'static str, &'static [u8]>,
    versions: Table<'t, &'static str, &'static [u8]>,
    bodies: Table<'t, &'static [u8; 32], &'static [u8]>,
    uses: Table<'t, &'static [u8; 32], u64>,
    /// True if a value that could not be read was replaced, so that the contents that it used are unknown.
    uses_unknown: bool,
    /// True if a large part of the file is unused.
    is_loose: bool,
}

/// The values of an origin before a change.
struct Old {
    contents: BTreeSet<ContentHash>,
    versions: Vec<Version>,
    revision: u64,
}

impl<'t> Tables<'t> {
    /// Opens the tables, and creates those that are missing.
    pub(super) fn open(transaction: &'t WriteTransaction) -> Result<Self, RedbError> {
        Ok(Self {
            records: transaction.open_table(RECORDS)?,
            versions: transaction.open_table(VERSIONS)?,
            bodies: transaction.open_table(BODIES)?,
            uses: transaction.open_table(USES)?,
            uses_unknown: false,
            is_loose: false,
        })
    }

    /// Saves a record, and adds it to its origin's history.
    pub(super) fn save(&mut self, record: &StoredRecord, due: Option<Time>) -> Result<(), RedbError> {
        let copy = VersionCopy::of(record);
        let Old { contents, mut versions, revision } = self.old(&record.origin)?;
        history::add_version(&mut versions, record, copy.as_ref());
        let bodies = record.copy.iter().map(|copy| Arc::clone(&copy.body)).collect();
        self.put(&Kept::new(record, copy.as_ref(), revision + 1, due), &versions, bodies, &contents)
    }

    /// Returns the stored record of an origin.
    pub(super) fn stored(&self, origin: &str) -> Result<Option<Stored>, RedbError> {
        tables::record(&self.records, origin)?.map(|kept| kept.stored(&self.bodies)).transpose()
    }

    /// Replaces the stored data of an origin by an entry, if its last attempt is later. Returns true if it was.
    pub(super) fn restore(&mut self, entry: &ArchiveEntry) -> Result<bool, RedbError> {
        let there = tables::record(&self.records, &entry.record.origin);
        // A stored record that cannot be read must not prevent restoring a good one.
        if let Ok(Some(there)) = there.or_else(passable)
            && !entry::is_later(&entry.record, &there.record)
        {
            return Ok(false);
        }
        let copy = VersionCopy::of(&entry.record);
        let Old { contents, revision, .. } = self.old(&entry.record.origin)?;
        let kept = Kept::new(&entry.record, copy.as_ref(), revision + 1, None);
        self.put(&kept, &entry.versions, entry.bodies.clone(), &contents)?;
        Ok(true)
    }

    /// Removes origins. Returns their number.
    pub(super) fn purge(&mut self, what: &Purge) -> Result<u64, RedbError> {
        let all = self.records.len()?;
        let gone: Vec<String> = match what {
            Purge::All => {
                // This also removes values that cannot be read.
                self.records.retain(|_, _| false)?;
                self.versions.retain(|_, _| false)?;
                self.bodies.retain(|_, _| false)?;
                self.uses.retain(|_, _| false)?;
                self.is_loose = true;
                return Ok(all);
            }
            Purge::Origin(origin) => {
                let origin = origin.to_string();
                if self.records.get(origin.as_str())?.is_some() { vec![origin] } else { Vec::new() }
            }
            Purge::Before(_) => self.taken_by(what)?,
        };
        let count = gone.len() as u64;
        // Less than a quarter will soon be filled again.
        self.is_loose |= all > 1 && count >= all.div_ceil(4);
        for origin in &gone {
            let old = self.old(origin)?;
            self.records.remove(origin.as_str())?;
            self.versions.remove(origin.as_str())?;
            self.release(&old.contents)?;
        }
        Ok(count)
    }

    /// Completes the changes, before the commit. Returns true if the file can be compacted much after it.
    pub(super) fn finish(mut self) -> Result<bool, RedbError> {
        if self.uses_unknown {
            self.recount()?;
        }
        Ok(self.is_loose)
    }

    fn taken_by(&self, what: &Purge) -> Result<Vec<String>, RedbError> {
        let mut gone = Vec::new();
        for row in self.records.iter()? {
            let (origin, value) = row?;
            let kept = tables::unseal_record(origin.value(), value.value());
            let ended = kept.ok().and_then(|kept| kept.record.last.as_ref().map(|last| last.ended));
            if what.includes(origin.value(), ended) {
                gone.push(origin.value().to_owned());
            }
        }
        Ok(gone)
    }

    /// Returns the present values of an origin. Values that cannot be read count as missing: a new record is better
    /// than none.
    fn old(&mut self, origin: &str) -> Result<Old, RedbError> {
        let record = tables::record(&self.records, origin);
        let versions = tables::versions(&self.versions, origin);
        self.uses_unknown |= record.is_err() || versions.is_err();
        let (record, versions) = (record.or_else(passable)?, versions.or_else(passable)?);
        let revision = record.as_ref().map_or(0, |kept| kept.revision);
        let copy = record.and_then(|kept| kept.copy());
        Ok(Old { contents: entry::contents(copy.as_ref(), &versions), versions, revision })
    }

    /// Replaces the values of an origin with these old contents by a record and a history. `bodies` includes those of
    /// all new contents.
    fn put(
        &mut self,
        kept: &Kept,
        versions: &[Version],
        bodies: Vec<Arc<[u8]>>,
        old: &BTreeSet<ContentHash>,
    ) -> Result<(), RedbError> {
        let new = entry::contents(kept.copy().as_ref(), versions);
        let bodies: HashMap<_, _> = bodies.into_iter().map(|body| (ContentHash::of(&body), body)).collect();
        for (hash, body) in bodies.iter().filter(|(hash, _)| new.contains(hash)) {
            // Most exist already. Those that cannot be read are written again, so that a saved record can be loaded.
            if tables::body(&self.bodies, *hash).or_else(passable)?.is_none() {
                self.bodies.insert(hash.as_bytes(), &*tables::compress(body)?)?;
            }
        }
        for hash in new.difference(old) {
            let uses = self.uses.get(hash.as_bytes())?.map_or(0, |uses| uses.value());
            self.uses.insert(hash.as_bytes(), uses + 1)?;
        }
        let origin = kept.record.origin.as_str();
        self.records.insert(origin, &*tables::seal(&RECORDS, origin, kept)?)?;
        self.versions.insert(origin, &*tables::seal(&VERSIONS, origin, &versions)?)?;
        self.release(old.difference(&new))
    }

    /// Removes an origin's use of contents, and contents that no other origin uses.
    fn release<'a>(&mut self, contents: impl IntoIterator<Item = &'a ContentHash>) -> Result<(), RedbError> {
        for hash in contents {
            let uses = self.uses.get(hash.as_bytes())?.map_or(0, |uses| uses.value());
            if uses > 1 {
                self.uses.insert(hash.as_bytes(), uses - 1)?;
            } else {
                self.uses.remove(hash.as_bytes())?;
                self.bodies.remove(hash.as_bytes())?;
            }
        }
        Ok(())
    }

    /// Counts the uses of all contents again, and removes those without any.
    fn recount(&mut self) -> Result<(), RedbError> {
        let mut origins = BTreeSet::new();
        for table in [&self.records, &self.versions] {
            for row in table.iter()? {
                origins.insert(row?.0.value().to_owned());
            }
        }
        let mut uses = BTreeMap::new();
        for origin in origins {
            for hash in self.old(&origin)?.contents {
                *uses.entry(hash).or_insert(0) += 1;
            }
        }
        self.uses.retain(|_, _| false)?;
        for (hash, uses) in &uses {
            self.uses.insert(hash.as_bytes(), uses)?;
        }
        self.bodies.retain(|hash, _| uses.contains_key(&ContentHash::from_bytes(*hash)))?;
        Ok(())
    }
}

/// Returns the default for a value that cannot be read; returns other errors.
fn passable<T: Default>(error: RedbError) -> Result<T, RedbError> {
    if error.0.is_damaged() && !error.0.is_broken() { Ok(T::default()) } else { Err(error) }
}
