//! Empty standard input, which a command that failed leaves. It is no answer of any command.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs the command with standard input that has no bytes.
fn comity(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_comity"));
    command.args(arguments).current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdin.take());
    child.wait_with_output().unwrap()
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("robots.txt"), "User-agent: *\nDisallow: /x\n").unwrap();
    fs::write(folder.path().join("empty.txt"), "").unwrap();
    let test = "[[test]]\nagent = \"GPTBot\"\nurl = \"/y\"\nexpect = \"allow\"\n";
    fs::write(folder.path().join("robots.test.toml"), test).unwrap();
    folder
}

#[test]
fn it_is_no_answer_of_any_command() {
    let folder = folder();
    let url = "https://shop.example/y";
    // The exit codes with --empty-ok, and with an empty file.
    for (arguments, accepted) in [
        (&["check", "--robots", "-", "/x"][..], 0),
        (&["check", "--quiet", "--robots", "-", "/x"], 0),
        (&["prove", "-", "--all-allowed", "/"], 0),
        (&["lint", "-"], 0),
        (&["diff", "-", "empty.txt"], 0),
        (&["diff", "empty.txt", "-"], 0),
        (&["test", "robots.test.toml", "--robots", "-"], 0),
        (&["inspect", "-"], 0),
        (&["minimize", "-"], 0),
        (&["matrix", "--robots", "-", "/x"], 0),
        (&["ai", "-"], 0),
        (&["page", "--robots", "-", url], 0),
        (&["page", "--robots", "robots.txt", "--html", "-", url], 0),
        (&["generate", "--from", "-", "--block", "GPTBot"], 0),
        (&["sitemaps", "-"], 0),
        // An empty header, list or sitemap has nothing to check.
        (&["page", "--robots", "robots.txt", "--headers", "-", url], 2),
        (&["sitemaps", "robots.txt", "--sitemap", "-"], 2),
        (&["check", "--robots", "robots.txt", "--urls", "-"], 2),
        (&["batch"], 0),
    ] {
        let output = comity(folder.path(), arguments);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
        assert!(stderr.contains("standard input") && stderr.contains("--empty-ok"), "{arguments:?}: {stderr}");
        assert!(!String::from_utf8(output.stdout).unwrap().contains("Yes"), "{arguments:?}");
        let output = comity(folder.path(), &[arguments, &["--empty-ok"]].concat());
        assert_eq!(output.status.code(), Some(accepted), "{arguments:?}: {output:?}");
        if !matches!(arguments[0], "batch" | "sitemaps") {
            let file: Vec<&str> = arguments.iter().map(|word| if *word == "-" { "empty.txt" } else { *word }).collect();
            assert_eq!(comity(folder.path(), &file).status.code(), Some(accepted), "{file:?}");
        }
    }
}

/// Checks that closed standard input, the null device and the pipe of a shell's `<(command)` are as an empty pipe.
#[cfg(unix)]
#[test]
fn closed_input_devices_and_named_pipes_are_empty_pipes() {
    let folder = folder();
    let fifo = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let comity = env!("CARGO_BIN_EXE_comity");
    for (script, code) in [
        (format!("{comity} check --robots - /y <&-"), 2),
        (format!("false | {comity} check --quiet --robots - /y"), 2),
        (format!("false > pipe & {comity} check --robots pipe /y"), 2),
        (format!("false > pipe & {comity} check --robots pipe --empty-ok /y"), 0),
        (format!("cat robots.txt > pipe & {comity} check --robots pipe /y"), 0),
        // The paths of standard input are as `-`, except that a file may be empty.
        (format!("{comity} prove /dev/stdin --all-allowed / <&-"), 2),
        (format!("{comity} prove /dev/fd/0 --all-allowed / <&-"), 2),
        (format!("{comity} prove /dev/stdin --all-allowed / < /dev/null"), 2),
        (format!("{comity} prove /dev/null --all-allowed /"), 2),
        (format!("{comity} prove /dev/null --all-allowed / --empty-ok"), 0),
        (format!("{comity} prove /dev/stdin --all-allowed / < empty.txt"), 0),
        (format!("{comity} check --quiet --robots /dev/stdin /y <&-"), 2),
        (format!("{comity} check --robots robots.txt --urls /dev/stdin <&-"), 2),
        (format!("{comity} check --robots robots.txt --log /dev/null /y"), 2),
        (format!("{comity} lint robots.txt --noindex /dev/stdin <&-"), 2),
        (format!("{comity} lint robots.txt --noindex /dev/null --empty-ok"), 0),
    ] {
        let output = Command::new("sh").args(["-c", &script]).current_dir(folder.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{script}: {output:?}");
    }
}
