//! The file: its formats, its locks, and its permissions.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::task::{Context, Waker};

use comity_fetch::store::{Archive, Purge, RedbStore, Store};
use comity_policy::StoredRecord;
use redb::{Database, ReadableDatabase as _, TableDefinition};

use crate::attempts::{found, noise};
use crate::load;

const META: TableDefinition<'_, &str, u64> = TableDefinition::new("meta");

#[tokio::test]
async fn other_formats_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = {
        let store = RedbStore::open(directory.path()).unwrap();
        store.complete(&found("https://a.example/", b"A"), None).await.unwrap();
        store.path().to_path_buf()
    };
    let set_format = |format: u64| {
        let database = Database::open(&path).unwrap();
        let transaction = database.begin_write().unwrap();
        transaction.open_table(META).unwrap().insert("format", format).unwrap();
        transaction.commit().unwrap();
    };
    let (newer, older) = (
        "a newer version of comity; this one knows format 3: use the newer one, or another directory",
        "an older version of comity; this one knows format 3: delete the file, so that sites are fetched again, or use \
         another directory",
    );
    for (format, of) in [(0, older), (1, older), (2, older), (4, newer), (u64::MAX, newer)] {
        set_format(format);
        let error = RedbStore::open(directory.path()).unwrap_err();
        assert!(error.is_newer() == (of == newer) && !error.is_damaged(), "{error}");
        assert_eq!(error.to_string(), format!("`{}` has format {format}, of {of}", path.display()));
    }
    set_format(3);
    let store = RedbStore::open(directory.path()).unwrap();
    assert!(load(&store, "https://a.example/").await.unwrap().is_some(), "refused, and nothing more");
}

#[test]
fn other_programs_databases_are_left_alone() {
    const OTHERS: [TableDefinition<'_, &str, &str>; 2] = [TableDefinition::new("meta"), TableDefinition::new("theirs")];
    for table in OTHERS {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(RedbStore::FILE);
        let database = Database::create(&path).unwrap();
        let transaction = database.begin_write().unwrap();
        transaction.open_table(table).unwrap().insert("format", "theirs").unwrap();
        transaction.commit().unwrap();
        drop(database);

        let error = RedbStore::open(directory.path()).unwrap_err();
        assert!(error.is_foreign(), "{error}");
        let database = Database::open(&path).unwrap();
        let transaction = database.begin_read().unwrap();
        assert_eq!(transaction.list_tables().unwrap().count(), 1);
        assert_eq!(transaction.open_table(table).unwrap().get("format").unwrap().unwrap().value(), "theirs");
    }
}

/// Checks files of processes that were killed while they created them: they contain nothing, so they are created again.
#[tokio::test]
async fn files_that_were_never_finished_are_created_again() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(RedbStore::FILE);
    let mut header = vec![0; 100_000];
    header[9..100].fill(7);
    for bytes in [Vec::new(), vec![0; 512], vec![0; 1_000_000], header] {
        fs::write(&path, bytes).unwrap();
        let store = RedbStore::open(directory.path()).unwrap();
        store.complete(&found("https://a.example/", b"A"), None).await.unwrap();
    }
    // Not if there is anything in it.
    let mut bytes = fs::read(&path).unwrap();
    bytes[..4096].fill(0);
    fs::write(&path, &bytes).unwrap();
    assert!(RedbStore::open(directory.path()).unwrap_err().is_damaged());
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

/// The process that has the store open: this test alone, in a separate program. Otherwise it does nothing.
#[test]
fn child() {
    let Some(directory) = std::env::var_os("COMITY_TEST_HOLD") else { return };
    let store = RedbStore::open(directory).unwrap();
    println!("open");
    // Until nobody holds the other end.
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
    drop(store);
}

#[test]
fn one_process_at_a_time() {
    let directory = tempfile::tempdir().unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["file::child", "--exact", "--nocapture"])
        .env("COMITY_TEST_HOLD", directory.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = Vec::new();
    let mut stdout = child.stdout.take().unwrap();
    while !said.ends_with(b"open\n") {
        let mut byte = [0];
        stdout.read_exact(&mut byte).unwrap();
        said.extend(byte);
    }
    let error = RedbStore::open(directory.path()).unwrap_err();
    assert!(error.is_locked() && !error.is_damaged());
    let expected = format!(
        "another process is using `{}`, which only one can open at a time: wait for it, or use another directory",
        directory.path().join(RedbStore::FILE).display()
    );
    assert_eq!(error.to_string(), expected);

    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    RedbStore::open(directory.path()).unwrap();
}

#[cfg(unix)]
#[test]
fn nobody_else_may_read_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = tempfile::tempdir().unwrap();
    let made = directory.path().join("made/for it");
    let store = RedbStore::open(&made).unwrap();
    let bits = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(bits(store.path()), 0o600);
    assert_eq!(bits(&made), 0o700);
}

#[cfg(unix)]
#[test]
fn nobody_else_may_have_written_it() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let directory = tempfile::tempdir().unwrap();
    let set_mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let refused = |folder: &Path, why: &str| {
        let error = RedbStore::open(folder).unwrap_err();
        assert!(error.is_exposed() && !error.is_damaged() && error.to_string().contains(why), "{why}: {error}");
    };
    let place = |name: &str| {
        let folder = directory.path().join(name);
        fs::create_dir(&folder).unwrap();
        (folder.join(RedbStore::FILE), folder)
    };

    // A symbolic link in place of the file is never followed, whether its target exists or not.
    let (file, folder) = place("dangling");
    let target = directory.path().join("target");
    symlink(&target, &file).unwrap();
    refused(&folder, "it is a symbolic link");
    assert!(!target.exists());
    let (file, folder) = place("linked");
    let (other, elsewhere) = place("elsewhere");
    drop(RedbStore::open(&elsewhere).unwrap());
    symlink(&other, &file).unwrap();
    refused(&folder, "it is a symbolic link");

    // A symbolic link in place of the folder may lead to a folder, but not to nothing.
    let link = directory.path().join("folder");
    symlink(&elsewhere, &link).unwrap();
    drop(RedbStore::open(&link).unwrap());
    let link = directory.path().join("nowhere");
    symlink(directory.path().join("not there"), &link).unwrap();
    let error = RedbStore::open(&link).unwrap_err();
    assert!(error.is_io() && error.to_string().contains("a symbolic link that leads nowhere"), "{error}");
    assert!(!directory.path().join("not there").exists());

    let (_, folder) = place("open");
    set_mode(&folder, 0o777);
    refused(&folder, "every user may write to its directory");
    set_mode(&folder, 0o1777);
    drop(RedbStore::open(&folder).unwrap());
    let (file, folder) = place("writable");
    drop(RedbStore::open(&folder).unwrap());
    set_mode(&file, 0o666);
    refused(&folder, "every user may write to it");

    // An empty file is made private, and used.
    let (file, folder) = place("empty");
    fs::write(&file, "").unwrap();
    set_mode(&file, 0o666);
    drop(RedbStore::open(&folder).unwrap());
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);

    // A named pipe is not a store, and opening it does not block.
    let (file, folder) = place("pipe");
    if Command::new("mkfifo").arg(&file).status().is_ok_and(|status| status.success()) {
        assert!(RedbStore::open(&folder).unwrap_err().is_foreign());
    }
}

#[test]
fn places_where_it_can_not_be() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a\x1b[2Jfile");
    fs::write(&file, "").unwrap();
    for place in [file.clone(), file.join("below")] {
        let error = RedbStore::open(place).unwrap_err();
        assert!(error.is_io() && !error.is_damaged() && !error.is_full());
        let text = error.to_string();
        assert!(text.starts_with("can't make the directory of `") && text.contains(r"a\x1B[2Jfile"), "{text}");
    }
    let there = directory.path().join("there");
    fs::create_dir_all(there.join(RedbStore::FILE)).unwrap();
    let error = RedbStore::open(there).unwrap_err();
    assert!(error.is_io() && error.to_string().starts_with("can't open `"), "{error}");
}

/// Checks that waiting work is done when the store is dropped, even if it takes many commits.
#[tokio::test]
async fn finishes_what_was_begun() {
    let directory = tempfile::tempdir().unwrap();
    let store = RedbStore::open(directory.path()).unwrap();
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
    let store = RedbStore::open(directory.path()).unwrap();
    assert_eq!(store.stats().await.unwrap().origins, 800);
}

/// Ends the runtime while the store continues to exist.
#[test]
fn outlives_a_runtime() {
    let directory = tempfile::tempdir().unwrap();
    let store = Arc::new(RedbStore::open(directory.path()).unwrap());
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
    let store = RedbStore::open(directory.path()).unwrap();
    for site in 0..40 {
        store.complete(&found(&format!("https://site{site}.example/"), &noise(site, 200_000)), None).await.unwrap();
    }
    let before = store.stats().await.unwrap().bytes;
    assert_eq!(store.purge(Purge::All).await.unwrap(), 40);
    let after = store.stats().await.unwrap().bytes;
    assert!(before > 8_000_000 && after < before / 4, "{before}, {after}");
}
