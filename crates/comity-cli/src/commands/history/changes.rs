//! `comity history --diff`: the changes in meaning from each version to the next.

use std::collections::HashMap;
use std::io::{self, BufWriter, Write};
use std::sync::Arc;

use anyhow::Result;
use comity::Origin;
use comity_fetch::store::{Archive, ContentHash, Version};
use comity_meaning::Budget;
use comity_report::{DiffFile, ProofScope, VersionChange, version_changes};

use super::SHOWN_DIGITS;
use crate::args::cache::History;
use crate::args::{Format, Naming};
use crate::commands::diff;
use crate::input::crawlers;
use crate::outcome::Outcome;
use crate::render::diff::Shown;
use crate::render::json;

pub(super) async fn print(
    archive: &dyn Archive,
    origin: &Origin,
    versions: &[Version],
    args: &History,
) -> Result<Outcome> {
    let bodies = bodies(archive, versions).await?;
    let naming = Naming { literal: args.literal, crawlers: args.crawlers.clone() };
    let table = crawlers::of_proofs(&naming)?;
    let agents = diff::agents(&args.agent, &naming, &table)?;
    let scope = ProofScope::new(&table).dialects(&args.dialect).agents(&agents).budget(Budget::of_steps(args.budget));
    let changes = version_changes(versions, |hash| bodies.get(&hash).cloned(), &scope);
    let mut outcome = if versions.is_empty() { Outcome::No } else { Outcome::Yes };
    if args.format.format == Format::Json {
        let changes: Vec<VersionChange> = changes.collect();
        json::print(&changes)?;
        return Ok(if changes.iter().all(is_decided) { outcome } else { Outcome::Trouble });
    }
    let mut out = BufWriter::new(anstream::stdout().lock());
    if versions.is_empty() {
        super::nothing(origin, &mut out)?;
    }
    for (place, change) in changes.enumerate() {
        if place > 0 {
            writeln!(out)?;
        }
        super::row(origin, &change.version, &mut out)?;
        human(&change, args, &mut out)?;
        if !is_decided(&change) {
            outcome = Outcome::Trouble;
        }
    }
    out.flush()?;
    Ok(outcome)
}

/// Returns the bytes of the versions that are still stored.
pub(crate) async fn bodies(archive: &dyn Archive, versions: &[Version]) -> Result<HashMap<ContentHash, Arc<[u8]>>> {
    let mut bodies = HashMap::new();
    for hash in versions.iter().filter_map(|version| version.copy.as_ref()).map(|copy| copy.hash) {
        if !bodies.contains_key(&hash)
            && let Some(body) = archive.body(hash).await?
        {
            bodies.insert(hash, body);
        }
    }
    Ok(bodies)
}

/// Returns true if everything is known about the difference, or there is nothing to compare.
fn is_decided(change: &VersionChange) -> bool {
    match &change.diff {
        Some(diff) => diff.undecided.is_empty(),
        None => change.compared_with.is_none(),
    }
}

fn human(change: &VersionChange, args: &History, out: &mut impl Write) -> io::Result<()> {
    let before = change.compared_with.as_ref().map(|hash| &hash[..SHOWN_DIGITS]);
    let (Some(before), Some(diff)) = (before, &change.diff) else {
        return match (&change.version.hash, before) {
            (None, _) => writeln!(out, "    No file: the policy decides, and nothing is compared."),
            (Some(_), None) => writeln!(out, "    The first file that is known."),
            (Some(_), Some(before)) => {
                writeln!(out, "    Not compared with {before}: the bytes of both are not stored any more.")
            }
        };
    };
    writeln!(out, "    Compared with {before}:\n")?;
    for file in &diff.looks_like_html {
        let file = if *file == DiffFile::Old { "The file before" } else { "This file" };
        writeln!(out, "    {file} looks like an HTML page, not like a robots.txt.\n")?;
    }
    let mut text = Vec::new();
    Shown { diff, chosen: !args.agent.is_empty(), all: args.all, full: args.full, same_lines: false }
        .human(&mut text)?;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        out.write_all(if line == b"\n" { b"" } else { b"    " })?;
        out.write_all(line)?;
    }
    Ok(())
}
