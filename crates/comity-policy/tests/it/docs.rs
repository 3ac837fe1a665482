//! The tables in `docs/policies.md` are those of the code. After a change, put there what this test prints.

use std::time::Duration;

use comity_policy::{Effect, Event, Failure, Fallback, Ladder, Policy, Row, Rung};

const DOC: &str = include_str!("../../docs/policies.md");

fn row(first: &str, cells: impl Fn(&Policy) -> String) -> String {
    let cells: Vec<String> = Policy::ALL.iter().map(cells).collect();
    format!("| {first} | {} |\n", cells.join(" | "))
}

fn head(first: &str) -> String {
    row(first, |policy| format!("`{}`", policy.name)) + &row("---", |_| "---".to_owned())
}

/// An event of each row.
fn event(row: Row) -> Event {
    match row {
        Row::Found => Event::Found,
        Row::OddAnswer => Event::Status(206),
        Row::RedirectsEnd => Event::RedirectLimit,
        Row::Refused => Event::Failed(Failure::Refused),
        Row::Forbidden => Event::Status(403),
        Row::ProxyRefused => Event::Status(407),
        Row::TooManyRequests => Event::Status(429),
        Row::RequestFailed => Event::Status(408),
        Row::ClientError => Event::Status(404),
        Row::ServerError => Event::Status(500),
        Row::ErrorForMissing => Event::ErrorForMissing(500),
        Row::FtpMissing => Event::Ftp(550),
        Row::FtpError => Event::Ftp(530),
        _ => panic!("a new row: {row:?}"),
    }
}

fn ends() -> String {
    let cell = |row: Row, policy: &Policy| match policy.effect(event(row)) {
        _ if row == Row::ErrorForMissing && !policy.probes => "–",
        Effect::Unreachable if row == Row::Refused => "unreachable (refused)",
        Effect::Rules => "rules",
        Effect::Absent => "allow",
        Effect::Denied => "disallow",
        Effect::Unreachable => "unreachable",
        other => panic!("a new effect: {other:?}"),
    };
    let of_row = |end: &Row| row(end.title(), |policy| cell(*end, policy).to_owned());
    head("end") + &Row::ALL.iter().map(of_row).collect::<String>()
}

fn sources() -> String {
    let of_row = |row: &Row| format!("| {} | {} |\n", row.title(), row.source());
    "| end | source |\n| --- | --- |\n".to_owned() + &Row::ALL.iter().map(of_row).collect::<String>()
}

fn ladder() -> String {
    let cell = |fallback: Fallback| match fallback {
        Fallback::CopyElseDisallow => "copy, else disallow",
        Fallback::CopyElseAllow => "copy, else allow",
        Fallback::Disallow => "disallow",
        Fallback::Allow => "allow",
        Fallback::AllowIfSiteAnswers => "allow if the site answers, else disallow",
        other => panic!("a new fallback: {other:?}"),
    };
    let rungs = [Rung::First, Rung::Then, Rung::Unconfirmed, Rung::Last];
    let of_rung = |rung: Rung| {
        row(rung.label(), |policy| match policy.failed_days {
            1 if rung == Rung::Unconfirmed => "–".to_owned(),
            _ => cell(policy.unreachable.on(rung)).to_owned(),
        })
    };
    let refused = |ladder: Ladder| {
        assert!(rungs.iter().all(|rung| ladder.on(*rung) == ladder.first), "the table has one row for it");
        cell(ladder.first).to_owned()
    };
    head("for")
        + &rungs.map(of_rung).concat()
        + &row("refused by the address rules, always", |policy| refused(policy.refused))
}

fn times() -> String {
    let spell = |time: Duration| match time.as_secs() {
        0 => "0".to_owned(),
        seconds if seconds % 86_400 == 0 && seconds > 86_400 => format!("{} days", seconds / 86_400),
        seconds if seconds % 3_600 == 0 => format!("{} hours", seconds / 3_600),
        seconds if seconds % 60 == 0 => format!("{} minutes", seconds / 60),
        seconds => format!("{seconds} seconds"),
    };
    head("bound")
        + &row("good for at least", |policy| spell(policy.min_fresh))
        + &row("good for at most", |policy| spell(policy.max_fresh))
        + &row("redirects followed", |policy| policy.redirects.to_string())
        + &row("deadline of an attempt", |policy| spell(policy.deadline))
        + &row("days with an attempt in 30 days of failure", |policy| policy.failed_days.to_string())
        + &row("probes", |policy| if policy.probes { "if asked for" } else { "never" }.to_owned())
}

#[test]
fn the_tables_are_those_of_the_code() {
    for (name, table) in [("ends", ends()), ("sources", sources()), ("ladder", ladder()), ("times", times())] {
        let found = DOC.split_once(&format!("<!-- {name} -->\n\n")).map(|(_, rest)| rest);
        let found = found.and_then(|rest| rest.split_once("\n\n")).map(|(table, _)| format!("{table}\n"));
        assert_eq!(found.as_ref(), Some(&table), "under <!-- {name} --> there should be\n\n{table}\n");
    }
}
