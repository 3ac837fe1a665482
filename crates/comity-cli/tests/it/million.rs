//! Checks that a list is answered while it is read, and a log counted, in bounded memory.
//!
//! They have 100,000 lines, or a million with `COMITY_LONG_TESTS=1`, as in `cargo xtask test --long`.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// The maximum memory of the command, in KiB. The list alone has more bytes.
const MAX_MEMORY_KIB: u64 = 64 << 10;

/// Returns the most memory that a process has used, in KiB.
fn peak(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Returns the number of lines.
fn lines() -> usize {
    if std::env::var_os("COMITY_LONG_TESTS").is_some() { 1_000_000 } else { 100_000 }
}

fn url(number: usize) -> String {
    let folder = "a-folder-with-a-long-name/".repeat(26);
    format!("https://shop.example/{folder}{}/page-{number}.html?from=list\n", number % 1000)
}

#[test]
fn many_urls_are_answered_while_they_are_read() {
    let urls = lines();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("robots.txt"), "User-agent: *\nDisallow: /*/999/\n").unwrap();
    assert!(urls as u64 * url(1).len() as u64 > MAX_MEMORY_KIB << 10);
    let mut child = Command::new(env!("CARGO_BIN_EXE_comity"))
        .args(["check", "--robots", "robots.txt", "--urls", "-", "--format", "csv"])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let process = child.id();

    let (sender, first) = mpsc::channel();
    let reader = thread::spawn(move || {
        let mut line = String::new();
        for _ in 0..2 {
            line.clear();
            stdout.read_line(&mut line).unwrap();
        }
        sender.send(line.clone()).unwrap();
        let (mut lines, mut blocked, mut rest) = (2, 0, String::new());
        while stdout.read_line(&mut rest).unwrap() > 0 {
            lines += 1;
            blocked += usize::from(rest.contains(",disallowed,"));
            rest.clear();
        }
        stdout.read_to_string(&mut rest).unwrap();
        (lines, blocked)
    });

    stdin.write_all(url(0).as_bytes()).unwrap();
    let first = first.recv_timeout(Duration::from_secs(60)).expect("the first answer comes before the second URL");
    assert!(first.starts_with("https://shop.example/"), "{first}");
    let mut list = std::io::BufWriter::new(stdin);
    for number in 1..urls {
        list.write_all(url(number).as_bytes()).unwrap();
    }
    list.flush().unwrap();
    let used = peak(process);
    drop(list);
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_eq!(reader.join().unwrap(), (urls + 1, urls / 1000));
    assert!(used < MAX_MEMORY_KIB, "{used} KiB");
}

/// Checks a log in which each line has another crawler, address, path, query and time.
#[test]
fn a_hostile_log_is_counted_in_bounded_memory() {
    const MAX_AUDIT_KIB: u64 = 200 << 10;
    let lines = lines();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("robots.txt"), "User-agent: *\nDisallow: /a\n").unwrap();
    let filler = "x".repeat(1100);
    let line = |number: usize| {
        let (hour, minute, second) = (number / 3600 % 24, number / 60 % 60, number % 60);
        format!(
            "10.{}.{}.{} - - [{:02}/Nov/2026:{hour:02}:{minute:02}:{second:02} +0000] \"GET /a/{number}{filler}?q={number} \
             HTTP/1.1\" 200 5 \"-\" \"Bot{number}-{filler}/1.0 (+https://bot.example/{number})\"\n",
            number >> 16 & 255,
            number >> 8 & 255,
            number & 255,
            number % 28 + 1
        )
    };
    assert!((lines * line(0).len()) as u64 > MAX_AUDIT_KIB << 10);
    let mut child = Command::new(env!("CARGO_BIN_EXE_comity"))
        .args(["audit", "-", "--robots", "robots.txt", "--format", "json"])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = std::io::BufWriter::new(child.stdin.take().unwrap());
    for number in 0..lines {
        log.write_all(line(number).as_bytes()).unwrap();
    }
    log.flush().unwrap();
    let used = peak(child.id());
    drop(log);
    let mut report = String::new();
    child.stdout.take().unwrap().read_to_string(&mut report).unwrap();
    child.wait().unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["lines"], lines, "{}", report["warnings"]);
    assert!(used < MAX_AUDIT_KIB, "{used} KiB");
}
