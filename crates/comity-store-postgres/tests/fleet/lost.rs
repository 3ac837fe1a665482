//! Answers that are lost: the server has done what it was asked, and the connection ends before the answer arrives.

use std::time::Duration;

use comity::Origin;
use comity_fetch::StoredRecord;
use comity_fetch::store::{Archive, ArchiveEntry, FetchKind, Lease, Purge, Saved, Store as _, Ticket};
use comity_store_postgres::PostgresStore;
use comity_testserver::Postgres;

use crate::proxy::Proxy;

const LEASE: Duration = Duration::from_secs(600);
/// A part of the statement that requests a lease.
const BEGIN: &str = "(key, origin, ticket, lease_until)";
/// The end of a transaction.
const COMMIT: &str = "COMMIT\0";

async fn granted(store: &PostgresStore) -> Ticket {
    match store.begin(&origin(), LEASE, FetchKind::Forced).await.unwrap() {
        Lease::Granted(ticket) => ticket,
        other => panic!("expected a lease, found {other:?}"),
    }
}

fn origin() -> Origin {
    Origin::of("https://example.com/").unwrap()
}

/// The operation is repeated, and has the result of its first execution: a client that holds a lease does not wait for
/// itself, and a result that was saved is not late.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn operations_are_repeated() {
    let Some(server) = Postgres::start() else { return };
    let proxy = Proxy::start(server.port()).await;
    let store = PostgresStore::new(proxy.url().parse().unwrap()).unwrap();
    let record = StoredRecord::new(&origin());
    for revision in 1..=2 {
        proxy.lose_answer(BEGIN);
        let ticket = granted(&store).await;
        assert!(proxy.has_lost());

        proxy.lose_answer(COMMIT);
        assert_eq!(store.complete(&record, Some(&ticket)).await.unwrap(), Saved::Kept);
        assert!(proxy.has_lost());
        let stored = store.load(&origin()).await.unwrap().unwrap();
        assert_eq!((stored.revision, stored.record), (revision, record.clone()), "it was saved once");
    }

    let ticket = granted(&store).await;
    proxy.lose_answer("set ticket = null");
    store.abandon(&ticket).await.unwrap();
    assert!(proxy.has_lost());
    granted(&store).await;
}

/// Imports and purges are not repeated: they count what they did. The caller learns that the answer is missing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn imports_and_purges_are_not_repeated() {
    let Some(server) = Postgres::start() else { return };
    let proxy = Proxy::start(server.port()).await;
    let store = PostgresStore::new(proxy.url().parse().unwrap()).unwrap();
    store.connect().await.unwrap();
    let entry = ArchiveEntry::new(StoredRecord::new(&origin()), Vec::new(), Vec::new()).unwrap();
    proxy.lose_answer(COMMIT);
    let error = store.restore(vec![entry]).await.unwrap_err();
    assert!(error.to_string().contains("connection closed") && PostgresStore::is_down(&error), "{error}");
    assert!(store.load(&origin()).await.unwrap().is_some(), "it was done");
    proxy.lose_answer(COMMIT);
    assert!(store.purge(Purge::All).await.is_err());
    assert_eq!(store.load(&origin()).await.unwrap(), None);
}
