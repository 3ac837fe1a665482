//! `comity ai`: what a robots.txt says to AI crawlers.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Result;
use comity::{Basis, Crawler, Escaped, Extent, Governed, Meaning, Preference, Profile, Purpose, Reach, Robots, Size};
use serde::Serialize;

use crate::args::{self, Format};
use crate::style::{self, paint};
use crate::{Outcome, asker, input, json, live};

pub(crate) fn run(args: &args::Ai) -> Result<Outcome> {
    let dialect = args.dialect.dialect;
    let table = asker::table(args.crawlers.as_deref())?;
    let (file, body) = live::robots(&args.file, &args.fetching, &dialect)?;
    let robots = Robots::parse_with(&body, &dialect);
    let report = Report::new(file, &robots, table.iter());
    match args.format.format {
        Format::Json => json::print(&report)?,
        Format::Human => report.print(&mut anstream::stdout().lock(), &body)?,
    }
    Ok(Outcome::Yes)
}

/// What AI crawlers fetch for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum AiPurpose {
    Training,
    Search,
    UserTriggered,
}

impl AiPurpose {
    pub(crate) const ALL: [Self; 3] = [Self::Training, Self::Search, Self::UserTriggered];

    /// What a crawler fetches for, if it is for AI.
    pub(crate) fn of(profile: &Profile) -> Option<Self> {
        /// An archive by its own account, and what many models are trained on.
        const ARCHIVES: [&str; 1] = ["CCBot"];
        /// A person asks for these too, and no model answers.
        const NO_MODELS: [&str; 7] = [
            "FeedFetcher-Google",
            "Google-Read-Aloud",
            "GoogleProducer",
            "Google-CWS",
            "Google-Site-Verification",
            "GoogleMessages",
            "Google-Pinpoint",
        ];
        match profile.purpose {
            Purpose::AiTraining => Some(Self::Training),
            Purpose::Archive if ARCHIVES.contains(&profile.token.as_ref()) => Some(Self::Training),
            Purpose::AiSearch => Some(Self::Search),
            Purpose::UserTriggered if !NO_MODELS.contains(&profile.token.as_ref()) => Some(Self::UserTriggered),
            _ => None,
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Training => "AI training",
            Self::Search => "AI search",
            Self::UserTriggered => "fetched because a person asks",
        }
    }
}

/// The keys of Content-Signal and the labels of Content-Usage that have a meaning.
const SIGNALS: [&str; 3] = ["search", "ai-input", "ai-train"];
const USES: [&str; 2] = ["search", "train-ai"];

#[derive(Serialize)]
struct Report {
    file: String,
    dialect: &'static str,
    size: Size,
    crawlers: Vec<Row>,
    /// The records that state preferences.
    preferences: Vec<Statement>,
    licenses: Vec<Statement>,
}

#[derive(Serialize)]
struct Row {
    token: String,
    operator: String,
    purpose: AiPurpose,
    governed: Governed,
    #[serde(flatten)]
    extent: Extent,
    /// Of the site's first page, by key.
    content_signal: BTreeMap<&'static str, Stated<bool>>,
    /// Of the site's first page, by label.
    content_usage: BTreeMap<&'static str, Stated<Preference>>,
}

#[derive(Serialize)]
struct Stated<T> {
    says: T,
    line: u32,
}

/// A record that speaks of what may be done with content.
#[derive(Serialize)]
struct Statement {
    line: u32,
    text: String,
    /// Whom its group is for; none if it stands in none.
    agents: Option<Vec<String>>,
    understood: bool,
}

impl Report {
    fn new<'t>(file: String, robots: &Robots, table: impl Iterator<Item = &'t Profile>) -> Self {
        let live = table.filter(|profile| !profile.retired);
        let rows = live.filter_map(|profile| AiPurpose::of(profile).map(|purpose| Row::new(robots, profile, purpose)));
        let mut crawlers: Vec<Row> = rows.collect();
        crawlers.sort_by_key(|row| row.purpose);
        let statements = |wanted: fn(&comity::Record<'_>) -> bool| {
            robots.records().filter(wanted).map(|record| Statement::new(robots, &record)).collect()
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

    fn print(&self, out: &mut impl Write, body: &[u8]) -> Result<()> {
        let width = |text: fn(&Row) -> usize| self.crawlers.iter().map(text).max().unwrap_or(0) + 2;
        let (token, operator) = (width(|row| row.token.chars().count()), width(|row| row.operator.chars().count()));
        for purpose in AiPurpose::ALL {
            let rows: Vec<&Row> = self.crawlers.iter().filter(|row| row.purpose == purpose).collect();
            if rows.is_empty() {
                continue;
            }
            writeln!(out, "{}", paint(style::STRONG, purpose.title()))?;
            for row in &rows {
                let name = Escaped(row.token.as_bytes()).to_string();
                let by = Escaped(row.operator.as_bytes()).to_string();
                let reach = match row.extent.line {
                    Some(line) if row.extent.reach != Reach::NotGoverned => format!("{} {line}", row.extent.reach),
                    _ => row.extent.reach.to_string(),
                };
                let style = match row.extent.reach {
                    Reach::All => style::ALLOWED,
                    Reach::Nothing => style::DISALLOWED,
                    _ => style::NO_VERDICT,
                };
                let aside = row.aside();
                let reach = if aside.is_empty() { paint(style, reach) } else { paint(style, format!("{reach:<16}")) };
                writeln!(out, "  {name:<token$}{by:<operator$}{reach}{}", paint(style::FAINT, aside))?;
            }
            writeln!(out)?;
        }
        print_statements(out, "preferences", &self.preferences)?;
        print_statements(out, "licences", &self.licenses)?;
        let count = |wanted: fn(Reach) -> bool| self.crawlers.iter().filter(|row| wanted(row.extent.reach)).count();
        writeln!(
            out,
            "{} allowed, {} partly, {} blocked. A number is a line of {}: the rule that matches everything, or what \
             states a preference.",
            count(|reach| reach == Reach::All),
            count(|reach| matches!(reach, Reach::Most | Reach::Some)),
            count(|reach| reach == Reach::Nothing),
            self.file,
        )?;
        if self.size == Size::Cut {
            writeln!(out, "{}", paint(style::FAINT, "Only the first 512,000 bytes count; the rest was not read."))?;
        }
        if body.is_empty() {
            let note =
                format!("{} is empty, which allows everything. If a fetch failed, this is no answer.", self.file);
            writeln!(out, "{}", paint(style::FAINT, note))?;
        }
        if input::looks_like_html(body) {
            let note = format!("{} looks like an HTML page, not like a robots.txt.", self.file);
            writeln!(out, "{}", paint(style::FAINT, note))?;
        }
        Ok(())
    }
}

impl Row {
    fn new(robots: &Robots, profile: &Profile, purpose: AiPurpose) -> Self {
        let crawler = Crawler::from(profile);
        let signals = robots.content_signals(crawler, "/");
        let usage = robots.content_usage(crawler, "/");
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
            extent: robots.extent(crawler),
            content_signal: SIGNALS.into_iter().filter_map(signal).collect(),
            content_usage: USES.into_iter().filter_map(preference).collect(),
        }
    }

    /// What else there is to say, behind the verdict.
    fn aside(&self) -> String {
        let mut notes: Vec<String> = Vec::new();
        let count = self.extent.exceptions;
        let (rules, verb) = if count == 1 { ("rule", "s") } else { ("rules", "") };
        match self.extent.reach {
            Reach::Most => notes.push(format!("{count} {rules} forbid{verb}")),
            Reach::Some => notes.push(format!("{count} {rules} allow{verb}")),
            _ => {}
        }
        if self.extent.basis == Basis::Star {
            notes.push("as *".to_owned());
        }
        let signals = self.content_signal.iter();
        notes.extend(signals.map(|(key, s)| format!("{key}={} {}", if s.says { "yes" } else { "no" }, s.line)));
        let usages = self.content_usage.iter().filter(|(_, stated)| stated.says != Preference::Unknown);
        notes.extend(usages.map(|(label, stated)| {
            format!("{label}={} {}", if stated.says == Preference::Allow { "y" } else { "n" }, stated.line)
        }));
        let governed = match self.governed {
            Governed::MayBypass => "may pass over robots.txt",
            Governed::Unstated => "does not promise to obey",
            Governed::ControlToken => "control token",
            _ => "",
        };
        if !governed.is_empty() {
            notes.push(governed.to_owned());
        }
        notes.join(", ")
    }
}

impl Statement {
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

fn print_statements(out: &mut impl Write, title: &str, statements: &[Statement]) -> Result<()> {
    const MOST: usize = 50;
    if statements.is_empty() {
        return Ok(());
    }
    writeln!(out, "{}", paint(style::STRONG, title))?;
    for statement in statements.iter().take(MOST) {
        let whom = match &statement.agents {
            _ if !statement.understood => "not understood".to_owned(),
            _ if title == "licences" => String::new(),
            None => "in no group, so it speaks to nobody".to_owned(),
            Some(agents) => format!("to {}", shortened(agents)),
        };
        let text: String = statement.text.chars().take(300).collect();
        let aside = if whom.is_empty() { whom } else { format!("  {}", paint(style::FAINT, whom)) };
        writeln!(out, "{:>6}  {}{aside}", statement.line, Escaped(text.as_bytes()))?;
    }
    if let Some(more @ 1..) = statements.len().checked_sub(MOST) {
        writeln!(out, "        and {more} more; --format json has them all")?;
    }
    writeln!(out)?;
    Ok(())
}

fn shortened(agents: &[String]) -> String {
    const MOST: usize = 6;
    let names: Vec<String> = agents.iter().take(MOST).map(|name| Escaped(name.as_bytes()).to_string()).collect();
    match agents.len().checked_sub(MOST) {
        Some(more @ 1..) => format!("{} and {more} more", names.join(", ")),
        _ => names.join(", "),
    }
}
