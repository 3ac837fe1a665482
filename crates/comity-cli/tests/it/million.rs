//! Checks that a list is answered while it is read, in bounded memory.
//!
//! The list has 100,000 URLs, or a million with `COMITY_LONG_TESTS=1`, as in `cargo xtask test --long`.
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

/// Returns the number of URLs in the list.
fn urls() -> usize {
    if std::env::var_os("COMITY_LONG_TESTS").is_some() { 1_000_000 } else { 100_000 }
}

fn url(number: usize) -> String {
    let folder = "a-folder-with-a-long-name/".repeat(26);
    format!("https://shop.example/{folder}{}/page-{number}.html?from=list\n", number % 1000)
}

#[test]
fn many_urls_are_answered_while_they_are_read() {
    let urls = urls();
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
