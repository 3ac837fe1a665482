//! A disk without space. Skipped with a message without the right to mount a file system.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use comity::{Crawler, Origin};
use comity_fetch::store::{ArchiveEntry, Store};
use comity_fetch::{Addresses, Client, Fixed};
use comity_store_postgres::{PostgresOptions, PostgresStore};
use comity_testserver::Postgres;

use crate::web::Web;

/// A file system of a few megabytes, which is removed on drop.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(path: &Path) -> Option<Self> {
        fs::create_dir(path).unwrap();
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=4m", "tmpfs"]).arg(path).status();
        if !mounted.is_ok_and(|status| status.success()) {
            eprintln!("SKIPPED: a file system can be mounted only by root, and not in every container");
            return None;
        }
        Some(Self(path.to_owned()))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

/// Writing fails with an error that says so, reading works, and a client answers by its own fetch.
#[tokio::test]
async fn the_disk_is_full() {
    let Some(mut server) = Postgres::start() else { return };
    let path = server.folder().join("small");
    let Some(disk) = SmallDisk::mount(&path) else { return };
    let owner = fs::metadata(server.data()).unwrap();
    chown(&path, Some(owner.uid()), Some(owner.gid())).unwrap();
    server.psql(&format!("create tablespace small location '{}'", path.display()));
    server.psql("alter role postgres set default_tablespace = small");
    let options: PostgresOptions = server.url().parse().unwrap();
    let store = Arc::new(PostgresStore::new(options.patience(Duration::MAX)).unwrap());
    let web = Web::start_here().await;
    let client = Client::builder("TestBot/1.0 (+https://bot.test/)")
        .addresses(Addresses::Any)
        .resolver(Arc::new(Fixed::new([web.address()])))
        .timeout(Duration::from_secs(5))
        .store(Arc::clone(&store) as Arc<dyn Store>)
        .build()
        .unwrap();
    assert!(client.check(&Crawler::ANY, "http://before.test/private/x").await.unwrap().is_disallowed());
    assert_eq!(client.stats().store_errors_total, 0);

    // Contents that cannot be compressed fill the disk.
    let origin = Origin::of("http://before.test/").unwrap();
    let archive = store.archive().unwrap();
    let entry = archive.entry(&origin).await.unwrap().unwrap();
    let mut error = None;
    for number in 0..64_u64 {
        let mut record = entry.record.clone();
        record.origin = format!("http://large{number}.test");
        record.copy.as_mut().unwrap().body = noise(number, 256 * 1024).into();
        let restored = archive.restore(vec![ArchiveEntry::new(record, Vec::new(), Vec::new()).unwrap()]).await;
        if let Err(failed) = restored {
            error = Some(failed);
            break;
        }
    }
    let error = error.expect("a full disk");
    assert!(error.is_full(), "{error}");
    assert!(
        error.to_string().contains("No space left on device") && error.to_string().contains("make room"),
        "{error}"
    );

    assert!(store.load(&origin).await.unwrap().is_some());
    let mut answers = 0;
    while client.stats().store_errors_total == 0 {
        let url = format!("http://after{answers}.test/private/x");
        assert!(client.check(&Crawler::ANY, &url).await.unwrap().is_disallowed());
        answers += 1;
        assert!(answers < 2000, "small records still fit");
    }
    assert!(client.check(&Crawler::ANY, "http://after0.test/private/x").await.unwrap().is_disallowed());
    assert!(archive.verify().await.unwrap().is_clean());
    server.kill();
    drop(disk);
}

/// Returns bytes that cannot be compressed (xorshift).
fn noise(seed: u64, size: usize) -> Vec<u8> {
    let mut state = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    std::iter::repeat_with(next).take(size).collect()
}
