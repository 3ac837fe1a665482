//! `comity lint`: finds mistakes in a robots.txt, and fixes them.

mod annotations;
mod evidence;
mod explain;
mod fix;
mod human;
mod places;
mod sarif;
mod site;
mod table;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use anyhow::{Result, bail};
use comity::Dialect;
use comity_lint::{Evidence, FixedFile, Linter, Reader, Report, Served, Severity};
use serde::Serialize;

use crate::args::{self, LintFormat, PageSource};
use crate::input::config::Config;
use crate::input::crawlers;
use crate::input::file;
use crate::input::live::{self, Fetcher};
use crate::outcome::{Lost, Outcome};
use crate::render::error::is_broken_pipe;
use crate::render::words::count;
use crate::render::{github, gitlab, json};

/// A file and what was found in it.
struct Linted<'a> {
    name: &'a str,
    report: Report<'a>,
    /// The fixes that were applied before the check, if that was requested.
    fixed: Option<&'a FixedFile>,
    /// True if URLs of the site are known.
    knows_urls: bool,
}

/// The JSON document of all files.
#[derive(Serialize)]
struct Files<'a> {
    files: Vec<FileDocument<'a>>,
}

#[derive(Serialize)]
struct FileDocument<'a> {
    #[serde(flatten)]
    linted: comity_report::Linted<'a>,
    /// The fixes that were applied; present only with `--fix` or `--unsafe-fixes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    fixes: Option<comity_report::FixRun<'a>>,
}

impl<'a> Files<'a> {
    fn new(linted: &'a [Linted<'a>]) -> Self {
        let document = |file: &'a Linted<'a>| FileDocument {
            linted: comity_report::Linted::new(file.name, &file.report),
            fixes: file.fixed.map(comity_report::FixRun::new),
        };
        Self { files: linted.iter().map(document).collect() }
    }
}

pub(crate) fn run(args: &args::Lint) -> Result<Outcome> {
    if let Some(name) = &args.explain {
        return explain::run(name, args.format);
    }
    let found = if args.files.is_empty() { places::find(args.quiet)? } else { Vec::new() };
    let files = if found.is_empty() { &args.files } else { &found };
    let config = Config::find(args.config.as_deref())?;
    let linter = linter(args, &config)?;
    let fail_on = args.fail_on.or(config.fail_on()).unwrap_or(Severity::Warning);
    let given = &args.evidence;
    let of_pages = given.page.iter().filter_map(PageSource::path);
    let evidence = [&given.sitemap, &given.urls, &given.noindex, &given.log].into_iter().flatten().chain(of_pages);
    file::read_stdin_once(files.iter().chain(evidence.clone()))?;
    // Findings quote URLs of them.
    evidence.into_iter().try_for_each(|path| file::refuse_link_out(path))?;

    if let Some(url) = files.iter().find(|file| (args.fix || args.unsafe_fixes) && !args.diff && live::is_url(file)) {
        bail!(
            "{0} can't be fixed in place: `comity fetch --body {0}` prints the file, and --diff shows what would \
             change",
            file::name(url)
        );
    }

    let fetcher = fetcher(args)?;
    let known = evidence::gather(&args.evidence, fetcher.as_ref(), linter.crawlers())?;
    let (mut bodies, mut lost) = (Vec::new(), Lost::default());
    for file in files {
        let mut known = known.clone();
        match read(file, args, fetcher.as_ref(), &mut known) {
            Ok((name, body)) => bodies.push((file, name, body, known)),
            // One file that can't be read does not hide the findings of the others.
            Err(error) if files.len() > 1 && !is_broken_pipe(&error) => lost.print(&error),
            Err(error) => return Err(error),
        }
    }
    if args.diff {
        return Ok(lost.and(fix::diff(&linter, args, &bodies)?));
    }
    let mut fixed = Vec::new();
    if args.fix || args.unsafe_fixes {
        for (file, name, body, known) in &bodies {
            fixed.push(fix::fix(&linter, args, file, name, body, known)?);
        }
    }
    let mut linted = Vec::new();
    for (i, (_, name, body, known)) in bodies.iter().enumerate() {
        let fixed = fixed.get(i);
        let body = fixed.map_or(body, |fixed| &fixed.body);
        let knows_urls = !known.pages.is_empty();
        linted.push(Linted { name, report: linter.lint(body, known), fixed, knows_urls });
    }

    // A report promises only fixes that were proven, and other programs may apply them without a question.
    for file in &mut linted {
        linter.check_blocking(&mut file.report);
        if !args.all && !args.statistics {
            file.report.summarize();
        }
    }

    // The fixed text of standard input was written to standard output, so the findings go to standard error.
    let to_stderr = (args.fix || args.unsafe_fixes) && files.iter().any(|file| file::is_stdin(file));
    let mut out: Box<dyn Write> = if args.quiet {
        Box::new(std::io::sink())
    } else if to_stderr {
        Box::new(anstream::stderr().lock())
    } else {
        Box::new(anstream::stdout().lock())
    };
    match args.format {
        LintFormat::Human if args.statistics => statistics(&mut out, &linted)?,
        LintFormat::Human => {
            human::print(&mut out, &linted, args.all)?;
            human::tell_what_needs_urls(&mut out, &linter, &linted)?;
        }
        LintFormat::Json => json::write(&mut out, &Files::new(&linted))?,
        LintFormat::Sarif => json::write(&mut out, &sarif::log(&linted))?,
        LintFormat::Short => table::print_short(&mut out, &linted)?,
        LintFormat::Csv => table::print_csv(&mut out, &linted)?,
        LintFormat::Github => {
            annotations::of(&linted).iter().try_for_each(|(annotation, _)| github::write(&mut out, annotation))?;
        }
        LintFormat::Gitlab => json::write(&mut out, &gitlab::report(&annotations::of(&linted)))?,
        LintFormat::Junit => table::print_junit(&mut out, &linted, fail_on)?,
    }
    let worst = linted.iter().filter_map(|linted| linted.report.worst()).max();
    Ok(lost.and(if worst.is_some_and(|worst| worst >= fail_on) { Outcome::No } else { Outcome::Yes }))
}

/// Returns a fetcher, if anything has to be fetched. All fetches share its connections and its memory.
fn fetcher(args: &args::Lint) -> Result<Option<Fetcher>> {
    let evidence = &args.evidence;
    let paths = args.files.iter().chain(&evidence.sitemap).filter(|path| live::is_url(path));
    let pages = evidence.page.iter().filter_map(|page| match page {
        PageSource::Live(url) => Some(url.as_str()),
        PageSource::File { .. } => None,
    });
    let site = evidence.url.as_deref().filter(|_| evidence.fetch);
    let typed: Vec<&str> = paths.filter_map(|path| path.to_str()).chain(pages).chain(site).collect();
    if typed.is_empty() {
        return Ok(None);
    }
    Fetcher::new(&args.fetching, &Dialect::GOOGLE_PARSER, &typed).map(Some)
}

/// Returns the name of a robots.txt and all of its bytes. Bytes beyond the dialect's limit are included, because a lint
/// reports files that are too large. Adds the file's location to the evidence, and with `--fetch` also the answers of
/// its site.
fn read(file: &Path, args: &args::Lint, fetcher: Option<&Fetcher>, known: &mut Evidence) -> Result<(String, Vec<u8>)> {
    let typed = file.to_str().filter(|_| live::is_url(file));
    let site = typed.or(args.evidence.url.as_deref()).filter(|_| args.evidence.fetch);
    let answer = match (site, fetcher) {
        (Some(site), Some(fetcher)) => Some(site::ask(fetcher, site)?),
        (None, _) if args.evidence.fetch => {
            bail!("--fetch needs a site: give its URL instead of {}, or --url", file::name(file))
        }
        _ => None,
    };
    let (name, body) = match (&answer, typed, fetcher) {
        (Some(answer), Some(_), _) => (answer.url.clone(), answer.body.clone()),
        (None, Some(url), Some(fetcher)) => {
            let (name, body, status) = fetcher.robots_or_status(url)?;
            if is_below_top_level(url) {
                eprintln!("note: crawlers only request /robots.txt at the top level of a site: this is {name}");
            }
            known.served = status.map(|status| Served::new(&*name, status));
            (name, body)
        }
        _ => (file::name(file), file::read_robots(file, &Dialect::GOOGLE_PARSER)?),
    };
    if known.location.is_none() && typed.is_some() {
        known.location = Some(name.clone());
    } else if known.location.is_none() && !file::is_stdin(file) {
        known.location = Some(file.to_string_lossy().into_owned());
    }
    if let (Some(answer), Some(fetcher)) = (&answer, fetcher) {
        site::add(known, fetcher, answer, &body);
    }
    Ok((name, body))
}

/// Returns true if a URL names a robots.txt in a directory, which no crawler requests.
fn is_below_top_level(url: &str) -> bool {
    let path = url.split_once("://").and_then(|(_, rest)| rest.split_once('/')).map_or("", |(_, path)| path);
    path.split(['?', '#']).next().is_some_and(|path| path.ends_with("/robots.txt"))
}

/// Returns a linter with the lints of the configuration, or those given as arguments.
fn linter(args: &args::Lint, config: &Config) -> Result<Linter> {
    let mut linter = config.linter()?;
    if !args.select.is_empty() {
        linter = Linter::none();
        for name in &args.select {
            linter.select(name)?;
        }
        config.set_severities(&mut linter)?;
    }
    for name in &args.ignore {
        linter.ignore(name)?;
    }
    linter.set_crawlers(crawlers::table(args.crawlers.as_deref())?);
    if let Some(name) = &args.reader {
        linter.ask_reader(Reader::named(name)?);
    }
    Ok(linter)
}

/// Prints the number of findings of each lint, the most frequent first.
fn statistics(out: &mut impl Write, linted: &[Linted<'_>]) -> Result<()> {
    let mut counts: BTreeMap<&str, (usize, usize, &comity_lint::Lint)> = BTreeMap::new();
    for file in linted {
        let mut seen = Vec::new();
        for found in &file.report.diagnostics {
            let count = counts.entry(found.lint.code).or_insert((0, 0, found.lint));
            count.0 += 1;
            if !seen.contains(&found.lint.code) {
                seen.push(found.lint.code);
                count.1 += 1;
            }
        }
    }
    let mut counts: Vec<_> = counts.into_values().collect();
    counts.sort_by_key(|(findings, _, lint)| (std::cmp::Reverse(*findings), lint.code));
    for (findings, files, lint) in &counts {
        writeln!(out, "{findings:>6} in {files:>5}  {} {}: {}", lint.code, lint.name, lint.summary())?;
    }
    if counts.is_empty() {
        writeln!(out, "nothing found in {}", count(linted.len(), "file"))?;
    }
    let mut bounded: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (lint, bound) in linted.iter().flat_map(|file| &file.report.bounded) {
        *bounded.entry((lint.code, &**bound)).or_default() += 1;
    }
    for ((code, bound), files) in bounded {
        writeln!(out, "{code} stopped at its limit of {bound} in {}: there may be more", count(files, "file"))?;
    }
    Ok(())
}
