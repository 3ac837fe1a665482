//! The policy table a second time, as text, and read as simply as can be: written from the decided table and not from
//! the code, to hold the code to it.

use std::time::Duration;

use comity_policy::{Event, Failure, StoredRecord, Time};

const POLICIES: [&str; 6] = ["standard", "google", "google-2019", "rfc9309", "strict", "archive"];

/// The meaning of the end of an attempt, in the order of `POLICIES`.
#[rustfmt::skip]
const ENDS: &[(&str, &str)] = &[
    //                        standard    google      google-2019 rfc9309     strict      archive
    ("success",              "rules       rules       rules       rules       rules       rules"),
    ("odd answer",           "unreachable unreachable unreachable unreachable unreachable unreachable"),
    ("redirects",            "allow       allow       allow       allow       unreachable allow"),
    ("refused",              "refused     refused     refused     refused     refused     refused"),
    ("401, 403",             "allow       allow       allow       allow       disallow    allow"),
    ("407",                  "unreachable unreachable unreachable unreachable unreachable unreachable"),
    ("408, 421, 425",        "unreachable allow       allow       allow       unreachable allow"),
    ("429",                  "unreachable unreachable allow       allow       unreachable allow"),
    ("other 4xx",            "allow       allow       allow       allow       allow       allow"),
    ("failure",              "unreachable unreachable unreachable unreachable unreachable unreachable"),
    ("5xx, as if missing",   "allow       never       allow       never       never       never"),
    ("FTP 550",              "allow       allow       allow       allow       allow       allow"),
    ("FTP",                  "unreachable unreachable unreachable unreachable unreachable unreachable"),
];

/// The access while the file is unreachable.
#[rustfmt::skip]
const LADDER: &[(&str, &str)] = &[
    //                                   standard google   google-2019 rfc9309  strict   archive
    ("unreachable, copy, < 12 h",       "rules    disallow disallow    rules    disallow allow"),
    ("unreachable, copy, 12 h - 30 d",  "rules    rules    disallow    rules    disallow allow"),
    ("unreachable, copy, > 30 d",       "rules    site     rules       rules    disallow allow"),
    ("unreachable, copy, few days",     "rules    never    never       never    never    never"),
    ("unreachable, none, < 12 h",       "disallow disallow disallow    disallow disallow allow"),
    ("unreachable, none, 12 h - 30 d",  "disallow allow    disallow    disallow disallow allow"),
    ("unreachable, none, > 30 d",       "allow    site     allow       allow    disallow allow"),
    ("unreachable, none, few days",     "disallow never    never       never    never    never"),
    ("refused, copy, < 12 h",           "rules    rules    rules       rules    disallow rules"),
    ("refused, copy, 12 h - 30 d",      "rules    rules    rules       rules    disallow rules"),
    ("refused, copy, > 30 d",           "rules    rules    rules       rules    disallow rules"),
    ("refused, copy, few days",         "rules    never    never       never    never    never"),
    ("refused, none, < 12 h",           "disallow disallow disallow    disallow disallow disallow"),
    ("refused, none, 12 h - 30 d",      "disallow disallow disallow    disallow disallow disallow"),
    ("refused, none, > 30 d",           "disallow disallow disallow    disallow disallow disallow"),
    ("refused, none, few days",         "disallow never    never       never    never    never"),
];

/// The bounds of the lifetime of an answer: minutes, days.
const FRESH: [(u32, u32); 6] = [(5, 1), (5, 30), (5, 30), (0, 1), (5, 1), (5, 30)];

pub(crate) const MINUTE: Duration = Duration::from_secs(60);
pub(crate) const HOUR: Duration = Duration::from_secs(60 * 60);
pub(crate) const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn column(policy: &str) -> usize {
    POLICIES.iter().position(|name| *name == policy).expect("a preset")
}

fn cell(table: &[(&str, &'static str)], row: &str, policy: &str) -> &'static str {
    let (_, cells) = table.iter().find(|(name, _)| *name == row).expect("a row");
    cells.split_whitespace().nth(column(policy)).expect("a cell")
}

/// Returns the meaning of the end of an attempt under a policy.
pub(crate) fn end(event: Event, policy: &str) -> &'static str {
    let row = match event {
        Event::Found | Event::NotModified => "success",
        Event::RedirectLimit | Event::RedirectLoop => "redirects",
        Event::ErrorForMissing(_) => "5xx, as if missing",
        Event::Status(401 | 403) => "401, 403",
        Event::Status(429) => "429",
        Event::Status(407) => "407",
        Event::Status(408 | 421 | 425) => "408, 421, 425",
        Event::Status(status) if status / 100 == 4 => "other 4xx",
        Event::Status(status) if status / 100 == 5 => "failure",
        Event::Status(_) | Event::Failed(Failure::BadRedirect | Failure::InvalidResponse) => "odd answer",
        Event::Ftp(550) => "FTP 550",
        Event::Ftp(_) => "FTP",
        Event::Failed(Failure::Refused) => "refused",
        Event::Failed(_) => "failure",
        _ => panic!("a new kind of end"),
    };
    match cell(ENDS, row, policy) {
        // A record of a policy that probes, read under one that does not.
        "never" => "unreachable",
        meaning => meaning,
    }
}

/// Returns true if the rules are unknown after this end.
pub(crate) fn is_unreachable(event: Event, policy: &str) -> bool {
    matches!(end(event, policy), "unreachable" | "refused")
}

/// Returns the access: `rules`, `allow` or `disallow`. `days` are those with a failed attempt since then.
pub(crate) fn counts(
    record: &StoredRecord,
    (since, days): (Option<Time>, u32),
    policy: &str,
    now: Time,
) -> Option<&'static str> {
    let event = record.last.as_ref()?.event;
    let copy = record.copy.is_some();
    Some(match end(event, policy) {
        "rules" if !copy => "disallow",
        kind @ ("unreachable" | "refused") => {
            let elapsed = since.map_or(Duration::ZERO, |since| now.since(since));
            let rung = if elapsed < 12 * HOUR {
                "< 12 h"
            } else if elapsed <= 30 * DAY {
                "12 h - 30 d"
            } else if policy == "standard" && days < 5 {
                "few days"
            } else {
                "> 30 d"
            };
            let copy = if copy { "copy" } else { "none" };
            match cell(LADDER, &format!("{kind}, {copy}, {rung}"), policy) {
                "site" => match record.answers {
                    Some((true, said)) if said <= now && now.since(said) < DAY => "allow",
                    _ => "disallow",
                },
                counts => counts,
            }
        }
        counts => counts,
    })
}

/// The earliest and the latest moment at which the next attempt may become due.
pub(crate) fn due(record: &StoredRecord, failures: u32, policy: &str) -> (Time, Time) {
    let never = (Time::default(), Time::default());
    let Some(last) = &record.last else { return never };
    let is_found = matches!(last.event, Event::Found | Event::NotModified);
    if is_found && record.copy.is_none() || !is_found && record.policy != policy {
        return never;
    }
    if !is_unreachable(last.event, policy) {
        let (minutes, days) = FRESH[column(policy)];
        let fresh = last.lifetime.unwrap_or(DAY);
        let fresh = if fresh < MINUTE * minutes { MINUTE * minutes } else { fresh };
        let fresh = if fresh > DAY * days { DAY * days } else { fresh };
        return (last.ended + fresh, last.ended + fresh);
    }
    let double = |first: Duration, most: Duration| {
        let mut wait = first;
        for _ in 1..failures.min(100) {
            wait = (wait * 2).min(most);
        }
        wait
    };
    if matches!(last.event, Event::Status(429 | 503)) {
        let wait = match last.retry_after {
            Some(asked) if asked < MINUTE => MINUTE,
            Some(asked) if asked > DAY => DAY,
            Some(asked) => asked,
            None => double(MINUTE, 30 * MINUTE),
        };
        return (last.ended + wait, last.ended + wait);
    }
    let wait = double(5 * MINUTE, 6 * HOUR);
    (last.ended + wait * 8 / 10, last.ended + wait * 12 / 10)
}
