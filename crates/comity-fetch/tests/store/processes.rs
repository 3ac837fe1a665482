//! Several processes that share a store.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use comity_fetch::store::{Archive, FetchKind, Lease, SqliteStore, Store};
use rusqlite::{Connection, TransactionBehavior};

use crate::attempts::{Attempts, found, noise, origin};
use crate::load;

/// The number of records that each process saves.
const RECORDS: u64 = 150;

fn url(process: u64, number: u64) -> String {
    format!("https://site{number}.process{process}.example/")
}

/// A process that writes: this test alone, in a separate program. Otherwise it does nothing.
#[tokio::test]
async fn child() {
    let Some(directory) = std::env::var_os("COMITY_TEST_PROCESS") else { return };
    let process: u64 = std::env::var("COMITY_TEST_PROCESS_NUMBER").unwrap().parse().unwrap();
    let store = SqliteStore::open(directory).unwrap();
    let mut granted = 0;
    for number in 0..RECORDS {
        // One site that all of them want, and one of its own.
        if matches!(
            store.begin(&origin(&url(0, number)), Duration::from_secs(600), FetchKind::Due).await.unwrap(),
            Lease::Granted(_)
        ) {
            granted += 1;
        }
        let record = found(&url(process, number), &noise(process * RECORDS + number, 3000));
        store.complete(&record, None).await.unwrap();
        assert_eq!(load(&store, &record.origin).await.unwrap(), Some(record));
    }
    println!("granted {granted}");
}

fn start(directory: &Path, process: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["processes::child", "--exact", "--nocapture"])
        .env("COMITY_TEST_PROCESS", directory)
        .env("COMITY_TEST_PROCESS_NUMBER", process.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Starts three processes in a folder without a store, so that they create it at the same time. Meanwhile, this one reads.
#[tokio::test]
async fn three_write_and_one_reads() {
    let directory = tempfile::tempdir().unwrap();
    let mut children = [1, 2, 3].map(|process| start(directory.path(), process));
    let store = SqliteStore::open(directory.path()).unwrap();
    let mut origins = 0;
    while children.iter_mut().any(|child| child.try_wait().unwrap().is_none()) {
        let found = store.stats().await.unwrap().origins;
        assert!(found >= origins, "{found} < {origins}");
        origins = found;
        let page = store.list(None, 100).await.unwrap();
        for summary in page.iter().rev().take(3) {
            assert!(load(&store, &summary.origin).await.unwrap().is_some());
        }
    }
    let mut granted = 0;
    for child in children {
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{text}");
        let line = text.lines().find_map(|line| line.split_once("granted ")).expect("it says how many");
        granted += line.1.parse::<u64>().unwrap();
    }
    assert_eq!(granted, RECORDS, "each of the sites that all of them want is granted to one");
    assert_eq!(store.stats().await.unwrap().origins, 3 * RECORDS);
    assert!(store.verify().await.unwrap().is_clean());
}

/// Checks that a lease and its end are seen by other stores of the file, and that an old result is late there as well.
#[tokio::test]
async fn leases_are_shared() {
    let directory = tempfile::tempdir().unwrap();
    let stores = [0, 1].map(|_| SqliteStore::open(directory.path()).unwrap());
    let (url, span) = ("https://example.com/", Duration::from_secs(600));
    let Lease::Granted(ticket) = stores[0].begin(&origin(url), span, FetchKind::Due).await.unwrap() else { panic!() };
    assert!(matches!(stores[1].begin(&origin(url), span, FetchKind::Due).await.unwrap(), Lease::Held { .. }));
    let mut record = Attempts::at(url).found(b"A");
    record.fresh_for = Some(span);
    stores[0].complete(&record, Some(&ticket)).await.unwrap();
    match stores[1].begin(&origin(url), span, FetchKind::Due).await.unwrap() {
        Lease::Fresh(found) => assert_eq!(found.record, record),
        other => panic!("{other:?}"),
    }
}

/// Checks that leases that begin in the future are not held: the clock was set back since.
#[tokio::test]
async fn leases_of_the_future() {
    let directory = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(directory.path()).unwrap();
    let (origin, span) = (origin("https://example.com/"), Duration::from_secs(60));
    assert!(matches!(store.begin(&origin, span, FetchKind::Due).await.unwrap(), Lease::Granted(_)));
    assert!(matches!(store.begin(&origin, span, FetchKind::Due).await.unwrap(), Lease::Held { .. }));
    let connection = Connection::open(store.path()).unwrap();
    connection.execute("update leases set began = began + 3600000, ends = ends + 3600000", []).unwrap();
    assert!(matches!(store.begin(&origin, span, FetchKind::Due).await.unwrap(), Lease::Granted(_)));
}

/// Holds the lock for writing for longer than the store waits. Reading goes on.
#[tokio::test]
async fn a_lock_that_is_held_for_too_long() {
    let directory = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(directory.path()).unwrap();
    store.complete(&found("https://a.example/", b"A"), None).await.unwrap();
    let mut connection = Connection::open(store.path()).unwrap();
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
    let record = found("https://b.example/", b"B");
    let (error, loaded) = tokio::join!(store.complete(&record, None), load(&store, "https://a.example/"));
    assert!(loaded.unwrap().is_some());
    let error = error.unwrap_err();
    assert!(error.is_locked() && !error.is_damaged() && !error.is_io(), "{error}");
    let expected = format!(
        "`{}` is in use: another process has been writing to it for too long; try again in a moment",
        store.path().display()
    );
    assert_eq!(error.to_string(), expected);
    drop(transaction);
    store.complete(&record, None).await.unwrap();
}
