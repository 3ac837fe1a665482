//! Applying fixes, or showing what they would change.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use comity::Escaped;
use comity_lint::{Change, Changes, Evidence, Linter, Mended, Safety};
use similar::TextDiff;

use super::count;
use crate::style::{self, paint};
use crate::{Outcome, args, input};

/// A file, its name, its bytes, and what is known of its site.
pub(super) type Body<'a> = (&'a PathBuf, String, Vec<u8>, Evidence);

/// Prints what the fixes would change.
pub(super) fn diff(linter: &Linter, args: &args::Lint, bodies: &[Body<'_>]) -> Result<Outcome> {
    let mut outcome = Outcome::Yes;
    for (_, name, body, known) in bodies {
        let mended = linter.mend(body, known, at_most(args));
        if mended.body != *body {
            outcome = Outcome::No;
            let text = unified(body, &mended.body, name);
            let mut out = io::stdout().lock();
            let text = if out.is_terminal() { style::safe(&text) } else { text };
            out.write_all(text.as_bytes())?;
        }
        tell(name, &mended, "would be ")?;
    }
    Ok(outcome)
}

fn unified(before: &[u8], after: &[u8], name: &str) -> String {
    let (before, after) = (String::from_utf8_lossy(before), String::from_utf8_lossy(after));
    let diff = TextDiff::from_lines(&before, &after);
    diff.unified_diff().header(name, &format!("{name}, mended")).to_string()
}

fn at_most(args: &args::Lint) -> Safety {
    if args.unsafe_fixes { Safety::Unsafe } else { Safety::Safe }
}

/// Mends a file, or what came in on standard input; returns what it is now.
pub(super) fn mend(
    linter: &Linter,
    args: &args::Lint,
    file: &Path,
    name: &str,
    body: &[u8],
    known: &Evidence,
) -> Result<Vec<u8>> {
    let mended = linter.mend(body, known, at_most(args));
    if input::is_stdin(file) {
        io::stdout().lock().write_all(&mended.body)?;
    } else if mended.body != *body {
        replace(file, &mended.body).with_context(|| format!("{name} could not be written"))?;
    }
    tell(name, &mended, "")?;
    Ok(mended.body)
}

/// Writes a file beside the old one and puts it in its place, so that there is always a whole one.
fn replace(file: &Path, body: &[u8]) -> io::Result<()> {
    // What a link points to is changed, not the link.
    let file = fs::canonicalize(file)?;
    let mut new = file.clone().into_os_string();
    new.push(".comity-new");
    let new = PathBuf::from(new);
    let written = fs::File::create_new(&new).and_then(|mut out| {
        out.write_all(body)?;
        out.set_permissions(fs::metadata(&file)?.permissions())?;
        out.sync_all()
    });
    let renamed = written.and_then(|()| fs::rename(&new, &file));
    if renamed.is_err() {
        let _ = fs::remove_file(&new);
    }
    renamed
}

/// Says what was done, and for whom the answers are others now.
fn tell(name: &str, mended: &Mended, would: &str) -> Result<()> {
    let mut out = anstream::stderr().lock();
    if mended.applied > 0 {
        writeln!(out, "{name}: {} {would}applied", count(mended.applied, "fix").replace("fixs", "fixes"))?;
    }
    if mended.refused > 0 {
        let fixes = count(mended.refused, "fix").replace("fixs", "fixes");
        writeln!(out, "{name}: {fixes} left out: that every verdict stays could not be shown")?;
    }
    tell_changes(&mut out, &mended.changes)
}

fn tell_changes(out: &mut impl Write, changes: &Changes) -> Result<()> {
    const MOST: usize = 12;
    if changes.count == 0 {
        return Ok(());
    }
    writeln!(
        out,
        "{}",
        paint(style::STRONG, format!("{} of {} questions get another answer:", changes.count, changes.asked))
    )?;
    // Mostly the answer is the same in both dialects.
    let told_before = |i: usize, change: &Change| {
        let is_same = |other: &Change| {
            (&other.agent, &other.path, other.allowed) == (&change.agent, &change.path, change.allowed)
        };
        changes.examples[..i].iter().any(is_same)
    };
    let examples: Vec<&Change> = changes
        .examples
        .iter()
        .enumerate()
        .filter(|(i, change)| !told_before(*i, change))
        .map(|(_, change)| change)
        .collect();
    for change in examples.iter().take(MOST) {
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
    if examples.len() > MOST {
        writeln!(out, "  and more, {} examples in all", examples.len())?;
    }
    Ok(())
}
