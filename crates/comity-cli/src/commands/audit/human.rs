//! The report for people.

use std::io::{self, Write};
use std::time::Duration;

use anstyle::Style;
use comity::Escaped;
use comity_audit::{
    AskedRow, AuditReport, CrawlerRow, DelayRow, ExampleRow, IdentityRow, RuleRow, Standing, UnjudgedReason, rfc3339,
};
use comity_report::{counted, number};

use crate::render::provenance::about as about_time;
use crate::render::style::{self, paint};
use crate::render::words::count;

/// The number of crawlers, and of impostors, that have a sentence of their own.
const MAX_SENTENCES: usize = 5;

pub(super) fn print(report: &AuditReport, top: usize, out: &mut impl Write) -> io::Result<()> {
    head(report, out)?;
    let rows: Vec<[String; COLUMNS.len()]> = report.crawlers.iter().take(top).map(cells).collect();
    if !rows.is_empty() {
        writeln!(out)?;
        table(&rows, out)?;
    }
    if report.crawlers.len() > top {
        writeln!(out, "… and {} more: --top {}", count(report.crawlers.len() - top, "crawler"), report.crawlers.len())?;
    }
    let mut sentences: Vec<String> = Vec::new();
    if rows.is_empty() && report.impostors.is_empty() && report.totals.requests > 0 {
        let has_names = report.totals.requests > report.totals.unnamed + report.totals.without_agent;
        let what = if has_names { "is by a crawler that --agent names" } else { "gives the name of a crawler" };
        sentences.push(format!("No request {what}."));
    }
    let accused = report.crawlers.iter().filter(|row| row.violations + row.advice > 0);
    sentences.extend(accused.take(MAX_SENTENCES).flat_map(about));
    let pace = |row: &CrawlerRow| Some(format!("{}: {}.", name(row), delay(row.crawl_delay.as_ref()?)));
    sentences.extend(report.crawlers.iter().filter_map(pace).take(MAX_SENTENCES));
    for row in report.impostors.iter().take(MAX_SENTENCES) {
        sentences.push(format!(
            "{} claim to be {} but come from {} that are not its operator's; {} of them are for URLs that the file disallows \
             for it. They do not count against it.",
            counted(row.requests, "request"),
            shown(&row.crawler),
            count(row.addresses, "address").replace("addresss", "addresses"),
            number(row.disallowed)
        ));
    }
    sentences.extend(not_judged(report));
    sentences.extend(notes(report));
    if !sentences.is_empty() {
        writeln!(out)?;
    }
    sentences.iter().try_for_each(|sentence| writeln!(out, "{sentence}"))
}

fn head(report: &AuditReport, out: &mut impl Write) -> io::Result<()> {
    let site = report.site.as_deref().unwrap_or("The logs");
    let totals = &report.totals;
    let mut days: Vec<String> = totals.first.iter().chain(&totals.last).map(|at| time(*at, DAY)).collect();
    days.dedup();
    let days = if days.is_empty() { String::new() } else { format!(", {}", days.join(" to ")) };
    let share = percent(totals.requests - totals.unnamed - totals.without_agent, totals.requests);
    let requests = counted(totals.requests, "request");
    let versions = match &report.versions[..] {
        [_] if report.file_is_assumed => "one robots.txt".to_owned(),
        versions => format!("{} of robots.txt", count(versions.len(), "version")),
    };
    let line = format!("{site}{days}: {requests}, {share} by programs that give a name; {versions}.");
    writeln!(out, "{}", Escaped(line.as_bytes()))
}

#[rustfmt::skip] // as the table
const COLUMNS: [&str; 11] = [
    "", "use", "requests", "share", "violations", "in grace", "refused", "line", "robots.txt requested", "first violation",
    "identity",
];

fn cells(row: &CrawlerRow) -> [String; COLUMNS.len()] {
    let violations = match row.standing {
        Standing::Bound => number(row.violations),
        Standing::Advised => format!("{} advice", number(row.advice)),
        Standing::NotGoverned => "not governed".to_owned(),
        Standing::ControlToken => "no crawler".to_owned(),
        _ => "not judged".to_owned(),
    };
    let line = row.rules.first().map(|rule| rule.line.map_or("-".to_owned(), |line| line.to_string()));
    [
        name(row),
        row.uses.join(", "),
        number(row.requests),
        percent_of(row.share),
        violations,
        if row.in_grace == 0 { String::new() } else { number(row.in_grace) },
        if row.refused == 0 { String::new() } else { number(row.refused) },
        line.unwrap_or_default(),
        asked(&row.robots_txt),
        row.first.as_ref().map(|first| time(first.time, MINUTE)).unwrap_or_default(),
        identity(&row.identity),
    ]
}

/// Writes a table. The first column and those with words are left-aligned.
fn table(rows: &[[String; COLUMNS.len()]], out: &mut impl Write) -> io::Result<()> {
    const RIGHT: std::ops::Range<usize> = 2..8;
    let header = COLUMNS.map(str::to_owned);
    let used = (0..COLUMNS.len()).filter(|column| *column == 0 || rows.iter().any(|row| !row[*column].is_empty()));
    let lines = std::iter::once(&header).chain(rows);
    let width = |column: usize| lines.clone().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let columns: Vec<(usize, usize)> = used.map(|column| (column, width(column))).collect();
    for (nth, row) in lines.clone().enumerate() {
        let cell = |(column, width): &(usize, usize)| match &row[*column] {
            cell if RIGHT.contains(column) => format!("  {cell:>width$}"),
            cell => format!("  {cell:<width$}"),
        };
        let line: String = columns.iter().map(cell).collect();
        writeln!(out, "{}", paint(if nth == 0 { style::STRONG } else { Style::new() }, line.trim_end()))?;
    }
    Ok(())
}

/// Returns sentences about the requests of a crawler that the file disallows.
fn about(row: &CrawlerRow) -> Vec<String> {
    let Some(rule) = row.rules.first() else { return Vec::new() };
    let first = row.first.as_ref().map(|first| format!("; first {} ({})", shown(&first.url), time(first.time, SECOND)));
    let rest: u64 = row.rules.iter().skip(1).map(|rule| rule.violations).sum();
    let others = match row.rules.len() - 1 {
        0 => String::new(),
        others => format!(", and {} {}", count(others, "other line"), counted(rest, "time")),
    };
    let what = format!("{}, {}{others}{}", of_rule(rule), times(rule), first.unwrap_or_default());
    let is_bound = row.standing == Standing::Bound;
    let remark = match row.violations_verified {
        verified if is_bound && verified == row.violations => String::new(),
        0 if is_bound => " Their addresses were not verified.".to_owned(),
        verified if is_bound => format!(" {} are from addresses of its operator.", number(verified)),
        _ if row.operator.is_some() => " Its operator states that it may ignore the file.".to_owned(),
        _ => " It is not known to be a crawler.".to_owned(),
    };
    let is_proven = !is_bound || remark.is_empty();
    let who = if is_proven { name(row) } else { format!("Requests with the name {}", name(row)) };
    let did = if is_bound { "violated" } else { "requested what the file disallows by" };
    let mut sentences = vec![format!("{who} {did} {what}.{remark}")];
    if is_bound && !row.promises_to_obey {
        sentences.push(format!("{} is not documented to obey robots.txt.", name(row)));
    }
    sentences
}

fn of_rule(rule: &RuleRow) -> String {
    rule.line.map_or("the file".to_owned(), |line| format!("line {line}, `{}`", shown(&rule.text)))
}

fn times(rule: &RuleRow) -> String {
    format!("{} on {}", counted(rule.violations, "time"), count(rule.days, "day"))
}

fn delay(pace: &DelayRow) -> String {
    let honors = match pace.honors {
        Some(true) => "its operator states that it obeys delays",
        Some(false) => "its operator states that it ignores delays",
        None => "its operator does not state whether it obeys delays",
    };
    let (kept, gaps) = (percent(pace.kept, pace.gaps), number(pace.gaps));
    format!(
        "Crawl-delay {} (line {}) was kept by {kept} of {gaps} pauses, the shortest of {} s; {honors}",
        pace.delay, pace.line, pace.shortest
    )
}

fn not_judged(report: &AuditReport) -> Option<String> {
    let mut sums = std::collections::BTreeMap::new();
    for (reason, count) in report.crawlers.iter().flat_map(|row| &row.not_judged) {
        *sums.entry(*reason).or_insert(0_u64) += count;
    }
    let reason =
        |(reason, number): (&UnjudgedReason, &u64)| format!("{} ({})", reason.label(), counted(*number, "request"));
    let reasons: Vec<String> = sums.iter().map(reason).collect();
    (!reasons.is_empty()).then(|| format!("Not judged: {}.", reasons.join("; ")))
}

fn notes(report: &AuditReport) -> Vec<String> {
    let (totals, mut notes) = (&report.totals, Vec::new());
    if totals.unread > 0 {
        let named = totals.problems.iter().map(|at| format!("{}:{} `{}`", at.log, at.line, shown(&at.text)));
        let named = named.collect::<Vec<_>>().join(", ");
        let more = if totals.unread > totals.problems.len() as u64 { ", …" } else { "" };
        let lines = counted(totals.lines, "line");
        notes.push(format!("{} of {lines} could not be read: {named}{more}.", number(totals.unread)));
    }
    for (number, what) in [
        (totals.other_sites, "of other sites did not count"),
        (totals.outside, "outside of the time did not count"),
        (totals.duplicates, "in lines that occur twice counted once"),
    ] {
        if number > 0 {
            notes.push(format!("{} {what}.", counted(number, "request")));
        }
    }
    notes.extend(report.warnings.iter().cloned());
    notes
}

/// Writes all about one crawler.
pub(super) fn explain(
    report: &AuditReport,
    row: Option<&CrawlerRow>,
    asked_for: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    head(report, out)?;
    let Some(row) = row else { return writeln!(out, "No request is by {}.", shown(asked_for)) };
    let uses = if row.uses.is_empty() { "none known".to_owned() } else { row.uses.join(", ") };
    let mut facts = vec![
        ("operator", row.operator.clone().unwrap_or_else(|| "not known".to_owned())),
        ("uses", uses),
        ("requests", format!("{}, {} of all", number(row.requests), percent_of(row.share))),
        ("allowed", number(row.allowed)),
        (if row.standing == Standing::Bound { "violations" } else { "advice" }, number(row.violations + row.advice)),
        ("in grace", number(row.in_grace)),
    ];
    facts
        .extend(row.not_judged.iter().map(|(reason, n)| ("not judged", format!("{}: {}", number(*n), reason.label()))));
    facts.push(("refused", format!("{} by the server (401, 403, 429, 5xx)", number(row.refused))));
    facts.extend(evidence(report, row));
    writeln!(out, "\n{}", paint(style::STRONG, name(row)))?;
    write_facts(&facts, out)?;
    versions(report, out)?;
    if !row.examples.is_empty() {
        writeln!(out, "\nViolations, the first of them:")?;
    }
    row.examples.iter().try_for_each(|example| request(example, out))
}

/// Returns what an operator can be told about its crawler.
pub(super) fn evidence(report: &AuditReport, row: &CrawlerRow) -> Vec<(&'static str, String)> {
    let rules = row.rules.iter().map(|rule| {
        let version = if report.versions.len() > 1 { format!(" of version {}", rule.version) } else { String::new() };
        let (first, last) = (time(rule.first, SECOND), time(rule.last, SECOND));
        ("rule", format!("{}{version}, {}, {first} to {last}", of_rule(rule), times(rule)))
    });
    let requests = &row.robots_txt;
    let last = requests.last.map(|last| format!(", last {}", time(last, SECOND))).unwrap_or_default();
    let statuses: Vec<String> = requests.statuses.iter().map(|(status, times)| format!("{status}: {times}")).collect();
    let statuses = if statuses.is_empty() { String::new() } else { format!(" ({})", statuses.join(", ")) };
    let by = &row.identity.by;
    let by = if by.is_empty() { String::new() } else { format!(", by {}", by.join(", ")) };
    let pace = row.crawl_delay.as_ref().map(|pace| ("pace", delay(pace)));
    let robots_txt = [("robots.txt", asked(requests) + &last + &statuses)];
    rules.chain(robots_txt).chain(pace).chain([("identity", identity(&row.identity) + &by)]).collect()
}

pub(super) fn write_facts(facts: &[(&str, String)], out: &mut impl Write) -> io::Result<()> {
    facts.iter().try_for_each(|(label, text)| writeln!(out, "  {label:<11} {}", Escaped(text.as_bytes())))
}

/// Writes the versions of the file.
pub(super) fn versions(report: &AuditReport, out: &mut impl Write) -> io::Result<()> {
    if report.file_is_assumed {
        return Ok(());
    }
    writeln!(out, "\nVersions of robots.txt:")?;
    for version in &report.versions {
        let first = version.first_seen.map_or("all the time".to_owned(), rfc3339);
        let last = version.last_seen.map(|last| format!(" to {}", rfc3339(last))).unwrap_or_default();
        let what = if version.bytes == 0 { version.event.clone() } else { count(version.bytes, "byte") };
        writeln!(out, "  {:>2}  {first}{last}  {what}", version.version)?;
    }
    Ok(())
}

/// Writes a request as one line.
pub(super) fn request(example: &ExampleRow, out: &mut impl Write) -> io::Result<()> {
    let status = example.status.map_or("-".to_owned(), |status| status.to_string());
    let address = example.address.map(|address| format!("{address:<15} ")).unwrap_or_default();
    let line = example.line.map(|line| format!("line {line}")).unwrap_or_default();
    writeln!(out, "  {}  {address}{status:>3}  {line:<8}  {}", rfc3339(example.time), shown(&example.url))
}

fn asked(asked: &AskedRow) -> String {
    let refused = asked.statuses.keys().all(|status| matches!(status, 400..=499)) && !asked.statuses.is_empty();
    let refused = if refused { ", always refused" } else { "" };
    match (asked.requests, asked.every) {
        (0, _) if asked.by_operator => "by its operator".to_owned(),
        (0, _) => "never".to_owned(),
        (1, _) => format!("once{refused}"),
        (_, Some(every)) if every >= 60 => format!("every {}{refused}", about_time(Duration::from_secs(every))),
        (requests, _) => format!("{} times{refused}", number(requests)),
    }
}

fn identity(identity: &IdentityRow) -> String {
    let all = identity.verified + identity.consistent + identity.unknown;
    match (identity.verified, identity.consistent) {
        (0, 0) => "unknown".to_owned(),
        (verified, _) if verified == all => "verified".to_owned(),
        (_, consistent) if consistent == all => "consistent".to_owned(),
        (verified, 0) => format!("verified {}", percent(verified, all)),
        (_, consistent) => format!("consistent {}", percent(consistent, all)),
    }
}

fn name(row: &CrawlerRow) -> String {
    if row.crawler.is_empty() { "others".to_owned() } else { shown(&row.crawler) }
}

pub(super) fn shown(text: &str) -> String {
    Escaped(text.as_bytes()).to_string()
}

/// The lengths of times to the day, minute and second.
const DAY: usize = 10;
const MINUTE: usize = 16;
const SECOND: usize = 19;

/// Returns a time with this length, such as `2026-11-01 09:30`.
fn time(seconds: i64, length: usize) -> String {
    rfc3339(seconds)[..length].replace('T', " ")
}

fn percent(part: u64, whole: u64) -> String {
    percent_of(part as f64 / whole.max(1) as f64)
}

/// Returns a share in percent. Only all is 100 %, and only nothing is 0 %.
fn percent_of(share: f64) -> String {
    let tenths = (share * 1_000.0).floor();
    match share {
        _ if share >= 1.0 => "100 %".to_owned(),
        _ if share <= 0.0 => "0 %".to_owned(),
        _ if tenths < 1.0 => "<0.1 %".to_owned(),
        _ => format!("{:.1} %", tenths / 10.0),
    }
}
