//! The rules and preferences of a robots.txt for AI crawlers.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use comity::{Crawler, Extent, Governed, Meaning, Preference, Profile, Reach, Robots, Size, Use};
use serde::{Serialize, Serializer};

use crate::headline::{Headline, Tone, counted};

/// The keys of `Content-Signal` that have a meaning.
const SIGNALS: [&str; 3] = ["search", "ai-input", "ai-train"];
/// The labels of `Content-Usage` that have a meaning.
const USES: [&str; 2] = ["search", "train-ai"];

/// The rules and preferences of a robots.txt for AI crawlers.
#[derive(Clone, Debug, Serialize)]
#[must_use]
#[non_exhaustive]
pub struct AiReport {
    /// The result in words: what AI may do with the site.
    pub headline: Headline,
    /// The name of the file.
    pub file: String,
    /// The dialect's name.
    pub dialect: &'static str,
    /// The extent to which the file was read: whole, cut at the size limit, or refused.
    pub size: Size,
    /// The known crawlers whose operators use the pages for search, agents or training, in the order of the table.
    pub crawlers: Vec<AiRow>,
    /// The records that state preferences.
    pub preferences: Vec<UsageStatement>,
    /// The records that name licenses.
    pub licenses: Vec<UsageStatement>,
}

/// The rules and preferences of a robots.txt for one AI crawler.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct AiRow {
    /// The product token of the crawler.
    pub token: String,
    /// The operator of the crawler.
    pub operator: String,
    /// The uses of the pages that the crawler fetches.
    pub uses: Vec<Use>,
    /// True if the crawler fetches pages for AI: see [`Profile::is_for_ai`].
    pub is_for_ai: bool,
    /// The extent to which the crawler obeys robots.txt.
    pub governed: Governed,
    /// The part of the site that the crawler may fetch.
    #[serde(flatten)]
    pub extent: Extent,
    /// The `Content-Signal` preferences for the path `/`, by key.
    pub content_signal: BTreeMap<&'static str, Stated<bool>>,
    /// The `Content-Usage` preferences for the path `/`, by label.
    pub content_usage: BTreeMap<&'static str, Stated<Preference>>,
}

/// A preference and the line that states it.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Stated<T> {
    /// The preference.
    pub says: T,
    /// The line, from 1.
    pub line: u32,
}

/// A record about the use of content: a preference or a license.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct UsageStatement {
    /// The line, from 1.
    pub line: u32,
    /// The record's name and value as written.
    pub text: String,
    /// The tokens of the user-agent lines of its group; `null` if the record is outside any group.
    // Records of the same group share the list: a file can have thousands of both, so copies would take gigabytes.
    #[serde(serialize_with = "as_list")]
    pub agents: Option<Arc<[String]>>,
    /// True if the value has a meaning.
    pub understood: bool,
}

#[allow(clippy::ref_option, reason = "the type of the field")]
fn as_list<S: Serializer>(agents: &Option<Arc<[String]>>, serializer: S) -> Result<S::Ok, S::Error> {
    agents.as_deref().serialize(serializer)
}

impl AiReport {
    /// Creates a report about a file with this name.
    pub fn new<'t>(file: String, robots: &Robots, table: impl Iterator<Item = &'t Profile>) -> Self {
        Self::while_left(file, robots, table, || true).unwrap_or_else(|| unreachable!("nobody asked to stop"))
    }

    /// Creates a report as [`new`](Self::new) does, and calls `is_left` after each crawler and each record. Returns `None`
    /// as soon as that returns false, for example because the time is over.
    pub fn while_left<'t>(
        file: String,
        robots: &Robots,
        table: impl Iterator<Item = &'t Profile>,
        mut is_left: impl FnMut() -> bool,
    ) -> Option<Self> {
        let mut crawlers = Vec::new();
        for profile in table.filter(|profile| !profile.retired) {
            let uses: Vec<Use> = profile.uses().iter().map(|(used, _)| used).collect();
            if !uses.is_empty() {
                crawlers.push(AiRow::new(robots, profile, uses));
                if !is_left() {
                    return None;
                }
            }
        }
        let (mut preferences, mut licenses, mut agents_of) = (Vec::new(), Vec::new(), HashMap::new());
        for record in robots.records() {
            let statements = match record.field() {
                comity::Field::ContentSignal | comity::Field::ContentUsage => &mut preferences,
                comity::Field::License => &mut licenses,
                _ => continue,
            };
            statements.push(UsageStatement::new(robots, &record, &mut agents_of));
            if !is_left() {
                return None;
            }
        }
        Some(Self {
            headline: headline(&crawlers),
            file,
            dialect: robots.dialect().name,
            size: robots.size(),
            crawlers,
            preferences,
            licenses,
        })
    }
}

impl AiRow {
    fn new(robots: &Robots, profile: &Profile, uses: Vec<Use>) -> Self {
        let crawler = Crawler::from(profile);
        let signals = robots.content_signals(&crawler, "/");
        let usage = robots.content_usage(&crawler, "/");
        let signal = |key: &'static str| {
            let found = signals.of(key)?;
            Some((key, Stated { says: found.granted, line: found.line }))
        };
        let preference = |label: &'static str| {
            let found = usage.preference(label);
            Some((label, Stated { says: found.preference, line: found.line? }))
        };
        Self {
            token: profile.token.to_string(),
            operator: profile.operator.to_string(),
            uses,
            is_for_ai: profile.is_for_ai(),
            governed: profile.governed,
            extent: robots.extent(&crawler),
            content_signal: SIGNALS.into_iter().filter_map(signal).collect(),
            content_usage: USES.into_iter().filter_map(preference).collect(),
        }
    }
}

/// Returns the result for the crawlers that fetch for AI, use by use. Search engines without AI are left out, and so are
/// names for rules, which fetch nothing.
fn headline(rows: &[AiRow]) -> Headline {
    const VERBS: [(Use, &str, &str); 3] = [
        (Use::Search, "search", "for AI search"),
        (Use::Training, "train", "for training"),
        (Use::Agent, "fetch pages that people ask for", "that fetch for people"),
    ];
    let [mut may, mut may_not, mut asked] = [const { Vec::new() }; 3];
    let mut partly = Vec::new();
    for (used, verb, whom) in VERBS {
        let is_asked = |row: &&AiRow| {
            row.is_for_ai
                && row.uses.contains(&used)
                && row.governed != Governed::ControlToken
                && row.extent.reach != Reach::NotGoverned
        };
        let rows: Vec<&AiRow> = rows.iter().filter(is_asked).collect();
        let count = |is_one: fn(&AiRow, Use) -> bool| rows.iter().filter(|row| is_one(row, used)).count();
        let open = count(|row, _| matches!(row.extent.reach, Reach::All | Reach::Most));
        let closed = count(|row, _| row.extent.reach == Reach::Nothing);
        let refused = count(|row, used| row.extent.reach != Reach::Nothing && row.is_refused(used));
        match rows.len() {
            0 => {}
            all if closed == all => may_not.push(verb),
            all if open == all && refused == 0 => may.push(verb),
            all if open == all && refused == all => asked.push(verb),
            all => {
                let are = |count| if count == 1 { "is" } else { "are" };
                let little = all - open - closed;
                let parts = [
                    (closed, format!("{closed} {} blocked", are(closed))),
                    (little, format!("{little} may fetch a little")),
                    (refused, format!("{refused} {} asked not to {verb}", are(refused))),
                ];
                let parts = parts.into_iter().filter(|(count, _)| *count > 0).map(|(_, text)| text);
                let parts: Vec<String> = parts.collect();
                partly.push(format!("of {} {whom}, {}", counted(all as u64, "crawler"), parts.join(" and ")));
            }
        }
    }
    let said =
        |start: &str, verbs: &[&str], last: &str| (!verbs.is_empty()).then(|| format!("{start} {}", verbs.join(last)));
    let parts =
        [said("may", &may, " and "), said("may not", &may_not, " or "), said("is asked not to", &asked, " or ")];
    let parts: Vec<String> = parts.into_iter().flatten().chain(partly).collect();
    if parts.is_empty() {
        return Headline::new(Tone::Neutral, "No known AI crawler obeys the file.");
    }
    Headline::new(Tone::Neutral, format!("AI: {}.", parts.join("; ")))
}

impl AiRow {
    /// Returns true if the file asks the crawler not to use the pages for this.
    fn is_refused(&self, used: Use) -> bool {
        let (signals, labels): (&[&str], &[&str]) = match used {
            Use::Training => (&["ai-train"], &["train-ai"]),
            Use::Search => (&["search", "ai-input"], &["search"]),
            _ => (&["ai-input"], &[]),
        };
        let no = |key: &&str| self.content_signal.get(*key).is_some_and(|stated| !stated.says);
        let disallows =
            |label: &&str| self.content_usage.get(*label).is_some_and(|stated| stated.says == Preference::Disallow);
        signals.iter().any(no) || labels.iter().any(disallows)
    }
}

impl UsageStatement {
    /// Describes a record. `agents_of` holds the tokens of the groups so far.
    fn new(robots: &Robots, record: &comity::Record<'_>, agents_of: &mut HashMap<usize, Arc<[String]>>) -> Self {
        let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let tokens = |index: usize| {
            let group = robots.groups().nth(index);
            group.iter().flat_map(comity::Group::agents).map(|agent| lossy(agent.token())).collect()
        };
        Self {
            line: record.line(),
            text: format!("{}: {}", lossy(record.name()), lossy(record.value())),
            agents: record.group().map(|index| Arc::clone(agents_of.entry(index).or_insert_with(|| tokens(index)))),
            understood: !matches!(record.meaning(), Meaning::NotUnderstood { .. }),
        }
    }
}

#[cfg(test)]
mod tests {
    use comity::Crawlers;

    use super::*;

    /// With a list for each record, this file would take gigabytes.
    #[test]
    fn records_of_a_group_share_the_list_of_its_crawlers() {
        let lines = "User-agent: a\n".repeat(18_000) + &"Content-Signal: a\n".repeat(14_000);
        let robots = Robots::parse(lines);
        let report = AiReport::new(String::new(), &robots, Crawlers::builtin().iter());
        let [first, .., last] = &*report.preferences else { panic!() };
        let [first, last] = [first, last].map(|statement| statement.agents.as_ref().unwrap());
        assert_eq!((report.preferences.len(), first.len()), (14_000, 18_000));
        assert!(Arc::ptr_eq(first, last));
    }

    #[test]
    fn a_report_ends_when_the_caller_says_so() {
        let robots = Robots::parse("User-agent: *\n".to_owned() + &"License: x\n".repeat(500));
        let table = Crawlers::builtin();
        let report = |most: usize| {
            let mut calls = 0;
            let is_left = || {
                calls += 1;
                calls < most
            };
            let is_there = AiReport::while_left(String::new(), &robots, table.iter(), is_left).is_some();
            (is_there, calls)
        };
        let (is_there, calls) = report(usize::MAX);
        assert!(is_there && calls > 500, "{calls}");
        for most in [1, 10, calls - 100] {
            assert_eq!(report(most), (false, most));
        }
    }
}
