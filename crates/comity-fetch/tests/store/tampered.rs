//! A file with intact pages and invalid values: the result of a bug in this program, or of a tool.

use std::io::Write as _;

use comity_fetch::store::{Archive, ContentHash, Purge, SqliteStore, Store, export};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use rusqlite::{Connection, params};

use crate::attempts::{Attempts, found, noise};
use crate::load;

const A: &str = "https://a.example";
const B: &str = "https://b.example";
const C: &str = "https://c.example";

/// Returns a content as the file stores it.
fn zlib(body: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

/// Changes a value of an origin.
fn edit(connection: &Connection, column: &str, origin: &str, change: impl FnOnce(&mut Vec<u8>)) {
    let select = format!("select {column} from records where origin = ?");
    let mut value = connection.query_row(&select, [origin], |row| row.get::<_, Vec<u8>>(0)).unwrap();
    change(&mut value);
    connection.execute(&format!("update records set {column} = ? where origin = ?"), params![value, origin]).unwrap();
}

/// Creates three origins: `a` and `b` share a file, `a` had another one before. After the change by `tamper`, the store
/// must report these problems about the origins. They must be gone when the origins are saved again, unless `stays` is
/// true.
async fn tampered(said: &[&str], stays: bool, tamper: impl FnOnce(&Connection)) {
    let directory = tempfile::tempdir().unwrap();
    let mut attempts = Attempts::at(A);
    let path = {
        let store = SqliteStore::open(directory.path()).unwrap();
        store.complete(&attempts.found(b"before"), None).await.unwrap();
        for record in [attempts.after(1).found(b"shared"), found(B, b"shared"), found(C, b"own")] {
            store.complete(&record, None).await.unwrap();
        }
        assert!(store.verify().await.unwrap().is_clean());
        store.path().to_path_buf()
    };
    tamper(&Connection::open(&path).unwrap());

    let store = SqliteStore::open(directory.path()).unwrap();
    let report = store.verify().await.unwrap();
    let problems: Vec<String> = report.problems.iter().map(ToString::to_string).collect();
    let short = problems.iter().map(|problem| shortened(problem)).collect::<Vec<_>>();
    assert_eq!(short, said);
    // What cannot be read is named, and hides no others.
    let listed = store.list(None, 10).await.unwrap();
    assert_eq!(listed.iter().map(|summary| &*summary.origin).collect::<Vec<_>>(), [A, B, C]);
    let mut lines = Vec::new();
    let exported = export(&store, &mut lines).await.unwrap();
    assert_eq!(exported.written + exported.damaged.len() as u64, 3, "{exported:?}");
    for summary in listed.iter().filter(|summary| summary.damage.is_some()) {
        assert!(exported.damaged.iter().any(|damage| damage.contains(&summary.origin)), "{exported:?}");
    }
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
    tampered(&said, false, |connection| {
        edit(connection, "record", C, |record| {
            let at = record.len() - 10;
            record[at] ^= 1;
        });
    })
    .await;
}

#[tokio::test]
async fn a_record_at_another_origin() {
    let said = ["https://b.example: the record of `https://b.example` is not as it was written"];
    tampered(&said, false, |connection| {
        edit(connection, "record", C, |record| {
            connection.execute("update records set record = ? where origin = ?", params![&*record, B]).unwrap();
        });
    })
    .await;
}

#[tokio::test]
async fn a_record_that_is_cut_or_of_another_type() {
    let said = ["https://a.example: the record of `https://a.example` is not as it was written"];
    for length in [0, 7, 8, 100] {
        tampered(&said, false, |connection| edit(connection, "record", A, |record| record.truncate(length))).await;
    }
    for value in ["7", "7.5", "'text'"] {
        let update = format!("update records set record = {value} where origin = ?");
        tampered(&said, false, |connection| assert_eq!(connection.execute(&update, [A]), Ok(1))).await;
    }
}

#[tokio::test]
async fn a_history_that_was_changed() {
    let said = [
        "https://a.example: the history of `https://a.example` is not as it was written",
        "https://a.example: content before: is noted, and not used",
        "content before: belongs to no origin",
    ];
    tampered(&said, false, |connection| edit(connection, "history", A, |history| history[9] ^= 1)).await;
}

#[tokio::test]
async fn a_history_of_another_origin() {
    let said = ["https://c.example: the history of `https://c.example` is not as it was written"];
    tampered(&said, false, |connection| {
        let update = "update records set history = (select history from records where origin = ?) where origin = ?";
        assert_eq!(connection.execute(update, [B, C]), Ok(1));
    })
    .await;
}

#[tokio::test]
async fn an_end_that_was_changed() {
    let said = ["https://c.example: contradicts the end of its last attempt"];
    tampered(&said, false, |connection| {
        assert_eq!(connection.execute("update records set ended = ended + 1 where origin = ?", [C]), Ok(1));
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
        tampered(&["content own: is not as it was written"], false, |connection| {
            let update = "update bodies set content = ? where hash = ?";
            assert_eq!(connection.execute(update, params![value, ContentHash::of(b"own").as_bytes()]), Ok(1));
        })
        .await;
    }
}

#[tokio::test]
async fn a_content_that_is_missing() {
    tampered(&["content shared: is missing"], false, |connection| {
        let delete = "delete from bodies where hash = ?";
        assert_eq!(connection.execute(delete, [ContentHash::of(b"shared").as_bytes()]), Ok(1));
    })
    .await;
}

#[tokio::test]
async fn contents_that_are_wrongly_noted() {
    let said = [
        "https://b.example: content shared: is used, and not noted",
        "https://c.example: content other: is noted, and not used",
        "content other: belongs to no origin",
    ];
    tampered(&said, false, |connection| {
        let hash = ContentHash::of(b"other");
        let insert = "insert into bodies (hash, content) values (?, ?)";
        connection.execute(insert, params![hash.as_bytes(), zlib(b"other")]).unwrap();
        let insert = "insert into uses (record, hash) select id, ? from records where origin = ?";
        connection.execute(insert, params![hash.as_bytes(), C]).unwrap();
        let delete = "delete from uses where record = (select id from records where origin = ?)";
        assert_eq!(connection.execute(delete, [B]), Ok(1));
    })
    .await;
}

/// Checks that a file with other tables than ours is refused, whatever they would do.
#[test]
fn a_schema_that_was_changed() {
    for change in [
        "create trigger theirs after insert on leases begin delete from records; end",
        "create view theirs as select 1",
        "create table theirs (a)",
        "drop index uses_of_hash",
        "alter table leases add column theirs",
    ] {
        let directory = tempfile::tempdir().unwrap();
        let path = SqliteStore::open(directory.path()).unwrap().path().to_path_buf();
        Connection::open(&path).unwrap().execute_batch(change).unwrap();
        let error = SqliteStore::open(directory.path()).unwrap_err();
        assert!(error.is_damaged() && error.to_string().contains("its tables are not as they were created"), "{error}");
    }
}
