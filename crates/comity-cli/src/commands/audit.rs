//! `comity audit`: compares access logs with the robots.txt that was in force.

mod complaint;
mod dns;
mod files;
mod human;
mod reading;
mod table;

use std::io::{BufWriter, Write};
use std::num::NonZeroUsize;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use comity::Origin;
use comity_audit::{ALL_TIMES, Audit, AuditReport, CrawlerRow, Privacy, Standing};

use crate::args::{self, FailingRow, TableFormat};
use crate::input::{crawlers, file};
use crate::outcome::Outcome;
use crate::render::json;
use human::shown;

/// The maximum number of hosts that are named.
const MAX_HOSTS: usize = 5;

pub(crate) fn run(args: &args::Audit) -> Result<Outcome> {
    file::read_stdin_once(&args.logs)?;
    let time = args.since.unwrap_or(ALL_TIMES.start)..args.until.unwrap_or(ALL_TIMES.end);
    if time.is_empty() {
        bail!("--since is not before --until, so no request counts");
    }
    let table = crawlers::table(args.crawlers.as_deref())?;
    let crawler = args.explain.as_ref().or(args.complaint.as_ref());
    for name in args.agent.iter().chain(crawler) {
        // A header or a misspelled name would select nothing, which looks like "no violations".
        crawlers::one(name, Some(&table))?;
    }
    let site = args.site.as_deref().map(Origin::of).transpose().context("--site")?;
    let timeline = files::timeline(args, site.as_ref())?.grace(args.grace);
    let mut audit = Audit::new(timeline, table.clone());
    if let Some(dir) = &args.ranges {
        audit.ranges = files::ranges(dir, &table)?;
    }
    (audit.time, audit.site) = (time, site);
    (audit.shown, audit.agents) = (crawler.cloned(), args.agent.clone());
    audit.threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    if args.verify_dns {
        audit.dns = dns::verify(args, &mut audit)?;
    }
    let (tally, is_whole) = reading::count(args, &audit)?;
    let privacy = Privacy { shows_addresses: args.show_addresses, shows_queries: args.show_queries };
    let report = AuditReport::new(&audit, &tally, privacy);
    let hosts: Vec<String> = report.totals.hosts.iter().map(|host| shown(host)).collect();
    if hosts.len() > 1 {
        let more = if hosts.len() > MAX_HOSTS { ", …" } else { "" };
        let some = hosts[..hosts.len().min(MAX_HOSTS)].join(", ");
        bail!("the logs have requests of {} hosts ({some}{more}): name the site with --site", hosts.len());
    }
    print(&report, args)?;
    warn_of_future(&report);
    Ok(outcome(&report, args, is_whole))
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
        _ => human::print(report, args.top.get(), &mut out)?,
    }
    out.flush()?;
    Ok(())
}

/// Warns if a request is later than now: the zone of the log is probably wrong, and so are the files that it is judged by.
fn warn_of_future(report: &AuditReport) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() + 3_600;
    if let Some(last) = report.totals.last.filter(|last| *last > now.cast_signed()) {
        eprintln!(
            "warning: the last request is of {}, which is in the future: the clock or the zone of the log may be wrong",
            comity_audit::rfc3339(last)
        );
    }
}

fn outcome(report: &AuditReport, args: &args::Audit, is_whole: bool) -> Outcome {
    // The answer is about what is shown.
    let shown = args.explain.as_ref().or(args.complaint.as_ref());
    let is_shown = |name: &str| shown.is_none_or(|shown| shown.eq_ignore_ascii_case(name));
    let crawlers = || report.crawlers.iter().filter(|row| is_shown(&row.crawler));
    let fails = args.fail_on.iter().any(|what| match what {
        FailingRow::Verified => crawlers().any(|row| row.violations_verified > 0),
        FailingRow::Unknown => crawlers().any(|row| row.violations > row.violations_verified),
        FailingRow::Impostor => report.impostors.iter().any(|row| row.disallowed > 0 && is_shown(&row.crawler)),
        FailingRow::Advice => crawlers().any(|row| row.advice > 0),
        FailingRow::NeverAsked => crawlers().any(never_asked),
    });
    // Nothing that was checked is not a pass.
    let was_judged = crawlers().any(|row| row.allowed + row.in_grace + row.violations + row.advice > 0);
    let no_crawler =
        report.totals.unnamed > 0 && report.crawlers.is_empty() && args.agent.is_empty() && shown.is_none();
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
