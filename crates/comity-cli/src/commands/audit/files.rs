//! The files that an audit compares with: versions of robots.txt, and lists of addresses.

use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use comity::{Crawlers, Escaped, Origin};
use comity_audit::{RangeList, RangeLists, Timeline, rfc3339};
use comity_fetch::store::{Archive, MemoryStore, import};

use crate::args;
use crate::commands::history::bodies;
use crate::input::{file, live};

/// The memory for an exported history, in bytes.
const STORE_BYTES: usize = 64 << 20;

/// Returns the files in force: those of the options, or the history of the site.
pub(super) fn timeline(args: &args::Audit, site: Option<&Origin>) -> Result<Timeline> {
    if !args.robots.is_empty() {
        return given(&args.robots);
    }
    let Some(site) = site else {
        bail!(
            "expected the robots.txt of the log: --robots FILE, or --site URL for the history of a site in the cache"
        );
    };
    let runtime = live::runtime()?;
    runtime.block_on(async {
        if let Some(path) = &args.history {
            let store = MemoryStore::new(STORE_BYTES);
            let imported = import(&store, &mut BufReader::new(file::open(path)?)).await?;
            if let Some(refused) = imported.refused.first() {
                bail!("{}: {refused}", file::name(path));
            }
            return history(live::archive(&store)?, site, &file::name(path)).await;
        }
        let store = live::open_existing(&args.cache)?;
        history(live::archive(&*store)?, site, "the cache").await
    })
}

fn given(files: &[(Option<i64>, PathBuf)]) -> Result<Timeline> {
    if files.len() > 1 && files.iter().any(|(from, _)| from.is_none()) {
        bail!("several --robots need a time each, such as --robots 2026-11-01T09:00Z=FILE");
    }
    let mut times: Vec<i64> = files.iter().filter_map(|(from, _)| *from).collect();
    times.sort_unstable();
    if let Some(pair) = times.windows(2).find(|pair| pair[0] == pair[1]) {
        bail!("--robots: expected one file for each time, found two for {}: remove one of them", rfc3339(pair[0]));
    }
    // Each dialect applies its own size limit later.
    let read = |(from, path): &(Option<i64>, PathBuf)| {
        anyhow::Ok((*from, file::robots(Some(path), &comity::Dialect::GOOGLE_PARSER)?.1.into()))
    };
    Ok(Timeline::published(files.iter().map(read).collect::<Result<_>>()?))
}

async fn history(archive: &dyn Archive, site: &Origin, place: &str) -> Result<Timeline> {
    let versions = archive.versions(site).await?;
    let bodies = bodies(archive, &versions).await?;
    let timeline = Timeline::of_history(&versions, |hash| bodies.get(&hash).cloned());
    if timeline.versions().is_empty() {
        bail!(
            "{place} has no robots.txt of {site}: name the file of that time with --robots FILE. `comity fetch {site}` starts a \
             history, for later audits"
        );
    }
    Ok(timeline)
}

/// Reads the lists of addresses in a folder. A file that `comity crawlers --fetch-ranges` wrote states its URL; another one
/// must have the name of a list of the crawler table, such as `gptbot.json`.
pub(super) fn ranges(folder: &Path, table: &Crawlers) -> Result<RangeLists> {
    let urls: Vec<&str> = table.iter().flat_map(|row| row.verification.ranges.iter().map(AsRef::as_ref)).collect();
    let mut lists = RangeLists::default();
    let entries = fs::read_dir(folder).with_context(|| format!("{} could not be read", file::name(folder)))?;
    for entry in entries {
        let path = entry?.path();
        let is_list = path.extension().is_some_and(|end| end == "json" || end == "txt") && path.is_file();
        if !is_list {
            continue;
        }
        let name = file::name(&path);
        let text = String::from_utf8(file::read(&path)?).with_context(|| format!("{name} is not UTF-8"))?;
        let (list, stated) = RangeList::parse(&text).with_context(|| name.clone())?;
        let by_name = |url: &&&str| url.rsplit('/').next() == path.file_name().and_then(|name| name.to_str());
        let url = stated.as_deref().or_else(|| urls.iter().find(by_name).copied());
        match url.filter(|url| urls.contains(url)) {
            Some(url) => _ = lists.insert(url.to_owned(), list),
            None => eprintln!("warning: {name}: no crawler of the table has this list, so it is not used"),
        }
    }
    if lists.is_empty() {
        bail!(
            "{} has no list of addresses: `comity crawlers --fetch-ranges {}` fetches them",
            file::name(folder),
            Escaped(folder.as_os_str().as_encoded_bytes())
        );
    }
    Ok(lists)
}
