//! `comity lint` without a path, in projects of several frameworks.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const CLEAN: &str = "User-agent: *\nDisallow: /private/\n";
const MISTAKE: &str = "User-agent: *\nDisallow: private/\n";

/// Runs `comity lint` in a new project with these files. Returns its exit code, standard output and standard error.
fn lint(files: &[(&str, &str)], options: &[&str]) -> (i32, String, String) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    run(folder.path(), options)
}

fn run(folder: &Path, options: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_comity"));
    let Output { status, stdout, stderr } = command.arg("lint").args(options).current_dir(folder).output().unwrap();
    (status.code().unwrap(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

#[test]
fn each_place_of_a_framework_is_found() {
    for place in [
        "robots.txt",
        "public/robots.txt",
        "static/robots.txt",
        "src/robots.txt",
        "app/robots.txt",
        "src/app/robots.txt",
    ] {
        let (code, out, err) = lint(&[(place, MISTAKE), ("docs/robots.txt", MISTAKE)], &["--format", "short"]);
        assert_eq!(code, 1, "{place}: {err}");
        assert!(out.starts_with(&format!("{place}:2:11: error[L010]")), "{out}");
        assert_eq!(out.lines().count(), 1, "{out}");
        let note = format!("note: no file was named; found {place}\n");
        assert_eq!(err, if place == "robots.txt" { "" } else { &note });
    }
}

#[test]
fn all_files_are_linted_and_named() {
    let files = [("static/robots.txt", MISTAKE), ("public/robots.txt", CLEAN)];
    let (code, out, err) = lint(&files, &[]);
    assert_eq!(code, 1);
    assert!(out.contains("public/robots.txt: nothing found\n"), "{out}");
    assert!(out.contains("static/robots.txt: 1 error\n"), "{out}");
    assert_eq!(err, "note: no file was named; found public/robots.txt, static/robots.txt\n");
    assert_eq!(lint(&files, &["--quiet"]), (1, String::new(), String::new()));
    // A file that is named is the only one.
    let (code, out, err) = lint(&files, &["public/robots.txt"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
}

#[test]
fn fixes_apply_to_what_is_found() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("public")).unwrap();
    let file = folder.path().join("public/robots.txt");
    fs::write(&file, "User-agent: *\nDisalow: /a\n").unwrap();
    let (code, out, err) = run(folder.path(), &["--fix"]);
    assert_eq!(code, 0, "{out}{err}");
    assert_eq!(fs::read_to_string(file).unwrap(), "User-agent: *\nDisallow: /a\n");
}

#[test]
fn a_program_is_named_and_not_run() {
    let program = "export default () => { throw new Error('it was run') }";
    let (code, _, err) = lint(&[("app/robots.ts", program), ("public/robots.txt", CLEAN)], &[]);
    assert_eq!(code, 0, "{err}");
    assert!(
        err.contains("note: app/robots.ts writes a robots.txt in Next.js and is not run: `comity lint http"),
        "{err}"
    );
    for place in ["app/robots.ts", "app/robots.js", "src/app/robots.ts", "src/app/robots.js"] {
        let (code, out, err) = lint(&[(place, program)], &["--quiet"]);
        assert_eq!((code, out.as_str()), (2, ""), "{err}");
        assert!(err.contains(&format!("found only {place}, which writes it in Next.js and is not run")), "{err}");
    }
}

#[test]
fn without_a_file_the_places_are_named() {
    // A folder of that name is none.
    for files in [&[][..], &[("robots.txt/a", "b")]] {
        let (code, out, err) = lint(files, &[]);
        assert_eq!((code, out.as_str()), (2, ""), "{err}");
        let places =
            "robots.txt, public/robots.txt, static/robots.txt, src/robots.txt, app/robots.txt, src/app/robots.txt";
        assert!(err.contains(&format!("expected a robots.txt in one of the places {places}, found none")), "{err}");
    }
}

/// A found link is one that whoever proposed a change could have added.
#[cfg(unix)]
#[test]
fn links_out_of_the_checkout_are_refused() {
    let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(outside.path().join("secret"), MISTAKE).unwrap();
    for target in [outside.path().join("secret"), "nowhere".into()] {
        let link = folder.path().join("robots.txt");
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink(target, link).unwrap();
        let (code, out, err) = run(folder.path(), &[]);
        assert_eq!((code, out.as_str()), (2, ""), "{err}");
        assert!(err.contains("robots.txt"), "{err}");
    }
}
