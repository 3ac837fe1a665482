//! A disk that is full.
#![cfg(unix)]

use std::process::Command;

use comity_fetch::store::{Archive, Purge, SqliteStore, Store};

use rustix::process::{Resource, Rlimit, setrlimit};

use crate::attempts::{found, noise};
use crate::load;

fn url(site: u64) -> String {
    format!("https://site{site}.example/")
}

/// The process with a limit on the size of files: this test alone, in a separate program. Otherwise it does nothing.
#[tokio::test]
async fn child() {
    let Some(directory) = std::env::var_os("COMITY_TEST_FULL") else { return };
    let store = SqliteStore::open(&directory).unwrap();
    let mut saved = 0;
    let error = loop {
        match store.complete(&found(&url(saved), &noise(saved, 100_000)), None).await {
            Ok(_) => saved += 1,
            Err(error) => break error,
        }
        assert!(saved < 100);
    };
    assert!(error.is_full() && error.is_io() && !error.is_damaged(), "{error:?}");
    assert!(error.to_string().starts_with("no room left to write `"), "{error}");
    // Acknowledged records can be read at once.
    for site in 0..saved {
        assert_eq!(load(&store, &url(site)).await.unwrap(), Some(found(&url(site), &noise(site, 100_000))));
    }
    assert!(store.verify().await.unwrap().is_clean());
    assert_eq!(load(&store, &url(saved)).await.unwrap(), None);
    // As soon as there is space, more is saved.
    setrlimit(Resource::Fsize, Rlimit { current: None, maximum: None }).unwrap();
    store.complete(&found(&url(saved), b"A"), None).await.unwrap();
    assert_eq!(store.purge(Purge::All).await.unwrap(), saved + 1);
    store.complete(&found(&url(0), b"A"), None).await.unwrap();
    assert!(store.verify().await.unwrap().is_clean());
    println!("{saved} saved");
}

#[test]
fn full_disk_is_reported_and_recovered_from() {
    let directory = tempfile::tempdir().unwrap();
    // A limit on the size of files simulates a full disk. With the signal ignored, writing fails.
    let output = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -S -f 8192; exec \"$0\" full::child --exact --nocapture"])
        .arg(std::env::current_exe().unwrap())
        .env("COMITY_TEST_FULL", directory.path())
        .output()
        .unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success() && out.contains(" saved\n"), "{out}\n{err}");
    assert!(!out.contains("\n0 saved"), "{out}");
}
