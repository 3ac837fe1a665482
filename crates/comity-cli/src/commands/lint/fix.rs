//! Applying fixes, or showing their changes.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use comity::Escaped;
use comity_lint::{
    CHECKED_DIALECTS, Evidence, FixedFile, Fixes, LeftOut, LeftOutReason, Linter, Safety, VerdictChange, VerdictChanges,
};
use comity_report::{Diff, DiffWords, ProofScope};
use similar::TextDiff;

use crate::args;
use crate::input::file;
use crate::outcome::Outcome;
use crate::render::body;
use crate::render::style::{self, paint};

/// A file: its path, its name in messages, its bytes, and the evidence about its site.
pub(super) type Body<'a> = (&'a PathBuf, String, Vec<u8>, Evidence);

/// Prints the changes that the fixes would make, as a diff.
pub(super) fn diff(linter: &Linter, args: &args::Lint, bodies: &[Body<'_>]) -> Result<Outcome> {
    let mut outcome = Outcome::Yes;
    for (_, name, body, known) in bodies {
        let fixed = linter.fix(body, known, fixes(args));
        if fixed.body == *body {
            tell_no_difference(name, linter, args, body, known)?;
        } else {
            outcome = Outcome::No;
            let text = unified(body, &fixed.body, name);
            let mut out = io::stdout().lock();
            let text = if out.is_terminal() { style::safe(&text) } else { text };
            out.write_all(text.as_bytes())?;
        }
        tell(linter, args, name, body, &fixed)?;
    }
    Ok(outcome)
}

/// Prints that the fixes change nothing, and the number of unsafe fixes.
fn tell_no_difference(name: &str, linter: &Linter, args: &args::Lint, body: &[u8], known: &Evidence) -> Result<()> {
    let mut out = anstream::stderr().lock();
    if args.unsafe_fixes {
        writeln!(out, "{name}: no fix changes it")?;
        return Ok(());
    }
    let found = linter.lint(body, known).diagnostics;
    let is_unsafe = |fix: &comity_lint::Fix| fix.safety == Safety::Unsafe;
    let others = match found.iter().filter(|found| found.fix.as_ref().is_some_and(is_unsafe)).count() {
        0 => String::new(),
        others => format!("; --unsafe-fixes has {}", fixes_of(others)),
    };
    writeln!(out, "{name}: no safe fix changes it{others}")?;
    Ok(())
}

fn unified(before: &[u8], after: &[u8], name: &str) -> String {
    let (before, after) = (String::from_utf8_lossy(before), String::from_utf8_lossy(after));
    let diff = TextDiff::from_lines(&before, &after);
    diff.unified_diff().header(name, &format!("{name}, fixed")).to_string()
}

fn fixes(args: &args::Lint) -> Fixes {
    Fixes::new(if args.unsafe_fixes { Safety::Unsafe } else { Safety::Safe }).allow_blocking(args.allow_blocking)
}

/// Applies fixes to a file in place. For standard input, prints the fixed file.
pub(super) fn fix(
    linter: &Linter,
    args: &args::Lint,
    file: &Path,
    name: &str,
    body: &[u8],
    known: &Evidence,
) -> Result<FixedFile> {
    let fixed = linter.fix(body, known, fixes(args));
    if file::is_stdin(file) {
        body::print(&fixed.body)?;
    } else if fixed.body != *body {
        replace(file, &fixed.body).with_context(|| format!("{name} could not be written"))?;
    }
    tell(linter, args, name, body, &fixed)?;
    Ok(fixed)
}

/// Replaces a file atomically: writes a new one in the same folder and renames it, so that a complete file exists at
/// any time.
fn replace(file: &Path, body: &[u8]) -> io::Result<()> {
    // The target of a symbolic link is replaced, not the link.
    let file = fs::canonicalize(file)?;
    let mut new = file.clone().into_os_string();
    new.push(".comity-new");
    let new = PathBuf::from(new);
    let mut out = fs::File::create_new(&new)?;
    let replaced = out
        .write_all(body)
        .and_then(|()| out.set_permissions(fs::metadata(&file)?.permissions()))
        .and_then(|()| out.sync_all())
        .and_then(|()| fs::rename(&new, &file));
    if replaced.is_err() {
        let _ = fs::remove_file(&new);
    }
    replaced
}

/// Prints the fixes that were applied and left out, and the crawlers whose answers or preferences have changed.
fn tell(linter: &Linter, args: &args::Lint, name: &str, body: &[u8], fixed: &FixedFile) -> Result<()> {
    let would = if args.diff { "would be " } else { "" };
    let mut out = anstream::stderr().lock();
    if fixed.applied > 0 {
        writeln!(out, "{name}: {} {would}applied", fixes_of(fixed.applied))?;
    }
    tell_left_out(&mut out, name, &fixed.left_out)?;
    if let Some(bound) = fixed.bound {
        writeln!(out, "{name}: stopped at its limit of {bound}; another run may fix more")?;
    }
    tell_changes(&mut out, &fixed.changes)?;
    if args.unsafe_fixes && fixed.body != body {
        // Safe fixes are proven to change none.
        let diff = Diff::new(body, &fixed.body, &ProofScope::new(linter.crawlers()));
        let words = DiffWords { diff: &diff, full: false, same_lines: false };
        diff.signals.iter().try_for_each(|signal| writeln!(out, "{}", words.signal(signal)))?;
    }
    Ok(())
}

fn fixes_of(number: usize) -> String {
    if number == 1 { "1 fix".to_owned() } else { format!("{number} fixes") }
}

/// Returns the names of the dialects that fixes are checked in.
pub(super) fn checked() -> String {
    let names: Vec<&str> = CHECKED_DIALECTS.iter().map(|dialect| dialect.name).collect();
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

/// Prints the fixes that were left out, the first few for each reason.
fn tell_left_out(out: &mut impl Write, name: &str, left_out: &[LeftOut]) -> Result<()> {
    const MAX_NAMED: usize = 5;
    let blocking = |left: &&LeftOut| matches!(left.reason, LeftOutReason::BlocksSite(_));
    let changing = |left: &&LeftOut| matches!(left.reason, LeftOutReason::ChangesVerdict(_));
    let losing = |left: &&LeftOut| matches!(left.reason, LeftOutReason::ChangesRecord { .. });
    let of = |is: &dyn Fn(&&LeftOut) -> bool| left_out.iter().filter(is).collect::<Vec<_>>();
    let kinds = [
        (of(&blocking), "would block paths that no rule named before; --allow-blocking applies them"),
        (of(&changing), "not safe, because an answer would change"),
        (of(&losing), "not safe, because a sitemap, a delay or a signal would change"),
        (
            of(&|left| !blocking(left) && !changing(left) && !losing(left)),
            "not proven within the limit of work to keep all answers",
        ),
    ];
    for (left_out, why) in kinds.iter().filter(|(left_out, _)| !left_out.is_empty()) {
        writeln!(out, "{name}: {} left out: {why}", fixes_of(left_out.len()))?;
        for left in left_out.iter().take(MAX_NAMED) {
            write!(out, "  line {}, {}: {}", left.line, left.lint.code, left.title)?;
            if let LeftOutReason::BlocksSite(change) | LeftOutReason::ChangesVerdict(change) = &left.reason {
                write!(out, " ({})", example(change))?;
            }
            writeln!(out)?;
        }
        if left_out.len() > MAX_NAMED {
            writeln!(out, "  and {} more", left_out.len() - MAX_NAMED)?;
        }
    }
    Ok(())
}

fn example(change: &VerdictChange) -> String {
    let answer = if change.allowed { "allowed" } else { "blocked" };
    let (agent, path) = (Escaped(change.agent.as_bytes()), Escaped(change.path.as_bytes()));
    format!("{answer}  {agent}  {path}, {} dialect", change.dialect)
}

fn tell_changes(out: &mut impl Write, changes: &VerdictChanges) -> Result<()> {
    const MAX_EXAMPLES: usize = 12;
    if changes.cut {
        writeln!(out, "The comparison of verdicts ended at its bound: there may be other changes.")?;
    }
    if changes.count == 0 {
        return Ok(());
    }
    if changes.examples.is_empty() {
        writeln!(out, "Other answers change only for URLs that no crawler sends.")?;
        return Ok(());
    }
    writeln!(out, "{}", paint(style::STRONG, "Some URLs get another answer:"))?;
    // In most cases the answer is the same in several dialects.
    let told_before = |i: usize, change: &VerdictChange| {
        let is_same = |other: &VerdictChange| {
            (&other.agent, &other.path, other.allowed) == (&change.agent, &change.path, change.allowed)
        };
        changes.examples[..i].iter().any(is_same)
    };
    if let Some(closed) = changes.examples.iter().find(|change| !change.allowed && change.path == "/") {
        let whom = match closed.agent.as_str() {
            "*" => "crawlers that no group names".to_owned(),
            agent => Escaped(agent.as_bytes()).to_string(),
        };
        let warning = paint(style::ERROR, "warning:");
        writeln!(out, "{warning} this blocks `/`, and so perhaps the whole site, for {whom}")?;
    }
    let examples: Vec<&VerdictChange> = changes
        .examples
        .iter()
        .enumerate()
        .filter(|(i, change)| !told_before(*i, change))
        .map(|(_, change)| change)
        .collect();
    for change in examples.iter().take(MAX_EXAMPLES) {
        let answer =
            if change.allowed { paint(style::ALLOWED, "now allowed") } else { paint(style::DISALLOWED, "now blocked") };
        let dialect =
            if changes.examples.iter().filter(|other| other.agent == change.agent && other.path == change.path).count()
                > 1
            {
                String::new()
            } else {
                format!("  ({} dialect)", change.dialect)
            };
        let (agent, path) = (Escaped(change.agent.as_bytes()), Escaped(change.path.as_bytes()));
        writeln!(out, "  {answer}  {agent}  {path}{dialect}")?;
    }
    if examples.len() > MAX_EXAMPLES {
        writeln!(out, "  and more, {} examples in all", examples.len())?;
    }
    Ok(())
}
