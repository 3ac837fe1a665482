//! `comity sitemaps`: lists the sitemaps that a robots.txt names, and those of their pages that it disallows.

mod human;
mod table;

use std::io::{BufWriter, Read, Write};
use std::path::Path;

use anyhow::{Context, Result};
use comity::{Crawlers, Escaped, Origin, Robots};
use comity_page::{Scope, Sitemap, SitemapError, Step, Walk};
use comity_report::{CheckedSitemap, CrawlerQuery, Headline, NamedSitemap, SitemapCheck, SitemapsDocument};
use url::Url;

use crate::args::{self, TableFormat};
use crate::input::{crawlers, file, live, sitemap};
use crate::outcome::{Lost, Outcome};
use crate::render::error::{is_broken_pipe, message};
use crate::render::json;
use crate::render::style::{self, paint};
use crate::render::width;

/// The maximum size of a sitemap in bytes: the limit of sitemaps.org, and one more byte, which shows that a sitemap is
/// longer.
const MAX_BYTES: usize = 50 * 1024 * 1024 + 1;

/// The maximum number of sitemaps that are fetched. Each may list 50,000 pages.
const MAX_SITEMAPS: usize = 1000;

pub(crate) fn run(args: &args::Sitemaps) -> Result<Outcome> {
    file::read_stdin_once(std::iter::once(&args.file).chain(&args.sitemap))?;
    let dialect = args.crawler.dialect.dialect;
    let table = crawlers::known(&args.crawler.naming)?;
    let asker = crawlers::one(&args.crawler.agent, table.as_ref())?;
    let (file, body) = live::robots(&args.file, &args.fetching, &dialect)?;
    crawlers::warn_of_misspelled(std::slice::from_ref(&asker), table.as_ref(), &[&body]);
    let robots = Robots::parse_with(&body, &dialect);
    // A fetched robots.txt belongs to the site that it was fetched from.
    let site = args.file.to_str().filter(|text| text.contains("://"));
    let origin = args.origin.as_deref().or(site).map(Origin::of).transpose().context("--origin")?;
    // Whoever names a site asks for its pages.
    let reads_named = args.fetch || (site.is_some() && args.sitemap.is_empty());
    let fetcher = if reads_named {
        Some(live::Fetcher::new(&args.fetching, &dialect, &site.into_iter().collect::<Vec<_>>())?)
    } else {
        None
    };
    let check = Check {
        file,
        verdicts: SitemapCheck::new(&robots, &asker, &table.unwrap_or_else(|| std::iter::empty().collect()), origin),
        asker: &asker,
        is_assumed: args.origin.is_none() && site.is_none(),
        only_wrong: args.blocked,
        fetches: reads_named,
        is_listing: !reads_named && args.sitemap.is_empty() && !args.blocked && args.crawler.agent == "*",
        format: args.format.format,
        terminal: width::of_terminal(),
    };
    check.run(&robots, &args.sitemap, fetcher.as_ref())
}

/// Fetches the sitemaps that a site's robots.txt names. Returns the result in words.
pub(super) fn headline(
    fetcher: &live::Fetcher,
    origin: &Origin,
    file: &str,
    body: &[u8],
    asker: &CrawlerQuery,
) -> Result<Headline> {
    let (robots, table) = (Robots::parse(body), Crawlers::builtin());
    let mut check = Check {
        file: file.to_owned(),
        verdicts: SitemapCheck::new(&robots, asker, &table, Some(origin.clone())),
        asker,
        is_assumed: false,
        only_wrong: true,
        fetches: true,
        is_listing: false,
        format: TableFormat::Json,
        terminal: None,
    };
    let named: Vec<NamedSitemap> = robots.sitemaps().map(|record| check.verdicts.named(&record)).collect();
    let (files, left_out) = check.fetch_all(fetcher, &named, &mut std::io::sink())?;
    Ok(SitemapsDocument::headline(asker.token(), named.len(), &files, left_out))
}

struct Check<'a> {
    file: String,
    verdicts: SitemapCheck,
    asker: &'a CrawlerQuery,
    is_assumed: bool,
    only_wrong: bool,
    /// True if the sitemaps that a sitemap index lists are read, too.
    fetches: bool,
    /// True if only the sitemaps that the robots.txt names are asked for, not their pages.
    is_listing: bool,
    format: TableFormat,
    /// The width of the terminal, if there is one.
    terminal: Option<usize>,
}

fn left_out_note(left_out: usize) -> String {
    format!(
        "{left_out} more sitemaps were not read: at most {MAX_SITEMAPS} of a site are, and only those within three \
         levels of indexes."
    )
}

impl Check<'_> {
    fn run(
        mut self,
        robots: &Robots,
        sitemaps: &[impl AsRef<Path>],
        fetcher: Option<&live::Fetcher>,
    ) -> Result<Outcome> {
        let mut out = BufWriter::new(anstream::stdout().lock());
        let mut outcome = Outcome::Yes;
        let named: Vec<NamedSitemap> = robots.sitemaps().map(|record| self.verdicts.named(&record)).collect();
        if named.iter().any(|sitemap| sitemap.problem.is_some()) {
            outcome = Outcome::No;
        }
        if self.format == TableFormat::Human {
            self.print_named(&mut out, &named, sitemaps.is_empty() && fetcher.is_none())?;
        } else if self.format == TableFormat::Csv {
            self.print_named_rows(&mut out, &named)?;
        }
        let mut files = Vec::new();
        let (mut left_out, mut lost) = (0, Lost::default());
        for path in sitemaps {
            let path = path.as_ref();
            let mut listed = Vec::new();
            let add = &mut |url: &str| listed.push(url.to_owned());
            let read = file::open(path).and_then(|source| self.read(file::name(path), source, None, &mut out, add));
            match read {
                Ok(read) => {
                    if sitemap::warn_of_nested_indexes(path, &listed) {
                        outcome = Outcome::No;
                    }
                    files.push(read);
                }
                // One sitemap that can't be read does not hide the pages of the others.
                Err(error) if sitemaps.len() > 1 && !is_broken_pipe(&error) => lost.print(&error),
                Err(error) => return Err(error),
            }
        }
        if let Some(fetcher) = fetcher {
            let (entries_read, not_read) = self.fetch_all(fetcher, &named, &mut out)?;
            files.extend(entries_read);
            left_out = not_read;
        }
        for file in &files {
            if (file.counts.is_wrong() || file.problem.is_some()) && outcome == Outcome::Yes {
                outcome = Outcome::No;
            }
            if file.error.is_some() {
                outcome = Outcome::Trouble;
            }
        }
        if left_out > 0 {
            outcome = Outcome::Trouble;
        }
        let has_pages = files.iter().any(|file| file.counts.pages() > file.counts.problems);
        let nothing = (!has_pages && !self.is_listing).then(|| self.nothing_checked(&named, &files));
        if nothing.is_some() {
            outcome = Outcome::Trouble;
        }
        match self.format {
            TableFormat::Human => {
                if !files.is_empty() {
                    self.print_end(&mut out, &files)?;
                }
                if left_out > 0 {
                    writeln!(out, "{}", paint(style::ERROR, left_out_note(left_out)))?;
                }
                out.flush()?;
            }
            TableFormat::Csv => {
                self.print_error_rows(&mut out, &files)?;
                out.flush()?;
                if left_out > 0 {
                    eprintln!("{}", style::safe(&left_out_note(left_out)));
                }
            }
            TableFormat::Json => json::print(&SitemapsDocument {
                headline: SitemapsDocument::headline(self.asker.token(), named.len(), &files, left_out),
                robots: &self.file,
                dialect: robots.dialect().name,
                agent: self.asker.token(),
                origin: self.verdicts.origin().map(ToString::to_string),
                origin_is_assumed: self.is_assumed && self.verdicts.origin().is_some(),
                named,
                sitemaps: files,
                left_out,
            })?,
        }
        if let Some(nothing) = nothing {
            eprintln!("{nothing}");
        }
        Ok(lost.and(outcome))
    }

    /// Returns the sentence about a check without pages, and what to do.
    fn nothing_checked(&self, named: &[NamedSitemap], files: &[CheckedSitemap]) -> String {
        let advice = match (!files.is_empty(), named.is_empty(), self.fetches) {
            (true, ..) if files.iter().all(CheckedSitemap::has_no_entry) => "the sitemaps have no entries",
            (true, ..) => "the sitemaps list no page that could be read",
            (false, true, _) => "the robots.txt names no sitemap; name one with --sitemap FILE",
            (false, false, false) => "add --fetch to fetch the sitemaps, or name one with --sitemap FILE",
            (false, false, true) => "the robots.txt names no sitemap that can be fetched; name one with --sitemap FILE",
        };
        format!("No page was checked: {advice}.")
    }

    /// Fetches the sitemaps that a robots.txt names, and those that they list. Returns them, and the number of those that
    /// were left out.
    fn fetch_all(
        &mut self,
        fetcher: &live::Fetcher,
        named: &[NamedSitemap],
        out: &mut impl Write,
    ) -> Result<(Vec<CheckedSitemap>, usize)> {
        let mut files = Vec::new();
        let urls = named.iter().filter(|sitemap| sitemap.problem.is_none()).map(|sitemap| sitemap.url.as_str());
        let left_out = urls.clone().count().saturating_sub(MAX_SITEMAPS);
        let mut walk = Walk::new(urls.take(MAX_SITEMAPS)).with_limit(MAX_SITEMAPS);
        while let Some(step) = walk.next_step() {
            files.push(self.fetch(fetcher, &mut walk, &step, out)?);
        }
        Ok((files, left_out + walk.left_out()))
    }

    /// Fetches a sitemap, and adds those that it lists to the walk. A sitemap that could not be fetched is reported
    /// like other problems.
    fn fetch(
        &mut self,
        fetcher: &live::Fetcher,
        walk: &mut Walk,
        step: &Step,
        out: &mut impl Write,
    ) -> Result<CheckedSitemap> {
        let name = Escaped(step.url.as_bytes()).to_string();
        // A sitemap that the robots.txt names may list URLs of the whole site; one that an index lists, only URLs below
        // it.
        let url = Url::parse(&step.url).ok();
        let scope = url.as_ref().filter(|_| step.depth > 0).and_then(|url| Scope::of(url.as_str()));
        let read = fetcher.page(&step.url, MAX_BYTES).and_then(|page| {
            let add = &mut |url: &str| {
                walk.add(step, url);
            };
            self.read(name.clone(), &*page.body, scope, out, add)
        });
        read.or_else(|error| {
            let error = message(&error);
            if self.format == TableFormat::Human {
                writeln!(out, "{}", paint(style::STRONG, &name))?;
                writeln!(out, "  {}\n", paint(style::ERROR, style::safe(&error)))?;
            }
            Ok(CheckedSitemap::unread(name, error))
        })
    }

    /// Reads a sitemap, and calls `listed` for each sitemap that it lists.
    fn read(
        &mut self,
        name: String,
        sitemap: impl Read,
        scope: Option<Scope<'_>>,
        out: &mut impl Write,
        listed: &mut dyn FnMut(&str),
    ) -> Result<CheckedSitemap> {
        let in_file = |error: SitemapError| anyhow::anyhow!(error).context(name.clone());
        let sitemap = Sitemap::read(sitemap).map_err(in_file)?.with_files();
        let format = sitemap.format().to_string();
        if self.format == TableFormat::Human {
            writeln!(out, "{}", paint(style::STRONG, format!("{name} ({format})")))?;
        }
        let mut file = CheckedSitemap::new(name, format);
        // Only a sitemap that an index lists has a scope.
        if scope.is_some() {
            file.set_listed_by_index();
        }
        for entry in sitemap {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    file.error = Some(error.to_string());
                    break;
                }
            };
            let Some(row) = self.verdicts.row(entry, scope, &mut file.counts) else { continue };
            if row.sitemap && row.problem.is_none() {
                listed(&row.url);
            }
            if self.only_wrong && !row.is_wrong() {
                continue;
            }
            match self.format {
                TableFormat::Human => human::print_row(out, &row, self.terminal)?,
                TableFormat::Json => file.entries.push(row),
                TableFormat::Csv => self.print_row(out, &file.file, &row)?,
            }
        }
        if self.format == TableFormat::Human {
            self.print_counts(out, &file)?;
        }
        Ok(file)
    }
}
