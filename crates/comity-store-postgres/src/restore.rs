//! Restores entries, and removes origins.

use comity_fetch::store::{ArchiveEntry, ContentHash, Purge, StoreError};
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Transaction};

use crate::connections::Operation;
use crate::failure::Failure;
use crate::history;
use crate::lease::key;
use crate::record::{self, UNUSED};
use crate::schema::{Parameter, Schema};

/// Replaces the stored values of origins by later entries.
pub(crate) struct Restore(pub(crate) Vec<ArchiveEntry>);

const LOCK: &str =
    "insert into comity.origin (key, origin) values ($1, $2) on conflict (key) do update set origin = excluded.origin
    returning ended, record is not null, hash";

/// The record is due at once. A lease ends, since the fetch in progress is based on the earlier record.
const REPLACE: &str =
    "update comity.origin set record = $2::json, hash = $3, ended = $4, revision = revision + 1, saved = null,
    due = null, ticket = null, lease_until = null where key = $1";

impl Operation for Restore {
    type Output = u64;
    const IS_REPEATABLE: bool = false;

    async fn run(&self, client: &mut Client, schema: &Schema) -> Result<u64, Failure> {
        let transaction = record::write(client, schema).await?;
        // All contents come first, and origins are in the order of their keys: so no two clients wait for each other.
        let mut bodies: Vec<_> =
            self.0.iter().flat_map(|entry| &entry.bodies).map(|body| (ContentHash::of(body), body)).collect();
        bodies.sort_unstable_by_key(|(hash, _)| *hash);
        bodies.dedup_by_key(|(hash, _)| *hash);
        for (_, body) in &bodies {
            record::insert_body(&transaction, schema, body).await?;
        }
        let mut entries: Vec<_> = self.0.iter().map(|entry| (key(&entry.record.origin), entry)).collect();
        entries.sort_by_key(|(key, _)| *key);
        let mut unused: Vec<ContentHash> = bodies.iter().map(|(hash, _)| *hash).collect();
        let mut taken = 0;
        for (key, entry) in entries {
            let key_bytes = &key.as_bytes()[..];
            let lock: &[Parameter<'_>] = &[(&key_bytes, Type::BYTEA), (&entry.record.origin, Type::TEXT)];
            let there = transaction.query_typed_one(&schema.sql(LOCK), lock).await?;
            let (json, hash, ended) = record::columns(&entry.record)?;
            if there.try_get(1)? && ended <= there.try_get::<_, Option<i64>>(0)? {
                continue;
            }
            unused.extend(there.try_get::<_, Option<&[u8]>>(2)?.and_then(hash_of));
            let hash = hash.as_ref().map(|hash| &hash.as_bytes()[..]);
            let parameters: &[Parameter<'_>] =
                &[(&key_bytes, Type::BYTEA), (&json, Type::TEXT), (&hash, Type::BYTEA), (&ended, Type::INT8)];
            transaction.execute_typed(&schema.sql(REPLACE), parameters).await?;
            let old = history::rows(&transaction, schema, key).await?;
            unused.extend(history::replace(&transaction, schema, key, &old, &entry.versions).await?);
            taken += 1;
        }
        record::remove_bodies(&transaction, schema, unused).await?;
        transaction.commit().await?;
        Ok(taken)
    }
}

/// Removes origins. Their leases stay.
pub(crate) struct Remove(pub(crate) Purge);

impl Operation for Remove {
    type Output = u64;
    const IS_REPEATABLE: bool = false;
    const HAS_TIMEOUT: bool = false;

    async fn run(&self, client: &mut Client, schema: &Schema) -> Result<u64, Failure> {
        let transaction = record::write(client, schema).await?;
        match &self.0 {
            Purge::Origin(origin) => {
                let key = key(origin.as_str());
                let key = &key.as_bytes()[..];
                let hashes = "select hash from comity.origin where key = $1 and hash is not null
                    union select hash from comity.version where key = $1 and hash is not null";
                let hashes = transaction.query_typed(&schema.sql(hashes), &[(&key, Type::BYTEA)]).await?;
                let hashes = hashes.iter().map(|row| row.try_get(0)).collect::<Result<Vec<&[u8]>, _>>()?;
                let count = clear(&transaction, schema, "key = $1", &[(&key, Type::BYTEA)]).await?;
                record::remove_bodies(&transaction, schema, hashes.into_iter().filter_map(hash_of).collect()).await?;
                transaction.commit().await?;
                Ok(count)
            }
            Purge::Before(moment) => {
                let moment = moment.as_unix_millis().cast_signed();
                let count =
                    clear(&transaction, schema, "(ended is null or ended < $1)", &[(&moment, Type::INT8)]).await?;
                remove_unused(transaction, schema, count).await
            }
            Purge::All => {
                let count = clear(&transaction, schema, "true", &[]).await?;
                remove_unused(transaction, schema, count).await
            }
            _ => Err(StoreError::other("this kind of purge is not known").into()),
        }
    }
}

/// Removes the records and histories of origins. Returns their number.
async fn clear(
    transaction: &Transaction<'_>,
    schema: &Schema,
    condition: &str,
    parameters: &[Parameter<'_>],
) -> Result<u64, Failure> {
    let records = format!(
        "update comity.origin set record = null, hash = null, ended = null, saved = null, due = null
            where record is not null and {condition}"
    );
    let count = transaction.execute_typed(&schema.sql(&records), parameters).await?;
    let versions = "delete from comity.version v using comity.origin o where o.key = v.key and o.record is null";
    transaction.execute_typed(&schema.sql(versions), &[]).await?;
    let origins = "delete from comity.origin
        where record is null and (lease_until is null or lease_until <= clock_timestamp())";
    transaction.execute_typed(&schema.sql(origins), &[]).await?;
    Ok(count)
}

async fn remove_unused(transaction: Transaction<'_>, schema: &Schema, count: u64) -> Result<u64, Failure> {
    transaction.execute_typed(&schema.sql(&format!("delete from comity.body b where {UNUSED}")), &[]).await?;
    transaction.commit().await?;
    Ok(count)
}

fn hash_of(bytes: &[u8]) -> Option<ContentHash> {
    bytes.try_into().ok().map(ContentHash::from_bytes)
}
