//! The file: its formats and its permissions.

use std::fs;
use std::sync::Arc;
use std::task::{Context, Waker};
#[cfg(unix)]
use std::{path::Path, process::Command};

use comity_fetch::store::{Archive, Purge, SqliteStore, Store};
use comity_policy::StoredRecord;
use rusqlite::Connection;

use crate::attempts::{found, noise};
use crate::load;

#[tokio::test]
async fn other_formats_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = {
        let store = SqliteStore::open(directory.path()).unwrap();
        store.complete(&found("https://a.example/", b"A"), None).await.unwrap();
        store.path().to_path_buf()
    };
    let set_format =
        |format: i32| Connection::open(&path).unwrap().pragma_update(None, "user_version", format).unwrap();
    for format in [5, i32::MAX] {
        set_format(format);
        let error = SqliteStore::open(directory.path()).unwrap_err();
        assert!(error.is_newer() && !error.is_damaged(), "{error}");
        let expected = format!(
            "`{}` has format {format}, of a newer version of comity; this one knows format 4: use the newer one, or \
             another directory",
            path.display()
        );
        assert_eq!(error.to_string(), expected);
    }
    // There never was such a file.
    for format in [i32::MIN, -1, 0, 3] {
        set_format(format);
        assert!(SqliteStore::open(directory.path()).unwrap_err().is_foreign());
    }
    set_format(4);
    let store = SqliteStore::open(directory.path()).unwrap();
    assert!(load(&store, "https://a.example/").await.unwrap().is_some(), "refused, and nothing more");
}

#[test]
fn files_of_older_versions_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let old = directory.path().join("robots.redb");
    fs::write(&old, "anything").unwrap();
    assert!(SqliteStore::is_in(directory.path()));
    let error = SqliteStore::open(directory.path()).unwrap_err();
    let expected = format!(
        "`{}` is a cache of an older version of comity: export it with that version (`comity cache export`), move it \
         away, and import it with `comity cache import`; or use another directory",
        old.display()
    );
    assert_eq!(error.to_string(), expected);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "nothing was created");

    fs::rename(&old, directory.path().join("away")).unwrap();
    assert!(!SqliteStore::is_in(directory.path()));
    drop(SqliteStore::open(directory.path()).unwrap());
    assert!(SqliteStore::is_in(directory.path()));
}

#[test]
fn other_programs_databases_are_left_alone() {
    for theirs in ["create table theirs (a)", "pragma application_id = 7", "pragma user_version = 4"] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(SqliteStore::FILE);
        Connection::open(&path).unwrap().execute_batch(theirs).unwrap();
        let before = fs::read(&path).unwrap();
        let error = SqliteStore::open(directory.path()).unwrap_err();
        assert!(error.is_foreign(), "{error}");
        assert_eq!(fs::read(&path).unwrap(), before);
    }
}

#[cfg(unix)]
#[test]
fn nobody_else_may_read_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = tempfile::tempdir().unwrap();
    let made = directory.path().join("made/for it");
    let store = SqliteStore::open(&made).unwrap();
    let bits = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for suffix in ["", "-wal", "-shm"] {
        assert_eq!(bits(&store.path().with_extension(format!("sqlite{suffix}"))), 0o600);
    }
    assert_eq!(bits(&made), 0o700);
}

#[cfg(unix)]
#[test]
fn nobody_else_may_have_written_it() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let directory = tempfile::tempdir().unwrap();
    let set_mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let refused = |folder: &Path, why: &str| {
        let error = SqliteStore::open(folder).unwrap_err();
        assert!(error.is_exposed() && !error.is_damaged() && error.to_string().contains(why), "{why}: {error}");
    };
    let place = |name: &str| {
        let folder = directory.path().join(name);
        fs::create_dir(&folder).unwrap();
        (folder.join(SqliteStore::FILE), folder)
    };

    // A symbolic link in place of the file is never followed, whether its target exists or not.
    let (file, folder) = place("dangling");
    let target = directory.path().join("target");
    symlink(&target, &file).unwrap();
    refused(&folder, "it is a symbolic link");
    assert!(!target.exists());
    let (file, folder) = place("linked");
    let (other, elsewhere) = place("elsewhere");
    drop(SqliteStore::open(&elsewhere).unwrap());
    symlink(&other, &file).unwrap();
    refused(&folder, "it is a symbolic link");

    // The same is true for the file that SQLite writes first.
    let (file, folder) = place("log");
    symlink(&other, file.with_extension("sqlite-wal")).unwrap();
    refused(&folder, "it is a symbolic link");

    // A symbolic link in place of the folder may lead to a folder, but not to nothing.
    let link = directory.path().join("folder");
    symlink(&elsewhere, &link).unwrap();
    drop(SqliteStore::open(&link).unwrap());
    let link = directory.path().join("nowhere");
    symlink(directory.path().join("not there"), &link).unwrap();
    let error = SqliteStore::open(&link).unwrap_err();
    assert!(error.is_io() && error.to_string().contains("a symbolic link that leads nowhere"), "{error}");
    assert!(!directory.path().join("not there").exists());

    let (_, folder) = place("open");
    set_mode(&folder, 0o777);
    refused(&folder, "every user may write to its directory");
    // Not even if they can only add files.
    set_mode(&folder, 0o1777);
    refused(&folder, "every user may write to its directory");
    let (file, folder) = place("writable");
    drop(SqliteStore::open(&folder).unwrap());
    set_mode(&file, 0o666);
    refused(&folder, "every user may write to it");

    // An empty file is made private, and used.
    let (file, folder) = place("empty");
    fs::write(&file, "").unwrap();
    set_mode(&file, 0o666);
    drop(SqliteStore::open(&folder).unwrap());
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);

    // A named pipe is not a store, and opening it does not block.
    let (file, folder) = place("pipe");
    if Command::new("mkfifo").arg(&file).status().is_ok_and(|status| status.success()) {
        assert!(SqliteStore::open(&folder).unwrap_err().is_foreign());
    }
}

#[test]
fn places_where_it_can_not_be() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a\x1b[2Jfile");
    fs::write(&file, "").unwrap();
    for place in [file.clone(), file.join("below")] {
        let error = SqliteStore::open(place).unwrap_err();
        assert!(error.is_io() && !error.is_damaged() && !error.is_full());
        let text = error.to_string();
        assert!(text.starts_with("can't make the directory of `") && text.contains(r"a\x1B[2Jfile"), "{text}");
    }
    let there = directory.path().join("there");
    fs::create_dir_all(there.join(SqliteStore::FILE)).unwrap();
    let error = SqliteStore::open(there).unwrap_err();
    assert!(error.is_io() && error.to_string().starts_with("can't open `"), "{error}");
}

/// Checks that waiting work is done when the store is dropped, even if it takes many commits.
#[tokio::test]
async fn finishes_what_was_begun() {
    let directory = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(directory.path()).unwrap();
    let urls: Vec<String> = (0..800).map(|site| format!("https://site{site}.example/")).collect();
    let records: Vec<StoredRecord> = urls.iter().map(|url| found(url, url.as_bytes())).collect();
    let mut saving: Vec<_> = records.iter().map(|record| store.complete(record, None)).collect();
    // Otherwise the runtime lets a task do only 128 operations before others have their turn.
    tokio::task::unconstrained(async {
        for save in &mut saving {
            let _ = save.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        }
    })
    .await;
    drop(saving);
    drop(store);
    let store = SqliteStore::open(directory.path()).unwrap();
    assert_eq!(store.stats().await.unwrap().origins, 800);
}

/// Ends the runtime while the store continues to exist.
#[test]
fn outlives_a_runtime() {
    let directory = tempfile::tempdir().unwrap();
    let store = Arc::new(SqliteStore::open(directory.path()).unwrap());
    for round in 0..3 {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let url = format!("https://site{round}.example/");
        runtime.block_on(async {
            store.complete(&found(&url, b"A"), None).await.unwrap();
            assert!(load(&*store, &url).await.unwrap().is_some());
        });
    }
}

#[tokio::test]
async fn gives_room_back() {
    let directory = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(directory.path()).unwrap();
    for site in 0..40 {
        store.complete(&found(&format!("https://site{site}.example/"), &noise(site, 200_000)), None).await.unwrap();
    }
    let before = store.stats().await.unwrap().bytes;
    assert_eq!(store.purge(Purge::All).await.unwrap(), 40);
    let after = store.stats().await.unwrap().bytes;
    assert!(before > 8_000_000 && after < before / 4, "{before}, {after}");
}
