//! Alerts for people.

use std::collections::BTreeSet;
use std::io::Write;

use anyhow::Result;
use comity_report::stamp;
use comity_watch::{Alert, AlertKind, Outbox, WatchSummary};

use crate::render::style::{self, paint};
use crate::render::words::count;

/// The name of the receiver for alerts on standard output.
const RECEIVER: &str = "standard output";
/// The number of alerts that are read at once.
const PAGE: usize = 256;

/// The numbers of alerts that were printed.
#[derive(Default)]
pub(super) struct Printed {
    pub(super) alerts: usize,
    sites: BTreeSet<Option<String>>,
    only_text: usize,
}

impl Printed {
    /// Prints the alerts that were not printed yet.
    pub(super) async fn new(outbox: &Outbox) -> Result<Self> {
        let mut printed = Self::default();
        let mut cursor = outbox.cursor(RECEIVER).await?;
        loop {
            let alerts = outbox.alerts(cursor, PAGE).await?;
            let Some(last) = alerts.last() else { return Ok(printed) };
            cursor = last.number;
            let mut out = anstream::stdout().lock();
            for alert in alerts {
                if alert.kind == AlertKind::Text {
                    printed.only_text += 1;
                    continue;
                }
                print(&alert, &mut out)?;
                printed.alerts += 1;
                printed.sites.insert(alert.origin);
            }
            out.flush()?;
            drop(out);
            outbox.set_cursor(RECEIVER, cursor).await?;
        }
    }
}

fn print(alert: &Alert, out: &mut impl Write) -> Result<()> {
    let site = alert.origin.as_deref().unwrap_or("This machine");
    let color = if alert.kind == AlertKind::Allowed || alert.kind == AlertKind::Back {
        style::ALLOWED
    } else {
        style::DISALLOWED
    };
    let since = match &alert.not_before {
        Some(before) => format!("since {} (after {before})", alert.since),
        None => format!("since {}", alert.since),
    };
    writeln!(out, "{}   {}, {since}", paint(style::STRONG, site), paint(color, &alert.title))?;
    for line in &alert.text {
        writeln!(out, "  {line}")?;
    }
    Ok(())
}

/// Prints the end of a run.
pub(super) fn summary(summary: &WatchSummary, printed: &Printed) -> Result<()> {
    let attention = match printed.sites.len() {
        0 => "Nothing new.".to_owned(),
        1 => format!("1 of {} needs attention.", count(summary.sites as u64, "watched site")),
        sites => format!("{sites} of {} need attention.", count(summary.sites as u64, "watched site")),
    };
    let text = match printed.only_text {
        0 => String::new(),
        changed => format!(" {} in text only.", count(changed as u64, "change")),
    };
    let next = summary.next.map_or_else(String::new, |next| format!(" The next one is due at {}.", stamp(next)));
    let (asked, waiting) = (summary.asked, summary.waiting);
    writeln!(std::io::stdout(), "{attention}{text} {asked} asked now, {waiting} not due.{next}")?;
    Ok(())
}
