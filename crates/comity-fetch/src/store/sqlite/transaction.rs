//! Changes of the tables, in a transaction.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use comity_policy::{StoredRecord, Time};
use rusqlite::params;

use super::errors::SqliteError;
use super::tables::{self, Kept, Tables, bytes, passable};
use super::writer::Done;
use crate::store::content::ContentHash;
use crate::store::history::{self, Version, VersionCopy};
use crate::store::{ArchiveEntry, Purge, Stored, Ticket, entry};

impl Tables<'_> {
    /// Grants a lease, unless another one is held, or there is a record that is fresh at `due_at`.
    ///
    /// Leases use the clock of the machine, which all processes share. One that begins in the future is not held: the clock
    /// was set back since.
    pub(super) fn begin(self, ticket: &Ticket, span: Duration, due_at: Option<Time>) -> Result<Done, SqliteError> {
        let origin = ticket.origin().as_str();
        if let Some(now) = due_at
            && let Some(kept) = self.record(origin).or_else(passable)?.filter(|kept| kept.is_fresh(now))
            // If the body cannot be read, a new one is needed.
            && let Some(stored) = self.with_body(kept).map(Some).or_else(passable)?
        {
            return Ok(Done::Fresh(Box::new(stored)));
        }
        let now = millis(SystemTime::now().into());
        let held = "select ends - ?2 from leases where origin = ?1 and began <= ?2 and ends > ?2";
        if let Some(until) = self.one(held, params![origin, now], |row| Ok(row.get::<_, i64>(0)?))? {
            return Ok(Done::Held(Duration::from_millis(until.try_into().unwrap_or_default())));
        }
        let ends = now.saturating_add(span.as_millis().try_into().unwrap_or(i64::MAX));
        let grant = "insert or replace into leases (origin, ticket, began, ends) values (?, ?, ?, ?)";
        self.0.execute(grant, params![origin, ticket.id().to_be_bytes(), now, ends])?;
        Ok(Done::Nothing)
    }

    /// Renews a lease, if it is current.
    pub(super) fn renew(self, ticket: &Ticket, span: Duration) -> Result<Done, SqliteError> {
        let now = millis(SystemTime::now().into());
        let ends = now.saturating_add(span.as_millis().try_into().unwrap_or(i64::MAX));
        let renew = "update leases set began = ?, ends = ? where origin = ? and ticket = ?";
        self.0.execute(renew, params![now, ends, ticket.origin().as_str(), ticket.id().to_be_bytes()])?;
        Ok(Done::Nothing)
    }

    /// Ends a lease, if it is current.
    pub(super) fn abandon(self, ticket: &Ticket) -> Result<Done, SqliteError> {
        let end = "delete from leases where origin = ? and ticket = ?";
        self.0.execute(end, params![ticket.origin().as_str(), ticket.id().to_be_bytes()])?;
        Ok(Done::Nothing)
    }

    /// Saves a record, adds it to its origin's history, and ends the lease. Saves nothing if the ticket is not current.
    pub(super) fn complete(
        self,
        record: &StoredRecord,
        ticket: Option<&Ticket>,
        due: Option<Time>,
    ) -> Result<Done, SqliteError> {
        if let Some(ticket) = ticket {
            let current = "select 1 from leases where origin = ? and ticket = ?";
            let parameters = params![record.origin, ticket.id().to_be_bytes()];
            if self.one(current, parameters, |_| Ok(()))?.is_none() {
                let stored = self.stored(&record.origin)?.unwrap_or_else(|| Stored::empty(ticket.origin()));
                return Ok(Done::Late(Box::new(stored)));
            }
        }
        let copy = VersionCopy::of(record);
        let mut old = self.old(&record.origin)?;
        history::add_version(&mut old.versions, record, copy.as_ref());
        let kept = Kept::new(record, copy.as_ref(), old.revision + 1, due);
        self.put(&kept, &old.versions, record.copy.iter().map(|copy| &copy.body), &old.uses)?;
        Ok(Done::Nothing)
    }

    /// Replaces the stored values of an origin by an entry, if its last attempt is later. Returns true if it was. Ends the
    /// lease: a fetch in progress is based on the earlier record.
    pub(super) fn restore(self, entry: &ArchiveEntry) -> Result<bool, SqliteError> {
        // A stored record that cannot be read must not prevent restoring a good one.
        if let Some(there) = self.record(&entry.record.origin).or_else(passable)?
            && !entry::is_later(&entry.record, &there.record)
        {
            return Ok(false);
        }
        let copy = VersionCopy::of(&entry.record);
        let old = self.old(&entry.record.origin)?;
        let kept = Kept::new(&entry.record, copy.as_ref(), old.revision + 1, None);
        self.put(&kept, &entry.versions, &entry.bodies, &old.uses)?;
        Ok(true)
    }

    /// Removes origins, and the contents that no other origin uses. Returns the number of origins. Leases stay.
    pub(super) fn purge(self, what: &Purge) -> Result<u64, SqliteError> {
        let count = match what {
            Purge::All => self.0.execute("delete from records", [])?,
            Purge::Origin(origin) => self.0.execute("delete from records where origin = ?", [origin.as_str()])?,
            Purge::Before(time) => {
                self.0.execute("delete from records where ended is null or ended < ?", [millis(*time)])?
            }
        };
        self.0.execute("delete from bodies where hash not in (select hash from uses)", [])?;
        Ok(count as u64)
    }

    /// Returns the present values of an origin. Values that cannot be read count as missing: a new record is better than
    /// none.
    fn old(self, origin: &str) -> Result<Old, SqliteError> {
        let select = "select id, record, history from records where origin = ?";
        let old = self.one(select, [origin], |row| {
            let kept = tables::unseal_record(origin, bytes(row, 1)).map(Some).or_else(passable)?;
            Ok(Old {
                uses: self.uses(row.get(0)?)?,
                versions: tables::unseal_history(origin, bytes(row, 2)).or_else(passable)?,
                revision: kept.map_or(0, |kept| kept.revision),
            })
        })?;
        Ok(old.unwrap_or_default())
    }

    /// Replaces the values of an origin that used these contents by a record and a history, and ends its lease. `bodies`
    /// includes those of all new contents.
    fn put<'a>(
        self,
        kept: &Kept,
        versions: &[Version],
        bodies: impl IntoIterator<Item = &'a Arc<[u8]>>,
        old: &BTreeSet<ContentHash>,
    ) -> Result<(), SqliteError> {
        let new = entry::contents(kept.copy().as_ref(), versions);
        let bodies: HashMap<_, _> = bodies.into_iter().map(|body| (ContentHash::of(body), body)).collect();
        for (hash, body) in bodies.iter().filter(|(hash, _)| new.contains(hash)) {
            // Most exist already. Those that cannot be read are written again, so that a saved record can be loaded.
            if self.body(*hash).or_else(passable)?.is_none() {
                let insert = "insert or replace into bodies (hash, content) values (?, ?)";
                self.0.prepare_cached(insert)?.execute(params![hash.as_bytes(), tables::compress(body)?])?;
            }
        }
        let origin = &kept.record.origin;
        let ended = kept.record.last.as_ref().map(|last| millis(last.ended));
        let insert = "insert into records (origin, record, history, ended) values (?1, ?2, ?3, ?4)
            on conflict (origin) do update set record = ?2, history = ?3, ended = ?4 returning id";
        let values =
            params![origin, tables::seal("record", origin, kept)?, tables::seal("history", origin, &versions)?, ended];
        let id: i64 = self.0.prepare_cached(insert)?.query_row(values, |row| row.get(0))?;
        for hash in new.difference(old) {
            self.0.prepare_cached("insert into uses (record, hash) values (?, ?)")?.execute(params![id, hash.as_bytes()])?;
        }
        for hash in old.difference(&new) {
            self.0.execute("delete from uses where record = ? and hash = ?", params![id, hash.as_bytes()])?;
            let delete = "delete from bodies where hash = ?1 and not exists (select 1 from uses where hash = ?1)";
            self.0.execute(delete, [hash.as_bytes()])?;
        }
        self.0.prepare_cached("delete from leases where origin = ?")?.execute([origin])?;
        Ok(())
    }
}

/// The values of an origin before a change.
#[derive(Default)]
struct Old {
    uses: BTreeSet<ContentHash>,
    versions: Vec<Version>,
    revision: u64,
}

pub(super) fn millis(time: Time) -> i64 {
    time.as_unix_millis().try_into().unwrap_or(i64::MAX)
}
