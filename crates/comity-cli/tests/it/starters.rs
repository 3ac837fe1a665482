//! Runs the commands of the starter workflows in `examples/ci` in a repository, as CI does.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::action;

const GITHUB: &str = include_str!("../../../../examples/ci/github.yml");
const GITLAB: &str = include_str!("../../../../examples/ci/gitlab.yml");

/// A change of a site's robots.txt: the files before, those after, and the jobs that fail.
struct Change {
    old: &'static str,
    new: &'static str,
    /// The expected answer of the site's own test about `/private/`.
    expect: &'static str,
    failing: &'static [&'static str],
}

const CHANGES: [Change; 4] = [
    Change {
        old: "User-agent: *\nDisallow: /private/\n",
        new: "# New\nUser-agent: *\nDisallow: /private/\n",
        expect: "disallow",
        failing: &[],
    },
    Change {
        old: "User-agent: *\nDisallow: /private/\n",
        new: "User-agent: *\nDisallow: /private/\nDisallow: shop/\n",
        expect: "disallow",
        failing: &["robots-lint"],
    },
    Change {
        old: "User-agent: *\nDisallow: /private/\n",
        new: "User-agent: *\nDisallow: /private/\nDisallow: /shop/\n",
        expect: "disallow",
        failing: &["robots-diff"],
    },
    Change {
        old: "User-agent: *\nDisallow: /private/\n",
        new: "User-agent: *\nDisallow: /privat\n",
        expect: "allow",
        failing: &["robots-diff", "robots-test"],
    },
];

/// A git repository with the old file in a commit, and the new one in the working tree. Returns the commit, or nothing if
/// there is no git.
fn repository(folder: &Path, change: &Change) -> Option<String> {
    let git = |words: &[&str]| {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@b.example"];
        let output = Command::new("git").args(identity).args(words).current_dir(folder).output().ok()?;
        assert!(output.status.success(), "{output:?}");
        Some(String::from_utf8(output.stdout).unwrap().trim().to_owned())
    };
    git(&["init", "--quiet"])?;
    fs::create_dir(folder.join("public")).unwrap();
    let test = format!("[[test]]\nagent = \"a\"\nurl = \"/private/\"\nexpect = \"{}\"\n", change.expect);
    fs::write(folder.join("robots.test.toml"), format!("robots = \"public/robots.txt\"\n{test}")).unwrap();
    fs::write(folder.join("public/robots.txt"), change.old).unwrap();
    git(&["add", "--all"])?;
    git(&["commit", "--quiet", "--message", "a"])?;
    fs::write(folder.join("public/robots.txt"), change.new).unwrap();
    git(&["rev-parse", "HEAD"])
}

/// Returns the jobs with commands, by their names.
fn jobs(yaml: &str) -> BTreeMap<&str, Vec<&str>> {
    let mut jobs: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let (mut job, mut is_script) = ("", false);
    for line in yaml.lines().filter(|line| !line.trim_start().starts_with('#')) {
        let depth = line.len() - line.trim_start().len();
        match (depth, line.trim().strip_prefix("- ")) {
            (0, _) if !line.is_empty() => job = line.trim_end_matches(':'),
            (2, _) => is_script = line.trim() == "script:",
            (4, Some(command)) if is_script => jobs.entry(job).or_default().push(command),
            _ => {}
        }
    }
    jobs
}

/// Runs the commands of a job for GitLab, as its runner does. `base` is the revision that the merge request is for.
fn run(commands: &[&str], folder: &Path, base: &str) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_comity"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    Command::new("sh")
        .args(["-e", "-c", &commands.join("\n")])
        .current_dir(folder)
        .env("PATH", &path)
        .env("CI_MERGE_REQUEST_DIFF_BASE_SHA", base)
        .output()
        .unwrap()
}

#[test]
fn the_commands_for_gitlab_do_what_they_say() {
    let jobs = jobs(GITLAB);
    assert_eq!(jobs.keys().copied().collect::<Vec<_>>(), ["robots-diff", "robots-lint", "robots-test"]);
    for change in CHANGES {
        let folder = tempfile::tempdir().unwrap();
        let Some(commit) = repository(folder.path(), &change) else {
            eprintln!("SKIPPED: there is no git");
            return;
        };
        for (job, commands) in &jobs {
            let output = run(commands, folder.path(), &commit);
            let code = i32::from(change.failing.contains(job));
            assert_eq!(output.status.code(), Some(code), "{job}: {}{output:?}", change.new);
            if *job == "robots-test" {
                assert!(fs::read_to_string(folder.path().join("robots.xml")).unwrap().contains("<testsuite"));
                continue;
            }
            let report = fs::read(folder.path().join("gl-code-quality-report.json")).unwrap();
            let issues: serde_json::Value = serde_json::from_slice(&report).unwrap();
            assert!(issues.as_array().unwrap().len() >= usize::try_from(code).unwrap(), "{job}: {issues}");
        }
    }
}

#[test]
fn a_new_file_is_not_compared_in_gitlab() {
    const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
    let folder = tempfile::tempdir().unwrap();
    if repository(folder.path(), &CHANGES[2]).is_none() {
        eprintln!("SKIPPED: there is no git");
        return;
    }
    let output = run(&jobs(GITLAB)["robots-diff"], folder.path(), EMPTY_TREE);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(fs::read_to_string(folder.path().join("gl-code-quality-report.json")).unwrap(), "[]\n");
}

/// Returns the inputs that the workflow gives the action.
fn inputs() -> BTreeMap<&'static str, &'static str> {
    let with = GITHUB.split_once("/comity@v").unwrap().1.split_once("with:\n").unwrap().1;
    let lines = with.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(": ")).collect()
}

#[test]
fn the_steps_for_github_do_what_they_say() {
    let inputs = inputs();
    let action = include_str!("../../../../action.yml").split_once("\noutputs:").unwrap().0;
    for name in inputs.keys() {
        assert!(action.contains(&format!("\n  {name}:\n")), "the action has no input `{name}`");
    }
    assert_eq!(inputs["base"], "origin/${{ github.base_ref }}");
    for change in CHANGES {
        let folder = tempfile::tempdir().unwrap();
        let Some(commit) = repository(folder.path(), &change) else {
            eprintln!("SKIPPED: there is no git");
            return;
        };
        let variables = [
            ("COMITY", env!("CARGO_BIN_EXE_comity")),
            ("FILES", inputs["files"]),
            ("ARGUMENTS", ""),
            ("SARIF", ""),
            ("BASE", &commit),
            ("FAIL_ON", inputs["fail-on"]),
            ("TESTS", inputs["tests"]),
            ("GITHUB_STEP_SUMMARY", ""),
        ];
        for (step, job) in [("Lint", "robots-lint"), ("Compare", "robots-diff"), ("Test", "robots-test")] {
            let (output, _) = action::run(step, folder.path(), &variables);
            let code = i32::from(change.failing.contains(&job));
            assert_eq!(output.status.code(), Some(code), "{step}: {}{output:?}", change.new);
        }
    }
}

/// The workflows name the version of this command.
#[test]
fn the_version_is_that_of_the_command() {
    let version = env!("CARGO_PKG_VERSION");
    assert!(GITHUB.contains(&format!("/comity@v{version}\n")));
    assert!(GITLAB.contains(&format!("- pip install comity-cli=={version}\n")));
}
