//! Changing the tables, in one transaction.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use comity_policy::Record;
use redb::{ReadableTable as _, ReadableTableMetadata as _, Table, WriteTransaction};

use super::tables::{self, BODIES, Kept, RECORDS, USES, VERSIONS};
use crate::store::content::ContentHash;
use crate::store::error::StoreError;
use crate::store::history::{self, Version, VersionCopy};
use crate::store::{Entry, Purge, entry};

/// The tables of a write transaction.
pub(super) struct Tables<'t> {
    records: Table<'t, &'static str, &'static [u8]>,
    versions: Table<'t, &'static str, &'static [u8]>,
    bodies: Table<'t, &'static [u8; 32], &'static [u8]>,
    uses: Table<'t, &'static [u8; 32], u64>,
    /// Something that could not be read was replaced, so nobody knows what it used.
    uses_unknown: bool,
    /// A good part of the file is of no more use.
    is_loose: bool,
}

impl<'t> Tables<'t> {
    /// Opens the tables, and makes those that are not there.
    pub(super) fn open(transaction: &'t WriteTransaction) -> Result<Self, StoreError> {
        Ok(Self {
            records: transaction.open_table(RECORDS)?,
            versions: transaction.open_table(VERSIONS)?,
            bodies: transaction.open_table(BODIES)?,
            uses: transaction.open_table(USES)?,
            uses_unknown: false,
            is_loose: false,
        })
    }

    /// Keeps a record, and enters what it says into its origin's history.
    pub(super) fn save(&mut self, record: &Record) -> Result<(), StoreError> {
        let copy = VersionCopy::of(record);
        let (old, mut versions) = self.old(&record.origin)?;
        history::enter(&mut versions, record, copy.as_ref());
        let bodies = record.copy.iter().map(|copy| Arc::clone(&copy.body)).collect();
        self.put(record, copy.as_ref(), &versions, bodies, &old)
    }

    /// Puts an entry in the place of what is there, if its last attempt is later. Whether it was.
    pub(super) fn restore(&mut self, entry: &Entry) -> Result<bool, StoreError> {
        let there = tables::record(&self.records, &entry.record.origin);
        // What can't be read is no reason to refuse what can.
        if let Ok(Some(there)) = there.or_else(passable)
            && !entry::is_later(&entry.record, &there.record)
        {
            return Ok(false);
        }
        let copy = VersionCopy::of(&entry.record);
        let (old, _) = self.old(&entry.record.origin)?;
        self.put(&entry.record, copy.as_ref(), &entry.versions, entry.bodies.clone(), &old)?;
        Ok(true)
    }

    /// Forgets. How many origins were forgotten.
    pub(super) fn purge(&mut self, what: &Purge) -> Result<u64, StoreError> {
        let all = self.records.len()?;
        let gone: Vec<String> = match what {
            Purge::All => {
                // Whatever is wrong in the tables goes with the rest.
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
            let (old, _) = self.old(origin)?;
            self.records.remove(origin.as_str())?;
            self.versions.remove(origin.as_str())?;
            self.release(&old)?;
        }
        Ok(count)
    }

    /// Puts right what the changes have left open. To be called before the commit. Whether the file can be much smaller
    /// after it.
    pub(super) fn finish(mut self) -> Result<bool, StoreError> {
        if self.uses_unknown {
            self.recount()?;
        }
        Ok(self.is_loose)
    }

    fn taken_by(&self, what: &Purge) -> Result<Vec<String>, StoreError> {
        let mut gone = Vec::new();
        for row in self.records.iter()? {
            let (origin, value) = row?;
            let kept = tables::unseal_record(origin.value(), value.value());
            let ended = kept.ok().and_then(|kept| kept.record.last.as_ref().map(|last| last.ended));
            if what.takes(origin.value(), ended) {
                gone.push(origin.value().to_owned());
            }
        }
        Ok(gone)
    }

    /// The contents that an origin has now, and its history. What can't be read counts as not there: a new record is
    /// better than none.
    fn old(&mut self, origin: &str) -> Result<(BTreeSet<ContentHash>, Vec<Version>), StoreError> {
        let record = tables::record(&self.records, origin);
        let versions = tables::versions(&self.versions, origin);
        self.uses_unknown |= record.is_err() || versions.is_err();
        let (record, versions) = (record.or_else(passable)?, versions.or_else(passable)?);
        let copy = record.and_then(|kept| kept.copy());
        Ok((entry::contents(copy.as_ref(), &versions), versions))
    }

    /// Puts a record and a history in the place of what had these contents. With the bodies of all contents that are
    /// new, at least.
    fn put(
        &mut self,
        record: &Record,
        copy: Option<&VersionCopy>,
        versions: &[Version],
        bodies: Vec<Arc<[u8]>>,
        old: &BTreeSet<ContentHash>,
    ) -> Result<(), StoreError> {
        let new = entry::contents(copy, versions);
        let bodies: HashMap<_, _> = bodies.into_iter().map(|body| (ContentHash::of(&body), body)).collect();
        for (hash, body) in bodies.iter().filter(|(hash, _)| new.contains(hash)) {
            // Most are there. Those that can't be read are written again: what was saved can be loaded.
            if tables::body(&self.bodies, *hash).or_else(passable)?.is_none() {
                self.bodies.insert(hash.as_bytes(), &*tables::compress(body)?)?;
            }
        }
        for hash in new.difference(old) {
            let uses = self.uses.get(hash.as_bytes())?.map_or(0, |uses| uses.value());
            self.uses.insert(hash.as_bytes(), uses + 1)?;
        }
        let origin = record.origin.as_str();
        self.records.insert(origin, &*tables::seal(&RECORDS, origin, &Kept::new(record, copy))?)?;
        self.versions.insert(origin, &*tables::seal(&VERSIONS, origin, &versions)?)?;
        self.release(old.difference(&new))
    }

    /// Tells that an origin has these contents no more, and drops those that no other one has.
    fn release<'a>(&mut self, contents: impl IntoIterator<Item = &'a ContentHash>) -> Result<(), StoreError> {
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

    /// Counts the uses of all contents anew, and drops those that no origin has.
    fn recount(&mut self) -> Result<(), StoreError> {
        let mut origins = BTreeSet::new();
        for table in [&self.records, &self.versions] {
            for row in table.iter()? {
                origins.insert(row?.0.value().to_owned());
            }
        }
        let mut uses = BTreeMap::new();
        for origin in origins {
            for hash in self.old(&origin)?.0 {
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

/// Nothing, in the place of something that can't be read; other errors stay.
fn passable<T: Default>(error: StoreError) -> Result<T, StoreError> {
    if error.is_damaged() && !error.is_broken() { Ok(T::default()) } else { Err(error) }
}
