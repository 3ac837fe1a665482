//! Histories in the table of versions.

use comity_fetch::store::{ContentHash, StoreError, Version};
use tokio_postgres::GenericClient;
use tokio_postgres::types::Type;

use crate::failure::Failure;
use crate::schema::{Parameter, Schema};

/// A version and its number in the history.
#[derive(Debug)]
pub(crate) struct VersionRow {
    number: i64,
    /// `None` if it cannot be read. Then the next result removes it: a new history is better than none.
    version: Option<Version>,
}

/// Returns the versions that can be read, newest first.
pub(crate) fn readable(rows: &[VersionRow]) -> Vec<Version> {
    rows.iter().filter_map(|row| row.version.clone()).collect()
}

/// Returns all versions, newest first. One that cannot be read is an error.
pub(crate) fn all(rows: Vec<VersionRow>, origin: &str) -> Result<Vec<Version>, Failure> {
    let damaged = || StoreError::damaged(format!("a version of `{origin}` can't be understood"));
    rows.into_iter().map(|row| row.version.ok_or_else(|| damaged().into())).collect()
}

/// Returns the history of an origin, newest first.
pub(crate) async fn rows(
    client: &impl GenericClient,
    schema: &Schema,
    key: ContentHash,
) -> Result<Vec<VersionRow>, Failure> {
    let select = schema.sql("select number, version::text from comity.version where key = $1 order by number desc");
    let rows = client.query_typed(&select, &[(&&key.as_bytes()[..], Type::BYTEA)]).await?;
    rows.iter()
        .map(|row| Ok(VersionRow { number: row.try_get(0)?, version: serde_json::from_str(row.try_get(1)?).ok() }))
        .collect()
}

/// Writes the difference of two histories: most results change the newest version, or none. Returns the contents that the
/// new one no longer has.
pub(crate) async fn replace(
    client: &impl GenericClient,
    schema: &Schema,
    key: ContentHash,
    old: &[VersionRow],
    new: &[Version],
) -> Result<Vec<ContentHash>, Failure> {
    let (kept, removed) = common(old, new);
    let key = &key.as_bytes()[..];
    if !removed.is_empty() {
        let delete = schema.sql("delete from comity.version where key = $1 and number = any($2)");
        client.execute_typed(&delete, &[(&key, Type::BYTEA), (&removed, Type::INT8_ARRAY)]).await?;
    }
    let next = old.first().map_or(1, |newest| newest.number + 1);
    let added = &new[..new.len() - kept];
    if !added.is_empty() {
        let numbers: Vec<i64> = (next..).take(added.len()).collect();
        let versions =
            added.iter().rev().map(serde_json::to_string).collect::<Result<Vec<_>, _>>().map_err(StoreError::other)?;
        let hashes: Vec<Option<&[u8]>> =
            added.iter().rev().map(|version| version.copy.as_ref().map(|copy| &copy.hash.as_bytes()[..])).collect();
        let insert = "insert into comity.version (key, number, version, hash)
            select $1, number, version::json, hash from unnest($2, $3, $4) as new (number, version, hash)";
        let parameters: &[Parameter<'_>] = &[
            (&key, Type::BYTEA),
            (&numbers, Type::INT8_ARRAY),
            (&versions, Type::TEXT_ARRAY),
            (&hashes, Type::BYTEA_ARRAY),
        ];
        client.execute_typed(&schema.sql(insert), parameters).await?;
    }
    let has =
        |hash: &ContentHash| new.iter().filter_map(|version| version.copy.as_ref()).any(|copy| copy.hash == *hash);
    let hashes = old.iter().filter_map(|row| row.version.as_ref()?.copy.as_ref()).map(|copy| copy.hash);
    Ok(hashes.filter(|hash| !has(hash)).collect())
}

/// Returns the number of versions at the end of the new history that are rows already, and the numbers of rows that are
/// not. Both are in order, newest first.
fn common(old: &[VersionRow], new: &[Version]) -> (usize, Vec<i64>) {
    let mut kept = 0;
    let mut removed = Vec::new();
    for row in old.iter().rev() {
        if kept < new.len() && row.version.as_ref() == Some(&new[new.len() - 1 - kept]) {
            kept += 1;
        } else {
            removed.push(row.number);
        }
    }
    (kept, removed)
}
