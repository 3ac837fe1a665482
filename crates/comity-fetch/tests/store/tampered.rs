//! A file with intact pages and invalid values: the result of a bug in this program, or of a tool.

use std::io::Write as _;
use std::path::Path;

use comity_fetch::store::{Archive, ContentHash, Purge, RedbStore, Store};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use redb::{Database, ReadableTable as _, TableDefinition};

use crate::attempts::{Attempts, found, noise};
use crate::load;

const RECORDS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("records");
const VERSIONS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("versions");
const BODIES: TableDefinition<'_, &[u8; 32], &[u8]> = TableDefinition::new("bodies");
const USES: TableDefinition<'_, &[u8; 32], u64> = TableDefinition::new("uses");

const A: &str = "https://a.example";
const B: &str = "https://b.example";
const C: &str = "https://c.example";

type Values<'t> = redb::Table<'t, &'static str, &'static [u8]>;

fn change(path: &Path, change: impl FnOnce(&redb::WriteTransaction)) {
    let database = Database::open(path).unwrap();
    let transaction = database.begin_write().unwrap();
    change(&transaction);
    transaction.commit().unwrap();
}

/// Returns a content as the file stores it.
fn zlib(body: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

fn value(table: &Values<'_>, key: &str) -> Vec<u8> {
    table.get(key).unwrap().unwrap().value().to_vec()
}

/// Creates three origins: `a` and `b` share a file, `a` had another one before. After the change by `tamper`, the store
/// must report these problems about the origins. They must be gone when the origins are saved again, unless `stays` is
/// true.
async fn tampered(said: &[&str], stays: bool, tamper: impl FnOnce(&redb::WriteTransaction)) {
    let directory = tempfile::tempdir().unwrap();
    let mut attempts = Attempts::at(A);
    let path = {
        let store = RedbStore::open(directory.path()).unwrap();
        store.complete(&attempts.found(b"before"), None).await.unwrap();
        for record in [attempts.after(1).found(b"shared"), found(B, b"shared"), found(C, b"own")] {
            store.complete(&record, None).await.unwrap();
        }
        assert!(store.verify().await.unwrap().is_clean());
        store.path().to_path_buf()
    };
    change(&path, tamper);

    let store = RedbStore::open(directory.path()).unwrap();
    let report = store.verify().await.unwrap();
    let problems: Vec<String> = report.problems.iter().map(ToString::to_string).collect();
    let short = problems.iter().map(|problem| shortened(problem)).collect::<Vec<_>>();
    assert_eq!(short, said);
    for (url, body) in [(A, "shared"), (B, "shared"), (C, "own")] {
        // Either correct, or reported as wrong; never missing.
        match load(&store, url).await {
            Ok(record) => assert_eq!(&*record.unwrap().copy.unwrap().body, body.as_bytes()),
            Err(error) => assert!(error.is_damaged() && error.to_string().contains("`comity cache verify`"), "{error}"),
        }
    }
    let again = [attempts.after(1).found(b"shared"), found(B, b"shared"), found(C, b"own")];
    for record in again.into_iter().chain([found(B, b"new"), found(C, b"new")]) {
        store.complete(&record, None).await.unwrap();
        assert_eq!(load(&store, &record.origin).await.unwrap(), Some(record));
    }
    assert_eq!(store.verify().await.unwrap().is_clean(), !stays);
    assert_eq!(store.purge(Purge::All).await.unwrap(), 3);
    assert!(store.verify().await.unwrap().is_clean());
}

/// Returns a problem with short names in place of the hashes of contents.
fn shortened(problem: &str) -> String {
    ["before", "shared", "own", "other"].iter().fold(problem.to_owned(), |problem, content| {
        problem.replace(&ContentHash::of(content.as_bytes()).to_string(), content)
    })
}

#[tokio::test]
async fn a_record_that_was_changed() {
    let said = ["https://c.example: the record of `https://c.example` is not as it was written"];
    tampered(&said, false, |transaction| {
        let mut records = transaction.open_table(RECORDS).unwrap();
        let mut record = value(&records, C);
        let at = record.len() - 10;
        record[at] ^= 1;
        records.insert(C, &record[..]).unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_record_at_another_origin() {
    let said = ["https://b.example: the record of `https://b.example` is not as it was written"];
    tampered(&said, false, |transaction| {
        let mut records = transaction.open_table(RECORDS).unwrap();
        let record = value(&records, C);
        records.insert(B, &record[..]).unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_record_that_is_cut() {
    let said = ["https://a.example: the record of `https://a.example` is not as it was written"];
    for length in [0, 7, 8, 100] {
        tampered(&said, false, |transaction| {
            let mut records = transaction.open_table(RECORDS).unwrap();
            let record = value(&records, A);
            records.insert(A, &record[..length]).unwrap();
        })
        .await;
    }
}

#[tokio::test]
async fn a_history_that_was_changed() {
    let said = [
        "https://a.example: the history of `https://a.example` is not as it was written",
        "content before: belongs to no origin",
        "content before: is counted for 1 origins, and belongs to 0",
    ];
    tampered(&said, false, |transaction| {
        let mut versions = transaction.open_table(VERSIONS).unwrap();
        let mut history = value(&versions, A);
        history[9] ^= 1;
        versions.insert(A, &history[..]).unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_history_without_a_record() {
    let said = ["https://d.example: has a history and no record"];
    tampered(&said, true, |transaction| {
        let mut versions = transaction.open_table(VERSIONS).unwrap();
        let history = value(&versions, A);
        versions.insert("https://d.example", &history[..]).unwrap();
    })
    .await;
}

#[tokio::test]
async fn contents_that_are_not_what_they_are_called() {
    let bomb = zlib(&vec![0; 256 << 20]);
    let other = zlib(b"other");
    let large = zlib(&noise(1, 600_000));
    let longer = [&zlib(b"own")[..], b"more"].concat();
    for value in [&bomb[..], &other, &large, &other[..3], &longer, b"", b"no zlib at all"] {
        tampered(&["content own: is not as it was written"], false, |transaction| {
            let mut bodies = transaction.open_table(BODIES).unwrap();
            bodies.insert(ContentHash::of(b"own").as_bytes(), value).unwrap();
        })
        .await;
    }
}

#[tokio::test]
async fn a_content_that_is_missing() {
    let said = ["https://a.example: content shared: is missing", "https://b.example: content shared: is missing"];
    tampered(&said, false, |transaction| {
        transaction.open_table(BODIES).unwrap().remove(ContentHash::of(b"shared").as_bytes()).unwrap();
    })
    .await;
}

#[tokio::test]
async fn contents_that_are_wrongly_counted() {
    let said = [
        "content other: belongs to no origin",
        "content shared: is counted for 1 origins, and belongs to 2",
        "content own: is not counted",
    ];
    tampered(&said, true, |transaction| {
        let mut uses = transaction.open_table(USES).unwrap();
        uses.insert(ContentHash::of(b"shared").as_bytes(), 1).unwrap();
        uses.remove(ContentHash::of(b"own").as_bytes()).unwrap();
        let other = zlib(b"other");
        let mut bodies = transaction.open_table(BODIES).unwrap();
        bodies.insert(ContentHash::of(b"other").as_bytes(), &other[..]).unwrap();
    })
    .await;
}
