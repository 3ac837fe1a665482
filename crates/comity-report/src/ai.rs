//! The rules and preferences of a robots.txt for AI crawlers.

use std::collections::BTreeMap;

use comity::{AiUse, Crawler, Extent, Governed, Meaning, Preference, Profile, Robots, Size};
use serde::Serialize;

/// The keys of `Content-Signal` that have a meaning.
const SIGNALS: [&str; 3] = ["search", "ai-input", "ai-train"];
/// The labels of `Content-Usage` that have a meaning.
const USES: [&str; 2] = ["search", "train-ai"];

/// The rules and preferences of a robots.txt for AI crawlers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[must_use]
#[non_exhaustive]
pub struct AiReport {
    /// The name of the file.
    pub file: String,
    /// The dialect's name.
    pub dialect: &'static str,
    /// The extent to which the file was read: whole, cut at the size limit, or refused.
    pub size: Size,
    /// The known crawlers that fetch for AI, sorted by purpose.
    pub crawlers: Vec<AiRow>,
    /// The records that state preferences.
    pub preferences: Vec<UsageStatement>,
    /// The records that name licenses.
    pub licenses: Vec<UsageStatement>,
}

/// The rules and preferences of a robots.txt for one AI crawler.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct AiRow {
    /// The product token of the crawler.
    pub token: String,
    /// The operator of the crawler.
    pub operator: String,
    /// The AI use that the crawler fetches for.
    pub purpose: AiUse,
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
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Stated<T> {
    /// The preference.
    pub says: T,
    /// The line, from 1.
    pub line: u32,
}

/// A record about the use of content: a preference or a license.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct UsageStatement {
    /// The line, from 1.
    pub line: u32,
    /// The record's name and value as written.
    pub text: String,
    /// The tokens of the user-agent lines of its group; `null` if the record is outside any group.
    pub agents: Option<Vec<String>>,
    /// True if the value has a meaning.
    pub understood: bool,
}

impl AiReport {
    /// Creates a report about a file with this name.
    pub fn new<'t>(file: String, robots: &Robots, table: impl Iterator<Item = &'t Profile>) -> Self {
        let live = table.filter(|profile| !profile.retired);
        let rows = live.filter_map(|profile| profile.ai_use().map(|purpose| AiRow::new(robots, profile, purpose)));
        let mut crawlers: Vec<AiRow> = rows.collect();
        crawlers.sort_by_key(|row| row.purpose);
        let statements = |wanted: fn(&comity::Record<'_>) -> bool| {
            robots.records().filter(wanted).map(|record| UsageStatement::new(robots, &record)).collect()
        };
        Self {
            file,
            dialect: robots.dialect().name,
            size: robots.size(),
            crawlers,
            preferences: statements(|record| {
                matches!(record.field(), comity::Field::ContentSignal | comity::Field::ContentUsage)
            }),
            licenses: statements(|record| record.field() == comity::Field::License),
        }
    }
}

impl AiRow {
    fn new(robots: &Robots, profile: &Profile, purpose: AiUse) -> Self {
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
            purpose,
            governed: profile.governed,
            extent: robots.extent(&crawler),
            content_signal: SIGNALS.into_iter().filter_map(signal).collect(),
            content_usage: USES.into_iter().filter_map(preference).collect(),
        }
    }
}

impl UsageStatement {
    fn new(robots: &Robots, record: &comity::Record<'_>) -> Self {
        let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let group = record.group().and_then(|index| robots.groups().nth(index));
        Self {
            line: record.line(),
            text: format!("{}: {}", lossy(record.name()), lossy(record.value())),
            agents: group.map(|group| group.agents().map(|agent| lossy(agent.token())).collect()),
            understood: !matches!(record.meaning(), Meaning::NotUnderstood { .. }),
        }
    }
}
