//! An example: a [`Store`] over `SQLite`. Clients in any number of processes on one machine share its file, and each
//! robots.txt is fetched by one of them.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use comity::Origin;
use comity_fetch::StoredRecord;
use comity_fetch::store::{FetchKind, Lease, Saved, Store, StoreError, StoreFuture, Stored, Ticket};
use rusqlite::{Connection, OptionalExtension as _, params};
use tokio::task::spawn_blocking;

/// The current time by the clock of the machine, which all clients share.
const NOW: &str = "unixepoch('subsec')";
/// The conditions for a record that is fresh and for a lease that is held. Spans that begin in the future do not count:
/// the clock has been set back since.
const IS_FRESH: &str = "(saved <= unixepoch('subsec') and due > unixepoch('subsec'))";
const IS_HELD: &str = "(lease_began <= unixepoch('subsec') and lease_until > unixepoch('subsec'))";

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
                 saved real not null default 0, due real not null default 0, ticket blob,
                 lease_began real not null default 0, lease_until real not null default 0);",
        )?;
        Ok(Self(Arc::new(Mutex::new(connection))))
    }

    /// Works in a thread that may wait for the disk. Each statement is a transaction of its own.
    fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, AnyError> + Send + 'static,
    ) -> StoreFuture<'static, T> {
        let connection = Arc::clone(&self.0);
        let work = move || work(&connection.lock().unwrap_or_else(PoisonError::into_inner));
        Box::pin(async { spawn_blocking(work).await.map_err(StoreError::other)?.map_err(StoreError::other) })
    }
}

/// Returns the record of an origin, whether it is fresh, and the seconds until its lease ends.
fn site(connection: &Connection, origin: &str) -> Result<(Option<Stored>, bool, f64), AnyError> {
    let sql = format!("select record, revision, {IS_FRESH}, lease_until - {NOW} from site where origin = ?");
    let row: Option<(Option<String>, i64, bool, f64)> =
        connection.query_row(&sql, [origin], |row| row.try_into()).optional()?;
    let (json, revision, is_fresh, lease) = row.unwrap_or_default();
    let damaged = |error| StoreError::damaged(format!("the record of {origin}: {error}"));
    let record = json.map(|json| serde_json::from_str(&json)).transpose().map_err(damaged)?;
    Ok((record.map(|record| Stored::new(record, revision.cast_unsigned())), is_fresh, lease))
}

impl Store for SqliteStore {
    fn load<'a>(&'a self, origin: &'a Origin) -> StoreFuture<'a, Option<Stored>> {
        let origin = origin.to_string();
        self.run(move |connection| Ok(site(connection, &origin)?.0))
    }

    fn begin<'a>(&'a self, origin: &'a Origin, span: Duration, kind: FetchKind) -> StoreFuture<'a, Lease> {
        let (origin, ticket, is_due) = (origin.to_string(), Ticket::random(origin), kind == FetchKind::Due);
        self.run(move |connection| {
            let sql = format!(
                "insert into site (origin, ticket, lease_began, lease_until) values (?1, ?2, {NOW}, {NOW} + ?3)
                     on conflict do update set ticket = ?2, lease_began = excluded.lease_began,
                         lease_until = excluded.lease_until
                     where not {IS_HELD} and not (?4 and {IS_FRESH})"
            );
            if connection.execute(&sql, params![origin, ticket.id().to_be_bytes(), span.as_secs_f64(), is_due])? == 1 {
                return Ok(Lease::Granted(ticket));
            }
            Ok(match site(connection, &origin)? {
                (Some(stored), true, _) if is_due => Lease::Fresh(stored),
                (_, _, lease) => Lease::Held { until: Duration::from_secs_f64(lease.max(0.0)) },
            })
        })
    }

    fn complete<'a>(&'a self, record: &'a StoredRecord, ticket: Option<&'a Ticket>) -> StoreFuture<'a, Saved> {
        let (record, ticket) = (record.clone(), ticket.cloned());
        self.run(move |connection| {
            let sql = format!(
                "insert into site (origin, record, revision, saved, due) values (?1, ?2, 1, {NOW}, {NOW} + ?3)
                     on conflict do update set record = ?2, saved = excluded.saved, due = excluded.due,
                         revision = revision + 1, ticket = null, lease_until = 0 where ?4 is null or ticket = ?4"
            );
            let (json, span) = (serde_json::to_string(&record)?, record.fresh_for.unwrap_or_default().as_secs_f64());
            let id = ticket.as_ref().map(|ticket| ticket.id().to_be_bytes());
            let is_saved = connection.execute(&sql, params![record.origin, json, span, id])? == 1;
            let Some(ticket) = ticket.filter(|_| !is_saved) else { return Ok(Saved::Kept) };
            let (stored, ..) = site(connection, &record.origin)?;
            Ok(Saved::Late(stored.unwrap_or_else(|| Stored::empty(ticket.origin()))))
        })
    }

    fn abandon<'a>(&'a self, ticket: &'a Ticket) -> StoreFuture<'a, ()> {
        let values = (ticket.origin().to_string(), ticket.id().to_be_bytes());
        self.run(move |connection| {
            let sql = "update site set ticket = null, lease_until = 0 where origin = ? and ticket = ?";
            Ok(connection.execute(sql, values).map(drop)?)
        })
    }
}
