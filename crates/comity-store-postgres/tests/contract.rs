//! The contract of stores, with a real PostgreSQL server. Skipped with a message if it is not installed.

#![cfg(unix)]

use std::sync::Arc;

use comity_fetch::store::suite;
use comity_store_postgres::{PostgresOptions, PostgresStore};
use comity_testserver::Postgres;

/// Returns a function that creates stores in one database, each in a schema of its own.
fn new_store(server: &Postgres) -> impl AsyncFnMut() -> Arc<PostgresStore> {
    let mut number = 0;
    async move || {
        number += 1;
        let options: PostgresOptions = format!("{}?schema=test{number}", server.url()).parse().unwrap();
        Arc::new(PostgresStore::new(options).unwrap())
    }
}

#[tokio::test]
async fn records() {
    let Some(server) = Postgres::start() else { return };
    suite::records(new_store(&server)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leases() {
    let Some(server) = Postgres::start() else { return };
    suite::leases(new_store(&server)).await;
}

#[tokio::test]
async fn archive() {
    let Some(server) = Postgres::start() else { return };
    suite::archive(new_store(&server)).await;
}
