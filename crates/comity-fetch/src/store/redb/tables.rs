//! What stands in the file: five tables, and how their values are written.
//!
//! | table | key | value |
//! |---|---|---|
//! | `meta` | a name | a number; `format` is the only one |
//! | `records` | an origin's text | the record without its body, as sealed JSON |
//! | `versions` | the same | the history, as sealed JSON |
//! | `bodies` | a content's hash | its bytes, compressed by zstd |
//! | `uses` | the same | how many origins have it, in record or history |
//!
//! JSON, because records grow new fields over the years, and old ones must be readable without them. Sealed: after the
//! first eight bytes of the SHA-256 of table, key and value, so that a value that is not as it was written, or stands
//! at another's key, is never taken for one that is. A body's key is its seal.

use std::borrow::Cow;
use std::sync::Arc;

use comity::Escaped;
use comity_policy::{LIMIT, Record};
use redb::{ReadableTable, TableDefinition, TableHandle as _};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::store::Summary;
use crate::store::content::ContentHash;
use crate::store::error::{Kind, StoreError};
use crate::store::history::{Version, VersionCopy};

type Definition<K, V> = TableDefinition<'static, K, V>;

pub(super) const META: Definition<&str, u64> = TableDefinition::new("meta");
pub(super) const RECORDS: Definition<&str, &[u8]> = TableDefinition::new("records");
pub(super) const VERSIONS: Definition<&str, &[u8]> = TableDefinition::new("versions");
pub(super) const BODIES: Definition<&[u8; 32], &[u8]> = TableDefinition::new("bodies");
pub(super) const USES: Definition<&[u8; 32], u64> = TableDefinition::new("uses");

/// A record as it is kept.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Kept<'a> {
    pub(super) record: Cow<'a, Record>,
    /// The hash and the size of its copy's body, which stands elsewhere.
    pub(super) body: Option<(ContentHash, usize)>,
}

impl<'a> Kept<'a> {
    pub(super) fn new(record: &'a Record, copy: Option<&VersionCopy>) -> Self {
        Self { record: Cow::Borrowed(record), body: copy.map(|copy| (copy.hash, copy.size)) }
    }

    pub(super) fn copy(&self) -> Option<VersionCopy> {
        let (hash, size) = self.body?;
        self.record.copy.as_ref().map(|copy| VersionCopy { url: copy.url.clone(), size, hash })
    }

    pub(super) fn summary(&self) -> Summary {
        Summary::of(&self.record, self.copy())
    }

    /// The record with its body.
    pub(super) fn whole(
        self,
        bodies: &impl ReadableTable<&'static [u8; 32], &'static [u8]>,
    ) -> Result<Record, StoreError> {
        let mut record = self.record.into_owned();
        if let (Some(copy), Some((hash, _))) = (&mut record.copy, self.body) {
            copy.body = match body(bodies, hash)? {
                Some(body) => body,
                None => return Err(damaged("the copy", &record.origin, "has no content")),
            };
        }
        Ok(record)
    }
}

/// The record of an origin.
pub(super) fn record(
    records: &impl ReadableTable<&'static str, &'static [u8]>,
    origin: &str,
) -> Result<Option<Kept<'static>>, StoreError> {
    records.get(origin)?.map(|value| unseal_record(origin, value.value())).transpose()
}

/// The record that was sealed at an origin's text.
pub(super) fn unseal_record(origin: &str, value: &[u8]) -> Result<Kept<'static>, StoreError> {
    let kept: Kept<'static> = unseal(&RECORDS, origin, value)?;
    let belongs = kept.record.origin == origin && kept.record.copy.is_some() == kept.body.is_some();
    if belongs { Ok(kept) } else { Err(damaged("the record", origin, "contradicts itself")) }
}

/// The history of an origin.
pub(super) fn versions(
    versions: &impl ReadableTable<&'static str, &'static [u8]>,
    origin: &str,
) -> Result<Vec<Version>, StoreError> {
    versions.get(origin)?.map_or(Ok(Vec::new()), |value| unseal_versions(origin, value.value()))
}

/// The history that was sealed at an origin's text.
pub(super) fn unseal_versions(origin: &str, value: &[u8]) -> Result<Vec<Version>, StoreError> {
    unseal(&VERSIONS, origin, value)
}

/// The bytes of a content.
pub(super) fn body(
    bodies: &impl ReadableTable<&'static [u8; 32], &'static [u8]>,
    hash: ContentHash,
) -> Result<Option<Arc<[u8]>>, StoreError> {
    let Some(value) = bodies.get(hash.as_bytes())? else { return Ok(None) };
    decompress(hash, value.value()).map(Some)
}

/// The bytes of a content, as they were before [`compress`]. Never more than [`LIMIT`], whatever the file says.
pub(super) fn decompress(hash: ContentHash, value: &[u8]) -> Result<Arc<[u8]>, StoreError> {
    match zstd::bulk::decompress(value, LIMIT) {
        Ok(bytes) if ContentHash::of(&bytes) == hash => Ok(bytes.into()),
        _ => Err(StoreError::new(Kind::Damaged(format!("the content {hash} is not as it was written")))),
    }
}

/// A content as it is kept.
pub(super) fn compress(body: &[u8]) -> Result<Vec<u8>, StoreError> {
    zstd::bulk::compress(body, zstd::DEFAULT_COMPRESSION_LEVEL).map_err(|e| StoreError::io("compress for", e))
}

/// A value as it is kept at a key.
pub(super) fn seal(table: &Definition<&str, &[u8]>, key: &str, value: &impl Serialize) -> Result<Vec<u8>, StoreError> {
    let mut sealed = vec![0; SEAL];
    serde_json::to_writer(&mut sealed, value).map_err(|e| StoreError::io("write to", e.into()))?;
    let stamp = stamp(table.name(), key, &sealed[SEAL..]);
    sealed[..SEAL].copy_from_slice(&stamp);
    Ok(sealed)
}

fn unseal<T: DeserializeOwned>(table: &Definition<&str, &[u8]>, key: &str, sealed: &[u8]) -> Result<T, StoreError> {
    let what = if table.name() == RECORDS.name() { "the record" } else { "the history" };
    match sealed.split_at_checked(SEAL) {
        Some((seal, value)) if seal == stamp(table.name(), key, value) => {
            serde_json::from_slice(value).map_err(|e| damaged(what, key, &format!("can't be understood: {e}")))
        }
        _ => Err(damaged(what, key, "is not as it was written")),
    }
}

/// How many bytes of a hash seal a value.
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

pub(super) fn damaged(what: &str, origin: &str, is: &str) -> StoreError {
    StoreError::new(Kind::Damaged(format!("{what} of `{}` {is}", Escaped(origin.as_bytes()))))
}
