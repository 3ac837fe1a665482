//! The five tables of the database and their encodings.
//!
//! | table | key | value |
//! |---|---|---|
//! | `meta` | a name | a number; `format` is the only one |
//! | `records` | an origin's text | the record without its body, its revision, and when it is due, as sealed JSON |
//! | `versions` | the same | the history, as sealed JSON |
//! | `bodies` | a content's hash | its bytes, compressed by zlib |
//! | `uses` | the same | how many origins have it, in record or history |
//!
//! JSON, because records get new fields over the years, and old ones must be readable without them. Sealed: preceded by the
//! first eight bytes of the SHA-256 of table, key and value, so that a value that is not as it was written, or is at
//! another one's key, is never taken for one that is. A body's key is its seal.

use std::io::{self, Read as _, Write as _};
use std::sync::Arc;

use comity::Escaped;
use comity_policy::{BODY_LIMIT, StoredRecord, Time};
use flate2::Compression;
use flate2::bufread::ZlibDecoder;
use flate2::write::ZlibEncoder;
use redb::{ReadableTable, TableDefinition, TableHandle as _};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::errors::RedbError;
use crate::store::content::ContentHash;
use crate::store::error::{Kind, StoreError};
use crate::store::history::{Version, VersionCopy};
use crate::store::{Stored, Summary, lease};

type Definition<K, V> = TableDefinition<'static, K, V>;

pub(super) const META: Definition<&str, u64> = TableDefinition::new("meta");
pub(super) const RECORDS: Definition<&str, &[u8]> = TableDefinition::new("records");
pub(super) const VERSIONS: Definition<&str, &[u8]> = TableDefinition::new("versions");
pub(super) const BODIES: Definition<&[u8; 32], &[u8]> = TableDefinition::new("bodies");
pub(super) const USES: Definition<&[u8; 32], u64> = TableDefinition::new("uses");

/// A value of the table `records`.
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

    pub(super) fn summary(&self) -> Summary {
        Summary::new(&self.record, self.copy())
    }

    /// Returns the record with its body.
    pub(super) fn stored(
        self,
        bodies: &impl ReadableTable<&'static [u8; 32], &'static [u8]>,
    ) -> Result<Stored, RedbError> {
        let mut record = self.record;
        if let (Some(copy), Some((hash, _))) = (&mut record.copy, self.body) {
            copy.body = match body(bodies, hash)? {
                Some(body) => body,
                None => return Err(damaged("the copy", &record.origin, "has no content")),
            };
        }
        Ok(Stored::new(record, self.revision))
    }
}

/// Returns the record of an origin.
pub(super) fn record(
    records: &impl ReadableTable<&'static str, &'static [u8]>,
    origin: &str,
) -> Result<Option<Kept>, RedbError> {
    records.get(origin)?.map(|value| unseal_record(origin, value.value())).transpose()
}

/// Returns the record that was sealed at an origin's text.
pub(super) fn unseal_record(origin: &str, value: &[u8]) -> Result<Kept, RedbError> {
    let kept: Kept = unseal(&RECORDS, origin, value)?;
    let belongs = kept.record.origin == origin && kept.record.copy.is_some() == kept.body.is_some();
    if belongs { Ok(kept) } else { Err(damaged("the record", origin, "contradicts itself")) }
}

/// Returns the history of an origin.
pub(super) fn versions(
    versions: &impl ReadableTable<&'static str, &'static [u8]>,
    origin: &str,
) -> Result<Vec<Version>, RedbError> {
    versions.get(origin)?.map_or(Ok(Vec::new()), |value| unseal_versions(origin, value.value()))
}

/// Returns the history that was sealed at an origin's text.
pub(super) fn unseal_versions(origin: &str, value: &[u8]) -> Result<Vec<Version>, RedbError> {
    unseal(&VERSIONS, origin, value)
}

/// Returns the bytes of a content.
pub(super) fn body(
    bodies: &impl ReadableTable<&'static [u8; 32], &'static [u8]>,
    hash: ContentHash,
) -> Result<Option<Arc<[u8]>>, RedbError> {
    let Some(value) = bodies.get(hash.as_bytes())? else { return Ok(None) };
    decompress(hash, value.value()).map(Some)
}

/// Returns the bytes of a content, the reverse of [`compress`]. Never more than [`BODY_LIMIT`], even from a crafted file.
pub(super) fn decompress(hash: ContentHash, value: &[u8]) -> Result<Arc<[u8]>, RedbError> {
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
pub(super) fn compress(body: &[u8]) -> Result<Vec<u8>, RedbError> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    let compressed = encoder.write_all(body).and_then(|()| encoder.finish());
    compressed.map_err(|e| StoreError::io("compress for", e).into())
}

/// Returns a value in its stored form at a key.
pub(super) fn seal(table: &Definition<&str, &[u8]>, key: &str, value: &impl Serialize) -> Result<Vec<u8>, RedbError> {
    let mut sealed = vec![0; SEAL];
    serde_json::to_writer(&mut sealed, value).map_err(|e| StoreError::io("write to", e.into()))?;
    let stamp = stamp(table.name(), key, &sealed[SEAL..]);
    sealed[..SEAL].copy_from_slice(&stamp);
    Ok(sealed)
}

fn unseal<T: DeserializeOwned>(table: &Definition<&str, &[u8]>, key: &str, sealed: &[u8]) -> Result<T, RedbError> {
    let what = if table.name() == RECORDS.name() { "the record" } else { "the history" };
    match sealed.split_at_checked(SEAL) {
        Some((seal, value)) if seal == stamp(table.name(), key, value) => {
            serde_json::from_slice(value).map_err(|e| damaged(what, key, &format!("can't be understood: {e}")))
        }
        _ => Err(damaged(what, key, "is not as it was written")),
    }
}

/// The number of a hash's bytes that seal a value.
const SEAL: usize = 8;

fn stamp(table: &str, key: &str, value: &[u8]) -> [u8; SEAL] {
    let mut digest = Sha256::new();
    for part in [table.as_bytes(), key.as_bytes()] {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    digest.update(value);
    let mut stamp = [0; SEAL];
    stamp.copy_from_slice(&digest.finalize()[..SEAL]);
    stamp
}

pub(super) fn damaged(what: &str, origin: &str, is: &str) -> RedbError {
    StoreError::new(Kind::Damaged(format!("{what} of `{}` {is}", Escaped(origin.as_bytes())))).into()
}
