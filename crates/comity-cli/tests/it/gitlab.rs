//! Checks the reports of `--format gitlab` against the shape that GitLab documents for its Code Quality, and that the
//! fingerprints of issues stay the same if their lines move.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Runs a command, and returns its report, which must have the documented shape and unique fingerprints.
fn report(folder: &Path, words: &[&str]) -> Vec<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_comity")).args(words).current_dir(folder).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    let schema = serde_json::from_str(include_str!("../gitlab-code-quality.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(&report).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}\n{report}");
    let mut prints = fingerprints(report.as_array().unwrap());
    prints.sort();
    prints.dedup();
    assert_eq!(prints.len(), report.as_array().unwrap().len(), "{report}");
    assert_eq!(output.status.code(), Some(i32::from(report != Value::Array(Vec::new()))), "{output:?}");
    report.as_array().unwrap().clone()
}

fn fingerprints(report: &[Value]) -> Vec<String> {
    report.iter().map(|issue| issue["fingerprint"].as_str().unwrap().to_owned()).collect()
}

fn lines(report: &[Value]) -> Vec<u64> {
    report.iter().map(|issue| issue["location"]["lines"]["begin"].as_u64().unwrap()).collect()
}

#[test]
fn fingerprints_of_findings_do_not_depend_on_lines() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let lint = |text: &str| {
        fs::write(folder.join("robots.txt"), text).unwrap();
        report(folder, &["lint", "--format", "gitlab", "--select", "L010,L014", "./robots.txt"])
    };
    let old = lint("User-agent: a\nDisallow: b/\nDisalow: /c\n\nUser-agent: d\nDisallow: b/\n");
    assert_eq!(lines(&old), [2, 3, 6]);
    assert_eq!(old[0]["check_name"], "L010 missing-leading-slash");
    assert_eq!((&old[0]["severity"], &old[1]["severity"]), (&"major".into(), &"minor".into()));
    assert_eq!(old[0]["location"]["path"], "robots.txt");

    let moved =
        lint("# New\r\n\r\nUser-agent: a\r\n  Disallow: b/\r\nDisalow: /c\r\n\r\nUser-agent: d\r\nDisallow: b/");
    assert_eq!(lines(&moved), [4, 5, 8]);
    assert_eq!(fingerprints(&moved), fingerprints(&old));

    // Another text of the line, another file and another lint are other issues.
    let other = lint("User-agent: a\nDisallow: bb/\nDisalow: /c\n\nUser-agent: d\nDisallow: b/\n");
    assert_eq!(fingerprints(&other)[1], fingerprints(&old)[1]);
    assert_eq!(fingerprints(&other)[2], fingerprints(&old)[0]);
    assert!(!fingerprints(&old).contains(&fingerprints(&other)[0]));
    fs::create_dir(folder.join("public")).unwrap();
    fs::rename(folder.join("robots.txt"), folder.join("public/robots.txt")).unwrap();
    let elsewhere = report(folder, &["lint", "--format", "gitlab", "--select", "L010,L014", "public/robots.txt"]);
    assert!(fingerprints(&elsewhere).iter().all(|print| !fingerprints(&other).contains(print)));

    assert_eq!(lint("User-agent: a\nDisallow: /b/\n"), Vec::<Value>::new());
}

#[test]
fn fingerprints_of_changes_do_not_depend_on_lines() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("old.txt"), "User-agent: *\nDisallow: /a/\nContent-Signal: search=yes\n").unwrap();
    let diff = |text: &str| {
        fs::write(folder.join("new.txt"), text).unwrap();
        report(folder, &["diff", "--format", "gitlab", "old.txt", "new.txt"])
    };
    let old = diff("User-agent: *\nDisallow: /b/\nContent-Signal: search=no\n");
    // The rule for /a/ is not in the new file, so its issue is at the first line.
    assert_eq!(lines(&old), [2, 1, 3], "{old:?}");
    assert_eq!((&old[0]["check_name"], &old[1]["check_name"]), (&"Newly blocked".into(), &"Newly allowed".into()));
    assert_eq!((&old[0]["severity"], &old[1]["severity"]), (&"minor".into(), &"info".into()));
    let moved = diff("# New\n\nUser-agent: *\nDisallow: /b/\nContent-Signal: search=no\n");
    assert_eq!(lines(&moved), [4, 1, 5]);
    assert_eq!(fingerprints(&moved), fingerprints(&old));
    let other = diff("User-agent: *\nDisallow: /c/\nContent-Signal: search=no\n");
    assert_ne!(fingerprints(&other)[0], fingerprints(&old)[0]);
    assert_eq!(fingerprints(&other)[1..], fingerprints(&old)[1..]);

    assert_eq!(diff("User-agent: *\nDisallow: /a/\nContent-Signal: search=yes\n"), Vec::<Value>::new());
}
