//! `comity diff`: compares the verdicts of two robots.txt files, for all URLs and all crawlers.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use comity::{Crawlers, Escaped};
use comity_meaning::Budget;
use comity_report::{CrawlerQuery, Diff, DiffAnswer, ProofScope, ungoverned};

use crate::args::{self, DiffFormat, FailOn};
use crate::input::live::{self, Fetcher};
use crate::input::{access_log, crawlers, file, sitemap, source};
use crate::outcome::Outcome;
use crate::render::diff::Shown;
use crate::render::{gitlab, json};

pub(crate) fn run(args: &args::Diff) -> Result<Outcome> {
    let new = args.new.as_deref();
    file::read_stdin_once([&args.old].into_iter().chain(&args.new).chain(&args.urls).chain(&args.log))?;
    let table = crawlers::of_proofs(&args.naming)?;
    let agents = agents(&args.agent, &args.naming, &table)?;
    let scope = ProofScope::new(&table).dialects(&args.dialect).agents(&agents).budget(Budget::of_steps(args.budget));
    let warn = |files: &[&[u8]]| crawlers::warn_of_misspelled(&agents, Some(&table), files);
    let diff = match new {
        Some(new) => between_files(args, new, &scope, &warn)?,
        None => between_dialects(args, &scope, &warn)?,
    };
    let shown =
        Shown { diff: &diff, chosen: !args.agent.is_empty(), all: args.all, full: args.full, same_lines: false };
    let new = new.unwrap_or(&args.old);
    let out = &mut anstream::stdout().lock();
    match args.format {
        DiffFormat::Human => shown.human(out)?,
        DiffFormat::Json => json::print(&diff)?,
        DiffFormat::Markdown => shown.markdown(&[&args.old, new].map(file::name), out)?,
        DiffFormat::Github => shown.github(&new.to_string_lossy(), out)?,
        DiffFormat::Gitlab => json::print(&gitlab::report(&shown.annotations(&new.to_string_lossy())))?,
    }
    Ok(outcome(&diff, args.fail_on))
}

/// Returns the crawlers that were given as arguments. Refuses those that robots.txt does not govern, because they have
/// no answers to compare.
pub(super) fn agents(typed: &[String], naming: &args::Naming, table: &Crawlers) -> Result<Vec<CrawlerQuery>> {
    let agents = crawlers::typed(typed, (!naming.literal).then_some(table))?;
    if let Some(name) = ungoverned(&agents).next() {
        bail!("expected a crawler that obeys robots.txt, found {}, which does not", Escaped(name.as_bytes()));
    }
    Ok(agents)
}

fn between_files(args: &args::Diff, new: &Path, scope: &ProofScope<'_>, warn: &dyn Fn(&[&[u8]])) -> Result<Diff> {
    let (_, old) = source::robots(&args.old, &args.fetching)?;
    let (_, new) = source::robots(new, &args.fetching)?;
    warn(&[&old, &new]);
    let mut diff = match &args.under {
        Some(pattern) => Diff::under(&old, &new, pattern, scope).context("--under")?,
        None => Diff::new(&old, &new, scope),
    };
    if let Some(urls) = listed(args)? {
        diff.count(&old, &new, &urls, scope);
    }
    Ok(diff)
}

fn between_dialects(args: &args::Diff, scope: &ProofScope<'_>, warn: &dyn Fn(&[&[u8]])) -> Result<Diff> {
    let [one, other] = args.dialect.as_slice() else {
        bail!("expected two files, or one file and --dialect twice, to compare two dialects on it");
    };
    if !args.sitemap.is_empty() || !args.urls.is_empty() || !args.log.is_empty() {
        bail!("--sitemap, --urls and --log count URLs of two files; found one file and two dialects");
    }
    let (_, body) = source::robots(&args.old, &args.fetching)?;
    warn(&[&body]);
    Diff::between(&body, [one, other], args.under.as_deref(), scope).context("--under")
}

/// Returns the URLs of the lists that the options name, each once.
fn listed(args: &args::Diff) -> Result<Option<Vec<String>>> {
    if args.sitemap.is_empty() && args.urls.is_empty() && args.log.is_empty() {
        return Ok(None);
    }
    let typed: Vec<&str> =
        args.sitemap.iter().filter(|path| live::is_url(path)).filter_map(|path| path.to_str()).collect();
    let dialect = &comity::Dialect::STANDARD;
    let fetcher = if typed.is_empty() { None } else { Some(Fetcher::new(&args.fetching, dialect, &typed)?) };
    let mut urls = Vec::new();
    for path in &args.sitemap {
        urls.extend(sitemap::read(path, fetcher.as_ref())?);
    }
    for path in &args.urls {
        urls.extend(sitemap::list(path)?);
    }
    let mut requests = HashMap::new();
    for path in &args.log {
        access_log::count(path, &mut requests)?;
    }
    let mut requested: Vec<String> = requests.into_keys().collect();
    requested.sort();
    urls.extend(requested);
    let mut seen = std::collections::HashSet::new();
    urls.retain(|url| seen.insert(url.clone()));
    Ok(Some(urls))
}

fn outcome(diff: &Diff, fail_on: FailOn) -> Outcome {
    // What nobody sends is shown, but is no reason to fail: it changes nothing for anybody.
    let sent = || diff.changes.iter().filter(|change| change.sent);
    let any = |answer| sent().any(|change| change.to == answer);
    let fails = match fail_on {
        FailOn::Any => sent().next().is_some() || !diff.signals.is_empty(),
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
