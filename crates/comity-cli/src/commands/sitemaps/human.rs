//! The report for people.

use std::io::Write;

use anyhow::Result;
use comity::Escaped;
use comity_report::{CheckedSitemap, NamedSitemap, SitemapCounts, SitemapRow};

use super::Check;
use crate::render::style::{self, paint};
use crate::render::width::fit;
use crate::render::words::cell;

impl Check<'_> {
    /// Prints the sitemaps that the robots.txt names. If `is_all`, nothing else is printed after them.
    pub(super) fn print_named(&self, out: &mut impl Write, named: &[NamedSitemap], is_all: bool) -> Result<()> {
        if named.is_empty() {
            writeln!(out, "{} lists no sitemap.", self.file)?;
        } else {
            writeln!(out, "{}", paint(style::STRONG, format!("named by {}", self.file)))?;
        }
        for sitemap in named {
            let note = match (sitemap.problem, sitemap.verdict) {
                (Some(problem), _) => format!("  {}", paint(style::DISALLOWED, problem)),
                (None, Some(verdict)) if verdict.is_disallowed() => {
                    let word = format!("{}: {} may not fetch it", cell(&verdict), self.asker.subject());
                    format!("  {}", paint(style::DISALLOWED, word))
                }
                _ => String::new(),
            };
            writeln!(out, "{:>6}  {}{note}", sitemap.line, Escaped(sitemap.url.as_bytes()))?;
        }
        if !is_all {
            writeln!(out)?;
        }
        Ok(())
    }

    /// Prints the summary of all sitemaps.
    pub(super) fn print_end(&self, out: &mut impl Write, files: &[CheckedSitemap]) -> Result<()> {
        let sum = |count: fn(&SitemapCounts) -> u64| files.iter().map(|file| count(&file.counts)).sum::<u64>();
        let blocked = sum(|counts| counts.disallowed);
        let who = match self.asker.token() {
            "*" => "a crawler that no group names".to_owned(),
            token => Escaped(token.as_bytes()).to_string(),
        };
        match blocked {
            0 if sum(|counts| counts.allowed) == 0 => {}
            0 => writeln!(out, "{who} may fetch every listed page of the site.")?,
            1 => writeln!(out, "1 listed page may not be fetched by {who}: remove it from the sitemap, or allow it.")?,
            _ => writeln!(
                out,
                "{blocked} listed pages may not be fetched by {who}: remove them from the sitemap, or allow them."
            )?,
        }
        let files_blocked = sum(|counts| counts.files_disallowed);
        if files_blocked > 0 {
            let (what, them) =
                if files_blocked == 1 { ("file of a page is", "it") } else { ("files of pages are", "them") };
            writeln!(out, "{files_blocked} {what} blocked for the crawlers that fetch {them}.")?;
        }
        let outside = sum(|counts| counts.outside);
        if outside > 0 {
            writeln!(
                out,
                "{outside} {} not below the sitemap that lists {}, which covers only what is (sitemaps.org), unless the \
                 robots.txt names it: name it there, or move it up.",
                if outside == 1 { "entry is" } else { "entries are" },
                if outside == 1 { "it" } else { "them" },
            )?;
        }
        if let Some(origin) = self.verdicts.origin().as_ref().filter(|_| self.is_assumed) {
            let note = format!("Assumed: {} is the robots.txt of {origin}; if not, give --origin.", self.file);
            writeln!(out, "{}", paint(style::FAINT, note))?;
        }
        Ok(())
    }

    /// Prints the summary of a sitemap.
    pub(super) fn print_counts(&self, out: &mut impl Write, file: &CheckedSitemap) -> Result<()> {
        let counts = &file.counts;
        let mut parts = vec![format!("{} allowed", counts.allowed), format!("{} disallowed", counts.disallowed)];
        for (count, what) in [
            (counts.no_verdict, "without a verdict"),
            (counts.problems, "not a URL of a page"),
            (counts.sitemaps, self.listed(counts.sitemaps)),
            (counts.outside, "not below their sitemap"),
        ] {
            if count > 0 {
                parts.push(format!("{count} {what}"));
            }
        }
        let (allowed, disallowed) = (counts.files_allowed, counts.files_disallowed);
        if allowed + disallowed > 0 {
            parts.push(format!("files of pages: {allowed} allowed, {disallowed} disallowed"));
        }
        let is_empty = file.has_no_entry();
        writeln!(out, "  {}", if is_empty { "no entries".to_owned() } else { parts.join(", ") })?;
        if let Some(problem) = file.problem {
            writeln!(out, "  {}", paint(style::DISALLOWED, problem))?;
        }
        if let Some(error) = &file.error {
            writeln!(out, "  {}", paint(style::ERROR, format!("incomplete: {error}")))?;
        }
        writeln!(out)?;
        Ok(())
    }

    fn listed(&self, sitemaps: u64) -> &'static str {
        match (sitemaps, self.fetches) {
            (1, true) => "sitemap",
            (_, true) => "sitemaps",
            (1, false) => "sitemap, not read",
            (_, false) => "sitemaps, not read",
        }
    }
}

/// Prints an entry of a sitemap.
pub(super) fn print_row(out: &mut impl Write, row: &SitemapRow, terminal: Option<usize>) -> Result<()> {
    let (style, word) = match (&row.problem, &row.verdict) {
        (Some(_), _) => (style::NO_VERDICT, "no URL".to_owned()),
        (None, Some(verdict)) => (style::of(verdict.answer()), cell(verdict)),
        (None, None) => (style::NO_VERDICT, String::new()),
    };
    let mut notes = Vec::new();
    if row.sitemap {
        notes.push("a sitemap".to_owned());
    }
    if let Some(file) = row.file {
        let whose = row.agent.as_ref().map(|agent| format!(", for {}", Escaped(agent.as_bytes())));
        notes.push(format!("{file}{}", whose.unwrap_or_default()));
    }
    notes.extend(row.problem.clone());
    notes.extend(row.outside.as_ref().map(|place| format!("not below {}", Escaped(place.as_bytes()))));
    let note = if notes.is_empty() { String::new() } else { format!("  {}", paint(style::FAINT, notes.join(", "))) };
    let url = Escaped(row.url.as_bytes());
    let line = format!("{:>6}  {} {url}{note}", row.line, paint(style, format!("{word:<14}")));
    writeln!(out, "{}", fit(&line, terminal))?;
    Ok(())
}
