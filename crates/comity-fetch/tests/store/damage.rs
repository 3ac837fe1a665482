//! Files with damaged bytes.

use std::fs;
use std::path::Path;

use comity_fetch::store::{Archive, SqliteStore, Store, StoreError};
use comity_policy::StoredRecord;

use crate::attempts::{Attempts, noise};
use crate::load;

const DAY: u64 = 24 * 60 * 60;
const PAGE: usize = 4096;

/// The file that is damaged.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    /// The file of a store that was closed.
    Closed,
    /// The file as a killed process leaves it, with a log beside it.
    Open,
    /// The log of a killed process.
    Log,
}

/// A store with some history: the bytes of its file and of its log, and all records of each origin, the last one last.
struct Written {
    file: Vec<u8>,
    log: Vec<u8>,
    records: Vec<Vec<StoredRecord>>,
}

fn log(directory: &Path) -> std::path::PathBuf {
    directory.join(SqliteStore::FILE).with_extension("sqlite-wal")
}

async fn written(part: Part) -> Written {
    let directory = tempfile::tempdir().unwrap();
    let mut records = Vec::new();
    let store = SqliteStore::open(directory.path()).unwrap();
    for site in 0..40 {
        let mut attempts = Attempts::at(&format!("https://site{site}.example/"));
        let mut all = Vec::new();
        for version in 0..3 {
            all.push(attempts.after(DAY).found(&noise(site * 10 + version, site as usize * 60)));
        }
        all.push(if site % 3 == 0 { attempts.after(DAY).status(503) } else { attempts.after(DAY).found(b"# all\n") });
        for record in &all {
            store.complete(record, None).await.unwrap();
        }
        records.push(all);
    }
    let path = store.path().to_path_buf();
    if part == Part::Closed {
        drop(store);
    }
    Written { file: fs::read(path).unwrap(), log: fs::read(log(directory.path())).unwrap_or_default(), records }
}

/// Returns the problem that a store reports, and checks that nothing in it is wrong or missing without a report.
///
/// A damaged log is what an earlier crash would have left: SQLite ignores the rest of it, so earlier records are right.
async fn said_of(written: &Written, part: Part, what: &str) -> Result<(), StoreError> {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join(SqliteStore::FILE), &written.file).unwrap();
    if part != Part::Closed {
        fs::write(log(directory.path()), &written.log).unwrap();
    }
    let store = SqliteStore::open(directory.path())?;
    let mut said = Ok(());
    let mut is_wrong = false;
    for records in &written.records {
        match load(&store, &records[0].origin).await {
            Ok(found) if part == Part::Log => {
                assert!(found.is_none_or(|found| records.contains(&found)), "{what}: never written");
            }
            Ok(found) => {
                assert!(found.as_ref().is_none_or(|found| records.contains(found)), "{what}: never written");
                is_wrong |= found.as_ref() != records.last();
            }
            Err(error) => said = Err(error),
        }
    }
    match store.verify().await {
        Ok(report) => {
            let problem = report.problems.first();
            said = said.and(problem.map_or(Ok(()), |problem| Err(StoreError::damaged(problem.to_string()))));
        }
        Err(error) => said = Err(error),
    }
    assert!(!is_wrong || said.is_err(), "{what}: silently wrong");
    said
}

/// Damages a file in many ways. Returns the number of reports, and the number of changes without effect.
async fn damaged_in_many_ways(part: Part, damage: impl Fn(usize, &mut Vec<u8>) -> Option<String>) -> (u32, u32) {
    let mut written = written(part).await;
    said_of(&written, part, "nothing").await.unwrap();
    let clean = if part == Part::Log { written.log.clone() } else { written.file.clone() };
    let (mut said, mut intact) = (0, 0);
    for number in 0.. {
        let mut bytes = clean.clone();
        let Some(what) = damage(number, &mut bytes) else { break };
        *(if part == Part::Log { &mut written.log } else { &mut written.file }) = bytes;
        match said_of(&written, part, &what).await {
            Ok(()) => intact += 1,
            Err(error) => {
                assert!(error.is_damaged(), "{what}: {error}");
                said += 1;
            }
        }
    }
    println!("{said} reports, {intact} without effect");
    (said, intact)
}

/// Returns a number below another one, for each seed.
fn any(number: usize, below: usize) -> usize {
    let bytes = noise(number as u64, 8);
    bytes.iter().fold(0_usize, |value, byte| value << 8 | usize::from(*byte)) % below
}

#[tokio::test]
async fn bits_of_the_header() {
    for part in [Part::Closed, Part::Open] {
        let (said, _) = damaged_in_many_ways(part, |number, bytes| {
            let (byte, bit) = (number * 7 / 8, number * 7 % 8);
            // The format and the program: with others, the file is refused as theirs.
            if (60..64).contains(&byte) || (68..72).contains(&byte) {
                return Some("nothing".to_owned());
            }
            (byte < 120).then(|| {
                bytes[byte] ^= 1 << bit;
                format!("bit {bit} of byte {byte}")
            })
        })
        .await;
        assert!(part != Part::Closed || said > 20, "{said}");
    }
}

#[tokio::test]
async fn bits_of_pages() {
    for part in [Part::Closed, Part::Open, Part::Log] {
        let (said, _) = damaged_in_many_ways(part, |number, bytes| {
            let used: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] != 0).collect();
            (number < 100).then(|| {
                let at = used[any(number, used.len())];
                bytes[at] ^= 1 << (number % 8);
                format!("bit {} of byte {at}", number % 8)
            })
        })
        .await;
        assert!(part != Part::Closed || said > 40, "{said}");
    }
}

#[tokio::test]
async fn pages_that_are_empty_or_elsewhere() {
    for part in [Part::Closed, Part::Open, Part::Log] {
        let (said, _) = damaged_in_many_ways(part, |number, bytes| {
            let pages = bytes.len() / PAGE;
            let step = pages.div_ceil(60);
            if number < pages / step {
                bytes[number * step * PAGE..][..PAGE].fill(0);
                return Some(format!("page {} empty", number * step));
            }
            (number < pages / step + 40).then(|| {
                let [one, other] = [any(number, pages) * PAGE, any(number + 1000, pages) * PAGE];
                let page = bytes[one..][..PAGE].to_vec();
                bytes.copy_within(other..other + PAGE, one);
                bytes[other..][..PAGE].copy_from_slice(&page);
                format!("pages at {one} and {other} in each other's place")
            })
        })
        .await;
        assert!(part != Part::Closed || said > 40, "{said}");
    }
}

#[tokio::test]
async fn files_that_end_too_early() {
    for part in [Part::Closed, Part::Open, Part::Log] {
        let (said, intact) = damaged_in_many_ways(part, |number, bytes| {
            let length = match number {
                // SQLite takes a file of one byte for an empty one.
                0..20 => number + 2,
                20..40 => any(number, bytes.len()),
                40..60 => any(number, bytes.len()) / PAGE * PAGE,
                60..64 => bytes.len() - (number - 59),
                _ => return None,
            };
            bytes.truncate(length.max(2));
            Some(format!("cut at {length}"))
        })
        .await;
        assert!(part != Part::Closed || (said, intact) == (64, 0), "{said}, {intact}");
    }
}

#[tokio::test]
async fn other_peoples_files() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(SqliteStore::FILE);
    for content in [
        &b"User-agent: *\n"[..],
        &[0xff; 10_000],
        &b"SQLite format 3\0"[..],
        &[b'S'].repeat(20_000),
        &[0, 0, 0, 1].repeat(1000),
    ] {
        fs::write(&path, content).unwrap();
        let error = SqliteStore::open(directory.path()).unwrap_err();
        assert!(error.is_damaged(), "{error}");
        assert_eq!(fs::read(&path).unwrap(), content, "left alone");
    }
}

/// Damages the file of an open store.
#[tokio::test]
async fn while_it_is_open() {
    let directory = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(directory.path()).unwrap();
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
    let error = match SqliteStore::open(directory.path()) {
        Ok(store) => store.verify().await.unwrap_err(),
        Err(error) => error,
    };
    assert!(error.is_damaged(), "{error}");
    let path = directory.path().join(SqliteStore::FILE);
    let expected = format!("`{}` is damaged: ", path.display());
    let text = error.to_string();
    assert!(
        text.starts_with(&expected) && text.ends_with("; move it away: it is only a cache, and will be created again"),
        "{text}"
    );
}

fn truncate(path: &Path) {
    fs::OpenOptions::new().write(true).open(path).unwrap().set_len(20_000).unwrap();
}
