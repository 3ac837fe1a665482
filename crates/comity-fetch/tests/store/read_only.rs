//! Stores that can only be read.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use comity_fetch::store::{Archive, Purge, SqliteStore, Store};

use crate::attempts::found;
use crate::load;

const URL: &str = "https://a.example/";
/// The user `nobody`.
const NOBODY: u32 = 65534;

/// A process that may not write: this test alone, in a separate program. Otherwise it does nothing.
#[tokio::test]
async fn child() {
    let Some(directory) = std::env::var_os("COMITY_TEST_READ_ONLY") else { return };
    let before = fs::read_dir(&directory).unwrap().count();
    let store = SqliteStore::open(&directory).unwrap();
    for _ in 0..3 {
        assert_eq!(load(&store, URL).await.unwrap(), Some(found(URL, b"A")));
    }
    assert_eq!(store.stats().await.unwrap().origins, 1);
    assert!(store.verify().await.unwrap().is_clean());
    for error in
        [store.complete(&found(URL, b"B"), None).await.unwrap_err(), store.purge(Purge::All).await.unwrap_err()]
    {
        assert!(error.is_io() && !error.is_full() && error.to_string().starts_with("can't write `"), "{error}");
    }
    assert_eq!(load(&store, URL).await.unwrap(), Some(found(URL, b"A")));
    drop(store);
    assert_eq!(fs::read_dir(&directory).unwrap().count(), before, "it creates nothing");
    println!("was read");
}

/// Reads as a user that may not write. The superuser may write everywhere, and so becomes another one.
fn read(directory: &Path) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["read_only::child", "--exact", "--nocapture"]).env("COMITY_TEST_READ_ONLY", directory);
    if rustix::process::geteuid().is_root() {
        command.uid(NOBODY);
    }
    let output = command.output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success() && out.contains("was read"), "{out}\n{err}");
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[tokio::test]
async fn a_store_that_can_only_be_read() {
    let directory = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(directory.path()).unwrap();
    store.complete(&found(URL, b"A"), None).await.unwrap();
    let path = store.path().to_path_buf();
    drop(store);
    for (file, folder) in [(0o444, 0o555), (0o444, 0o755), (0o644, 0o555)] {
        set_mode(&path, file);
        set_mode(directory.path(), folder);
        read(directory.path());
    }
    set_mode(directory.path(), 0o755);

    // While another process has it open, its log is read as well.
    set_mode(&path, 0o644);
    let store = SqliteStore::open(directory.path()).unwrap();
    store.complete(&found(URL, b"B"), None).await.unwrap();
    store.complete(&found(URL, b"A"), None).await.unwrap();
    set_mode(directory.path(), 0o555);
    read(directory.path());
    set_mode(directory.path(), 0o755);
    store.complete(&found(URL, b"C"), None).await.unwrap();
}
