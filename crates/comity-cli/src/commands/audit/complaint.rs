//! `--complaint`: a text for the operator of a crawler, or for the company that hosts it.

use std::io::{self, Write};

use comity_audit::{AuditReport, CrawlerRow, Standing, rfc3339};
use comity_report::{counted, number};

use super::human::{evidence, request, shown, versions, write_facts};

/// The number of requests that are listed.
const MAX_REQUESTS: usize = 20;

pub(super) fn print(
    report: &AuditReport,
    row: Option<&CrawlerRow>,
    name: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    if row.is_none() {
        return writeln!(out, "No request is by {}.", shown(name));
    }
    let Some(row) = row.filter(|row| row.violations > 0) else {
        let advice = row.filter(|row| row.standing != Standing::Bound).map_or("", |_| {
            " robots.txt does not bind it, or it is not known to be a crawler, so there is nothing to complain about."
        });
        return writeln!(out, "No violations by {} were found.{advice}", shown(name));
    };
    let site = report.site.as_deref().unwrap_or("our site");
    let crawler = shown(&row.crawler);
    let operator = row.operator.as_deref().map(|operator| format!(" ({})", shown(operator))).unwrap_or_default();
    writeln!(out, "Subject: {crawler} requests URLs that {site}/robots.txt disallows\n")?;
    writeln!(
        out,
        "From {} to {}, clients with the name {crawler}{operator} sent {} to {site}. Violations of its robots.txt: {}.\n",
        report.totals.first.map_or("?".to_owned(), rfc3339),
        report.totals.last.map_or("?".to_owned(), rfc3339),
        counted(row.requests, "request"),
        number(row.violations)
    )?;
    write_facts(&evidence(report, row), out)?;
    versions(report, out)?;
    if report.file_is_assumed {
        writeln!(out, "\nThe file was in force during all of this time.")?;
    }
    writeln!(out, "\nViolations, the first of them (time in UTC, status, rule, URL):")?;
    row.examples.iter().take(MAX_REQUESTS).try_for_each(|example| request(example, out))?;
    writeln!(
        out,
        "\nA request counts only if every robots.txt that was in force during the 24 hours before it disallows it (RFC 9309 \
         §2.4), as the standard, Google and the operator of the crawler read the file. All times are in UTC."
    )
}
