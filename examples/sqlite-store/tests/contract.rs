//! The contract of stores, and clients that share a file.

use std::sync::Arc;

use comity_fetch::store::suite;
use comity_fetch::{Addresses, Client, Fixed};
use comity_sqlite_store::SqliteStore;
use comity_testserver::{ANY, HttpServer, Reply};
use tempfile::TempDir;

/// Returns functions that create stores in a folder, each with a file of its own.
fn new_store(directory: &TempDir) -> impl AsyncFnMut() -> Arc<SqliteStore> {
    let mut number = 0;
    async move || {
        number += 1;
        Arc::new(SqliteStore::open(directory.path().join(number.to_string())).unwrap())
    }
}

#[tokio::test]
async fn records() {
    suite::records(new_store(&tempfile::tempdir().unwrap())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leases() {
    suite::leases(new_store(&tempfile::tempdir().unwrap())).await;
}

/// Three clients, each with a connection of its own, ask about the same origins at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_fetch_each_origin_once() {
    const ORIGINS: usize = 30;
    let server = HttpServer::start().await;
    server.serve(ANY, "/robots.txt", Reply::ok("User-agent: *\nDisallow: /private/\n"));
    let directory = tempfile::tempdir().unwrap();
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..3 {
        let store = SqliteStore::open(directory.path().join("store")).unwrap();
        let client = Client::builder("TestBot/1.0 (+https://bot.test/)")
            .addresses(Addresses::Any)
            .resolver(Arc::new(Fixed::new([server.addr()])))
            .store(Arc::new(store))
            .build()
            .unwrap();
        for site in 0..ORIGINS {
            let (client, url) = (client.clone(), format!("http://site{site}.test/private/x"));
            tasks.spawn(async move { client.check(&comity::Crawler::ANY, &url).await.unwrap().is_disallowed() });
        }
    }
    assert!(tasks.join_all().await.into_iter().all(|is_disallowed| is_disallowed));
    assert_eq!(server.requests().len(), ORIGINS);
}
