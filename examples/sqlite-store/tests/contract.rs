//! The contract of stores, and clients that share a file.

use std::sync::Arc;
use std::time::Duration;

use comity::Origin;
use comity_fetch::store::{FetchKind, Lease, Saved, Store as _, suite};
use comity_fetch::{Addresses, Client, Fixed, StoredRecord};
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

/// After the clock was set back, records and leases of the future neither keep a site fresh nor hold up its fetch.
#[tokio::test]
async fn records_and_leases_of_the_future_do_not_count() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    let store = SqliteStore::open(&path).unwrap();
    let origin = Origin::of("https://a.test/").unwrap();
    let span = Duration::from_mins(1);
    let mut record = StoredRecord::new(&origin);
    record.fresh_for = Some(span);
    assert_eq!(store.complete(&record, None).await.unwrap(), Saved::Kept);
    assert!(matches!(store.begin(&origin, span, FetchKind::Due).await.unwrap(), Lease::Fresh(_)));

    let connection = rusqlite::Connection::open(&path).unwrap();
    let set_back = |span: &str| connection.execute_batch(&format!("update site set {span}")).unwrap();
    set_back("saved = saved + 3600, due = due + 3600");
    assert!(matches!(store.begin(&origin, span, FetchKind::Due).await.unwrap(), Lease::Granted(_)));
    assert!(matches!(store.begin(&origin, span, FetchKind::Due).await.unwrap(), Lease::Held { .. }));
    set_back("lease_began = lease_began + 3600, lease_until = lease_until + 3600");
    assert!(matches!(store.begin(&origin, span, FetchKind::Due).await.unwrap(), Lease::Granted(_)));
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
