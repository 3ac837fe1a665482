//! `comity history import`: fills the history of a site from a git repository.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, bail};
use comity::{Escaped, Origin};
use comity_fetch::store::{ArchiveEntry, ContentHash, MAX_COPIES, Purge, Version, VersionCopy};
use comity_fetch::{Event, StoredRecord, Time};
use comity_policy::BODY_LIMIT;

use crate::args::cache::Import;
use crate::input::database::WhenDown;
use crate::input::{git, live};
use crate::outcome::Outcome;
use crate::render::words::count;

/// The maximum size of the list of commits, in bytes: about a million of them.
const MAX_LIST: u64 = 64 << 20;

/// A commit that changed the file: its time, and the bytes of the file, or `None` if it removed the file.
struct Commit {
    at: Time,
    body: Option<Arc<[u8]>>,
}

pub(super) fn run(args: &Import) -> Result<Outcome> {
    let origin = Origin::of(&args.origin)?;
    let commits = commits(&args.git, &args.path)?;
    if commits.is_empty() {
        bail!("no commit of this repository has `{}`", Escaped(args.path.as_bytes()));
    }
    let store = live::open(&args.cache, WhenDown::Fail)?;
    let runtime = live::runtime()?;
    runtime.block_on(async {
        let archive = live::archive(&*store)?;
        let old = archive.entry(&origin).await?;
        let (mut record, known, mut bodies) = match old {
            Some(entry) if entry.record.last.is_some() => (entry.record, entry.versions, entry.bodies),
            _ => (StoredRecord::new(&origin), Vec::new(), Vec::new()),
        };
        // What was fetched is better known than what was committed.
        let end = known.last().map_or_else(|| Time::from(SystemTime::now()), |oldest| oldest.first_seen);
        let mut versions = known;
        let imported = versions_of(&origin, commits, end, &mut bodies);
        let number = imported.len();
        versions.extend(imported);
        match &mut record.last {
            // Restoring skips an entry whose last attempt is not later than the stored one.
            Some(last) => last.ended = last.ended + Duration::from_millis(1),
            // Nothing was fetched yet; an earlier import can be repeated.
            None => {
                archive.purge(Purge::Origin(origin.clone())).await?;
            }
        }
        let entry = ArchiveEntry::new(record, versions, bodies)?;
        archive.restore(vec![entry]).await?;
        writeln!(
            std::io::stdout(),
            "Imported {} of {origin}, as if the site had served each from its commit on: `comity history --diff {origin}` \
             shows what they changed.",
            count(number as u64, "version")
        )?;
        Ok(Outcome::Yes)
    })
}

/// Returns the versions of commits before a time, the newest first, and adds their bodies.
fn versions_of(origin: &Origin, commits: Vec<Commit>, end: Time, bodies: &mut Vec<Arc<[u8]>>) -> Vec<Version> {
    // Commits need not be in the order of their times.
    let by_time: BTreeMap<Time, Option<Arc<[u8]>>> =
        commits.into_iter().filter(|commit| commit.at < end).map(|commit| (commit.at, commit.body)).collect();
    let mut versions: Vec<Version> = Vec::new();
    let mut until = end;
    for (at, body) in by_time.into_iter().rev() {
        let copy = body.as_ref().map(|body| VersionCopy::new(origin.robots_url(), body.len(), ContentHash::of(body)));
        let event = if copy.is_some() { Event::Found } else { Event::Status(404) };
        match versions.last_mut() {
            Some(later) if later.copy == copy => later.first_seen = at,
            _ => versions.push(Version::new(at, until, event, copy)),
        }
        until = Time::from_unix_millis(at.as_unix_millis().saturating_sub(1));
        bodies.extend(body);
        if versions.len() > MAX_COPIES {
            break;
        }
    }
    versions
}

/// Returns the commits that changed a file, in no particular order.
fn commits(repository: &Path, path: &str) -> Result<Vec<Commit>> {
    let git =
        |args: &[&str], max_bytes| git::run(repository, args, max_bytes)?.context("git could not read the repository");
    let list = git(&["log", "--format=%H %ct", "--full-history", "--", path], MAX_LIST)?;
    let mut commits = Vec::new();
    for line in String::from_utf8_lossy(&list).lines() {
        let Some((hash, seconds)) = line.split_once(' ') else { continue };
        let seconds = seconds.parse().with_context(|| format!("git names no time: `{}`", Escaped(line.as_bytes())))?;
        commits.push((hash.to_owned(), Time::from_unix_seconds(seconds)));
    }
    // A history keeps fifty versions.
    commits.sort_by_key(|(_, at)| std::cmp::Reverse(*at));
    let bodies = commits.into_iter().take(4 * MAX_COPIES).map(|(hash, at)| {
        let object = format!("{hash}:{path}");
        let listed = git(&["ls-tree", "-z", &hash, "--", path], MAX_LIST)?;
        let body = if listed.is_empty() {
            None
        } else {
            // A larger file is cut where a fetched one would be.
            Some(git(&["cat-file", "blob", &object], BODY_LIMIT as u64)?.into())
        };
        Ok(Commit { at, body })
    });
    bodies.collect()
}
