//! The tables, and their versions.

use std::time::Duration;

use comity::READ_LIMIT;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, GenericClient};

use crate::failure::{Failure, Kind};

/// A parameter of a statement, and its type. With the types, a statement needs no preparation: one round trip, and poolers
/// that give each transaction another connection need no support for prepared statements.
pub(crate) type Parameter<'a> = (&'a (dyn ToSql + Sync), Type);

/// The migrations in order. The first one creates version 1. A released migration never changes.
const MIGRATIONS: &[&str] = &[include_str!("schema/1.sql"), include_str!("schema/2.sql")];

/// The key of the lock under which tables are changed: the first bytes of the SHA-256 of `comity`.
const LOCK: i64 = 0x3a5e_61f0_19c2_7d44;

/// The content of the body `b`, or null if it is larger than [`READ_LIMIT`]: no client of this program writes such a content,
/// and loading it could take all memory. The database knows the size without reading the content.
const CONTENT: &str = "case when octet_length(b.content) <= 512002 then b.content end";
const _: () = assert!(READ_LIMIT == 512_002);

/// The schema that contains the tables, and the limit of its transactions.
#[derive(Debug)]
pub(crate) struct Schema {
    name: String,
    /// The name and a period. Names are quoted: some would be keywords otherwise.
    prefix: String,
    /// The time after which a transaction without a statement ends: its client was stopped, or the network between them was
    /// cut. Otherwise, its locks would delay all other clients until the connection ends, which can take hours.
    pub(crate) max_idle: Duration,
}

impl Schema {
    /// Creates it from its name, and the timeout of operations.
    pub(crate) fn new(name: &str, timeout: Duration) -> Self {
        // Shorter than the timeout, so that operations that wait for a lock do not fail. Zero would mean that there is no
        // limit.
        let max_idle = (timeout.min(Duration::from_secs(5)) * 3 / 5).max(Duration::from_millis(1));
        Self { name: name.to_owned(), prefix: format!("\"{name}\"."), max_idle }
    }

    /// Returns a statement for this schema; it is written for the schema `comity`, and with `{content}` for [`CONTENT`].
    /// Pools of connections may give each transaction another connection, so the search path is of no use.
    pub(crate) fn sql(&self, statement: &str) -> String {
        statement.replace("comity.", &self.prefix).replace("{content}", CONTENT)
    }
}

/// Creates the tables, or changes them to this version's, in one transaction. Fails if they are of a newer version.
pub(crate) async fn migrate(client: &mut Client, schema: &Schema) -> Result<(), Failure> {
    // Most clients find the tables as they should be, and need no right to change them.
    if version(client, schema).await? == MIGRATIONS.len() {
        return Ok(());
    }
    let transaction = client.transaction().await?;
    // Until the end of the transaction.
    transaction.query_typed("select pg_advisory_xact_lock($1)", &[(&LOCK, Type::INT8)]).await?;
    let found = version(&transaction, schema).await?;
    if found == 0 {
        // Without the right to create schemas, an existing one is enough.
        let exists = "select exists (select from pg_namespace where nspname = $1)";
        if !transaction.query_typed_one(exists, &[(&schema.name, Type::TEXT)]).await?.try_get::<_, bool>(0)? {
            transaction.batch_execute(&format!("create schema \"{}\"", schema.name)).await?;
        }
        let table =
            "create table comity.migration (version bigint primary key, applied timestamptz not null default now())";
        transaction.batch_execute(&schema.sql(table)).await?;
    }
    for (number, migration) in (1_i64..).zip(MIGRATIONS).skip(found) {
        transaction.batch_execute(&schema.sql(migration)).await?;
        let insert = schema.sql("insert into comity.migration (version) values ($1)");
        transaction.execute_typed(&insert, &[(&number, Type::INT8)]).await?;
    }
    Ok(transaction.commit().await?)
}

/// Returns the version of the tables; 0 if there are none. Fails if it is newer than this program.
async fn version(client: &impl GenericClient, schema: &Schema) -> Result<usize, Failure> {
    // Not `to_regclass`: it would not see a table that another client has just created.
    let exists = "select exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = $1 and c.relname = 'migration')";
    if !client.query_typed_one(exists, &[(&schema.name, Type::TEXT)]).await?.try_get::<_, bool>(0)? {
        return Ok(0);
    }
    let row =
        client.query_typed_one(&schema.sql("select coalesce(max(version), 0) from comity.migration"), &[]).await?;
    let found: i64 = row.try_get(0)?;
    match usize::try_from(found) {
        Ok(found) if found <= MIGRATIONS.len() => Ok(found),
        _ => Err(Failure::new(
            Kind::Newer,
            format!("its tables have version {found}, and this program knows versions up to {}", MIGRATIONS.len()),
            "use a newer comity, or another schema: `schema=NAME` in the address",
        )),
    }
}
