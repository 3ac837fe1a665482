//! Tests of all URLs that match a pattern.

use anyhow::{Result, bail};
use comity::{Crawler, Crawlers, Escaped};
use comity_meaning::{Claim, Comparison, Direction, Held};
use comity_report::{CrawlerQuery, ungoverned};

use super::suite::{Expect, Test};
use super::{Case, File};

/// The file that is tested, and the one that it is compared with.
pub(super) struct Files<'a> {
    pub(super) file: &'a File,
    pub(super) against: Option<&'a File>,
}

/// Returns the result of a test, which is one case for all its crawlers and URLs.
pub(super) fn case(
    test: &Test,
    expect: Expect,
    pattern: &str,
    askers: &[CrawlerQuery],
    files: &Files<'_>,
    table: Option<&Crawlers>,
) -> Result<Case> {
    if let Some(name) = ungoverned(askers).next() {
        bail!("expected a crawler that obeys robots.txt, found {}, which does not", Escaped(name.as_bytes()));
    }
    let crawlers: Vec<Crawler<'_>> = askers.iter().map(CrawlerQuery::as_crawler).collect();
    // Without a table, names have no fallbacks.
    let none: Crawlers = std::iter::empty::<comity::Profile>().collect();
    let who = TestCrawlers { named: &crawlers, all: test.agents.are_all().then(|| table.unwrap_or(&none)) };
    let change = files.against.map(|against| change(test, pattern, &who, against, files.file)).transpose()?.flatten();
    let failure = match (expect, &change) {
        (Expect::Unchanged, Some(_)) => Some("expected no change, for any of these URLs".to_owned()),
        (Expect::Unchanged, None) => {
            // Without crawlers, only the patterns are checked: whether they leave any URL.
            let _ = claim(test, pattern, true).only(&[]).check(&files.file.robots)?;
            None
        }
        (expect, _) => counterexample(test, pattern, &who, expect == Expect::Allow, files.file)?,
    };
    Ok(Case { name: name(test, expect, pattern, askers), failure, change })
}

struct TestCrawlers<'a> {
    named: &'a [Crawler<'a>],
    /// The table of known crawlers, if it is about all.
    all: Option<&'a Crawlers>,
}

/// Returns a crawler and a URL for which the expectation does not hold.
fn counterexample(
    test: &Test,
    pattern: &str,
    who: &TestCrawlers<'_>,
    allowed: bool,
    file: &File,
) -> Result<Option<String>> {
    let claim = claim(test, pattern, allowed);
    let claim = match who.all {
        Some(table) => claim.crawlers(table),
        None => claim.only(who.named),
    };
    Ok(match claim.check(&file.robots)? {
        Held::Yes => None,
        Held::No(found) => {
            let (expected, is) = if allowed { ("allowed", "disallowed") } else { ("disallowed", "allowed") };
            let line = found.line.unwrap_or(0);
            let by = if line == 0 { ": no rule matches".to_owned() } else { format!(" by line {line}") };
            let quote = file.quote(line);
            let (crawler, url) = (Escaped(found.crawler.as_bytes()), Escaped(&found.path));
            let unsent = if found.is_sent { "" } else { " (no browser or crawler sends this URL)" };
            Some(format!("{crawler} {url}: expected {expected}, found {is}{by}{quote}{unsent}"))
        }
        _ => Some(UNDECIDED.to_owned()),
    })
}

/// Returns the claim of a test, about all crawlers.
fn claim(test: &Test, pattern: &str, allowed: bool) -> Claim<'static> {
    let pattern = pattern.as_bytes();
    let claim = if allowed { Claim::all_allowed(pattern) } else { Claim::none_allowed(pattern) };
    test.except.iter().fold(claim, |claim, pattern| claim.except(pattern.as_bytes()))
}

/// Returns a crawler and a URL for which the other file has a different answer.
fn change(test: &Test, pattern: &str, who: &TestCrawlers<'_>, old: &File, new: &File) -> Result<Option<String>> {
    let mut comparison = Comparison::new(&old.robots, &new.robots).under(pattern.as_bytes())?;
    for pattern in &test.except {
        comparison = comparison.except(pattern.as_bytes())?;
    }
    let difference = match who.all {
        Some(table) => comparison.crawlers(table).run(),
        None => comparison.only(who.named).run(),
    };
    // What nobody sends does not count as a change.
    Ok(match difference.changes.iter().find(|change| change.is_sent) {
        Some(change) => {
            let was = if change.direction == Direction::Allowed { "disallowed" } else { "allowed" };
            let crawler = change.crawlers.first().map_or("*", String::as_str);
            let (crawler, url) = (Escaped(crawler.as_bytes()), Escaped(&change.witness));
            Some(format!("{crawler} {url}: {was} in {}", old.name))
        }
        None if difference.is_complete() => None,
        None => Some(UNDECIDED.to_owned()),
    })
}

const UNDECIDED: &str =
    "not decided: the patterns have too many stars for the budget, or use every character that a proof could";

/// Returns the name of the case: that of the test, or else its claim.
fn name(test: &Test, expect: Expect, pattern: &str, askers: &[CrawlerQuery]) -> String {
    if let Some(name) = &test.name {
        return Escaped(name.as_bytes()).to_string();
    }
    let except: Vec<String> = test.except.iter().map(|pattern| Escaped(pattern.as_bytes()).to_string()).collect();
    let except = if except.is_empty() { String::new() } else { format!(" but not {}", except.join(" or ")) };
    let whom: Vec<String> = askers.iter().map(|asker| Escaped(asker.token().as_bytes()).to_string()).collect();
    let whom = if test.agents.are_all() { "every crawler".to_owned() } else { whom.join(", ") };
    let urls = format!("URL that matches {}{except}", Escaped(pattern.as_bytes()));
    match expect {
        Expect::Disallow if test.agents.are_all() => format!("no crawler may fetch a {urls}"),
        Expect::Disallow => format!("{whom} may fetch no {urls}"),
        expect => format!("{whom} {} every {urls}", expect.may()),
    }
}
