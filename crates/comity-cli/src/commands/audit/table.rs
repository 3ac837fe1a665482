//! The report as CSV: a row for each crawler.

use std::io::Write;

use anyhow::Result;
use comity_audit::AuditReport;

use crate::render::csv;

/// The columns. A name differs from the place in the JSON of a crawler where one follows it.
const COLUMNS: &str = "\
    crawler operator uses standing requests share violations violations_verified advice in_grace allowed not_judged refused \
    version=rules/0/version line=rules/0/line rule=rules/0/text robots_txt_requests=robots_txt/requests \
    robots_txt_last=robots_txt/last first_time=first/time first_url=first/url verified=identity/verified \
    consistent=identity/consistent unknown=identity/unknown impostor_requests crawl_delay=crawl_delay/delay \
    gaps=crawl_delay/gaps gaps_kept=crawl_delay/kept shortest_gap=crawl_delay/shortest";

pub(super) fn print(report: &AuditReport, out: &mut impl Write) -> Result<()> {
    let columns = COLUMNS.split(' ').map(|column| column.split_once('=').unwrap_or((column, column)));
    csv::row(out, &columns.clone().map(|(name, _)| name).collect::<Vec<_>>())?;
    for row in &report.crawlers {
        let impostors = report.impostors.iter().find(|impostor| impostor.crawler == row.crawler);
        let mut json = serde_json::to_value(row)?;
        json["uses"] = row.uses.join(" ").into();
        json["share"] = format!("{:.6}", row.share).into();
        json["not_judged"] = row.not_judged.values().sum::<u64>().into();
        json["impostor_requests"] = impostors.map_or(0, |impostor| impostor.requests).into();
        let cells: Vec<String> =
            columns.clone().map(|(_, place)| csv::word(json.pointer(&format!("/{place}")))).collect();
        csv::row(out, &cells.iter().map(String::as_str).collect::<Vec<_>>())?;
    }
    Ok(())
}
