//! An example: a [`Store`] over `SQLite`. Clients in any number of processes on one machine share its file, and each
//! robots.txt is fetched by one of them.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use comity::Origin;
use comity_fetch::Record;
use comity_fetch::store::{FetchKind, Lease, Saved, Store, StoreError, StoreFuture, Stored, Ticket};
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};

/// The current time by the clock of the machine, which all clients share.
const NOW: &str = "unixepoch('subsec')";

type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// A store in an `SQLite` file.
#[derive(Clone, Debug)]
pub struct SqliteStore(Arc<Mutex<Connection>>);

impl SqliteStore {
    /// Opens a file. Creates it if it is missing.
    pub fn open(path: impl AsRef<Path>) -> rusqlite::Result<Self> {
        let connection = Connection::open(path)?;
        connection.busy_timeout(Duration::from_secs(5))?;
        connection.execute_batch(
            "pragma journal_mode = wal;
             create table if not exists site (origin text primary key, record text, revision integer not null default 0,
                 due real not null default 0, ticket blob, lease_until real not null default 0);",
        )?;
        Ok(Self(Arc::new(Mutex::new(connection))))
    }

    /// Works in a transaction, in a thread that may wait for the disk.
    fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, AnyError> + Send + 'static,
    ) -> StoreFuture<'static, T> {
        let connection = Arc::clone(&self.0);
        let work = move || {
            let mut connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let result = work(&transaction)?;
            transaction.commit()?;
            Ok::<T, AnyError>(result)
        };
        Box::pin(async move {
            tokio::task::spawn_blocking(work).await.map_err(StoreError::other)?.map_err(StoreError::other)
        })
    }
}

fn stored(transaction: &Transaction<'_>, origin: &str, condition: &str) -> Result<Option<Stored>, AnyError> {
    let sql = format!("select record, revision from site where origin = ? and record is not null and {condition}");
    let row = |row: &rusqlite::Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?));
    let Some((json, revision)) = transaction.query_row(&sql, [origin], row).optional()? else { return Ok(None) };
    let damaged = |error| StoreError::damaged(format!("the record of {origin}: {error}"));
    Ok(Some(Stored::new(serde_json::from_str(&json).map_err(damaged)?, revision.cast_unsigned())))
}

impl Store for SqliteStore {
    fn load<'a>(&'a self, origin: &'a Origin) -> StoreFuture<'a, Option<Stored>> {
        let origin = origin.to_string();
        self.run(move |transaction| stored(transaction, &origin, "true"))
    }

    fn begin<'a>(&'a self, origin: &'a Origin, span: Duration, kind: FetchKind) -> StoreFuture<'a, Lease> {
        let (origin, ticket) = (origin.to_string(), Ticket::random(origin));
        self.run(move |transaction| {
            let fresh = stored(transaction, &origin, &format!("due > {NOW}"))?;
            if let (FetchKind::Due, Some(stored)) = (kind, fresh) {
                return Ok(Lease::Fresh(stored));
            }
            let sql = format!(
                "insert into site (origin, ticket, lease_until) values (?, ?, {NOW} + ?)
                     on conflict do update set ticket = excluded.ticket, lease_until = excluded.lease_until
                     where lease_until <= {NOW}"
            );
            let values = params![origin, ticket.id().to_be_bytes(), span.as_secs_f64()];
            if transaction.execute(&sql, values)? == 1 {
                return Ok(Lease::Granted(ticket));
            }
            let sql = format!("select lease_until - {NOW} from site where origin = ?");
            let until: f64 = transaction.query_row(&sql, [origin], |row| row.get(0))?;
            Ok(Lease::Held { until: Duration::from_secs_f64(until.max(0.0)) })
        })
    }

    fn complete<'a>(&'a self, record: &'a Record, ticket: Option<&'a Ticket>) -> StoreFuture<'a, Saved> {
        let (record, ticket) = (record.clone(), ticket.cloned());
        self.run(move |transaction| {
            let id = ticket.as_ref().map(|ticket| ticket.id().to_be_bytes());
            let sql = format!(
                "insert into site (origin, record, revision, due) select ?1, ?2, 1, {NOW} + ?3 where true
                     on conflict do update set record = excluded.record, due = excluded.due, revision = revision + 1,
                         ticket = null, lease_until = 0 where ?4 is null or ticket = ?4"
            );
            let span = record.fresh_for.unwrap_or_default().as_secs_f64();
            let values = params![record.origin, serde_json::to_string(&record)?, span, id];
            if transaction.execute(&sql, values)? == 1 {
                return Ok(Saved::Kept);
            }
            let nothing = || ticket.map(|ticket| Stored::new(Record::new(ticket.origin()), 0));
            let stored = stored(transaction, &record.origin, "true")?.or_else(nothing);
            Ok(Saved::Late(stored.ok_or("the record was removed")?))
        })
    }

    fn abandon<'a>(&'a self, ticket: &'a Ticket) -> StoreFuture<'a, ()> {
        let (origin, id) = (ticket.origin().to_string(), ticket.id().to_be_bytes());
        self.run(move |transaction| {
            let sql = "update site set ticket = null, lease_until = 0 where origin = ? and ticket = ?";
            transaction.execute(sql, params![origin, id])?;
            Ok(())
        })
    }
}
