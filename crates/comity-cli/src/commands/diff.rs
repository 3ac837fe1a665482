//! `comity diff`: what a change of a robots.txt means, for all URLs and all crawlers.

mod render;

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use comity::{Dialect, Escaped};
use comity_meaning::Budget;
use comity_report::{Diff, DiffAnswer, looks_like_html};

use crate::args::{self, DiffFormat, FailOn};
use crate::input::{crawlers, file, live};
use crate::outcome::Outcome;
use crate::render::json;

/// The most bytes of a file in a git repository.
const MAX_GIT_FILE_BYTES: u64 = 16 << 20;

pub(crate) fn run(args: &args::Diff) -> Result<Outcome> {
    if file::is_stdin(&args.old) && file::is_stdin(&args.new) {
        bail!("expected two files, found standard input twice: name a file for one of them");
    }
    let table = crawlers::table(args.crawlers.as_deref())?;
    let (old_name, old) = read(&args.old, args)?;
    let (new_name, new) = read(&args.new, args)?;
    for (name, body) in [(&old_name, &old), (&new_name, &new)] {
        if looks_like_html(body) {
            eprintln!("warning: {name} looks like an HTML page, not like a robots.txt; it is compared anyway");
        }
    }
    let diff = Diff::new(&old, &new, &args.dialect, &table, Budget::of_steps(args.budget));
    match args.format {
        DiffFormat::Human => render::human(&diff, &mut anstream::stdout().lock())?,
        DiffFormat::Json => json::print(&diff)?,
        DiffFormat::Markdown => render::markdown(&diff, [&old_name, &new_name], &mut anstream::stdout().lock())?,
        DiffFormat::Github => render::github(&diff, &args.new, &mut anstream::stdout().lock())?,
    }
    Ok(outcome(&diff, args.fail_on))
}

fn outcome(diff: &Diff, fail_on: FailOn) -> Outcome {
    let any = |answer| diff.changes.iter().any(|change| change.to == answer);
    let fails = match fail_on {
        FailOn::Any => !diff.changes.is_empty(),
        FailOn::Blocked => any(DiffAnswer::Blocked),
        FailOn::Allowed => any(DiffAnswer::Allowed),
        FailOn::Undecided => false,
    };
    match (fails, diff.undecided.is_empty()) {
        (true, _) => Outcome::No,
        (false, false) if fail_on == FailOn::Undecided => Outcome::No,
        (false, false) => Outcome::Trouble,
        (false, true) => Outcome::Yes,
    }
}

/// Reads a file, a site's robots.txt, standard input, or a file of a revision in the git repository.
fn read(path: &Path, args: &args::Diff) -> Result<(String, Vec<u8>)> {
    // The parser's dialect has no limit, so all of the file is read; each dialect applies its own.
    let dialect = Dialect::GOOGLE_PARSER;
    let text = path.to_str().unwrap_or_default();
    if live::is_url(path) || file::is_stdin(path) || path.exists() || !text.contains(':') {
        return live::robots(path, &args.fetching, &dialect);
    }
    Ok((Escaped(text.as_bytes()).to_string(), of_revision(text)?))
}

/// Reads `REVISION:FILE` from the git repository of the working directory.
fn of_revision(object: &str) -> Result<Vec<u8>> {
    let shown = Escaped(object.as_bytes());
    if object.starts_with('-') {
        bail!("expected a file or REVISION:FILE, found `{shown}`, which starts like an option");
    }
    let mut git = Command::new("git")
        .args(["cat-file", "blob", "--end-of-options", object])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| {
            format!("there is no file `{shown}`, and git, which would know a revision, could not be started")
        })?;
    let mut body = Vec::new();
    if let Some(out) = git.stdout.take() {
        out.take(MAX_GIT_FILE_BYTES + 1).read_to_end(&mut body).context("git could not be read")?;
    }
    let result = git.wait_with_output().context("git did not end")?;
    if body.len() as u64 > MAX_GIT_FILE_BYTES {
        bail!("{shown}: expected a file of at most {} MiB, found a larger one", MAX_GIT_FILE_BYTES >> 20);
    }
    if !result.status.success() {
        let said = String::from_utf8_lossy(&result.stderr);
        let said = said.lines().next().unwrap_or_default().trim_start_matches("fatal: ");
        bail!("there is no file `{shown}`, and git found no such file in a revision: {}", Escaped(said.as_bytes()));
    }
    Ok(body)
}
