//! Runs `comity lint` on files, and checks its output and its additional inputs.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;

fn lint(folder: &Path, arguments: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_comity"))
        .arg("lint")
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut stdin, input) = (command.stdin.take().unwrap(), input.to_vec());
    // A command that rejects its arguments does not read its input. A command that writes while it reads needs a
    // reader.
    let writer = thread::spawn(move || match stdin.write_all(&input) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => panic!("{error}"),
        _ => {}
    });
    let output = command.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// A file with two mistakes to fix, and with a byte order mark, CRLF, odd spacing, comments and bytes that are not
/// UTF-8.
const BODY: &[u8] = b"# by hand \xFF\r\n  User-agent :\t*  # all\r\nDissallow:/a#b\r\n\r\nDisallow:  /x\r\nDisallow: /x\nSitemap: https://e.com/s\x0B";
const FIXED: &[u8] =
    b"# by hand \xFF\r\n  User-agent :\t*  # all\r\nDisallow:/a#b\r\n\r\nDisallow:  /x\r\nSitemap: https://e.com/s\x0B";

#[test]
fn fixes_keep_all_other_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("robots.txt");
    fs::write(&file, BODY).unwrap();
    let select = "--select=L014,L025";

    let output = lint(folder.path(), &["--fix", "--diff", select], b"");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(fs::read(&file).unwrap(), BODY, "--diff writes nothing");

    let output = lint(folder.path(), &["--fix", select], b"");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(fs::read(&file).unwrap().escape_ascii().to_string(), FIXED.escape_ascii().to_string());
    assert!(String::from_utf8_lossy(&output.stderr).contains("2 fixes applied"));

    let output = lint(folder.path(), &["--fix", select], b"");
    assert!(output.status.success() && output.stderr.is_empty());
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["robots.txt"]);

    // The file is read from standard input and written to standard output. Findings are written to standard error.
    let output = lint(folder.path(), &["--fix", select, "-"], BODY);
    assert_eq!(output.stdout, FIXED);
}

/// A fix that would close the site is left out and reported. It is applied only on request.
#[test]
fn closing_fixes_are_left_out_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("robots.txt");
    let body = "User-agent: *\nDisallow: /* */\nDisallow: /a /b\n";
    fs::write(&file, body).unwrap();

    let output = lint(folder.path(), &["--unsafe-fixes", "--format", "json"], b"");
    assert_eq!(fs::read_to_string(&file).unwrap(), "User-agent: *\nDisallow: /* */\nDisallow: /a\nDisallow: /b\n");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("1 fix left out: would block paths that no rule named before; --allow-blocking"), "{told}");
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let fixes = &document["files"][0]["fixes"];
    assert_eq!(fixes["applied"], 1);
    let dialects = ["standard", "google", "google-parser", "bing", "yandex"];
    assert_eq!(fixes["checked_dialects"], serde_json::json!(dialects));
    assert_eq!(
        fixes["left_out_counts"],
        serde_json::json!({ "changes_verdict": 0, "changes_record": 0, "blocks_site": 1, "unchecked": 0 })
    );
    let left = &fixes["left_out"][0];
    assert_eq!((&left["code"], &left["line"]), (&"L012".into(), &2.into()));
    assert_eq!((&left["reason"]["kind"], &left["reason"]["path"]), (&"blocks-site".into(), &"/".into()));

    assert_eq!(lint(folder.path(), &["--allow-blocking"], b"").status.code(), Some(2), "it belongs to --unsafe-fixes");
    lint(folder.path(), &["--unsafe-fixes", "--allow-blocking"], b"");
    assert!(fs::read_to_string(&file).unwrap().starts_with("User-agent: *\nDisallow: /*\nDisallow: */\n"));
}

/// Preferences that unsafe fixes change are listed, as `comity diff` lists them.
#[test]
fn changed_preferences_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let body = "User-agent: *\nAllow: /\n\nUser-agent: foo\nSitemap: https://e.com/s.xml\nUser-agent: bar\nDisallow: /x\n\
                Content-Signal: ai-train=no\n";
    fs::write(folder.path().join("robots.txt"), body).unwrap();
    for more in ["--diff", "--format=json"] {
        let output = lint(folder.path(), &["--unsafe-fixes", "--select=L054", more], b"");
        let told = String::from_utf8_lossy(&output.stderr);
        let change = "Content-Signal, for foo: ai-train was refused (old line 8) and is not stated, for example for /";
        assert!(told.contains("now allowed  foo  /x") && told.contains(change), "{told}");
    }
}

/// Each rule that a NUL cuts has a finding, and a note of `comity inspect`.
#[test]
fn rules_that_a_nul_cuts_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("robots.txt"), b"User-agent: *\nDisallow: /a\0b\nDisallow: \0/b\nDisallow: /c\0d\n")
        .unwrap();
    let output = lint(folder.path(), &["--format=short"], b"");
    let found = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<_> = found.lines().filter(|line| line.contains("L022")).collect();
    assert!(lines.len() == 3 && lines[1].contains(":3:"), "{found}");
    let mut inspect = Command::new(env!("CARGO_BIN_EXE_comity"));
    let inspected = inspect.args(["inspect", "robots.txt"]).current_dir(folder.path()).output().unwrap();
    let report = String::from_utf8(inspected.stdout).unwrap();
    assert_eq!(report.matches("contains a NUL: the rest is ignored").count(), 3, "{report}");
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_permissions_stay() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("real.txt"), folder.path().join("robots.txt"));
    fs::write(&file, BODY).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("real.txt", &link).unwrap();
    lint(folder.path(), &["--fix", "--select=L014,L025"], b"");
    assert!(link.is_symlink());
    assert_eq!(fs::read(&file).unwrap(), FIXED);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn evidence_may_be_compressed() {
    let folder = tempfile::tempdir().unwrap();
    let pack = |name: &str, text: &str| {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(text.as_bytes()).unwrap();
        fs::write(folder.path().join(name), gzip.finish().unwrap()).unwrap();
    };
    let line = "192.0.2.1 - - [01/Oct/2026:12:00:00 +0000] \"GET /administer HTTP/1.1\" 200 512 \"-\" \"x\"\n";
    pack("access.log.gz", &line.repeat(37));
    pack("sitemap.xml.gz", "<urlset><url><loc><![CDATA[https://e.com/administer]]></loc></url></urlset>");
    let arguments = ["--log=access.log.gz", "--sitemap=sitemap.xml.gz", "--format=github", "-"];
    let output = lint(folder.path(), &arguments, b"User-agent: *\nDisallow: /admin\n");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("`/admin` also blocks `/administer`, 37 requests"), "{text}");
    assert!(text.contains("the sitemap lists `/administer`, but Googlebot may not fetch it"), "{text}");
}

#[test]
fn comments_and_configuration_are_obeyed() {
    let folder = tempfile::tempdir().unwrap();
    let body = b"User-agent: *\n# comity: ignore[missing-leading-slash]\n# why\nDisallow: a\nDisallow: b # comity: ignore[L010]\nDisallow: c\n";
    let lines = |output: Output| {
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines()
            .map(|line| line.split_once("line=").unwrap().1.split(',').next().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(lines(lint(folder.path(), &["--format=github", "-"], body)), ["6"]);
    let whole = [b"# comity: ignore-file[L010]\n", &body[..]].concat();
    assert!(lines(lint(folder.path(), &["--format=github", "-"], &whole)).is_empty());

    // A configuration applies to the folders below it.
    fs::write(folder.path().join("comity.toml"), "[lint]\nfail-on = \"error\"\nseverity = { L010 = \"note\" }\n")
        .unwrap();
    let below = folder.path().join("site");
    fs::create_dir(&below).unwrap();
    let output = lint(&below, &["--format=github", "-"], body);
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stdout.starts_with(b"::notice "));
}

#[test]
fn evidence_is_bounded_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    // A small file that unpacks to a large one. It is neither a log nor a list.
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    (0..64).for_each(|_| gzip.write_all(&b"0".repeat(1 << 20)).unwrap());
    write("bomb.gz", &gzip.finish().unwrap());
    let robots = b"User-agent: *\nDisallow: /0\n";
    // Its only line is longer than a list may have.
    assert_eq!(lint(folder.path(), &["--urls=bomb.gz", "-"], robots).status.code(), Some(2));
    assert_eq!(lint(folder.path(), &["--sitemap=bomb.gz", "-"], robots).status.code(), Some(2));
    let log = lint(folder.path(), &["--log=bomb.gz", "-"], robots);
    assert!(String::from_utf8_lossy(&log.stderr).contains("expected an access log"));
    // An index that lists itself, and one that refers to a file outside its folder.
    let index = |url: &str| format!("<sitemapindex><sitemap><loc>{url}</loc></sitemap></sitemapindex>");
    write("self.xml", index("https://e.com/self.xml").as_bytes());
    assert_eq!(lint(folder.path(), &["--sitemap=self.xml", "-"], robots).status.code(), Some(0));
    write("out.xml", index("https://e.com/%2e%2e/..%2fself.xml").as_bytes());
    let out = lint(folder.path(), &["--sitemap=out.xml", "-"], robots);
    assert!(String::from_utf8_lossy(&out.stderr).contains("is not in its folder"));
    let twice = lint(folder.path(), &["--urls=-", "-"], robots);
    assert!(String::from_utf8_lossy(&twice.stderr).contains("only one file can be standard input"));
    let many = [b"User-agent: *\n".to_vec(), b"Disallow: a\n".repeat(1_001)].concat();
    let many = lint(folder.path(), &["--statistics", "--select=L010", "-"], &many);
    assert!(String::from_utf8_lossy(&many.stdout).contains("L010 stopped at its limit of 1,000 findings in 1 file"));
}

/// The fixed file and the findings do not share a stream.
#[test]
fn findings_go_to_standard_error_if_the_fixed_file_goes_to_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    for format in ["human", "json", "sarif", "short", "csv", "github", "junit"] {
        let output =
            lint(folder.path(), &["--fix", "--format", format, "-"], b"User-agent: *\nDisallow: /a\nDisallow: /a\n");
        assert_eq!(output.stdout, b"User-agent: *\nDisallow: /a\n", "{format}");
    }
}

/// A file in the way of a fix, perhaps that of another run, is not removed.
#[test]
fn a_fix_removes_no_file_of_others() {
    let folder = tempfile::tempdir().unwrap();
    let (file, other) = (folder.path().join("robots.txt"), folder.path().join("robots.txt.comity-new"));
    fs::write(&file, b"User-agent: *\nDisallow: /a\nDisallow: /a\n").unwrap();
    fs::write(&other, b"other").unwrap();
    assert_eq!(lint(folder.path(), &["--fix"], b"").status.code(), Some(2));
    assert_eq!(fs::read(&other).unwrap(), b"other");
    assert!(fs::read(&file).unwrap().ends_with(b"/a\nDisallow: /a\n"));
}

/// A pull request may replace any file of the checkout by a link to what only the machine that checks it may read.
#[cfg(unix)]
#[test]
fn links_out_of_the_checkout_are_not_read() {
    use std::os::unix::fs::symlink;

    const SECRET: &str = "s3cret";
    let folder = tempfile::tempdir().unwrap();
    let (outside, checkout) = (folder.path().join("outside"), folder.path().join("checkout"));
    let site = checkout.join("site");
    for folder in [&outside, &checkout.join(".git"), &site] {
        fs::create_dir_all(folder).unwrap();
    }
    let text = format!("TOKEN={SECRET}\n/{SECRET}\nhttps://a.example/{SECRET}\n[{SECRET}\n");
    for file in [outside.join("environ"), checkout.join(".git/config")] {
        fs::write(file, &text).unwrap();
    }
    fs::write(site.join("good.txt"), "User-agent: *\nDisallow: /a\n").unwrap();
    fs::write(
        site.join("tests.toml"),
        "robots = \"good.txt\"\n[[test]]\nagent = \"a\"\nurl = \"/a\"\nexpect = \"disallow\"\n",
    )
    .unwrap();
    let links = [
        ("direct.txt", outside.join("environ")),
        ("relative.txt", Path::new("../../outside/environ").into()),
        ("git.txt", Path::new("../.git/config").into()),
        ("chain.txt", Path::new("direct.txt").into()),
        ("inside.txt", Path::new("good.txt").into()),
        ("proc.txt", Path::new("/proc/self/environ").into()),
    ];
    for (name, target) in &links {
        symlink(target, site.join(name)).unwrap();
    }
    // A link of another folder, to one in the checkout.
    symlink(site.join("direct.txt"), outside.join("back.txt")).unwrap();
    let back = outside.join("back.txt");
    let run = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_comity"));
        let output = command.args(words).current_dir(&site).env("TOKEN", SECRET).output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(!printed.contains(SECRET), "{words:?}: {printed}");
        (output.status.code(), printed)
    };
    for format in ["human", "short", "json", "csv", "sarif", "github", "junit"] {
        for name in ["direct.txt", "relative.txt", "git.txt", "chain.txt", "proc.txt", back.to_str().unwrap()] {
            if name == "proc.txt" && !Path::new("/proc/self/environ").exists() {
                continue;
            }
            let (code, printed) = run(&["lint", name, "--format", format]);
            assert_eq!(code, Some(2), "{name}: {printed}");
            assert!(printed.contains("found a symbolic link that leads out of it"), "{name}: {printed}");
            let (code, printed) = run(&["lint", name, "good.txt", "--format", format, "--statistics"]);
            assert_eq!(code, Some(2), "{name}: {printed}");
        }
    }
    for words in [
        &["lint", "direct.txt", "--fix"][..],
        &["lint", "direct.txt", "--unsafe-fixes", "--diff"],
        &["lint", "good.txt", "--urls", "direct.txt"],
        &["lint", "good.txt", "--sitemap", "direct.txt"],
        &["lint", "good.txt", "--noindex", "direct.txt"],
        &["lint", "good.txt", "--log", "direct.txt"],
        &["lint", "good.txt", "--page", "direct.txt=https://a.example/"],
        &["lint", "good.txt", "--config", "direct.txt"],
        &["diff", "good.txt", "direct.txt"],
        &["test", "direct.txt"],
        &["test", "tests.toml", "--robots", "direct.txt"],
    ] {
        let (code, printed) = run(words);
        assert_eq!(code, Some(2), "{words:?}: {printed}");
        assert!(printed.contains("found a symbolic link that leads out of it"), "{words:?}: {printed}");
    }
    symlink(outside.join("environ"), checkout.join("comity.toml")).unwrap();
    assert_eq!(run(&["lint", "good.txt"]).0, Some(2));
    fs::remove_file(checkout.join("comity.toml")).unwrap();
    // Links that stay inside are read, and so is what the user names outside.
    fs::copy(site.join("good.txt"), outside.join("robots.txt")).unwrap();
    for name in ["inside.txt", "../../outside/robots.txt"] {
        let (code, printed) = run(&["lint", name]);
        assert_eq!(code, Some(0), "{name}: {printed}");
    }
    // Without a repository, the working directory is the checkout.
    fs::remove_dir_all(checkout.join(".git")).unwrap();
    symlink("../outside.txt", site.join("beside.txt")).unwrap();
    fs::write(checkout.join("outside.txt"), &text).unwrap();
    assert_eq!(run(&["lint", "beside.txt"]).0, Some(2));
}
