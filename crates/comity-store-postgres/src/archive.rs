//! Lists, entries and contents.

use std::sync::Arc;

use comity::Origin;
use comity_fetch::store::{ArchiveEntry, ContentHash, StoreError, StoreStats, Stored, Summary, Version, VersionCopy};
use tokio_postgres::types::Type;
use tokio_postgres::{Client, IsolationLevel, Row};

use crate::connections::Operation;
use crate::failure::{Failure, Kind};
use crate::history;
use crate::lease::key;
use crate::record;
use crate::schema::{Parameter, Schema};

/// Loads a record.
pub(crate) struct Load<'a>(pub(crate) &'a Origin);

impl Operation for Load<'_> {
    type Output = Option<Stored>;

    async fn run(&self, client: &mut Client, schema: &Schema) -> Result<Option<Stored>, Failure> {
        record::load(client, schema, self.0.as_str()).await
    }
}

/// Reads the history of an origin.
pub(crate) struct Versions<'a>(pub(crate) &'a Origin);

impl Operation for Versions<'_> {
    type Output = Vec<Version>;

    async fn run(&self, client: &mut Client, schema: &Schema) -> Result<Vec<Version>, Failure> {
        let origin = self.0.as_str();
        history::all(history::rows(client, schema, key(origin)).await?, origin)
    }
}

/// Reads a content.
pub(crate) struct Body(pub(crate) ContentHash);

impl Operation for Body {
    type Output = Option<Arc<[u8]>>;

    async fn run(&self, client: &mut Client, schema: &Schema) -> Result<Option<Arc<[u8]>>, Failure> {
        let select = schema.sql("select {content} from comity.body b where hash = $1");
        let row = client.query_typed_opt(&select, &[(&&self.0.as_bytes()[..], Type::BYTEA)]).await?;
        let Some(row) = row else { return Ok(None) };
        match row.try_get::<_, Option<&[u8]>>(0)? {
            Some(content) if ContentHash::of(content) == self.0 => Ok(Some(content.into())),
            _ => Err(StoreError::damaged(format!("the content {} is not as it was written", self.0)).into()),
        }
    }
}

/// Lists a page of origins.
pub(crate) struct List<'a> {
    pub(crate) after: Option<&'a str>,
    pub(crate) max: usize,
}

/// The index contains the start of each text, since long texts do not fit.
const LIST: &str = "
    select o.origin, o.record::text, o.hash, octet_length(b.content)
        from comity.origin o left join comity.body b on b.hash = o.hash
        where o.record is not null and left(o.origin, 512) collate \"C\" >= left($1, 512) and o.origin collate \"C\" > $1
        order by left(o.origin, 512) collate \"C\", o.origin collate \"C\" limit $2";

impl Operation for List<'_> {
    type Output = Vec<Summary>;

    async fn run(&self, client: &mut Client, schema: &Schema) -> Result<Vec<Summary>, Failure> {
        let (after, max) = (self.after.unwrap_or_default(), i64::try_from(self.max).unwrap_or(i64::MAX));
        // No origin contains it, and no text of PostgreSQL can.
        let after = after.split('\0').next().unwrap_or_default();
        let parameters: &[Parameter<'_>] = &[(&after, Type::TEXT), (&max, Type::INT8)];
        let rows = client.query_typed(&schema.sql(LIST), parameters).await?;
        rows.iter().map(summary).collect()
    }
}

fn summary(row: &Row) -> Result<Summary, Failure> {
    let origin: &str = row.try_get(0)?;
    let record = match record::parse(row.try_get(1)?, origin) {
        Ok(record) => record,
        Err(Failure { kind: Kind::Value(error), .. }) => return Ok(Summary::damaged(origin, &error)),
        Err(failure) => return Err(failure),
    };
    let hash: Option<&[u8]> = row.try_get(2)?;
    let size: Option<i32> = row.try_get(3)?;
    let hash = hash.and_then(|hash| hash.try_into().ok()).map(ContentHash::from_bytes);
    let copy = match (&record.copy, hash, size) {
        (Some(copy), Some(hash), Some(size)) => {
            Some(VersionCopy::new(copy.url.clone(), usize::try_from(size).unwrap_or_default(), hash))
        }
        _ => None,
    };
    Ok(Summary::new(&record, copy))
}

/// Reads all that is stored of an origin.
pub(crate) struct Entry<'a>(pub(crate) &'a Origin);

impl Operation for Entry<'_> {
    type Output = Option<ArchiveEntry>;

    async fn run(&self, client: &mut Client, schema: &Schema) -> Result<Option<ArchiveEntry>, Failure> {
        let origin = self.0.as_str();
        // All statements see the same moment.
        let begin = client.build_transaction().isolation_level(IsolationLevel::RepeatableRead).read_only(true);
        let transaction = begin.start().await?;
        let Some(stored) = record::load(&transaction, schema, origin).await? else { return Ok(None) };
        let versions = history::all(history::rows(&transaction, schema, key(origin)).await?, origin)?;
        let hashes: Vec<&[u8]> =
            versions.iter().filter_map(|version| version.copy.as_ref()).map(|copy| &copy.hash.as_bytes()[..]).collect();
        let select = schema.sql("select {content} from comity.body b where hash = any($1)");
        let rows = transaction.query_typed(&select, &[(&hashes, Type::BYTEA_ARRAY)]).await?;
        let mut bodies: Vec<Arc<[u8]>> = Vec::new();
        for row in &rows {
            bodies.extend(row.try_get::<_, Option<&[u8]>>(0)?.map(Arc::from));
        }
        drop(hashes);
        let entry = ArchiveEntry::new(stored.record, versions, bodies);
        // The error would be about an entry of the caller.
        let damaged = |error| record::damaged(origin, &format!("and its history contradict each other: {error}"));
        entry.map(Some).map_err(damaged)
    }
}

/// Reads the size of the tables.
pub(crate) struct Sizes;

impl Operation for Sizes {
    type Output = StoreStats;
    const HAS_TIMEOUT: bool = false;

    async fn run(&self, client: &mut Client, schema: &Schema) -> Result<StoreStats, Failure> {
        let select = "select (select count(*) from comity.origin where record is not null),
            (select count(*) from comity.body),
            pg_total_relation_size('comity.origin'::regclass) + pg_total_relation_size('comity.version'::regclass)
                + pg_total_relation_size('comity.body'::regclass)";
        let row = client.query_typed_one(&schema.sql(select), &[]).await?;
        let number = |column: usize| Ok::<_, Failure>(row.try_get::<_, i64>(column)?.cast_unsigned());
        Ok(StoreStats::new(number(0)?, number(1)?, number(2)?))
    }
}
