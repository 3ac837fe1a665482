//! Local files that are too large, or that are in a place that a command can't use.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use comity_fetch::store::SqliteStore;

fn comity(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_comity")).args(arguments).current_dir(folder).output().unwrap()
}

/// Runs the command, which must end with exit code 2. Returns its standard error.
fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = comity(folder, arguments);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
    text
}

#[test]
fn endless_files_end_with_their_limit() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("robots.txt"), "User-agent: *\n").unwrap();
    for (arguments, limit) in [
        (
            &["check", "--robots", "robots.txt", "--urls", "/dev/zero"][..],
            "/dev/zero: expected a list of URLs, found a line 1 of more than 16 MiB",
        ),
        (&["inspect", "/dev/zero"], "/dev/zero: expected a file of at most 64 MiB"),
        (&["check", "--robots", "robots.txt", "--crawlers", "/dev/zero", "/"], "at most 16 MiB"),
        (&["test", "/dev/zero"], "at most 16 MiB"),
    ] {
        let text = refused(folder, arguments);
        assert!(text.contains(limit), "{arguments:?}: {text}");
    }
    // If the dialect has a limit, the rest is not read.
    assert_eq!(comity(folder, &["check", "--robots", "/dev/zero", "/"]).status.code(), Some(0));
}

#[test]
fn looking_at_a_cache_that_is_not_there_creates_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for arguments in [
        &["cache", "list"][..],
        &["cache", "verify"],
        &["cache", "purge", "--all"],
        &["cache", "export"],
        &["cache", "show", "https://shop.example"],
        &["history", "https://shop.example"],
    ] {
        let output = comity(folder, &[arguments, &["--cache", "made"]].concat());
        assert!(matches!(output.status.code(), Some(0 | 1)), "{arguments:?}: {output:?}");
        assert!(!folder.join("made").exists(), "{arguments:?}");
    }
    assert_eq!(
        comity(folder, &["cache", "import", "/dev/null", "--empty-ok", "--cache", "made"]).status.code(),
        Some(0)
    );
    assert!(folder.join("made").join(SqliteStore::FILE).is_file());
}

#[test]
fn cache_that_others_can_write_is_refused_or_reported() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let list = ["cache", "list", "--cache", "kept"];
    let kept = folder.join("kept");
    let set_mode = |mode| fs::set_permissions(&kept, fs::Permissions::from_mode(mode)).unwrap();
    comity(folder, &["cache", "import", "/dev/null", "--empty-ok", "--cache", "kept"]);
    assert!(comity(folder, &list).stderr.is_empty());
    set_mode(0o770);
    let output = comity(folder, &list);
    assert!(output.status.success() && String::from_utf8_lossy(&output.stderr).starts_with("warning: "), "{output:?}");
    set_mode(0o777);
    assert!(refused(folder, &list).contains("every user may write to its directory"));
    set_mode(0o700);

    let file = kept.join(SqliteStore::FILE);
    fs::remove_file(&file).unwrap();
    symlink("../target", &file).unwrap();
    assert!(refused(folder, &list).contains("it is a symbolic link"));
    assert!(!folder.join("target").exists());

    // Each cause is reported once.
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    let text = refused(folder, &list);
    assert_eq!(text.matches("is a directory").count(), 1, "{text}");
}

#[test]
fn limit_on_the_size_of_files_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let script = "ulimit -f 8; exec \"$0\" cache import /dev/null --empty-ok --cache kept";
    let output = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_comity")])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{:?} {text}", output.status);
    assert!(text.contains("no room left to write "), "{text}");
}

#[test]
fn a_damaged_cache_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    comity(folder, &["cache", "import", "/dev/null", "--empty-ok", "--cache", "kept"]);
    let file = folder.join("kept").join(SqliteStore::FILE);
    let mut bytes = fs::read(&file).unwrap();
    bytes[100] ^= 1;
    fs::write(&file, bytes).unwrap();
    let text = refused(folder, &["cache", "list", "--cache", "kept"]);
    assert!(text.contains("is damaged") && !text.contains("panicked"), "{text}");
}

/// Reading commands must not take the cache of an older version for one that is not there.
#[test]
fn a_cache_of_an_older_version_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir(folder.join("kept")).unwrap();
    fs::write(folder.join("kept/robots.redb"), "old").unwrap();
    for arguments in [&["cache", "list"][..], &["cache", "import", "/dev/null", "--empty-ok"]] {
        let text = refused(folder, &[arguments, &["--cache", "kept"]].concat());
        assert!(text.contains("robots.redb` is a cache of an older version of comity: "), "{text}");
    }
}

#[test]
fn a_closed_pipe_ends_the_output_as_sigpipe_does() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("robots.txt"), "User-agent: *\nDisallow: /a\n").unwrap();
    let urls: String = (0..20_000).map(|number| format!("/b/{number}\n")).collect();
    fs::write(folder.path().join("urls.txt"), urls).unwrap();
    for format in [&[][..], &["--format", "json"], &["--format", "csv"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_comity"))
            .args(["check", "--robots", "robots.txt", "--urls", "urls.txt"])
            .args(format)
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The output is longer than a pipe holds.
        drop(command.stdout.take());
        let output = command.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(128 + 13), "{format:?}");
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn all_manual_pages_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let output = comity(folder, &["man", "--all", "man1"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
    let mut names: Vec<_> = fs::read_dir(folder.join("man1"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    for page in ["comity.1", "comity-check.1", "comity-cache-list.1", "comity-serve.1"] {
        assert!(names.iter().any(|name| name == page), "{page}: {names:?}");
    }
    assert!(!names.iter().any(|name| name.contains("-help")), "{names:?}");
    let page = fs::read_to_string(folder.join("man1/comity-check.1")).unwrap();
    assert!(page.contains("--agent") || page.contains("\\-\\-agent"), "{page}");

    fs::write(folder.join("file"), "").unwrap();
    assert!(refused(folder, &["man", "--all", "file/man1"]).contains("the pages could not be written to file/man1"));
}

#[test]
fn a_file_whose_answers_mislead_is_named_once() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let rules = "User-agent: *\nDisallow: /late\n";
    let utf16: Vec<u8> = rules.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let marked = [b"\xFF\xFE", &*utf16].concat();
    let files: [(&str, Vec<u8>, &str); 5] = [
        ("marked.txt", marked, "marked.txt is UTF-16, in which some crawlers see no rules: save it as UTF-8."),
        ("page.html", b"<!doctype html>\n".to_vec(), "page.html looks like an HTML page, not like a robots.txt."),
        ("utf16.txt", utf16, "utf16.txt looks like UTF-16 without a byte order mark, not like a robots.txt."),
        (
            "empty.txt",
            Vec::new(),
            "empty.txt is empty, which allows everything. If a fetch failed, that is not an answer.",
        ),
        (
            "big.txt",
            format!("# {}\n{rules}", "x".repeat(512_000)).into_bytes(),
            "big.txt has more than 512,000 bytes: most crawlers ignore the rest, some obey it, and Yandex ignores the whole \
             file.",
        ),
    ];
    fs::write(folder.join("robots.txt"), "User-agent: *\n").unwrap();
    fs::write(folder.join("a.log"), "").unwrap();
    for (name, body, note) in &files {
        fs::write(folder.join(name), body).unwrap();
        for arguments in [
            &["check", "--robots", name, "/late"][..],
            &["check", "--robots", name, "/late", "--format", "json"],
            &["matrix", "--robots", name, "/late"],
            &["page", "--robots", name, "https://a.test/late"],
            &["sitemaps", name],
            &["ai", name],
            &["ai", name, "--format", "json"],
            &["inspect", name],
            &["report", name],
            &["diff", "robots.txt", name, "--fail-on", "blocked"],
            &["minimize", name, "--check"],
            &["audit", "--robots", name, "a.log"],
            &["prove", name, "--all-allowed", "/late"],
        ] {
            let text = String::from_utf8(comity(folder, arguments).stderr).unwrap();
            // It has no rules to prove something about.
            let is_refused = arguments[0] == "prove" && note.contains("looks like");
            let times = usize::from(!is_refused);
            assert_eq!(text.matches(&format!("warning: {note}\n")).count(), times, "{arguments:?}: {text}");
            assert_eq!(text.contains("expected a robots.txt: nothing was proven"), is_refused, "{arguments:?}: {text}");
        }
        let quiet = comity(folder, &["check", "--robots", name, "/late", "--quiet"]);
        assert!(quiet.stderr.is_empty(), "{quiet:?}");
    }
}

#[test]
fn a_misspelled_crawler_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("robots.txt"), "User-agent: *\nDisallow: /private/\n").unwrap();
    fs::write(folder.join("named.txt"), "User-agent: Gogglebot\nDisallow: /private/\n").unwrap();
    for arguments in [
        &["prove", "robots.txt", "--none-allowed", "/private/"][..],
        &["diff", "robots.txt", "robots.txt"],
        &["diff", "robots.txt", "--dialect", "google", "--dialect", "bing"],
        &["matrix", "--robots", "robots.txt", "/"],
        &["page", "--robots", "robots.txt", "https://a.test/"],
        &["sitemaps", "robots.txt"],
    ] {
        let said = |more: &[&str]| {
            let all: Vec<&str> = arguments.iter().chain(more).copied().collect();
            String::from_utf8(comity(folder, &all).stderr).unwrap()
        };
        let note = "warning: Gogglebot is not known; perhaps you mean Googlebot.\n";
        assert!(said(&["--agent", "Gogglebot"]).contains(note), "{arguments:?}: {}", said(&["--agent", "Gogglebot"]));
        assert!(!said(&["--agent", "Gogglebot", "--literal"]).contains("Googlebot"), "{arguments:?}");
        assert!(!said(&["--agent", "Googlebot"]).contains("not known"), "{arguments:?}");
    }
    let named = comity(folder, &["prove", "named.txt", "--none-allowed", "/private/", "--agent", "Gogglebot"]);
    assert!(named.stderr.is_empty(), "the file names it: {named:?}");
}

#[test]
fn the_command_of_a_counterexample_reads_the_same_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    crate::watch::commit(folder, "robots.txt", [(1_767_225_600, Some("User-agent: *\nDisallow: /private/\n"))]);
    let run = |script: &str| {
        let script = format!("comity() {{ \"{}\" \"$@\"; }}\n{script}", env!("CARGO_BIN_EXE_comity"));
        let output = Command::new("sh").args(["-c", &script]).current_dir(folder).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let claim = "--all-allowed /private/ --agent Googlebot --dialect google";
    for (file, pipe, printed) in [
        ("robots.txt", "", "comity check --robots robots.txt "),
        ("HEAD:robots.txt", "", "git cat-file blob HEAD:robots.txt | comity check --robots - "),
        ("-", "cat robots.txt | ", "comity check --robots - "),
    ] {
        let (code, said) = run(&format!("{pipe}comity prove {file} {claim}"));
        assert_eq!(code, Some(1), "{said}");
        let command = said.lines().map(str::trim).find(|line| line.contains("comity check")).unwrap();
        assert!(command.starts_with(printed), "{said}");
        let (code, said) = run(&format!("{pipe}{command}"));
        assert!(code == Some(1) && said.starts_with("No. Googlebot may not fetch"), "{command}: {said}");
    }
}
