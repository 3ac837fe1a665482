//! The judgment of a request by the files that were in force.

use std::collections::HashMap;
use std::sync::Arc;

use comity::{CrawlDelay, Crawler, Dialect, Robots, Rules, Verdict};
use foldhash::fast::RandomState;

use crate::audit::Audit;

/// The judgment of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judgment {
    /// All files allow it; true if a line of one of them decides that.
    Allowed(bool),
    /// All files disallow it, the newest one, numbered from 1, by this line; `None` if no line decides.
    Disallowed { version: u16, line: Option<u32> },
    /// Only some of the files disallow it.
    InGrace,
    /// It is not judged.
    Unjudged(UnjudgedReason),
}

/// The reason why a request is not judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum UnjudgedReason {
    /// No file is known for all of the grace before it.
    NoFile,
    /// Readers of the file disagree: the standard, Google's, and that of the crawler's operator.
    ReadersDiffer,
    /// The log does not have the target that was sent.
    TargetNotLogged,
    /// The target has no path, such as `*`.
    NoPath,
    /// The line has no time.
    NoTime,
    /// The header names crawlers of several operators.
    SeveralNames,
    /// The crawler is not governed by robots.txt, or is beyond a limit.
    NotGoverned,
    /// The site had answered the crawler's request for robots.txt with a status that allows everything, such as 403.
    FileRefused,
    /// A limit of memory was reached.
    Limit,
}

impl UnjudgedReason {
    /// Returns the reason in words that continue `not judged:`.
    pub const fn label(self) -> &'static str {
        match self {
            Self::NoFile => "no robots.txt is known for the time",
            Self::ReadersDiffer => "readers of the file disagree",
            Self::TargetNotLogged => "the log does not have the URL as it was sent",
            Self::NoPath => "no path was asked for",
            Self::NoTime => "the line has no time",
            Self::SeveralNames => "the header names crawlers of several operators",
            Self::NotGoverned => "robots.txt does not govern it",
            Self::FileRefused => "the site refused it the file",
            Self::Limit => "a limit of memory was reached",
        }
    }
}

/// The files of a timeline, compiled for each crawler and each reader.
#[derive(Debug)]
pub(crate) struct Judge<'a> {
    audit: &'a Audit,
    robots: HashMap<(u16, Dialect), Robots>,
    readings: HashMap<(usize, u16), Arc<[Arc<Rules>]>, RandomState>,
    /// The rules for `*`, which crawlers without a group share.
    star: HashMap<(u16, Dialect), Arc<Rules>>,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(audit: &'a Audit) -> Self {
        Self { audit, robots: HashMap::new(), readings: HashMap::default(), star: HashMap::new() }
    }

    /// Judges a request for a path and query, as sent, by the crawler with an index.
    pub(crate) fn judge(&mut self, index: usize, name: &str, at: i64, path: &[u8]) -> Judgment {
        let known = self.audit.timeline.known_at(at);
        let (mut allows, mut by_line, mut differs, mut disallowed) = (false, false, false, None);
        for version in &known.versions {
            match verdict(&self.readings(index, name, *version), path) {
                None => differs = true,
                Some(verdict) if verdict.is_disallowed() => disallowed = Some((*version + 1, verdict.line())),
                Some(verdict) => (allows, by_line) = (true, by_line || verdict.line().is_some()),
            }
        }
        match disallowed {
            Some(_) if allows => Judgment::InGrace,
            _ if known.has_gap => Judgment::Unjudged(UnjudgedReason::NoFile),
            _ if differs => Judgment::Unjudged(UnjudgedReason::ReadersDiffer),
            Some((version, line)) => Judgment::Disallowed { version, line },
            None => Judgment::Allowed(by_line),
        }
    }

    /// Returns the rules of a version for the standard, for Google, and for the dialect of the crawler's operator.
    fn readings(&mut self, index: usize, name: &str, version: u16) -> Arc<[Arc<Rules>]> {
        if let Some(readings) = self.readings.get(&(index, version)) {
            return Arc::clone(readings);
        }
        let own = self.dialect(name);
        let mut dialects = vec![Dialect::STANDARD, Dialect::GOOGLE];
        if !dialects.contains(&own) {
            dialects.push(own);
        }
        let readings: Arc<[Arc<Rules>]> =
            dialects.into_iter().map(|dialect| self.compile(name, version, dialect)).collect();
        self.readings.insert((index, version), Arc::clone(&readings));
        readings
    }

    /// Returns the crawl-delays that the versions have for a crawler, as its operator reads them. Google's dialect has none.
    pub(crate) fn delays(&mut self, name: &str) -> Vec<Option<CrawlDelay>> {
        let dialect = Some(self.dialect(name)).filter(|own| *own != Dialect::GOOGLE).unwrap_or(Dialect::STANDARD);
        let versions = 0..self.audit.timeline.versions().len() as u16;
        versions.map(|version| self.compile(name, version, dialect).crawl_delay()).collect()
    }

    fn dialect(&self, name: &str) -> Dialect {
        self.audit.table.find(name).map_or(Dialect::STANDARD, |profile| profile.dialect)
    }

    fn compile(&mut self, name: &str, version: u16, dialect: Dialect) -> Arc<Rules> {
        let body = &self.audit.timeline.versions()[usize::from(version)].body;
        let robots = self.robots.entry((version, dialect)).or_insert_with(|| Robots::parse_with(body, &dialect));
        if let Some(profile) = self.audit.table.find(name) {
            return Arc::new(robots.rules_for(&Crawler::from(profile)));
        }
        let token = Crawler::token(name).unwrap_or(Crawler::ANY);
        if robots.check(&token, "/").names_crawler() {
            return Arc::new(robots.rules_for(&token));
        }
        let star = self.star.entry((version, dialect));
        Arc::clone(star.or_insert_with(|| Arc::new(robots.rules_for(&Crawler::ANY))))
    }
}

/// Returns the verdict of all readers about a path as it was sent; `None` if they disagree. A path that clients rewrite
/// before they send it, such as `/a/../b`, is read both as it was sent and as it is usually understood.
fn verdict(readings: &[Arc<Rules>], path: &[u8]) -> Option<Verdict> {
    let (first, others) = readings.split_first()?;
    let verdict = first.check_sent_path(path);
    let is_same = |other: Verdict| other.is_disallowed() == verdict.is_disallowed();
    let agree = others.iter().all(|rules| is_same(rules.check_sent_path(path)))
        && (is_plain(path) || {
            let path = if path.starts_with(b"//") { [b"http://path.invalid", path].concat() } else { path.to_vec() };
            readings.iter().all(|rules| is_same(rules.check_bytes(&path)))
        });
    agree.then_some(verdict)
}

/// Returns true if every client sends the path as it is.
fn is_plain(path: &[u8]) -> bool {
    let is_odd = |(at, byte): (usize, &u8)| match byte {
        b'.' => path[..at].ends_with(b"/"),
        b'%' => path[at + 1..].starts_with(b"2e") || path[at + 1..].starts_with(b"2E"),
        b'/' => at == 1,
        b'\\' | b'#' => true,
        _ => !byte.is_ascii_graphic(),
    };
    !path.iter().enumerate().any(is_odd)
}
