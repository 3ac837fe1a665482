//! Records in the table of origins.

use std::sync::Arc;

use comity::Origin;
use comity_fetch::StoredRecord;
use comity_fetch::store::{ContentHash, Saved, StoreError, Stored, Ticket, VersionCopy, add_version, check_record};
use tokio_postgres::types::Type;
use tokio_postgres::{Client, GenericClient, IsolationLevel, Row, Transaction};

use crate::connections::Operation;
use crate::failure::Failure;
use crate::history;
use crate::lease::{key, seconds};
use crate::schema::{Parameter, Schema};

/// Saves the result of a fetch.
pub(crate) struct Complete<'a> {
    pub(crate) record: &'a StoredRecord,
    pub(crate) ticket: Option<&'a Ticket>,
}

/// Writes a content that is there, but damaged, again. (`on conflict do update` would lock the rows of contents that many
/// origins have.)
const INSERT_BODY: &str = "
    with repaired as (update comity.body set content = $2 where hash = $1 and sha256(content) <> hash)
    insert into comity.body (hash, content) values ($1, $2) on conflict do nothing";

const COMPLETE: &str = "
    update comity.origin set record = $2::json, hash = $3, ended = $4, revision = revision + 1, saved = clock_timestamp(),
            due = clock_timestamp() + $5 * interval '1 second', ticket = null, lease_until = null
        where key = $1 and ticket = $6";

const COMPLETE_WITHOUT_TICKET: &str = "
    insert into comity.origin as o (key, record, hash, ended, revision, saved, due, origin)
        values ($1, $2::json, $3, $4, 1, clock_timestamp(), clock_timestamp() + $5 * interval '1 second', $6)
        on conflict (key) do update set record = excluded.record, hash = excluded.hash, ended = excluded.ended,
            revision = o.revision + 1, saved = excluded.saved, due = excluded.due, ticket = null, lease_until = null";

const LOAD: &str = "
    select o.record::text, o.revision, o.hash, {content}
        from comity.origin o left join comity.body b on b.hash = o.hash where o.key = $1 and o.record is not null";

impl Operation for Complete<'_> {
    type Output = Saved;

    async fn run(&self, client: &mut Client, schema: &Schema) -> Result<Saved, Failure> {
        let (record, origin) = (self.record, &self.record.origin);
        check_record(record, self.ticket)?;
        let copy = VersionCopy::of(record);
        let transaction = write(client, schema).await?;
        if let Some(copy) = &record.copy {
            insert_body(&transaction, schema, &copy.body).await?;
        }
        let key = key(origin);
        let (json, hash, ended) = columns(record)?;
        let fresh_for = seconds(record.fresh_for.unwrap_or_default());
        let id = self.ticket.map(|ticket| ticket.id().to_be_bytes());
        let hash = hash.as_ref().map(|hash| &hash.as_bytes()[..]);
        let key_bytes = &key.as_bytes()[..];
        let mut parameters: Vec<Parameter<'_>> = vec![
            (&key_bytes, Type::BYTEA),
            (&json, Type::TEXT),
            (&hash, Type::BYTEA),
            (&ended, Type::INT8),
            (&fresh_for, Type::FLOAT8),
        ];
        let id = id.as_ref().map(|id| &id[..]);
        let statement = if id.is_some() {
            parameters.push((&id, Type::BYTEA));
            COMPLETE
        } else {
            parameters.push((origin, Type::TEXT));
            COMPLETE_WITHOUT_TICKET
        };
        if transaction.execute_typed(&schema.sql(statement), &parameters).await? == 0 {
            transaction.rollback().await?;
            return self.late(client, schema).await;
        }
        let old = history::rows(&transaction, schema, key).await?;
        let mut versions = history::readable(&old);
        add_version(&mut versions, record, copy.as_ref());
        let gone = history::replace(&transaction, schema, key, &old, &versions).await?;
        remove_bodies(&transaction, schema, gone).await?;
        transaction.commit().await?;
        Ok(Saved::Kept)
    }
}

impl Complete<'_> {
    async fn late(&self, client: &Client, schema: &Schema) -> Result<Saved, Failure> {
        let stored = load(client, schema, &self.record.origin).await?;
        Ok(match (stored, self.ticket) {
            // It was saved, and the connection was lost before the answer.
            (Some(stored), _) if stored.record == *self.record => Saved::Kept,
            (Some(stored), _) => Saved::Late(stored),
            (None, Some(ticket)) => Saved::Late(Stored::empty(ticket.origin())),
            (None, None) => Saved::Kept,
        })
    }
}

/// Begins a transaction that writes. The server ends it if it receives no statement for some time.
pub(crate) async fn write<'a>(client: &'a mut Client, schema: &Schema) -> Result<Transaction<'a>, Failure> {
    let transaction = client.build_transaction().isolation_level(IsolationLevel::ReadCommitted).start().await?;
    let limit = format!("set local idle_in_transaction_session_timeout = {}", schema.max_idle.as_millis());
    transaction.batch_execute(&limit).await?;
    Ok(transaction)
}

pub(crate) async fn insert_body(client: &impl GenericClient, schema: &Schema, body: &Arc<[u8]>) -> Result<(), Failure> {
    let hash = ContentHash::of(body);
    let parameters: &[Parameter<'_>] = &[(&&hash.as_bytes()[..], Type::BYTEA), (&&body[..], Type::BYTEA)];
    client.execute_typed(&schema.sql(INSERT_BODY), parameters).await?;
    Ok(())
}

/// Removes contents that no record or version refers to. References that another transaction adds meanwhile make this fail:
/// then the operation is repeated.
pub(crate) async fn remove_bodies(
    client: &impl GenericClient,
    schema: &Schema,
    hashes: Vec<ContentHash>,
) -> Result<(), Failure> {
    if hashes.is_empty() {
        return Ok(());
    }
    let hashes: Vec<&[u8]> = hashes.iter().map(|hash| &hash.as_bytes()[..]).collect();
    let remove = format!("delete from comity.body b where hash = any($1) and {UNUSED}");
    client.execute_typed(&schema.sql(&remove), &[(&hashes, Type::BYTEA_ARRAY)]).await?;
    Ok(())
}

/// The condition for contents that no record or version refers to.
pub(crate) const UNUSED: &str = "not exists (select from comity.version v where v.hash = b.hash)
    and not exists (select from comity.origin o where o.hash = b.hash)";

/// Returns the columns of a record: its JSON without the body, the hash of the body, and the end of the last attempt.
pub(crate) fn columns(record: &StoredRecord) -> Result<(String, Option<ContentHash>, Option<i64>), Failure> {
    let json = serde_json::to_string(&record.without_body()).map_err(StoreError::other)?;
    let hash = record.copy.as_ref().map(|copy| ContentHash::of(&copy.body));
    let ended = record.last.as_ref().map(|last| last.ended.as_unix_millis().cast_signed());
    Ok((json, hash, ended))
}

/// Returns the stored record of an origin.
pub(crate) async fn load(
    client: &impl GenericClient,
    schema: &Schema,
    origin: &str,
) -> Result<Option<Stored>, Failure> {
    let key = key(origin);
    let row = client.query_typed_opt(&schema.sql(LOAD), &[(&&key.as_bytes()[..], Type::BYTEA)]).await?;
    row.map_or(Ok(None), |row| read(&row, origin, 0))
}

/// Returns the record in a row: its JSON, revision, hash and content, beginning at this column. `None` if there is none.
pub(crate) fn read(row: &Row, origin: &str, first: usize) -> Result<Option<Stored>, Failure> {
    let Some(json) = row.try_get::<_, Option<&str>>(first)? else { return Ok(None) };
    let revision: i64 = row.try_get(first + 1)?;
    let hash: Option<&[u8]> = row.try_get(first + 2)?;
    let content: Option<&[u8]> = row.try_get(first + 3)?;
    let mut record = parse(json, origin)?;
    match (&mut record.copy, hash, content) {
        (Some(copy), Some(hash), Some(content)) => {
            if ContentHash::of(content).as_bytes()[..] != *hash {
                return Err(damaged(origin, "has a content that is not as it was written"));
            }
            copy.body = content.into();
        }
        (None, None, None) => {}
        (Some(_), Some(_), None) => {
            return Err(damaged(origin, "has no content, or one that is larger than any that is written"));
        }
        _ => return Err(damaged(origin, "contradicts its content")),
    }
    Ok(Some(Stored::new(record, revision.cast_unsigned())))
}

/// Parses a record, without its body.
pub(crate) fn parse(json: &str, origin: &str) -> Result<StoredRecord, Failure> {
    let record: StoredRecord =
        serde_json::from_str(json).map_err(|error| damaged(origin, &format!("can't be understood: {error}")))?;
    let is_valid = record.origin == origin && Origin::of(origin).is_ok_and(|valid| valid.as_str() == origin);
    if is_valid { Ok(record) } else { Err(damaged(origin, "contradicts itself")) }
}

pub(crate) fn damaged(origin: &str, is: &str) -> Failure {
    StoreError::damaged(format!("the record of `{origin}` {is}")).into()
}
