//! Watchers that are killed at any moment, or whose disk is full: each change is in the file exactly once, and at the webhook
//! at least once, with the same id.

#![cfg(unix)]

use std::collections::HashMap;
use std::env;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use comity_watch::Delivery;
use serde_json::Value;

use crate::deliver::delivery;
use crate::watcher::World;

const SITES: usize = 25;
/// The variables that make the test program a watcher: its folder, the number of the round, and the webhook.
const FOLDER: &str = "COMITY_TEST_WATCH_FOLDER";
const ROUND: &str = "COMITY_TEST_WATCH_ROUND";
const HOOK: &str = "COMITY_TEST_WATCH_HOOK";
/// The number of sites, and the number of the write at which the watcher ends.
const NUMBER: &str = "COMITY_TEST_WATCH_SITES";
const END: &str = "COMITY_TEST_WATCH_END";

/// Returns the file of all sites in a round. Each blocks one more path.
fn file(round: usize) -> String {
    (0..=round)
        .map(|path| format!("Disallow: /{path}/\n"))
        .fold("User-agent: *\n".to_owned(), |text, line| text + &line)
}

/// Not a test: the watcher that is killed.
#[test]
#[ignore = "the other tests run it as a process"]
fn watcher_process() {
    let (Ok(folder), Ok(round)) = (env::var(FOLDER), env::var(ROUND)) else { return };
    let round: usize = round.parse().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let failed = runtime.block_on(async {
        let number = |name| env::var(name).ok().and_then(|text| text.parse().ok());
        let mut world = World::in_folder(number(NUMBER).unwrap_or(SITES), Path::new(&folder));
        world.ends_at_write = number(END);
        *world.sites.default.lock().unwrap() = file(round);
        world.clock.advance(Duration::from_secs(2 * 3600) * u32::try_from(round).unwrap());
        let mut watcher = world.try_watcher().await?;
        let summary = watcher.once().await?;
        let mut failed = summary.problem.is_some();
        for delivery in deliveries(&folder, env::var(HOOK).ok().as_deref()) {
            failed |= delivery.run(watcher.outbox(), &crate::deliver::posting()).await.is_err();
        }
        Ok::<_, comity_fetch::store::StoreError>(failed)
    });
    // Not the end of a test, which would print.
    std::process::exit(i32::from(failed.unwrap_or(true)));
}

fn deliveries(folder: &str, hook: Option<&str>) -> Vec<Delivery> {
    let file = format!("[watch]\n[[watch.to]]\njsonl = \"{folder}/alerts.jsonl\"\n");
    let hook = hook.map(|url| format!("[watch]\n[[watch.to]]\nwebhook = \"{url}\"\n"));
    [Some(file), hook].into_iter().flatten().map(|text| delivery(&text, None)).collect()
}

/// Returns the command that runs the watcher for a round, with a limit on the size of files in KiB.
fn watcher(folder: &Path, round: usize, hook: Option<&str>, max_file: Option<usize>) -> Command {
    let program = env::current_exe().unwrap();
    let mut command = match max_file {
        None => Command::new(program),
        Some(limit) => {
            let mut shell = Command::new("bash");
            shell.args(["-c", &format!("trap '' XFSZ; ulimit -f {limit}; exec \"$0\" \"$@\"")]).arg(program);
            shell
        }
    };
    command.args(["--exact", "kill::watcher_process", "--ignored", "--test-threads=1"]);
    command.env(FOLDER, folder).env(ROUND, round.to_string());
    if let Some(hook) = hook {
        command.env(HOOK, hook);
    }
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Checks that the file has each change of each site exactly once, and returns the ids.
fn check(folder: &Path, sites: usize, rounds: usize) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join("alerts.jsonl")).unwrap();
    let mut seen: HashMap<(String, String), usize> = HashMap::new();
    let mut ids = Vec::new();
    for line in text.lines() {
        let alert: Value = serde_json::from_str(line).unwrap();
        assert_eq!(alert["kind"], "blocked", "{line}");
        let part = |name: &str| alert[name].as_str().unwrap().to_owned();
        *seen.entry((part("origin"), part("new"))).or_default() += 1;
        ids.push(part("id"));
    }
    assert!(text.ends_with('\n'));
    assert!(seen.values().all(|count| *count == 1), "an alert was repeated");
    assert_eq!(seen.len(), sites * rounds, "an alert is missing");
    ids
}

/// A receiver that answers 200, and the ids that it got.
fn receiver() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (url, got) = (format!("http://{}/", listener.local_addr().unwrap()), Arc::new(Mutex::new(Vec::new())));
    let ids = got.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            // A sender that was killed sends half a request.
            let Ok(stream) = stream else { return };
            let mut stream = BufReader::new(stream);
            let (mut length, mut line) = (0, String::new());
            while stream.read_line(&mut line).is_ok_and(|bytes| bytes > 2) {
                if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                line.clear();
            }
            let mut body = vec![0; length];
            if length > 0 && stream.read_exact(&mut body).is_ok() {
                let alert: Value = serde_json::from_slice(&body).unwrap();
                ids.lock().unwrap().push(alert["id"].as_str().unwrap().to_owned());
                let _ = stream.get_mut().write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
            }
        }
    });
    (url, got)
}

#[test]
fn watchers_are_killed_at_any_moment() {
    const KILLS_PER_ROUND: usize = 10;
    // A run takes seconds beside other tests, so most kills are among the long tests.
    let kills = if env::var_os("COMITY_LONG_TESTS").is_some() { 1000 } else { 40 };
    let folder = tempfile::tempdir().unwrap();
    let (hook, got) = receiver();
    let mut random = fastrand::Rng::with_seed(7);
    let run = |round| {
        let began = Instant::now();
        assert!(watcher(folder.path(), round, Some(&hook), None).status().unwrap().success());
        began.elapsed()
    };
    let mut whole = run(0);
    let rounds = kills / KILLS_PER_ROUND;
    let mut killed = 0;
    for round in 1..=rounds {
        for _ in 0..KILLS_PER_ROUND {
            let mut child = watcher(folder.path(), round, Some(&hook), None).spawn().unwrap();
            std::thread::sleep(whole.mul_f64(random.f64()));
            killed += usize::from(child.try_wait().unwrap().is_none());
            // SIGKILL
            child.kill().unwrap();
            child.wait().unwrap();
        }
        whole = run(round);
    }
    println!("{killed} of {} watchers were killed before their end, which takes {whole:?}", rounds * KILLS_PER_ROUND);
    assert!(killed > kills / 4, "{killed}");
    let mut ids = check(folder.path(), SITES, rounds);
    let mut got = got.lock().unwrap().clone();
    let all = got.len();
    for ids in [&mut ids, &mut got] {
        ids.sort();
        ids.dedup();
    }
    println!("the webhook got {all} requests about {} alerts", got.len());
    assert_eq!(got, ids, "each alert came at least once, and no other");
}

#[test]
fn a_full_disk_loses_and_repeats_nothing() {
    let folder = tempfile::tempdir().unwrap();
    assert!(watcher(folder.path(), 0, None, None).status().unwrap().success());
    let mut failures = 0;
    // The limit is below, within and above what the store and the file of alerts need.
    let rounds = if env::var_os("COMITY_LONG_TESTS").is_some() { 12 } else { 3 };
    for round in 1..=rounds {
        for limit in [0, 4, 16, 40, 80, 120, 200] {
            let result = watcher(folder.path(), round, None, Some(limit)).status().unwrap();
            failures += usize::from(!result.success());
        }
        assert!(watcher(folder.path(), round, None, None).status().unwrap().success());
    }
    println!("{failures} of {} runs failed", rounds * 7);
    assert!(failures > rounds, "{failures}");
    check(folder.path(), SITES, rounds);
}

#[test]
fn watchers_end_before_and_after_each_write() {
    const FEW_SITES: usize = 5;
    let folder = tempfile::tempdir().unwrap();
    let few = |round| {
        let mut command = watcher(folder.path(), round, None, None);
        command.env(NUMBER, FEW_SITES.to_string());
        command
    };
    assert!(few(0).status().unwrap().success());
    let mut round = 0;
    let moments = loop {
        round += 1;
        let result = few(round).env(END, round.to_string()).status().unwrap();
        if result.success() {
            break round - 1;
        }
        assert!(few(round).status().unwrap().success());
    };
    println!("there are {moments} moments before and after a write");
    assert!(moments >= 2 * 2 * FEW_SITES, "{moments}");
    check(folder.path(), FEW_SITES, round);
}
