//! The report as CSV: a row for each crawler.

use std::io::Write;

use anyhow::Result;
use comity_audit::AuditReport;

use crate::render::csv;

/// The names of the columns.
const HEADER: &str = "\
    crawler,operator,uses,standing,requests,share,violations,violations_verified,advice,in_grace,allowed,\
    not_judged,refused,version,line,rule,robots_txt_requests,robots_txt_last,first_time,first_url,verified,\
    consistent,unknown,impostor_requests,crawl_delay,gaps,gaps_kept,shortest_gap";

pub(super) fn print(report: &AuditReport, out: &mut impl Write) -> Result<()> {
    csv::row(out, &HEADER.split(',').collect::<Vec<_>>())?;
    for row in &report.crawlers {
        let impostors = report.impostors.iter().find(|impostor| impostor.crawler == row.crawler);
        let (rule, first, delay) = (row.rules.first(), row.first.as_ref(), row.crawl_delay.as_ref());
        let cells = [
            row.crawler.clone(),
            row.operator.clone().unwrap_or_default(),
            row.uses.join(" "),
            csv::word(row.standing),
            row.requests.to_string(),
            format!("{:.6}", row.share),
            row.violations.to_string(),
            row.violations_verified.to_string(),
            row.advice.to_string(),
            row.in_grace.to_string(),
            row.allowed.to_string(),
            row.not_judged.values().sum::<u64>().to_string(),
            row.refused.to_string(),
            rule.map(|rule| rule.version.to_string()).unwrap_or_default(),
            csv::line(rule.and_then(|rule| rule.line)),
            rule.map(|rule| rule.text.clone()).unwrap_or_default(),
            row.robots_txt.requests.to_string(),
            row.robots_txt.last.clone().unwrap_or_default(),
            first.map(|first| first.time.clone()).unwrap_or_default(),
            first.map(|first| first.url.clone()).unwrap_or_default(),
            row.identity.verified.to_string(),
            row.identity.consistent.to_string(),
            row.identity.unknown.to_string(),
            impostors.map_or(0, |impostor| impostor.requests).to_string(),
            delay.map(|delay| delay.delay.to_string()).unwrap_or_default(),
            delay.map(|delay| delay.gaps.to_string()).unwrap_or_default(),
            delay.map(|delay| delay.kept.to_string()).unwrap_or_default(),
            delay.map(|delay| delay.shortest.to_string()).unwrap_or_default(),
        ];
        csv::row(out, &cells.each_ref().map(String::as_str))?;
    }
    Ok(())
}
