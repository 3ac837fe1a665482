//! Runs the command in a terminal: tables fit it, and waiting is shown.
#![cfg(target_os = "linux")]

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Stdio};

use comity_testserver::{At, Gate, HttpServer, Reply};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// Runs a command in a terminal with this number of columns, and returns what it shows. `see` gets all that is shown so
/// far, after each part of it.
fn shown_in(columns: u16, command: &mut Command, see: impl FnMut(&str)) -> String {
    shown_from(Stdio::null(), columns, command, see)
}

fn shown_from(input: Stdio, columns: u16, command: &mut Command, mut see: impl FnMut(&str)) -> String {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&terminal, size).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap();
    let inner = File::options().read(true).write(true).open(OsStr::from_bytes(name.to_bytes())).unwrap();
    command.env("TERM", "xterm-256color").env_remove("NO_COLOR").env_remove("CLICOLOR").stdin(input);
    command.stdout(inner.try_clone().unwrap()).stderr(inner);
    let mut child = command.spawn().unwrap();
    // The terminal is at its end when nobody has it open inside.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let (mut terminal, mut shown, mut part) = (File::from(terminal), Vec::new(), [0; 4_096]);
    while let Ok(read @ 1..) = terminal.read(&mut part) {
        shown.extend_from_slice(&part[..read]);
        see(&String::from_utf8_lossy(&shown));
    }
    child.wait().unwrap();
    String::from_utf8(shown).unwrap()
}

fn comity(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_comity"));
    command.args(arguments);
    command
}

const FILE: &str = "User-agent: *\nDisallow: /a/very/long/path/to/a/private/place/\n";

#[test]
fn tables_fit_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("robots.txt");
    fs::write(&file, FILE).unwrap();
    let sitemap = folder.path().join("sitemap.txt");
    let page = "https://shop.example/a/very/long/path/to/a/private/place/with/a/long/name.html";
    fs::write(&sitemap, page).unwrap();
    let (file, sitemap) = (file.to_str().unwrap(), sitemap.to_str().unwrap());
    let crawlers = ["Googlebot", "bingbot", "GPTBot", "ClaudeBot", "CCBot", "Google-Extended", "Applebot-Extended"];
    let agents: Vec<&str> = crawlers.iter().flat_map(|name| ["--agent", *name]).collect();
    for columns in [40, 80, 120] {
        for arguments in [
            [&["check", "--robots", file, "/", page][..], &agents].concat(),
            [&["matrix", "--robots", file, "/", page][..], &agents].concat(),
            vec!["ai", file],
            vec!["sitemaps", file, "--sitemap", sitemap],
        ] {
            let shown = shown_in(columns, &mut comity(&arguments), |_| {});
            // The terminal wraps the sentences below a table.
            let is_row = |line: &&str| ["allowed ", "blocked ", "partly ", "…"].iter().any(|part| line.contains(part));
            let rows: Vec<&str> = shown.lines().filter(is_row).collect();
            assert!(!rows.is_empty(), "{arguments:?}: {shown}");
            for row in rows {
                assert!(console::measure_text_width(row) <= columns.into(), "{columns}: {row:?}\n{shown}");
            }
        }
    }
}

/// Checks that no command prints the control characters of a foreign file on a terminal, and that a pipe gets its bytes.
#[test]
fn files_do_not_control_the_terminal() {
    // A title, a link and a color: what they do is invisible, so a terminal must not get them.
    const HOSTILE: &str = "# \u{1b}]0;title\u{7} \u{1b}]8;;http://evil.example\u{7}\u{1b}[31m \u{9b}31m\n\nUser-agent: *\n\
                           Disallow: /a\nDisalow: /b\n";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("robots.txt");
    fs::write(&file, HOSTILE).unwrap();
    let path = file.to_str().unwrap();
    for (arguments, is_on_stdin) in [
        (&["minimize", path][..], false),
        (&["generate", "--from", path, "--block", "GPTBot"], false),
        (&["lint", "--fix", "-"], true),
        (&["lint", "--diff", path], false),
    ] {
        let input = || if is_on_stdin { File::open(&file).unwrap().into() } else { Stdio::null() };
        let shown = shown_from(input(), 100, &mut comity(arguments), |_| {});
        for hostile in ["\u{1b}]", "\u{1b}[31m ", "\u{7}", "\u{9b}"] {
            assert!(!shown.contains(hostile), "{arguments:?}: {shown:?}");
        }
        assert!(shown.contains("Disallow: /a"), "{arguments:?}: {shown:?}");
        let piped = comity(arguments).stdin(input()).stderr(Stdio::null()).output().unwrap().stdout;
        let piped = String::from_utf8(piped).unwrap();
        // The comment is not among the lines of the diff.
        assert!(arguments[1] == "--diff" || piped.contains("\u{1b}]0;title\u{7}"), "{arguments:?}: {piped:?}");
    }
}

#[test]
fn waiting_is_shown_before_the_first_answer() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let server = runtime.block_on(HttpServer::start());
    let cache = tempfile::tempdir().unwrap();
    for (host, count, waited) in
        [("one.test", 1, "waiting for http://one.test"), ("many.test", 30, "waiting for the next answer")]
    {
        // The site answers only when the line is seen, so this test ends only if it is.
        let gate = Gate::new();
        server.serve(host, "/robots.txt", Reply::ok(FILE).hold(At::Start, &gate));
        let port = server.addr().port();
        let mut command = comity(&["check", "--cache", cache.path().to_str().unwrap()]);
        command.args(["--resolve", &format!("{host}:{port}:127.0.0.1")]);
        command.args((0..count).map(|page| format!("http://{host}:{port}/{page}")));
        let shown = shown_in(100, &mut command, |shown| {
            if shown.contains(waited) {
                gate.open();
            }
        });
        let (before, after) = shown.split_once(waited).unwrap();
        assert!(!before.contains("may fetch") && !before.contains("allowed"), "{shown:?}");
        assert!(after.contains("may fetch") || after.contains("30 allowed"), "{shown:?}");
        // The line is gone when the answer is there.
        assert!(after.contains("\u{1b}[2K"), "{shown:?}");
    }
}
