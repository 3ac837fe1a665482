//! Files of earlier versions are read by this one without loss.

use std::fs;
use std::path::Path;

use comity_fetch::store::{Archive, ContentHash, RedbStore, Store};
use comity_policy::Event;
use redb::{Database, TableDefinition};
use sha2::{Digest, Sha256};

use crate::attempts::{Attempts, found, origin};
use crate::load;

const META: TableDefinition<'_, &str, u64> = TableDefinition::new("meta");
const RECORDS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("records");
const VERSIONS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("versions");
const BODIES: TableDefinition<'_, &[u8; 32], &[u8]> = TableDefinition::new("bodies");
const USES: TableDefinition<'_, &[u8; 32], u64> = TableDefinition::new("uses");

/// A file of format 2, written before records had `fresh_for`, a revision and a due time. `a` answered with two files, the
/// second one shared by `c`, and then with 503; `b` answered with 404.
const FORMAT_2: &[u8] = include_bytes!("data/format-2.redb.zst");

const RULES: &[u8] = b"User-agent: *\nDisallow: /a\n";

#[tokio::test]
async fn files_of_format_2_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let file = zstd::stream::decode_all(FORMAT_2).unwrap();
    fs::write(directory.path().join(RedbStore::FILE), file).unwrap();

    for round in 0..2 {
        let store = RedbStore::open(directory.path()).unwrap();
        assert!(store.verify().await.unwrap().is_clean());
        let stats = store.stats().await.unwrap();
        assert_eq!((stats.origins, stats.bodies), (3, 2));
        let a = load(&store, "https://a.example/").await.unwrap().unwrap();
        assert_eq!(&*a.whole_copy().unwrap().body, RULES);
        assert_eq!(a.last.as_ref().unwrap().event, Event::Status(503));
        assert_eq!((a.failures, a.failed_days(), a.fresh_for), (1, 1, None));
        let events = store.versions(&origin("https://a.example/")).await.unwrap();
        let events: Vec<_> = events.iter().map(|version| version.event.to_string()).collect();
        assert_eq!(events, ["answered 503", "sent a robots.txt", "sent a robots.txt"]);
        let old = ContentHash::of(b"User-agent: *\nDisallow: /old\n");
        assert!(store.body(old).await.unwrap().is_some());
        let b = load(&store, "https://b.example/").await.unwrap().unwrap();
        assert_eq!((b.copy, b.last.unwrap().event), (None, Event::Status(404)));
        let c = load(&store, "https://c.example/").await.unwrap().unwrap();
        // Except for the due time, this is what would be written today.
        let today = found("https://c.example/", RULES);
        let expected = if round == 0 { None } else { today.fresh_for };
        assert_eq!((c.fresh_for, c.copy, c.last), (expected, today.copy.clone(), today.last.clone()));
        store.complete(&today, None).await.unwrap();
    }
}

/// Returns a value in the encoding of format 2: JSON after the first eight bytes of the SHA-256 of table, key and
/// value.
fn sealed(table: &str, key: &str, json: &str) -> Vec<u8> {
    let mut digest = Sha256::new();
    for part in [table, key] {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    digest.update(json);
    [&digest.finalize()[..8], json.as_bytes()].concat()
}

/// Writes the tables of format 2 with one origin, with this text as its record.
fn write_format_2(path: &Path, origin: &str, record: &str, body: &[u8]) {
    let database = Database::create(path).unwrap();
    let transaction = database.begin_write().unwrap();
    let hash = ContentHash::of(body);
    let kept = format!(r#"{{"record":{record},"body":["{hash}",{}]}}"#, body.len());
    transaction.open_table(RECORDS).unwrap().insert(origin, &*sealed("records", origin, &kept)).unwrap();
    transaction.open_table(VERSIONS).unwrap().insert(origin, &*sealed("versions", origin, "[]")).unwrap();
    transaction.open_table(BODIES).unwrap().insert(hash.as_bytes(), &*zstd::bulk::compress(body, 3).unwrap()).unwrap();
    transaction.open_table(USES).unwrap().insert(hash.as_bytes(), 1).unwrap();
    transaction.open_table(META).unwrap().insert("format", 2).unwrap();
    transaction.commit().unwrap();
}

/// Checks the oldest records of format 2, which have no `failed_days` either.
#[tokio::test]
async fn the_oldest_records_of_format_2_are_read() {
    let record = r#"{"origin":"https://a.example","policy":"standard","copy":{"url":"https://a.example/robots.txt",
        "fetched":1800000000000,"confirmed":1800000000000,"lifetime":{"secs":7200,"nanos":0},"etag":"\"e\"",
        "last_modified":null,"content_type":"text/plain"},"last":{"began":1800086400000,"ended":1800086400000,
        "event":{"status":503},"detail":null,"hops":[{"url":"https://a.example/robots.txt","status":503}],
        "lifetime":null,"retry_after":null},"failing_since":1800086400000,"failures":1,"answers":null}"#;
    let directory = tempfile::tempdir().unwrap();
    write_format_2(&directory.path().join(RedbStore::FILE), "https://a.example", record, RULES);
    let store = RedbStore::open(directory.path()).unwrap();
    assert!(store.verify().await.unwrap().is_clean());
    let loaded = load(&store, "https://a.example/").await.unwrap().unwrap();
    assert_eq!(&*loaded.whole_copy().unwrap().body, RULES);
    assert_eq!((loaded.failures, loaded.failed_days, loaded.failed_days()), (1, None, 1));
    assert_eq!(loaded.last.unwrap().event, Event::Status(503));
    store.complete(&Attempts::at("https://a.example/").status(404), None).await.unwrap();
}
