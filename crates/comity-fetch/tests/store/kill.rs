//! A process that is killed while it writes, repeatedly.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use comity_fetch::store::{Archive, SqliteStore, Store};
use tokio::task::JoinSet;

use crate::attempts::{Attempts, noise, origin};
use crate::load;

const ROUNDS: u64 = 100;
const ORIGINS: u64 = 48;

/// Returns the body of an origin in a generation: the text names it, and sizes differ.
fn body(site: u64, generation: u64) -> Vec<u8> {
    let mut body = format!("# {site} {generation}\n").into_bytes();
    let length = [10, 300, 2_000, 5_000, 20_000][((site + generation) % 5) as usize];
    body.extend(noise(site * 1_000_003 + generation, length));
    body
}

fn url(site: u64) -> String {
    format!("https://site{site}.example/")
}

/// Returns the generation of a body; `None` if it has none.
fn generation(site: u64, found: &[u8]) -> Option<u64> {
    let line = found.split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?.strip_prefix(&format!("# {site} "))?;
    let generation = line.parse().ok()?;
    (body(site, generation) == found).then_some(generation)
}

/// The process that is killed: this test alone, in a separate program. Otherwise it does nothing.
#[test]
fn child() {
    let Some(directory) = std::env::var_os("COMITY_TEST_KILL") else { return };
    let first: u64 = std::env::var("COMITY_TEST_KILL_FROM").unwrap().parse().unwrap();
    let store = Arc::new(SqliteStore::open(directory).unwrap());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    runtime.block_on(async {
        let mut tasks = JoinSet::new();
        for site in 0..ORIGINS {
            let store = Arc::clone(&store);
            tasks.spawn(async move {
                for generation in first.. {
                    let mut attempts = Attempts::at(&url(site));
                    let record = attempts.after(generation).found(&body(site, generation));
                    store.complete(&record, None).await.unwrap();
                    // One call, so that lines are not interleaved.
                    std::io::stdout().write_all(format!("saved {site} {generation}\n").as_bytes()).unwrap();
                }
            });
        }
        // Until it is killed, or nobody reads its output.
        while tasks.join_next().await.is_some() {}
    });
}

fn start(directory: &Path, first: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["kill::child", "--exact", "--nocapture", "--test-threads=1"])
        .env("COMITY_TEST_KILL", directory)
        .env("COMITY_TEST_KILL_FROM", first.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap()
}

/// The time when a process is killed: after its start, or after it has saved something.
#[derive(Clone, Copy)]
enum Kill {
    AfterStart(Duration),
    AfterSaving(Duration),
}

/// Kills a process that saves. Returns the last acknowledged generation of each origin.
fn killed(directory: &Path, first: u64, when: Kill) -> HashMap<u64, u64> {
    let mut child = start(directory, first);
    let stdout = child.stdout.take().unwrap();
    let (has_saved, saving) = mpsc::channel();
    let reader = thread::spawn(move || {
        let mut saved = HashMap::new();
        let mut lines = BufReader::new(stdout);
        let mut line = String::new();
        // A line without an end was not acknowledged.
        while lines.read_line(&mut line).unwrap() > 0 && line.ends_with('\n') {
            if let Some((site, generation)) =
                line.trim_end().strip_prefix("saved ").and_then(|line| line.split_once(' '))
            {
                saved.insert(site.parse().unwrap(), generation.parse().unwrap());
                let _ = has_saved.send(());
            }
            line.clear();
        }
        saved
    });
    match when {
        Kill::AfterStart(time) => thread::sleep(time),
        Kill::AfterSaving(time) => {
            saving.recv_timeout(Duration::from_secs(30)).expect("it saves something");
            thread::sleep(time);
        }
    }
    child.kill().unwrap();
    let status = child.wait().unwrap();
    assert!(!status.success() && status.code().is_none(), "it was to be killed, and ended by itself: {status}");
    reader.join().unwrap()
}

#[tokio::test]
async fn nothing_acknowledged_is_lost() {
    let mut directory = tempfile::tempdir().unwrap();
    let mut expected: HashMap<u64, u64> = HashMap::new();
    let mut next = 1;
    let (mut acknowledged, mut later) = (0, 0);
    for round in 0..ROUNDS {
        let millis = |millis: u64| Duration::from_micros(millis * 1000 + round * 7919 % 1000);
        let when = if round % 10 == 9 {
            // A new folder, so that the process is killed while it creates the file.
            directory = tempfile::tempdir().unwrap();
            expected.clear();
            Kill::AfterStart(millis(round / 10 * 2))
        } else {
            Kill::AfterSaving(millis(round * 37 % 60))
        };
        let saved = killed(directory.path(), next, when);
        acknowledged += saved.values().map(|generation| generation + 1 - next).sum::<u64>();
        expected.extend(saved);

        let store = SqliteStore::open(directory.path()).unwrap_or_else(|error| panic!("round {round}: {error}"));
        let report = store.verify().await.unwrap();
        assert!(report.is_clean(), "round {round}: {:#?}", report.problems);
        for site in 0..ORIGINS {
            let record = load(&store, &url(site)).await.unwrap();
            let expected = expected.get_mut(&site);
            let Some(record) = record else {
                assert!(expected.is_none(), "round {round}: {site} is lost");
                continue;
            };
            let copy = record.copy.expect("all were found");
            let found = generation(site, &copy.body).unwrap_or_else(|| panic!("round {round}: {site} is torn"));
            next = next.max(found + 1);
            if let Some(expected) = expected {
                assert!(found >= *expected, "round {round}: {site} has {found}, and {expected} was acknowledged");
                later += u64::from(found > *expected);
                *expected = found;
            }
            let newest = &store.versions(&origin(&url(site))).await.unwrap()[0];
            assert_eq!(store.body(newest.copy.as_ref().unwrap().hash).await.unwrap(), Some(copy.body));
        }
    }
    println!("{acknowledged} saves acknowledged in {ROUNDS} rounds; {later} more were found");
    assert!(acknowledged > 10 * ROUNDS);
}
