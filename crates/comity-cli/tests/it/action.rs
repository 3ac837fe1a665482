//! Runs the shell steps of the GitHub Action as its runner does.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Returns the script of the step with this name: the block after `run: |`.
fn script(step: &str) -> String {
    let action = include_str!("../../../../action.yml");
    let start = action.find(&format!("- name: {step}\n")).expect("the action has this step");
    let block = action[start..].split_once("run: |\n").expect("the step runs something").1;
    let indented = block.lines().take_while(|line| line.is_empty() || line.starts_with("        "));
    indented.map(|line| format!("{}\n", line.get(8..).unwrap_or_default())).collect()
}

/// Runs a step in a folder, as `shell: bash` does. Returns its standard output and the step outputs.
pub(crate) fn run(step: &str, folder: &Path, variables: &[(&str, &str)]) -> (Output, BTreeMap<String, String>) {
    let outputs = folder.join("outputs");
    fs::write(&outputs, "").unwrap();
    let output = Command::new("bash")
        .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", &script(step)])
        .current_dir(folder)
        .envs(variables.iter().copied())
        .env("GITHUB_OUTPUT", &outputs)
        .env("RUNNER_TEMP", folder)
        .output()
        .unwrap();
    let outputs = fs::read_to_string(outputs).unwrap();
    let pairs = outputs.lines().filter_map(|line| line.split_once('='));
    (output, pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect())
}

#[test]
fn steps_do_what_they_say() {
    if Command::new("bash").arg("--version").output().is_err() {
        eprintln!("SKIPPED: there is no bash");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let comity = env!("CARGO_BIN_EXE_comity");
    fs::create_dir(folder.join("my site")).unwrap();
    fs::write(folder.join("my site/robots.txt"), "User-agent: *\nDisallow: private/\n").unwrap();
    fs::write(folder.join("clean.txt"), "User-agent: *\nDisallow: /private/\n").unwrap();
    fs::write(folder.join("warning.txt"), "User-agent: *\nDisalow: /private/\n").unwrap();

    let (_, outputs) = run("Install", folder, &[("GIVEN", comity), ("SOURCE", "/nowhere")]);
    assert_eq!(outputs["comity"], comity);

    let lint = |files: &str, arguments: &str, sarif: &str| {
        run("Lint", folder, &[("COMITY", comity), ("FILES", files), ("ARGUMENTS", arguments), ("SARIF", sarif)])
    };
    let (output, outputs) = lint("clean.txt\nmy site/robots.txt\n", "", "found.sarif");
    assert_eq!((output.status.code(), outputs["outcome"].as_str()), (Some(1), "findings"));
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.starts_with("::error file=my site/robots.txt,line=2,"), "{printed}");
    let sarif: serde_json::Value = serde_json::from_slice(&fs::read(folder.join("found.sarif")).unwrap()).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "L010");

    let (output, outputs) = lint("clean.txt", "", "");
    assert_eq!((output.status.code(), outputs["outcome"].as_str()), (Some(0), "clean"));
    let (output, outputs) = lint("my site/robots.txt", "--ignore=L010\n", "");
    assert_eq!((output.status.code(), outputs["outcome"].as_str()), (Some(0), "clean"));
    // What is shown but does not fail the step is a finding, too.
    for sarif in ["", "found.sarif"] {
        let (output, outputs) = lint("warning.txt", "--fail-on=error", sarif);
        assert_eq!((output.status.code(), outputs["outcome"].as_str()), (Some(0), "findings"));
        assert!(
            String::from_utf8_lossy(&output.stdout).starts_with("::warning file=warning.txt,line=2,"),
            "{output:?}"
        );
    }
    let (output, outputs) = lint("warning.txt", "", "");
    assert_eq!((output.status.code(), outputs["outcome"].as_str()), (Some(1), "findings"));
    let (output, outputs) = lint("missing.txt", "", "");
    assert_eq!((output.status.code(), outputs["outcome"].as_str()), (Some(2), "trouble"));
    let (output, outputs) = lint("missing.txt", "", "found.sarif");
    assert_eq!((output.status.code(), outputs["outcome"].as_str()), (Some(2), "trouble"));
    assert!(String::from_utf8_lossy(&output.stderr).contains("missing.txt could not be opened"));

    let test = "robots = \"clean.txt\"\n[[test]]\nagent = \"a\"\nurl = \"/private/1\"\nexpect = ";
    for (expected, code) in [("\"disallow\"", 0), ("\"allow\"", 1)] {
        fs::write(folder.join("own tests.toml"), format!("{test}{expected}\n")).unwrap();
        let (output, _) = run("Test", folder, &[("COMITY", comity), ("TESTS", "own tests.toml")]);
        assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// The folder of the repository, with the action.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A folder of releases, as a mirror has them.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
struct Mirror {
    folder: tempfile::TempDir,
    checksum: String,
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
impl Mirror {
    /// Makes a release with the command of this test.
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let name = "comity-0.1.0-x86_64-unknown-linux-gnu";
        let release = folder.path().join("releases/v0.1.0");
        fs::create_dir_all(release.join(name)).unwrap();
        fs::copy(env!("CARGO_BIN_EXE_comity"), release.join(name).join("comity")).unwrap();
        let archive = format!("{name}.tar.gz");
        shell(
            &release,
            &format!("tar -cf - {name} | gzip -1 > {archive} && rm -r {name} && sha256sum {archive} > SHA256SUMS"),
        );
        let checksum = fs::read_to_string(release.join("SHA256SUMS")).unwrap()[..64].to_owned();
        // A `gh` that writes down its arguments, and finds an attestation unless there is a file `refused`, or knows no
        // attestations if there is a file `old`. Machines of CI have a real one, which would ask for an attestation.
        let programs = folder.path().join("programs");
        fs::create_dir(&programs).unwrap();
        let gh = "#!/bin/sh\ncd \"${0%/*}\"\ncase \"$*\" in *--help) test ! -f old ;; *) echo \"$*\" >> asked; test ! -f refused ;; esac\n";
        fs::write(programs.join("gh"), gh).unwrap();
        shell(&programs, "chmod +x gh");
        Self { folder, checksum }
    }

    /// Returns a file of the fake `gh`.
    fn gh(&self, file: &str) -> std::path::PathBuf {
        self.folder.path().join("programs").join(file)
    }

    /// Returns the archive in the cache.
    fn kept(&self) -> std::path::PathBuf {
        self.folder.path().join("cache/comity-0.1.0/comity-0.1.0-x86_64-unknown-linux-gnu.tar.gz")
    }

    fn release(&self) -> std::path::PathBuf {
        self.folder.path().join("releases/v0.1.0")
    }

    /// Runs the step with this version and these variables. Returns its output and the path of the command.
    fn install(&self, version: &str, variables: &[(&str, &str)]) -> (Output, Option<String>) {
        let path = |name: &str| self.folder.path().join(name).to_str().unwrap().to_owned();
        let mirror = format!("file://{}", path("releases"));
        let cache = path("cache");
        let programs = format!("{}:{}", path("programs"), std::env::var("PATH").unwrap());
        let defaults = [
            ("PATH", programs.as_str()),
            ("REPOSITORY", "owner/comity"),
            ("GIVEN", ""),
            ("BUILD", "false"),
            ("SOURCE", SOURCE),
            ("VERSION", version),
            ("CHECKSUM", ""),
            ("MIRROR", &mirror),
            ("REF", "v0.1.0"),
            ("CACHE", &cache),
        ];
        let (output, outputs) = run("Install", self.folder.path(), &[&defaults[..], variables].concat());
        (output, outputs.get("comity").cloned())
    }

    /// Runs the step, which must fail, and install nothing. Returns its message.
    fn refused(&self, version: &str, variables: &[(&str, &str)]) -> String {
        let (output, comity) = self.install(version, variables);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), comity), (Some(2), None), "{text}");
        assert!(!self.folder.path().join("comity").exists(), "{text}");
        assert!(text.contains("::error title=comity is not installed::"), "{text}");
        text
    }
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn shell(folder: &Path, script: &str) {
    assert!(Command::new("bash").args(["-euc", script]).current_dir(folder).status().unwrap().success(), "{script}");
}

#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn a_release_is_fetched_and_kept() {
    if Command::new("curl").arg("--version").output().is_err() {
        eprintln!("SKIPPED: there is no curl");
        return;
    }
    let mirror = Mirror::new();
    // The version is that of the tag.
    let (output, comity) = mirror.install("", &[]);
    let comity = comity.unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let version = Command::new(&comity).arg("--version").output().unwrap();
    assert_eq!(String::from_utf8(version.stdout).unwrap(), concat!("comity ", env!("CARGO_PKG_VERSION"), "\n"));

    // The archive is not fetched again, but its checksum is.
    let archive = mirror.release().join(mirror.kept().file_name().unwrap());
    let away = mirror.folder.path().join("away");
    fs::rename(&archive, &away).unwrap();
    fs::remove_file(&comity).unwrap();
    assert_eq!(mirror.install("0.1.0", &[]).1.as_deref(), Some(comity.as_str()));
    assert!(Path::new(&comity).is_file());
    fs::rename(&away, &archive).unwrap();

    // With a checksum, the mirror is not asked again.
    fs::rename(mirror.release(), &away).unwrap();
    fs::remove_file(&comity).unwrap();
    let checksum = mirror.checksum.to_uppercase();
    let began = std::time::Instant::now();
    assert_eq!(mirror.install("0.1.0", &[("CHECKSUM", &checksum)]).1.as_deref(), Some(comity.as_str()));
    let time = began.elapsed();
    println!("from the kept archive in {time:?}");
    // On a machine with other work, the time says nothing about the action.
    if std::env::var_os("COMITY_TIMED_TESTS").is_some() {
        assert!(time.as_secs() < 5, "{time:?}");
    }
    // Without it, nothing else states whether the archive is that of the release.
    fs::remove_dir_all(mirror.folder.path().join("comity")).unwrap();
    assert!(mirror.refused("0.1.0", &[]).contains("SHA256SUMS could not be fetched"));
    fs::rename(&away, mirror.release()).unwrap();

    // Without a place to keep it, the archive is fetched, and installed all the same.
    assert_eq!(mirror.install("0.1.0", &[("CACHE", "/dev/null/cache")]).1.as_deref(), Some(comity.as_str()));

    // A kept archive that was changed is fetched again.
    fs::write(mirror.kept(), "changed").unwrap();
    fs::rename(&archive, &away).unwrap();
    fs::remove_dir_all(mirror.folder.path().join("comity")).unwrap();
    assert!(mirror.refused("0.1.0", &[]).contains("could not be fetched"));
    fs::rename(&away, &archive).unwrap();
    assert!(mirror.install("0.1.0", &[("CHECKSUM", &checksum)]).1.is_some());
    assert_eq!(fs::read(mirror.kept()).unwrap(), fs::read(&archive).unwrap());
}

#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn what_is_beside_a_kept_archive_is_not_believed() {
    if Command::new("curl").arg("--version").output().is_err() {
        eprintln!("SKIPPED: there is no curl");
        return;
    }
    let mirror = Mirror::new();
    let (kept, name) = (mirror.kept(), "comity-0.1.0-x86_64-unknown-linux-gnu");
    let folder = kept.parent().unwrap();
    fs::create_dir_all(folder).unwrap();
    shell(
        folder,
        &format!(
            "mkdir {name} && printf '#!/bin/sh\\necho other\\n' > {name}/comity && chmod +x {name}/comity \
             && tar -czf {name}.tar.gz {name} && sha256sum < {name}.tar.gz | cut -d ' ' -f 1 > {name}.tar.gz.sha256"
        ),
    );
    let comity = mirror.install("0.1.0", &[]).1.expect("the archive of the release is fetched");
    let version = Command::new(comity).arg("--version").output().unwrap();
    assert!(String::from_utf8_lossy(&version.stdout).starts_with("comity "), "{version:?}");
}

#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn an_attestation_is_verified_if_gh_is_there() {
    if Command::new("curl").arg("--version").output().is_err() {
        eprintln!("SKIPPED: there is no curl");
        return;
    }
    let mirror = Mirror::new();
    let asked = || fs::read_to_string(mirror.gh("asked")).unwrap_or_default();
    fs::write(mirror.gh("refused"), "").unwrap();
    assert!(mirror.refused("0.1.0", &[]).contains("expected an attestation of owner/comity"));
    let question = asked();
    assert!(question.starts_with("attestation verify "), "{question}");
    assert!(question.ends_with("/comity-0.1.0-x86_64-unknown-linux-gnu.tar.gz --repo owner/comity\n"), "{question}");
    assert!(!mirror.kept().exists());
    // A checksum of the user names one archive, and a copy of the action in a folder has no repository.
    for variables in [[("CHECKSUM", mirror.checksum.as_str())], [("REPOSITORY", "")]] {
        assert!(mirror.install("0.1.0", &variables).1.is_some(), "{variables:?}");
        fs::remove_dir_all(mirror.folder.path().join("comity")).unwrap();
    }
    assert_eq!(asked(), question);
    // A kept archive needs one, too.
    assert!(mirror.kept().exists());
    assert!(mirror.refused("0.1.0", &[]).contains("expected an attestation"));
    fs::remove_file(mirror.gh("refused")).unwrap();
    assert!(mirror.install("0.1.0", &[]).1.is_some());
    assert_eq!(asked().lines().count(), 3);
    // A `gh` that knows no attestations cannot verify any.
    fs::write(mirror.gh("old"), "").unwrap();
    assert!(mirror.install("0.1.0", &[]).1.is_some());
    assert_eq!(asked().lines().count(), 3);
}

#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn nothing_is_installed_if_anything_is_wrong() {
    if Command::new("curl").arg("--version").output().is_err() {
        eprintln!("SKIPPED: there is no curl");
        return;
    }
    let mirror = Mirror::new();
    let wrong = "0".repeat(64);
    for (version, variables, message) in [
        ("0.1.0", &[("CHECKSUM", wrong.as_str())][..], "expected the SHA-256 0000"),
        ("0.1.0", &[("CHECKSUM", "abc")], "checksum: expected the 64 hexadecimal digits of a SHA-256, found 'abc'"),
        ("0.1.0", &[("PLATFORM", "Linux riscv64")], "no release is made for Linux riscv64"),
        ("0.1.0", &[("PLATFORM", "Linux aarch64")], "has no checksum of comity-0.1.0-aarch64-unknown-linux-gnu.tar.gz"),
        ("0.2.0", &[], "v0.2.0/SHA256SUMS could not be fetched"),
        (
            "0.1.0",
            &[("MIRROR", "http://127.0.0.1:1")],
            "mirror: expected an https: address, found 'http://127.0.0.1:1'",
        ),
        ("0.1.0", &[("MIRROR", "127.0.0.1:1")], "mirror: expected an https: address"),
        ("0.1.0", &[("MIRROR", "http://127.0.0.1:1"), ("CHECKSUM", &wrong)], ".tar.gz could not be fetched"),
        ("../evil", &[], "version: expected a version such as 0.1.0, found '../evil'"),
        ("", &[("REF", "main")], "version: expected a version such as 0.1.0, found 'main'; 'build: true' builds"),
    ] {
        let text = mirror.refused(version, variables);
        assert!(text.contains(message), "{text}");
    }
    // A place that cannot be written: as root, a test cannot take away the permission, but a file is no folder.
    let place = mirror.folder.path().join("comity");
    fs::write(&place, "a file").unwrap();
    let (output, comity) = mirror.install("0.1.0", &[]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), comity), (Some(2), None), "{text}");
    assert!(text.contains("comity could not be written"), "{text}");
    fs::remove_file(place).unwrap();
    fs::remove_dir_all(mirror.folder.path().join("cache")).unwrap();
    // A damaged archive with the checksum of the damage.
    let release = mirror.release();
    shell(&release, "head -c 5000 *.tar.gz > cut && mv cut *.tar.gz && sha256sum *.tar.gz > SHA256SUMS");
    assert!(mirror.refused("0.1.0", &[]).contains("could not be unpacked"));
}

/// Runs git in a folder, without a user configuration.
fn git(folder: &Path, arguments: &[&str]) {
    let person = ["-c", "user.name=a", "-c", "user.email=a@site.example", "-c", "commit.gpgsign=false"];
    let output = Command::new("git").args(person).args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn changes_are_compared_with_the_base() {
    if ["bash", "git"].iter().any(|program| Command::new(program).arg("--version").output().is_err()) {
        eprintln!("SKIPPED: there is no bash or no git");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir(folder.join("my site")).unwrap();
    let file = folder.join("my site/robots.txt");
    fs::write(&file, "User-agent: *\nDisallow: /private/\n").unwrap();
    git(folder, &["init", "--quiet"]);
    git(folder, &["add", "."]);
    git(folder, &["commit", "--quiet", "--message", "a"]);
    let summary = folder.join("step summary");
    let compare = |files: &str, fail_on: &str| {
        let variables = [
            ("COMITY", env!("CARGO_BIN_EXE_comity")),
            ("FILES", files),
            ("BASE", "HEAD"),
            ("FAIL_ON", fail_on),
            ("GITHUB_STEP_SUMMARY", summary.to_str().unwrap()),
        ];
        run("Compare", folder, &variables)
    };
    let (output, outputs) = compare("my site/robots.txt\nnew.txt\n", "any");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.starts_with("Same. ") && printed.contains("new.txt is not in HEAD"), "{printed}");
    assert!(fs::read_to_string(&outputs["summary"]).unwrap().contains("Same. "));

    fs::write(&file, "User-agent: *\nDisallow: /private\n").unwrap();
    for (fail_on, code, severity) in
        [("blocked", 1, "error"), ("any", 1, "error"), ("allowed", 0, "warning"), ("undecided", 0, "warning")]
    {
        let (output, outputs) = compare("my site/robots.txt", fail_on);
        assert_eq!(output.status.code(), Some(code), "{fail_on}: {}", String::from_utf8_lossy(&output.stderr));
        let printed = String::from_utf8(output.stdout).unwrap();
        let expected = format!("::{severity} file=my site/robots.txt,line=2,title=Newly blocked::");
        assert!(printed.starts_with(&expected), "{fail_on}: {printed}");
        assert!(fs::read_to_string(&outputs["summary"]).unwrap().contains("**Newly blocked** for every crawler"));
    }
    assert!(fs::read_to_string(&summary).unwrap().contains("**Newly blocked**"));
    let (output, _) = compare("my site/robots.txt", "sometimes");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_base_that_is_not_in_the_clone_is_trouble() {
    if ["bash", "git"].iter().any(|program| Command::new(program).arg("--version").output().is_err()) {
        eprintln!("SKIPPED: there is no bash or no git");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("robots.txt"), "User-agent: *\nDisallow: /private/\n").unwrap();
    git(folder, &["init", "--quiet"]);
    git(folder, &["add", "."]);
    git(folder, &["commit", "--quiet", "--message", "a"]);
    let absent = "0123456789abcdef0123456789abcdef01234567";
    for (base, code) in [("HEAD", 0), ("origin/main", 2), (absent, 2), ("HEAD:robots.txt", 2), ("--help", 2)] {
        let variables =
            [("COMITY", env!("CARGO_BIN_EXE_comity")), ("FILES", "robots.txt"), ("BASE", base), ("FAIL_ON", "any")];
        let (output, outputs) = run("Compare", folder, &[&variables[..], &[("GITHUB_STEP_SUMMARY", "")]].concat());
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{base}: {text}");
        assert_eq!(
            (text.contains("::error "), outputs.contains_key("summary")),
            (code == 2, code == 0),
            "{base}: {text}"
        );
    }
}
