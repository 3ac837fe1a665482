//! `comity history`: lists the versions of a site's robots.txt, with the dates when they were seen.

mod changes;
mod import;

use std::io::{self, BufWriter, Write};

use anyhow::{Result, bail};
use comity::{Crawlers, Escaped, Origin};
use comity_fetch::store::{Archive, Version};
use comity_report::{ProofScope, VersionChange, VersionFacts, version_changes};

pub(super) use self::changes::bodies;
use crate::args::Format;
use crate::args::cache::{History, HistoryAction};
use crate::input::live;
use crate::outcome::Outcome;
use crate::render::style::{self, paint};
use crate::render::{body, json};

/// The number of digits of a hash that are shown. As input, any unique prefix is accepted.
const SHOWN_DIGITS: usize = 12;

pub(crate) fn run(args: &History) -> Result<Outcome> {
    if let Some(HistoryAction::Import(args)) = &args.action {
        return import::run(args);
    }
    let origin = Origin::of(args.url.as_deref().unwrap_or_default())?;
    let store = live::open_existing(&args.cache)?;
    let runtime = live::runtime()?;
    runtime.block_on(async {
        let archive = live::archive(&*store)?;
        let versions = archive.versions(&origin).await?;
        match &args.body {
            Some(start) => print_body(archive, &versions, start).await,
            None if args.diff => changes::print(archive, &origin, &versions, args).await,
            None => print(&origin, &versions, args.format.format),
        }
    })
}

/// Returns the changes in meaning from each stored version of a site's file to the next.
pub(super) async fn changes(archive: &dyn Archive, origin: &Origin, table: &Crawlers) -> Result<Vec<VersionChange>> {
    let versions = archive.versions(origin).await?;
    let bodies = bodies(archive, &versions).await?;
    let scope = ProofScope::new(table);
    Ok(version_changes(&versions, |hash| bodies.get(&hash).cloned(), &scope).collect())
}

fn print(origin: &Origin, versions: &[Version], format: Format) -> Result<Outcome> {
    let outcome = if versions.is_empty() { Outcome::No } else { Outcome::Yes };
    if format == Format::Json {
        let rows: Vec<VersionFacts> = versions.iter().map(VersionFacts::of).collect();
        json::print(&rows)?;
        return Ok(outcome);
    }
    let mut out = BufWriter::new(anstream::stdout().lock());
    if versions.is_empty() {
        nothing(origin, &mut out)?;
    }
    for version in versions {
        row(origin, &VersionFacts::of(version), &mut out)?;
    }
    out.flush()?;
    Ok(outcome)
}

fn nothing(origin: &Origin, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{origin} is not cached: `comity fetch {origin}` fetches it.")
}

/// Writes the line of a version.
fn row(origin: &Origin, version: &VersionFacts, out: &mut impl Write) -> io::Result<()> {
    let VersionFacts { first_seen: first, last_seen: last, event, url, size, hash, .. } = version;
    let when = if first == last { format!("{first:<43}") } else { format!("{first} - {last}") };
    let (Some(url), Some(size), Some(hash)) = (url, size, hash) else { return writeln!(out, "{when}  {event}") };
    writeln!(out, "{when}  {}  {size:>7} bytes", paint(style::STRONG, &hash[..SHOWN_DIGITS]))?;
    if *url != origin.robots_url() {
        writeln!(out, "{:43}  from {}", "", Escaped(url.as_bytes()))?;
    }
    Ok(())
}

async fn print_body(archive: &dyn Archive, versions: &[Version], start: &str) -> Result<Outcome> {
    let start = start.to_ascii_lowercase();
    let mut hashes: Vec<_> =
        versions.iter().filter_map(|version| version.copy.as_ref()).map(|copy| copy.hash).collect();
    hashes.dedup();
    hashes.retain(|hash| hash.to_string().starts_with(&start));
    let shown = Escaped(start.as_bytes());
    let body = match hashes[..] {
        [] => bail!("no version has a hash that starts with `{shown}`: `comity history` without --body lists them"),
        [hash] => archive.body(hash).await?,
        [..] => bail!("{} versions have a hash that starts with `{shown}`: give more of it", hashes.len()),
    };
    let Some(body) = body else { bail!("the file of this version is no longer stored") };
    body::print(&body)?;
    Ok(Outcome::Yes)
}
