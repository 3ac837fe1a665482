//! Answers as rows of CSV.

use std::io::Write;

use anyhow::Result;
use comity_report::CheckRow;

use crate::render::csv;

/// The columns, with the names of the fields in JSON.
const HEADER: [&str; 11] =
    ["url", "asked", "agent", "answer", "reason", "line", "rule", "text", "crawl_delay", "origin", "error"];

pub(super) fn write_header(out: &mut impl Write) -> Result<()> {
    csv::row(out, &HEADER)
}

/// Writes a row for an answer. `site` is the site of the file, if one file answers all questions.
pub(super) fn write(out: &mut impl Write, row: &CheckRow<'_>, site: &str) -> Result<()> {
    let origin = row.site.as_ref().and_then(|site| site.origin.as_deref());
    csv::row(
        out,
        &[
            row.url,
            row.asked,
            row.agent,
            &csv::word(row.verdict.answer),
            &csv::word(row.verdict.reason),
            &csv::line(row.verdict.line),
            &csv::word(row.verdict.rule),
            row.text.as_deref().unwrap_or_default(),
            &row.crawl_delay.map(|seconds| seconds.to_string()).unwrap_or_default(),
            origin.unwrap_or(site),
            row.error.as_deref().unwrap_or_default(),
        ],
    )
}
