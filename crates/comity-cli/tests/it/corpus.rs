//! Runs the commands on files of the reference data, and checks that none ends with an error.
//!
//! These are one of eight files, or all files with `COMITY_LONG_TESTS=1`, as in `cargo xtask test --long`. The tests of
//! the crates take every file.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use serde_json::Value;

fn corpus() -> Option<Vec<PathBuf>> {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let folder = root.join(std::env::var_os("COMITY_SHARED").unwrap_or_else(|| "../shared".into())).join("corpus");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("SKIPPED: {} is not there; set COMITY_SHARED to the reference data", folder.display());
        return None;
    };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert_eq!(files.len(), 2_973);
    let step = if std::env::var_os("COMITY_LONG_TESTS").is_some() { 1 } else { 8 };
    Some(files.into_iter().step_by(step).collect())
}

/// Runs a command on each file, and calls `check` with its exit code and output.
fn run_on_all(arguments: fn(&str) -> Vec<&str>, check: fn(&Path, i32, &[u8])) {
    let Some(files) = corpus() else { return };
    let workers = thread::available_parallelism().map_or(2, usize::from);
    thread::scope(|scope| {
        for files in files.chunks(files.len().div_ceil(workers)) {
            scope.spawn(move || {
                for file in files {
                    let output = Command::new(env!("CARGO_BIN_EXE_comity"))
                        .args(arguments(file.to_str().unwrap()))
                        .arg("--empty-ok")
                        .stdin(Stdio::from(File::open(file).unwrap()))
                        .output()
                        .unwrap();
                    let said = String::from_utf8_lossy(&output.stderr);
                    // Some are pages, or are too large.
                    let is_about_file = said.lines().all(|line| line.starts_with("warning: "));
                    assert!(is_about_file, "{}: {said}", file.display());
                    check(file, output.status.code().unwrap(), &output.stdout);
                }
            });
        }
    });
}

#[test]
fn check_explains_each_file() {
    run_on_all(
        |_| vec!["check", "--robots", "-", "--agent", "Googlebot", "--explain", "https://example.com/a/b.php?id=1"],
        |file, code, output| {
            let text = std::str::from_utf8(output).unwrap();
            assert!(
                code == 0 && text.starts_with("Yes. ") || code == 1 && text.starts_with("No. "),
                "{}",
                file.display()
            );
            assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{}: control characters", file.display());
        },
    );
}

#[test]
fn matrix_takes_each_file() {
    run_on_all(
        |_| vec!["matrix", "--robots", "-", "--format", "json", "https://example.com/search?q=%7Ea"],
        |file, code, output| {
            assert!(code <= 1, "{}: exit code {code}", file.display());
            let report: Value = serde_json::from_slice(output).unwrap();
            let rows = report["rows"].as_array().unwrap();
            assert!(rows.len() >= 12 && rows.iter().all(|row| row["dialects"].as_object().unwrap().len() == 6));
        },
    );
}

#[test]
fn inspect_takes_each_file() {
    run_on_all(
        |file| vec!["inspect", "--format", "json", file],
        |file, code, output| {
            assert_eq!(code, 0, "{}", file.display());
            let report: Value = serde_json::from_slice(output).unwrap();
            assert_eq!(report["bytes"].as_u64().unwrap(), file.metadata().unwrap().len());
        },
    );
    run_on_all(
        |_| vec!["inspect", "-"],
        |file, code, output| {
            assert_eq!(code, 0, "{}", file.display());
            let text = std::str::from_utf8(output).unwrap();
            assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{}: control characters", file.display());
        },
    );
}

#[test]
fn ai_takes_each_file() {
    run_on_all(
        |_| vec!["ai", "--format", "json", "-"],
        |file, code, output| {
            assert_eq!(code, 0, "{}", file.display());
            let report: Value = serde_json::from_slice(output).unwrap();
            let crawlers = report["crawlers"].as_array().unwrap();
            assert!(crawlers.len() > 30 && crawlers.iter().all(|row| row["reach"].is_string()));
        },
    );
    run_on_all(
        |_| vec!["ai", "-"],
        |file, code, output| {
            assert_eq!(code, 0, "{}", file.display());
            let text = std::str::from_utf8(output).unwrap();
            assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{}: control characters", file.display());
        },
    );
}

#[test]
fn sitemaps_takes_each_file() {
    run_on_all(
        |_| vec!["sitemaps", "-"],
        |file, code, output| {
            assert!(code <= 1, "{}: exit code {code}", file.display());
            let text = std::str::from_utf8(output).unwrap();
            assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{}: control characters", file.display());
        },
    );
}

#[test]
fn page_takes_each_file() {
    run_on_all(
        |_| vec!["page", "--robots", "-", "--agent", "Googlebot", "https://example.com/search?q=1"],
        |file, code, output| {
            assert!(code <= 1, "{}: exit code {code}", file.display());
            let text = std::str::from_utf8(output).unwrap();
            assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{}: control characters", file.display());
        },
    );
}

#[test]
fn lint_takes_each_file() {
    run_on_all(
        |_| vec!["lint", "--select", "all", "--all", "-"],
        |file, code, output| {
            assert!(code <= 1, "{}: exit code {code}", file.display());
            let text = std::str::from_utf8(output).unwrap();
            assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{}: control characters", file.display());
            assert!(text.contains("standard input: "), "{}", file.display());
        },
    );
    run_on_all(
        |_| vec!["lint", "--format", "json", "-"],
        |file, code, output| {
            assert!(code <= 1, "{}: exit code {code}", file.display());
            let report: Value = serde_json::from_slice(output).unwrap();
            let findings = report["files"][0]["findings"].as_array().unwrap();
            assert!(findings.iter().all(|found| found["column"].as_u64() >= Some(1)), "{}", file.display());
        },
    );
}
