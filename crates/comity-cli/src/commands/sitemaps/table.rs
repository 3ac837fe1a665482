//! The report as CSV.

use std::io::Write;

use anyhow::Result;
use comity::Verdict;
use comity_report::{CheckedSitemap, NamedSitemap, SitemapRow};

use super::Check;
use crate::render::csv;

/// The columns. `listed_by` is the file that contains the entry, and `line` its line there.
const HEADER: [&str; 8] = ["listed_by", "line", "kind", "url", "agent", "answer", "rule_line", "problem"];

impl Check<'_> {
    /// Prints the header, and a row for each sitemap that the robots.txt names.
    pub(super) fn print_named_rows(&self, out: &mut impl Write, named: &[NamedSitemap]) -> Result<()> {
        csv::row(out, &HEADER)?;
        for sitemap in named {
            if self.only_wrong && sitemap.problem.is_none() {
                continue;
            }
            let [answer, rule] = answer(sitemap.verdict.as_ref());
            let (line, problem) = (sitemap.line.to_string(), sitemap.problem.unwrap_or_default());
            let agent = self.asker.token();
            csv::row(out, &[&self.file, &line, "sitemap", &sitemap.url, agent, &answer, &rule, problem])?;
        }
        Ok(())
    }

    /// Prints a row for each sitemap with a problem or an error.
    pub(super) fn print_error_rows(&self, out: &mut impl Write, files: &[CheckedSitemap]) -> Result<()> {
        for file in files {
            let error = file.error.as_ref().map(|error| format!("incomplete: {error}"));
            for problem in file.problem.map(str::to_owned).into_iter().chain(error) {
                csv::row(out, &["", "", "sitemap", &file.file, self.asker.token(), "", "", &problem])?;
            }
        }
        Ok(())
    }

    /// Prints a row for an entry of a sitemap.
    pub(super) fn print_row(&self, out: &mut impl Write, file: &str, row: &SitemapRow) -> Result<()> {
        let [answer, rule] = answer(row.verdict.as_ref());
        let kind = row.file.unwrap_or(if row.sitemap { "sitemap" } else { "page" });
        let agent = row.agent.as_deref().unwrap_or(self.asker.token());
        let outside = row.outside.as_ref().map(|folder| format!("not below {folder}"));
        let problems: Vec<&str> = [&row.problem, &outside].into_iter().flatten().map(String::as_str).collect();
        let (line, problem) = (row.line.to_string(), problems.join(", "));
        csv::row(out, &[file, &line, kind, &row.url, agent, &answer, &rule, &problem])
    }
}

fn answer(verdict: Option<&Verdict>) -> [String; 2] {
    [csv::word(verdict.map(Verdict::answer)), csv::line(verdict.and_then(Verdict::line))]
}
