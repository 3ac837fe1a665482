//! The cases of `testdata/records/`: what records beside groups and rules say.

use std::time::Duration;

use comity::{Crawler, Dialect, Robots};
use comity_testdata::records::{Ask, PaceAsk, RecordFile, files};

fn crawler<'a>(agent: Option<&'a String>, known: Option<&'a String>) -> Crawler<'a> {
    match (agent, known) {
        (_, Some(name)) => Crawler::known(name).unwrap_or_else(|| panic!("the table has no {name}")),
        (Some(agent), None) => Crawler::literal(agent),
        (None, None) => Crawler::ANY,
    }
}

fn dialect(name: Option<&String>) -> Dialect {
    name.map_or(Dialect::STANDARD, |name| Dialect::named(name).unwrap())
}

/// `hh:mm:ss` of the first day, or of one that many days later.
fn time(text: &str) -> Duration {
    let (days, time) = match text.strip_prefix('+') {
        Some(rest) => rest.split_once(' ').map(|(days, time)| (days.parse::<u64>().unwrap(), time)).unwrap(),
        None => (0, text),
    };
    let seconds = time.split(':').fold(0, |sum, part| sum * 60 + part.parse::<u64>().unwrap());
    Duration::from_secs(days * 86_400 + seconds)
}

/// Asks all questions of a file; hands what differs to `complain`.
fn run(file: &RecordFile, mut complain: impl FnMut(String)) -> usize {
    let body = &file.body();
    let parse = |ask: Option<&String>| Robots::parse_with(body, &dialect(ask));
    let mut expect = |what: &str, ask: &dyn std::fmt::Debug, expected: &str, found: String| {
        if expected != found {
            complain(format!("{what}: {ask:?}: found {found}"));
        }
    };
    let robots = Robots::parse(body);
    for means in &file.means {
        let record = robots.records().find(|record| record.line() == means.line);
        let Some(record) = record else { panic!("{}: line {} is no record", file.name, means.line) };
        expect("means", means, &means.is, record.meaning().to_string());
        if let Some(group) = means.group {
            let found = record.group().map_or(0, |group| group + 1);
            expect("group", means, &group.to_string(), found.to_string());
        }
    }
    let asked_by = |ask: &Ask| parse(ask.dialect.as_ref());
    for ask in &file.usage {
        let robots = asked_by(ask);
        let usage = robots.content_usage(&crawler(ask.agent.as_ref(), ask.crawler.as_ref()), &ask.url);
        let stated = usage.preference(&ask.of);
        expect("usage", ask, &ask.is, format!("{} {}", stated.preference, stated.line.unwrap_or(0)));
    }
    for ask in &file.signal {
        let robots = asked_by(ask);
        let signals = robots.content_signals(&crawler(ask.agent.as_ref(), ask.crawler.as_ref()), &ask.url);
        let found = signals.of(&ask.of).map_or_else(
            || "not stated".to_owned(),
            |signal| format!("{} {}", if signal.granted { "yes" } else { "no" }, signal.line),
        );
        expect("signal", ask, &ask.is, found);
    }
    for ask in &file.canonical {
        let robots = asked_by(ask);
        expect("canonical", ask, &ask.is, robots.canonical(&ask.url).into_owned());
    }
    for ask in &file.extent {
        let extent = asked_by(ask).extent(&crawler(ask.agent.as_ref(), ask.crawler.as_ref()));
        expect("extent", ask, &ask.is, format!("{} {}", extent.reach, extent.line.unwrap_or(0)));
    }
    for ask in &file.pace {
        let PaceAsk { agent, crawler: known, .. } = ask;
        let mut pace = parse(ask.dialect.as_ref()).pace(&crawler(agent.as_ref(), known.as_ref()));
        if let Some(seconds) = ask.at_least {
            pace = pace.at_least(Duration::from_secs(seconds));
        }
        if let Some(seconds) = ask.at_most {
            pace = pace.at_most(Duration::from_secs(seconds));
        }
        let found = pace.next_start(ask.last.as_deref().map(time), time(&ask.now));
        expect("pace", ask, &format!("{:?}", time(&ask.is)), format!("{found:?}"));
    }
    let questions = file.usage.len() + file.signal.len() + file.canonical.len() + file.extent.len() + file.pace.len();
    file.means.len() + questions
}

#[test]
fn every_record_says_what_it_should() {
    let (mut count, mut complaints) = (0, Vec::new());
    for (theme, file) in files() {
        count += run(&file, |what| complaints.push(format!("{theme}.toml: {}: {what}", file.name)));
    }
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
    assert!(count > 200, "the cases have shrunk to {count}");
}

/// U10 of the AIPREF drafts: preferences are those of the copy that was current when the page was fetched. A newer copy
/// takes nothing back, for what was learnt of the older one borrows it.
#[test]
fn a_newer_file_does_not_change_what_was_preferred() {
    let file = |train: &str| Robots::parse(format!("User-agent: *\nAllow: /\nContent-Usage: train-ai={train}\n"));
    let (at_fetch, newer) = (file("n"), file("y"));
    let usage = at_fetch.content_usage(&Crawler::ANY, "/");
    assert_eq!(newer.content_usage(&Crawler::ANY, "/").preference("train-ai").preference, comity::Preference::Allow);
    assert_eq!(usage.preference("train-ai").preference, comity::Preference::Disallow);
}

#[test]
fn names_are_unique() {
    let mut names: Vec<String> = files().into_iter().map(|(_, file)| file.name).collect();
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count);
}
