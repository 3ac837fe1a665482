//! Alerts: what a watcher reports.

use comity_fetch::Time;
use comity_fetch::store::{ContentHash, JournalEntry, StoreError};
use comity_report::{shorten, stamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The kind of an alert. The first ones are the most urgent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum AlertKind {
    /// The whole site is blocked, as on a test system.
    Leftover,
    /// URLs are newly blocked.
    Blocked,
    /// URLs are newly allowed.
    Allowed,
    /// Sitemaps, delays, content signals or licenses changed.
    Records,
    /// The budget of the proof ended, or a file to compare with is not stored any more.
    Undecided,
    /// The file has been unreachable for long.
    Unreachable,
    /// The file is reachable again.
    Back,
    /// There is no file any more.
    Gone,
    /// The file comes from another site.
    Moved,
    /// The file is an HTML page.
    NotText,
    /// The file is larger than what is read.
    Cut,
    /// The live file and the expected one differ in meaning.
    Drift,
    /// The file goes back and forth between versions.
    Alternates,
    /// Most sites fail at once: it is the watcher's own network.
    Network,
    /// The bytes changed, and the meaning did not. Not sent by default.
    Text,
}

comity::__names! {
    AlertKind is "a kind of alert" {
        Leftover = "leftover",
        Blocked = "blocked",
        Allowed = "allowed",
        Records = "records",
        Undecided = "undecided",
        Unreachable = "unreachable",
        Back = "back",
        Gone = "gone",
        Moved = "moved",
        NotText = "not-text",
        Cut = "cut",
        Drift = "drift",
        Alternates = "alternates",
        Network = "network",
        Text = "text",
    }, Display
}

impl AlertKind {
    /// Returns true if the alert is a condition that ends at some time, such as an outage.
    pub fn is_condition(self) -> bool {
        use AlertKind::{Alternates, Cut, Drift, Gone, Leftover, Moved, Network, NotText, Unreachable};
        matches!(self, Leftover | Unreachable | Gone | Moved | NotText | Cut | Drift | Alternates | Network)
    }
}

/// An alert. Its text is escaped for terminals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Alert {
    /// The number in the store, from 1; 0 if it is not stored yet.
    #[serde(default)]
    pub number: u64,
    /// The id: a hash of the origin, the kind, the versions and their times. The same news has the same id in every run.
    pub id: String,
    /// The kind.
    pub kind: AlertKind,
    /// The site; `null` if the alert is about none.
    pub origin: Option<String>,
    /// The time when it was found.
    pub at: String,
    /// The time since which it is so: the first look that saw it.
    pub since: String,
    /// The last look that saw it otherwise; `null` if it is not known. The change was after it.
    pub not_before: Option<String>,
    /// A clause about the site, such as `newly blocked, for every crawler`.
    pub title: String,
    /// The details, for people.
    pub text: Vec<String>,
    /// The SHA-256 of the file before, if there is one.
    pub old: Option<String>,
    /// The SHA-256 of the file after, if there is one.
    pub new: Option<String>,
    /// The difference, with at most ten changes in each direction. Its form is that of `comity diff --format json`. It is
    /// missing if it has more than 256 KiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<Value>,
}

impl Alert {
    /// Creates an alert with the parts of its id.
    pub(crate) fn new(kind: AlertKind, origin: Option<&str>, parts: &[&str], now: Time, since: Time) -> Self {
        let mut hashed = Vec::new();
        for part in [origin.unwrap_or_default(), kind.name()].iter().chain(parts) {
            hashed.extend_from_slice(&(part.len() as u64).to_le_bytes());
            hashed.extend_from_slice(part.as_bytes());
        }
        let id = ContentHash::of(&hashed).to_string()[..32].to_owned();
        let (at, since, origin) = (stamp(now), stamp(since), origin.map(str::to_owned));
        let (not_before, old, new, diff) = (None, None, None, None);
        Self {
            number: 0,
            id,
            kind,
            origin,
            at,
            since,
            not_before,
            title: String::new(),
            text: Vec::new(),
            old,
            new,
            diff,
        }
    }

    /// Shortens an alert about a hostile file, whose lines and names may be long.
    pub(crate) fn limit(&mut self) {
        const MAX_TITLE: usize = 500;
        const MAX_LINE: usize = 2000;
        const MAX_LINES: usize = 100;
        const MAX_DIFF_BYTES: usize = 256 << 10;
        self.title = shorten(&self.title, MAX_TITLE).into_owned();
        if self.text.len() > MAX_LINES {
            self.text.truncate(MAX_LINES);
            self.text.push("…".to_owned());
        }
        for line in &mut self.text {
            *line = shorten(line, MAX_LINE).into_owned();
        }
        self.diff = self.diff.take().filter(|diff| diff.to_string().len() <= MAX_DIFF_BYTES);
    }

    /// Returns the alert as JSON in one line.
    pub(crate) fn json(&self) -> Result<String, StoreError> {
        serde_json::to_string(self).map_err(StoreError::other)
    }

    /// Returns the alert as an entry of a journal.
    ///
    /// # Errors
    ///
    /// If it cannot be serialized.
    pub(crate) fn entry(&self, now: Time) -> Result<JournalEntry, StoreError> {
        Ok(JournalEntry { number: 0, id: self.id.clone(), at: now, text: self.json()? })
    }

    /// Reads the alert of an entry.
    pub(crate) fn of(entry: &JournalEntry) -> Result<Self, StoreError> {
        let alert: Self = serde_json::from_str(&entry.text)
            .map_err(|error| StoreError::damaged(format!("alert {} can't be understood: {error}", entry.number)))?;
        Ok(Self { number: entry.number, ..alert })
    }
}
