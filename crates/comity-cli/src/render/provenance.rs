//! Sentences about the origin of a live site's answer: its robots.txt, the fetch, or the policy.

use std::time::Duration;

use comity::Escaped;
use comity_fetch::{Access, SiteRobots, Time};
use comity_report::{is_refused, unknown_coding};

use super::words::count;

/// Returns a rounded duration for people, in the largest unit of which it contains at least one and a half.
pub(crate) fn about(time: Duration) -> String {
    let units = [(86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second")];
    let seconds = time.as_secs();
    match units.iter().find(|(unit, _)| 2 * seconds >= 3 * unit || (seconds == 1 && *unit == 1)) {
        Some((unit, name)) => count((seconds + unit / 2) / unit, name),
        None => "less than a second".to_owned(),
    }
}

/// The explanation of a refusal by comity's own address rules, with the option that lifts them.
pub(crate) const REFUSED_BY_ADDRESS_RULES: &str = "the address rules of comity itself refuse to connect there, so the site has not answered; \
                                  --addresses any, or --addresses with its network, lifts them";

/// Returns sentences for people about the origin of an answer and how long it is valid.
pub(crate) fn sentences(site: &SiteRobots) -> Vec<String> {
    let mut lines = Vec::new();
    let ruling = site.ruling();
    let robots_txt = site.origin().robots_url();
    let ago = |time: Time| match site.at().since(time) {
        age if age < Duration::from_secs(2) => "just now".to_owned(),
        age => format!("{} ago", about(age)),
    };
    match ruling.access {
        Access::Rules => {}
        _ if is_refused(site) => lines.push(format!("{robots_txt} {}.", ruling.event)),
        Access::AllowAll => {
            lines.push(format!("{robots_txt} {}, so everything is allowed.", ruling.event));
        }
        _ => lines.push(format!("{robots_txt} {}, so everything is disallowed.", ruling.event)),
    }
    if let Some(detail) = site.attempt().and_then(|attempt| attempt.detail.as_ref()) {
        lines.push(format!("In detail: {}.", Escaped(detail.as_bytes())));
    }
    if is_refused(site) {
        lines.push(format!("No answer: {REFUSED_BY_ADDRESS_RULES}."));
        return lines;
    }
    if let Some(coding) = unknown_coding(site) {
        let coding = Escaped(coding.as_bytes());
        lines.push(format!("The file is read as it is: its Content-Encoding, `{coding}`, is not known."));
    }
    if let Some(rung) = ruling.rung {
        let copy = if ruling.access == Access::Rules { ", and its last good copy applies" } else { "" };
        lines.push(format!("It has been unreachable for {}{copy}.", rung.label()));
    }
    if ruling.access != Access::Rules || ruling.rung.is_some() {
        lines.push(format!("Policy {}: {}.", ruling.policy, ruling.row.source()));
    }
    if let (Access::Rules, Some(copy)) = (ruling.access, site.copy()) {
        let url = Escaped(copy.url.as_bytes());
        let from = if copy.url == robots_txt {
            format!("Fetched {}", ago(copy.fetched))
        } else {
            format!("Fetched {} from {url}, to which {robots_txt} redirects", ago(copy.fetched))
        };
        let confirmed = if copy.confirmed == copy.fetched {
            String::new()
        } else {
            format!(", and confirmed {}", ago(copy.confirmed))
        };
        lines.push(format!("{from}{confirmed}."));
    } else if let Some(attempt) = site.attempt() {
        lines.push(format!("Asked {}.", ago(attempt.ended)));
    }
    let last = lines.last_mut();
    if let Some(last) = last {
        if site.is_overdue() {
            *last += " A new fetch is due, but --offline prevents it.";
        } else {
            *last += &format!(" The next fetch is in {} at the earliest.", about(site.due().since(site.at())));
        }
    }
    lines
}
