//! The tables of the database, and their encodings.
//!
//! Records and histories are JSON, because they get new fields over the years, and old ones must be readable without them.
//! They are sealed: preceded by the first eight bytes of the SHA-256 of column, origin and value, so that a value that is not
//! as it was written, or is at another origin, is never taken for one that is. A content's hash is its seal.

use std::collections::BTreeSet;
use std::io::{self, Read as _, Write as _};
use std::sync::Arc;

use comity::Escaped;
use comity_policy::{BODY_LIMIT, StoredRecord, Time};
use flate2::Compression;
use flate2::bufread::ZlibDecoder;
use flate2::write::ZlibEncoder;
use rusqlite::{Connection, OptionalExtension as _, Params, Row};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::errors::SqliteError;
use crate::store::content::ContentHash;
use crate::store::error::{Kind, StoreError};
use crate::store::history::{Version, VersionCopy};
use crate::store::{ArchiveEntry, StoreStats, Stored, Summary, entry, lease};

/// The statements that create the tables, by their names, and as SQLite stores them. Opening a file compares them: a changed
/// schema could do anything.
///
/// - `bodies`: the contents of robots.txt files, compressed by zlib.
/// - `leases`: the current tickets; times in milliseconds since 1970. It is a table of its own, since a lease is no record,
///   and changes without one.
/// - `records`: for each origin the record without its body, its revision and when it is due; and the history. `ended` is the
///   end of the last attempt, in milliseconds since 1970.
/// - `uses`: the contents of each origin's record and history. It tells when a content can be removed, even if the record
///   and the history are damaged; a counter of uses would not.
pub(super) const SCHEMA: [&str; 5] = [
    "CREATE TABLE bodies (hash blob primary key, content blob not null)",
    "CREATE TABLE leases (origin text primary key, ticket blob not null, began integer not null, ends integer not null)",
    "CREATE TABLE records (id integer primary key, origin text not null unique, record blob not null, \
     history blob not null, ended integer)",
    "CREATE TABLE uses (record integer references records on delete cascade, hash blob, primary key (record, hash)) \
     without rowid",
    "CREATE INDEX uses_of_hash on uses (hash)",
];

/// A content in its stored form, or null if it is larger than the largest one that is written: `BODY_LIMIT` and what zlib adds
/// to bytes that it cannot compress. SQLite knows the size without reading the content.
pub(super) const CONTENT: &str = "case when length(content) <= 520000 then content end";

/// The record of an origin without its body, as it is stored.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) record: StoredRecord,
    /// The hash and the size of its copy's body, which is in another table.
    pub(super) body: Option<(ContentHash, usize)>,
    /// A number that increases with each change.
    pub(super) revision: u64,
    /// The time when the record is due, by the clock of the store. Imported records are due at once.
    pub(super) due: Option<Time>,
}

impl Kept {
    pub(super) fn new(record: &StoredRecord, copy: Option<&VersionCopy>, revision: u64, due: Option<Time>) -> Self {
        Self { record: record.without_body(), body: copy.map(|copy| (copy.hash, copy.size)), revision, due }
    }

    /// Returns true if the record is not due yet.
    pub(super) fn is_fresh(&self, now: Time) -> bool {
        lease::is_fresh(&self.record, self.due, now)
    }

    pub(super) fn copy(&self) -> Option<VersionCopy> {
        let (hash, size) = self.body?;
        self.record.copy.as_ref().map(|copy| VersionCopy { url: copy.url.clone(), size, hash })
    }
}

/// The tables, in a transaction.
#[derive(Clone, Copy)]
pub(super) struct Tables<'c>(pub(super) &'c Connection);

impl Tables<'_> {
    /// Returns the result of a statement that has at most one.
    pub(super) fn one<T>(
        self,
        sql: &str,
        parameters: impl Params,
        get: impl FnOnce(&Row<'_>) -> Result<T, SqliteError>,
    ) -> Result<Option<T>, SqliteError> {
        self.0.prepare_cached(sql)?.query_row(parameters, |row| Ok(get(row))).optional()?.transpose()
    }

    /// Returns the record of an origin.
    pub(super) fn record(self, origin: &str) -> Result<Option<Kept>, SqliteError> {
        self.one("select record from records where origin = ?", [origin], |row| unseal_record(origin, bytes(row, 0)))
    }

    /// Returns the record of an origin, with its body.
    pub(super) fn stored(self, origin: &str) -> Result<Option<Stored>, SqliteError> {
        self.record(origin)?.map(|kept| self.with_body(kept)).transpose()
    }

    /// Returns a record with its body.
    pub(super) fn with_body(self, kept: Kept) -> Result<Stored, SqliteError> {
        let mut record = kept.record;
        if let (Some(copy), Some((hash, _))) = (&mut record.copy, kept.body) {
            let missing = || damaged("the copy", &record.origin, "has no content");
            copy.body = self.body(hash)?.ok_or_else(missing)?;
        }
        Ok(Stored::new(record, kept.revision))
    }

    /// Returns the history of an origin.
    pub(super) fn versions(self, origin: &str) -> Result<Vec<Version>, SqliteError> {
        let sql = "select history from records where origin = ?";
        Ok(self.one(sql, [origin], |row| unseal_history(origin, bytes(row, 0)))?.unwrap_or_default())
    }

    /// Returns the bytes of a content.
    pub(super) fn body(self, hash: ContentHash) -> Result<Option<Arc<[u8]>>, SqliteError> {
        let sql = format!("select {CONTENT} from bodies where hash = ?");
        self.one(&sql, [hash.as_bytes()], |row| decompress(hash, bytes(row, 0)))
    }

    /// Returns the contents that an origin uses, as noted when they were written.
    pub(super) fn uses(self, record: i64) -> Result<BTreeSet<ContentHash>, SqliteError> {
        let mut uses = self.0.prepare_cached("select hash from uses where record = ?")?;
        let uses = uses.query_map([record], |row| row.get(0).map(ContentHash::from_bytes))?;
        Ok(uses.collect::<Result<_, _>>()?)
    }

    /// Returns the summaries of at most `max` origins after a text.
    pub(super) fn list(self, after: &str, max: usize) -> Result<Vec<Summary>, SqliteError> {
        let sql = "select origin, record from records where origin > ? order by origin limit ?";
        let mut page = self.0.prepare(sql)?;
        let mut rows = page.query((after, i64::try_from(max).unwrap_or(i64::MAX)))?;
        let mut summaries = Vec::new();
        while let Some(row) = rows.next()? {
            let origin: String = row.get(0)?;
            summaries.push(match unseal_record(&origin, bytes(row, 1)) {
                Ok(kept) => Summary::new(&kept.record, kept.copy()),
                Err(error) if error.0.is_one_damaged() => Summary::damaged(&origin, &error.0),
                Err(error) => return Err(error),
            });
        }
        Ok(summaries)
    }

    /// Returns all that is stored of an origin.
    pub(super) fn entry(self, origin: &str) -> Result<Option<ArchiveEntry>, SqliteError> {
        let Some(kept) = self.record(origin)? else { return Ok(None) };
        let versions = self.versions(origin)?;
        let bodies = entry::contents(kept.copy().as_ref(), &versions).into_iter().map(|hash| {
            let missing = || damaged("a version", origin, "has no content");
            self.body(hash)?.ok_or_else(missing)
        });
        let bodies = bodies.collect::<Result<_, SqliteError>>()?;
        Ok(Some(ArchiveEntry { record: self.with_body(kept)?.record, versions, bodies }))
    }

    pub(super) fn stats(self, bytes: u64) -> Result<StoreStats, SqliteError> {
        let count = |sql| self.0.query_row(sql, [], |row| row.get::<_, i64>(0)).map(i64::cast_unsigned);
        let origins = count("select count(*) from records")?;
        Ok(StoreStats { origins, bodies: count("select count(*) from bodies")?, bytes })
    }
}

/// Returns the bytes in a column; none if it has another type, which is damage that the seal reports.
pub(super) fn bytes<'r>(row: &'r Row<'_>, column: usize) -> &'r [u8] {
    row.get_ref(column).ok().and_then(|value| value.as_bytes().ok()).unwrap_or_default()
}

/// Returns the record that was sealed for an origin.
pub(super) fn unseal_record(origin: &str, value: &[u8]) -> Result<Kept, SqliteError> {
    let kept: Kept = unseal("record", origin, value)?;
    let belongs = kept.record.origin == origin && kept.record.copy.is_some() == kept.body.is_some();
    if belongs { Ok(kept) } else { Err(damaged("the record", origin, "contradicts itself")) }
}

/// Returns the history that was sealed for an origin.
pub(super) fn unseal_history(origin: &str, value: &[u8]) -> Result<Vec<Version>, SqliteError> {
    unseal("history", origin, value)
}

/// Returns the bytes of a content, the reverse of [`compress`]. Never more than [`BODY_LIMIT`], even from a crafted file.
pub(super) fn decompress(hash: ContentHash, value: &[u8]) -> Result<Arc<[u8]>, SqliteError> {
    let decompressed = || -> io::Result<(Vec<u8>, bool)> {
        let mut decoder = ZlibDecoder::new(value).take(BODY_LIMIT as u64 + 1);
        let mut bytes = Vec::new();
        decoder.read_to_end(&mut bytes)?;
        let is_whole = bytes.len() <= BODY_LIMIT && decoder.get_ref().get_ref().is_empty();
        Ok((bytes, is_whole))
    };
    match decompressed() {
        Ok((bytes, true)) if ContentHash::of(&bytes) == hash => Ok(bytes.into()),
        _ => Err(StoreError::damaged(format!("the content {hash} is not as it was written")).into()),
    }
}

/// Returns a content in its stored form.
pub(super) fn compress(body: &[u8]) -> Result<Vec<u8>, SqliteError> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    let compressed = encoder.write_all(body).and_then(|()| encoder.finish());
    compressed.map_err(|e| StoreError::io("compress for", e).into())
}

/// Returns the value of a column in its stored form.
pub(super) fn seal(column: &str, origin: &str, value: &impl Serialize) -> Result<Vec<u8>, SqliteError> {
    let mut sealed = vec![0; SEAL];
    serde_json::to_writer(&mut sealed, value).map_err(|e| StoreError::io("write to", e.into()))?;
    let stamp = stamp(column, origin, &sealed[SEAL..]);
    sealed[..SEAL].copy_from_slice(&stamp);
    Ok(sealed)
}

/// Returns the value that was sealed for a column and an origin.
pub(super) fn unseal<T: DeserializeOwned>(column: &str, origin: &str, sealed: &[u8]) -> Result<T, SqliteError> {
    let damaged = |is: &str| damaged(&format!("the {column}"), origin, is);
    match sealed.split_at_checked(SEAL) {
        Some((seal, value)) if seal == stamp(column, origin, value) => {
            serde_json::from_slice(value).map_err(|e| damaged(&format!("can't be understood: {e}")))
        }
        _ => Err(damaged("is not as it was written")),
    }
}

/// The number of a hash's bytes that seal a value.
const SEAL: usize = 8;

fn stamp(column: &str, origin: &str, value: &[u8]) -> [u8; SEAL] {
    let mut digest = Sha256::new();
    for part in [column.as_bytes(), origin.as_bytes()] {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    digest.update(value);
    let mut stamp = [0; SEAL];
    stamp.copy_from_slice(&digest.finalize()[..SEAL]);
    stamp
}

fn damaged(what: &str, origin: &str, is: &str) -> SqliteError {
    StoreError::new(Kind::Damaged(format!("{what} of `{}` {is}", Escaped(origin.as_bytes())))).into()
}

/// Returns the default for a value that cannot be read; returns other errors.
pub(super) fn passable<T: Default>(error: SqliteError) -> Result<T, SqliteError> {
    if error.0.is_one_damaged() { Ok(T::default()) } else { Err(error) }
}
