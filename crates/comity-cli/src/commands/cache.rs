//! `comity cache`: lists, shows, purges, verifies, exports and imports stored robots.txt files.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use anyhow::{Context, Result, anyhow};
use comity::{Escaped, Origin};
use comity_fetch::store::{self, Archive, Purge, Store, StoreStats, Summary};
use comity_fetch::{Client, Time};
use comity_report::{SiteFacts, stamp};
use serde::Serialize;

use crate::args::cache::{self as args, Action};
use crate::args::{Format, live::Cache};
use crate::input::database::WhenDown;
use crate::input::file;
use crate::input::live;
use crate::outcome::Outcome;
use crate::render::style::{self, paint};
use crate::render::words::count;
use crate::render::{json, provenance};

/// The maximum number of origins that are listed at a time.
const MAX_ORIGINS_PER_PAGE: usize = 1000;

pub(crate) fn run(args: &args::Cache) -> Result<Outcome> {
    let cache = Cache { dir: args.dir.clone(), store: args.store.clone(), waits: false };
    // Only an import creates a cache that does not exist.
    let store = if matches!(args.action, Action::Import { .. }) {
        live::open(&cache, WhenDown::Fail)?
    } else {
        live::open_existing(&cache)?
    };
    let runtime = live::runtime()?;
    let archive = live::archive(&*store)?;
    runtime.block_on(async {
        match &args.action {
            Action::List { format } => list(archive, format.format).await,
            Action::Show { url, format } => show(Arc::clone(&store), url, format.format).await,
            Action::Purge(what) => purge(archive, what).await,
            Action::Verify { format } => verify(archive, format.format).await,
            Action::Export { file } => export(archive, file).await,
            Action::Import { file } => import(archive, file).await,
        }
    })
}

/// An origin in the JSON output.
#[derive(Serialize)]
struct Row {
    origin: String,
    event: Option<String>,
    asked: Option<String>,
    failing_since: Option<String>,
    size: Option<usize>,
    fetched: Option<String>,
    hash: Option<String>,
    policy: String,
}

impl Row {
    fn of(summary: &Summary) -> Self {
        Self {
            origin: summary.origin.clone(),
            event: summary.event.map(|event| event.to_string()),
            asked: summary.ended.map(stamp),
            failing_since: summary.failing_since.map(stamp),
            size: summary.copy.as_ref().map(|copy| copy.size),
            fetched: summary.fetched.map(stamp),
            hash: summary.copy.as_ref().map(|copy| copy.hash.to_string()),
            policy: summary.policy.clone(),
        }
    }
}

async fn list(archive: &dyn Archive, format: Format) -> Result<Outcome> {
    let now = Time::from(SystemTime::now());
    let mut rows = Vec::new();
    let mut out = BufWriter::new(anstream::stdout().lock());
    let mut after: Option<String> = None;
    let mut outcome = Outcome::Yes;
    loop {
        let page = archive.list(after.as_deref(), MAX_ORIGINS_PER_PAGE).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.origin.clone());
        for summary in &page {
            if let Some(damage) = &summary.damage {
                skipped(damage);
                outcome = Outcome::No;
                continue;
            }
            match format {
                Format::Json => rows.push(Row::of(summary)),
                Format::Human => {
                    let asked = summary.ended.map_or_else(String::new, |ended| provenance::about(now.since(ended)));
                    let size = match &summary.copy {
                        Some(copy) => format!("{} bytes", copy.size),
                        None => "no copy".to_owned(),
                    };
                    let event = summary.event.map_or_else(|| "was not fetched".to_owned(), |event| event.to_string());
                    let origin = Escaped(summary.origin.as_bytes()).to_string();
                    writeln!(out, "{origin:<40}  {size:>14}  {asked:>12} ago  {event}")?;
                }
            }
        }
    }
    if format == Format::Json {
        json::print(&rows)?;
        return Ok(outcome);
    }
    let StoreStats { origins, bodies, bytes, .. } = archive.stats().await?;
    writeln!(out, "{}", paint(style::FAINT, format!("{}, {bytes} bytes on disk", contained(origins, bodies))))?;
    out.flush()?;
    Ok(outcome)
}

/// Names a record that cannot be read.
fn skipped(damage: &str) {
    eprintln!("{}; skipped: `comity cache verify` has the details", style::safe(damage));
}

async fn show(store: Arc<dyn Store>, url: &str, format: Format) -> Result<Outcome> {
    let client = Client::builder(live::USER_AGENT).offline(true).store(store).build()?;
    let site = match client.robots(url).await {
        Ok(site) => site,
        Err(error) if error.is_nothing_known() => {
            eprintln!("{error}");
            return Ok(Outcome::No);
        }
        Err(error) => return Err(anyhow!(error)),
    };
    if format == Format::Json {
        json::print(&SiteFacts::of(&site))?;
        return Ok(Outcome::Yes);
    }
    let mut out = anstream::stdout().lock();
    writeln!(out, "{}", paint(style::STRONG, site.origin().robots_url()))?;
    for hop in site.attempt().map_or(&[][..], |attempt| &attempt.hops) {
        let status = hop.status.map_or_else(|| "no answer".to_owned(), |status| status.to_string());
        writeln!(out, "  {status}  {}", Escaped(hop.url.as_bytes()))?;
    }
    for line in provenance::sentences(&site) {
        writeln!(out, "{line}")?;
    }
    if let Some(copy) = site.copy() {
        writeln!(out, "{} bytes: `comity history` has the file.", copy.body.len())?;
    }
    Ok(Outcome::Yes)
}

async fn purge(archive: &dyn Archive, what: &args::Purge) -> Result<Outcome> {
    let mut forgotten = 0;
    if what.all {
        forgotten = archive.purge(Purge::All).await?;
    } else if let Some(age) = what.older_than {
        let before = SystemTime::now().checked_sub(age).unwrap_or(SystemTime::UNIX_EPOCH);
        forgotten = archive.purge(Purge::Before(before.into())).await?;
    } else {
        for url in &what.url {
            forgotten += archive.purge(Purge::Origin(Origin::of(url)?)).await?;
        }
    }
    println!("{} forgotten.", count(forgotten, "origin"));
    Ok(if forgotten > 0 || what.url.is_empty() { Outcome::Yes } else { Outcome::No })
}

async fn verify(archive: &dyn Archive, format: Format) -> Result<Outcome> {
    let report = archive.verify().await?;
    let outcome = if report.is_clean() { Outcome::Yes } else { Outcome::No };
    if format == Format::Json {
        #[derive(Serialize)]
        struct Found {
            origins: u64,
            bodies: u64,
            problems: Vec<String>,
            more: u64,
        }
        let problems = report.problems.iter().map(ToString::to_string).collect();
        json::print(&Found { origins: report.origins, bodies: report.bodies, problems, more: report.more })?;
        return Ok(outcome);
    }
    let mut out = anstream::stdout().lock();
    for problem in &report.problems {
        writeln!(out, "{}", style::safe(&problem.to_string()))?;
    }
    if report.more > 0 {
        writeln!(out, "... and {} more", report.more)?;
    }
    let word =
        if report.is_clean() { "no damage" } else { "damaged entries are above; `comity cache purge` removes them" };
    writeln!(out, "{}: {word}.", contained(report.origins, report.bodies))?;
    Ok(outcome)
}

/// Counts the sites, and the different files of all their versions.
fn contained(origins: u64, bodies: u64) -> String {
    format!("{}, {}", count(origins, "site"), count(bodies, "different file"))
}

async fn export(archive: &dyn Archive, file: &Path) -> Result<Outcome> {
    let out: Box<dyn Write + Send> = if file::is_stdin(file) {
        Box::new(io::stdout())
    } else {
        let created = File::options().write(true).create_new(true).open(file);
        Box::new(created.with_context(|| format!("{} could not be created", file::name(file)))?)
    };
    let mut out = BufWriter::new(out);
    let exported = store::export(archive, &mut out).await?;
    out.flush()?;
    exported.damaged.iter().for_each(|damage| skipped(damage));
    if exported.more > 0 {
        eprintln!("... and {} more", exported.more);
    }
    eprintln!("{} written.", count(exported.written, "origin"));
    Ok(if exported.damaged.is_empty() { Outcome::Yes } else { Outcome::No })
}

async fn import(archive: &dyn Archive, file: &Path) -> Result<Outcome> {
    let mut reader = BufReader::new(file::open(file)?);
    let imported = store::import(archive, &mut reader).await?;
    for refused in &imported.refused {
        eprintln!("{}", style::safe(&refused.to_string()));
    }
    if imported.more > 0 {
        eprintln!("... and {} lines more", imported.more);
    }
    let refused = imported.refused.len() as u64 + imported.more;
    let (taken, refused_lines) = (count(imported.taken, "origin"), count(refused, "line"));
    println!("{taken} imported, {} kept, {refused_lines} refused.", imported.older);
    Ok(if refused == 0 { Outcome::Yes } else { Outcome::No })
}
