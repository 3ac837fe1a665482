//! `comity audit`: compares access logs with the robots.txt that was in force.

mod complaint;
mod dns;
mod files;
mod human;
mod reading;
mod table;

use std::io::{BufWriter, Write};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use comity::Origin;
use comity_audit::{Audit, AuditReport, CrawlerRow, Privacy, Standing};

use crate::args::{self, FailingRow, TableFormat};
use crate::input::{crawlers, file};
use crate::outcome::Outcome;
use crate::render::json;
use reading::Logs;

pub(crate) fn run(args: &args::Audit) -> Result<Outcome> {
    if args.logs.iter().filter(|path| file::is_stdin(path)).count() > 1 {
        bail!("only one log can be standard input");
    }
    if args.since.zip(args.until).is_some_and(|(since, until)| since >= until) {
        bail!("--since is not before --until, so no request counts");
    }
    let table = crawlers::table(args.crawlers.as_deref())?;
    let shown = args.explain.as_ref().or(args.complaint.as_ref());
    for name in args.agent.iter().chain(shown) {
        // A header or a misspelled name would select nothing, which looks like "no violations".
        crawlers::one(name, Some(&table))?;
    }
    let site = args.site.as_deref().map(Origin::of).transpose().context("--site")?;
    let mut timeline = files::timeline(args, site.as_ref())?;
    if let Some(grace) = args.grace {
        timeline = timeline.grace(grace);
    }
    let logs = Logs::new(args);
    let mut audit = Audit::new(timeline, table.clone());
    if let Some(dir) = &args.ranges {
        audit.ranges = files::ranges(dir, &table)?;
    }
    (audit.since, audit.until, audit.site) = (args.since, args.until, site);
    (audit.shown, audit.agents, audit.threads) = (shown.cloned(), args.agent.clone(), logs.threads);
    if args.verify_dns {
        audit.dns = dns::verify(&logs, &mut audit)?;
    }
    let (tally, is_whole) = logs.count(&audit)?;
    let privacy = Privacy { shows_addresses: args.show_addresses, shows_queries: args.show_queries };
    let report = AuditReport::new(&audit, &tally, privacy);
    if report.hosts.len() > 1 {
        bail!(
            "the logs have requests of {} hosts ({}): name the site with --site",
            report.hosts.len(),
            some(&report.hosts)
        );
    }
    print(&report, args)?;
    warn_of_future(&report);
    Ok(outcome(&report, args, is_whole))
}

fn some(hosts: &[String]) -> String {
    let named: Vec<String> = hosts.iter().take(5).map(|host| comity::Escaped(host.as_bytes()).to_string()).collect();
    named.join(", ") + if hosts.len() > named.len() { ", …" } else { "" }
}

fn print(report: &AuditReport, args: &args::Audit) -> Result<()> {
    let find = |name: &str| report.crawlers.iter().find(|row| row.crawler.eq_ignore_ascii_case(name));
    if args.format.format == TableFormat::Json {
        return json::print(report);
    }
    let mut out = BufWriter::new(anstream::stdout().lock());
    match (args.format.format, &args.complaint, &args.explain) {
        (TableFormat::Csv, ..) => table::print(report, &mut out)?,
        (_, Some(name), _) => complaint::print(report, find(name), name, &mut out)?,
        (_, _, Some(name)) => human::explain(report, find(name), name, &mut out)?,
        _ => human::print(report, args.top, &mut out)?,
    }
    out.flush()?;
    Ok(())
}

/// Warns if a request is later than now: the zone of the log is probably wrong, and so are the files that it is judged by.
fn warn_of_future(report: &AuditReport) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() + 3_600;
    let now = comity_audit::rfc3339(i64::try_from(now).unwrap_or(i64::MAX));
    if let Some(last) = report.last.as_ref().filter(|last| **last > now) {
        eprintln!(
            "warning: the last request is of {last}, which is in the future: the clock or the zone of the log may be wrong"
        );
    }
}

fn outcome(report: &AuditReport, args: &args::Audit, is_whole: bool) -> Outcome {
    let fails = args.fail_on.iter().any(|what| match what {
        FailingRow::Verified => report.crawlers.iter().any(|row| row.violations_verified > 0),
        FailingRow::Unknown => report.crawlers.iter().any(|row| row.violations > row.violations_verified),
        FailingRow::Impostor => report.impostors.iter().any(|row| row.disallowed > 0),
        FailingRow::Advice => report.crawlers.iter().any(|row| row.advice > 0),
        FailingRow::NeverAsked => report.crawlers.iter().any(never_asked),
    });
    // Nothing that was checked is not a pass.
    let was_judged = report.crawlers.iter().any(|row| row.allowed + row.in_grace + row.violations + row.advice > 0);
    let no_crawler = report.unnamed > 0 && report.crawlers.is_empty() && args.agent.is_empty();
    match (fails, is_whole && (was_judged || no_crawler)) {
        (true, _) => Outcome::No,
        (false, true) => Outcome::Yes,
        (false, false) => Outcome::Trouble,
    }
}

/// Returns true if neither a crawler nor another one of its operator asked for robots.txt.
fn never_asked(row: &CrawlerRow) -> bool {
    row.standing == Standing::Bound && row.robots_txt.requests == 0 && !row.robots_txt.by_operator
}
