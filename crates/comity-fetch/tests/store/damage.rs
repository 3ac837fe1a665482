//! Files with damaged bytes.

use std::fs;
use std::panic;
use std::path::Path;
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

use comity_fetch::store::{Archive, RedbStore, Store, StoreError, catches_panics};
use comity_policy::StoredRecord;

use crate::attempts::{Attempts, noise};
use crate::load;

const DAY: u64 = 24 * 60 * 60;
const PAGE: usize = 4096;

/// Returns a file with some history, closed or as a killed process leaves it, and the records in it.
async fn file(is_closed: bool) -> (Vec<u8>, Vec<StoredRecord>) {
    let directory = tempfile::tempdir().unwrap();
    let mut records = Vec::new();
    let store = RedbStore::open(directory.path()).unwrap();
    for site in 0..40 {
        let mut attempts = Attempts::at(&format!("https://site{site}.example/"));
        for version in 0..3 {
            let body = noise(site * 10 + version, site as usize * 60);
            store.complete(&attempts.after(DAY).found(&body), None).await.unwrap();
        }
        records.push(if site % 3 == 0 {
            attempts.after(DAY).status(503)
        } else {
            attempts.after(DAY).found(b"# all\n")
        });
        store.complete(records.last().unwrap(), None).await.unwrap();
    }
    let path = store.path().to_path_buf();
    if is_closed {
        drop(store);
    }
    (fs::read(path).unwrap(), records)
}

/// Returns the problems that a store reports about a file, and checks that nothing in it is wrong or missing without a
/// report.
async fn said_of(bytes: &[u8], records: &[StoredRecord], what: &str) -> Result<(), StoreError> {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join(RedbStore::FILE), bytes).unwrap();
    let store = RedbStore::open(directory.path())?;
    let mut said = Ok(());
    let mut is_wrong = false;
    for record in records {
        match load(&store, &record.origin).await {
            Ok(found) => is_wrong |= found.as_ref() != Some(record),
            Err(error) => said = Err(error),
        }
    }
    let report = store.verify().await;
    assert!(!is_wrong || said.is_err() || !report.is_ok_and(|report| report.is_clean()), "{what}: silently wrong");
    said
}

/// Damages a file in many ways. Returns the number of reports, and the number of changes without effect.
async fn damaged_in_many_ways(is_closed: bool, damage: impl Fn(usize, &mut Vec<u8>) -> Option<String>) -> (u32, u32) {
    quietly();
    let (clean, records) = file(is_closed).await;
    said_of(&clean, &records, "nothing").await.unwrap();
    let (mut said, mut intact) = (0, 0);
    for number in 0.. {
        let mut bytes = clean.clone();
        let Some(what) = damage(number, &mut bytes) else { break };
        match said_of(&bytes, &records, &what).await {
            Ok(()) => intact += 1,
            Err(error) => {
                assert!(error.is_damaged(), "{what}: {error}");
                said += 1;
            }
        }
    }
    assert_eq!(UNEXPECTED.load(Ordering::Relaxed), 0, "a panic was not expected");
    (said, intact)
}

/// Panics of the database library that the store does not catch, which would be printed.
static UNEXPECTED: AtomicUsize = AtomicUsize::new(0);

/// Silences the panics of the library that are caught.
fn quietly() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if catches_panics() {
                return;
            }
            if info.location().is_some_and(|location| location.file().contains("redb-")) {
                UNEXPECTED.fetch_add(1, Ordering::Relaxed);
            }
            hook(info);
        }));
    });
}

/// Returns a number below another one, for each seed.
fn any(number: usize, below: usize) -> usize {
    let bytes = noise(number as u64, 8);
    bytes.iter().fold(0_usize, |value, byte| value << 8 | usize::from(*byte)) % below
}

#[tokio::test]
async fn bits_of_the_header() {
    for is_closed in [true, false] {
        let (said, _) = damaged_in_many_ways(is_closed, |number, bytes| {
            let (byte, bit) = (number * 13 / 8, number * 13 % 8);
            // The bit that selects the last of the two commits. If the file was not closed, the other commit is what an
            // earlier crash would have left: consistent, with no sign of a later one.
            if !is_closed && (byte, bit) == (9, 0) {
                return Some("nothing".to_owned());
            }
            (byte < 320).then(|| {
                bytes[byte] ^= 1 << bit;
                format!("bit {bit} of byte {byte}")
            })
        })
        .await;
        assert!(said > 20, "{said}");
    }
}

#[tokio::test]
async fn bits_of_pages() {
    for is_closed in [true, false] {
        let (said, _) = damaged_in_many_ways(is_closed, |number, bytes| {
            let used: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] != 0).collect();
            (number < 100).then(|| {
                let at = used[any(number, used.len())];
                bytes[at] ^= 1 << (number % 8);
                format!("bit {} of byte {at}", number % 8)
            })
        })
        .await;
        assert!(said > 40, "{said}");
    }
}

#[tokio::test]
async fn pages_that_are_empty_or_elsewhere() {
    for is_closed in [true, false] {
        let (said, _) = damaged_in_many_ways(is_closed, |number, bytes| {
            let pages = bytes.len() / PAGE;
            if number < pages / 2 {
                bytes[number * 2 * PAGE..][..PAGE].fill(0);
                return Some(format!("page {} empty", number * 2));
            }
            (number < pages / 2 + 40).then(|| {
                let [one, other] = [any(number, pages) * PAGE, any(number + 1000, pages) * PAGE];
                let page = bytes[one..][..PAGE].to_vec();
                bytes.copy_within(other..other + PAGE, one);
                bytes[other..][..PAGE].copy_from_slice(&page);
                format!("pages at {one} and {other} in each other's place")
            })
        })
        .await;
        assert!(said > 40, "{said}");
    }
}

#[tokio::test]
async fn files_that_end_too_early() {
    for is_closed in [true, false] {
        let (said, intact) = damaged_in_many_ways(is_closed, |number, bytes| {
            let length = match number {
                0..20 => number + 1,
                20..40 => any(number, bytes.len()),
                40..60 => any(number, bytes.len()) / PAGE * PAGE,
                60..64 => bytes.len() - (number - 59),
                _ => return None,
            };
            bytes.truncate(length.max(1));
            Some(format!("cut at {length}"))
        })
        .await;
        assert_eq!((said, intact), (64, 0));
    }
}

#[tokio::test]
async fn other_peoples_files() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(RedbStore::FILE);
    for content in [&b"User-agent: *\n"[..], &[0xff; 10_000], &b"SQLite format 3\0"[..], &[0, 0, 0, 1].repeat(1000)] {
        fs::write(&path, content).unwrap();
        let error = RedbStore::open(directory.path()).unwrap_err();
        assert!(error.is_damaged(), "{error}");
        assert_eq!(fs::read(&path).unwrap(), content, "left alone");
    }
}

/// Damages the file of an open store.
#[tokio::test]
async fn while_it_is_open() {
    quietly();
    let directory = tempfile::tempdir().unwrap();
    let store = RedbStore::open(directory.path()).unwrap();
    let mut attempts = Attempts::at("https://example.com/");
    for version in 0..9 {
        store.complete(&attempts.after(DAY).found(&noise(version, 500_000)), None).await.unwrap();
    }
    let good = load(&store, "https://example.com/").await.unwrap();
    truncate(store.path());
    // Values in memory are still good, and all others are reported as damaged; the same is true when the file is opened
    // again.
    match load(&store, "https://example.com/").await {
        Ok(found) => assert_eq!(found, good),
        Err(error) => assert!(error.is_damaged(), "{error}"),
    }
    drop(store);
    let error = RedbStore::open(directory.path()).unwrap_err();
    assert!(error.is_damaged(), "{error}");
    let path = directory.path().join(RedbStore::FILE);
    let expected = format!("`{}` is damaged: ", path.display());
    let text = error.to_string();
    assert!(
        text.starts_with(&expected) && text.ends_with("; move it away: it is only a cache, and will be created again")
    );
}

fn truncate(path: &Path) {
    fs::OpenOptions::new().write(true).open(path).unwrap().set_len(20_000).unwrap();
}
