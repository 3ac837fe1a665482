//! Judging: which alerts follow from the history of a site.
//!
//! [`Judge::judge`] is a pure function of what is stored. It goes through every version that is newer than the last one that
//! was judged, whoever fetched it, so a watcher that was ended at any moment catches up, and gives the same alerts the same
//! ids.

mod leftover;
mod state;
mod words;

use std::sync::Arc;
use std::time::Duration;

use comity::{Crawlers, Origin, SIZE_LIMIT};
use comity_fetch::store::{ContentHash, Version, VersionCopy};
use comity_fetch::{Event, Policy, StoredRecord, Time};
use comity_meaning::Budget;
use comity_policy::Effect;
use comity_report::{Diff, DiffAnswer, DiffOutcome, ProofScope, looks_like_html};

pub use self::state::{Key, LastFile, State};
use crate::alert::{Alert, AlertKind};

/// The time for which earlier versions are searched for one that came back.
const ALTERNATES_WITHIN: Duration = Duration::from_secs(90 * 24 * 60 * 60);
/// The time without a change after which a file no longer goes back and forth.
const CALM: Duration = Duration::from_secs(24 * 60 * 60);
/// The number of attempts that must fail before an outage is reported.
const MIN_FAILURES: u32 = 3;
/// The time for which a site must be unreachable before that is reported, if nothing is configured.
pub const DEFAULT_AFTER: Duration = Duration::from_secs(30 * 60);
/// The maximum number of changes in each direction that an alert contains.
const MAX_CHANGES: usize = 10;

/// The title of [`AlertKind::NotText`].
const IS_PAGE: &str = "serves an HTML page instead of a robots.txt";
/// The title of [`AlertKind::Cut`].
const IS_CUT: &str = "is larger than what crawlers read";

/// The rules by which sites are judged.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Judge {
    /// The known crawlers.
    pub crawlers: Crawlers,
    /// The policy of the client, which decides what a missing file means.
    pub policy: Policy,
    /// The time for which a site must be unreachable before that is reported. Defaults to 30 minutes.
    pub after: Duration,
    /// The budget of each comparison.
    pub budget: Budget,
}

/// The knowledge about a site.
#[derive(Clone, Copy)]
#[allow(clippy::exhaustive_structs, reason = "callers construct it")]
pub struct Look<'a> {
    /// The site.
    pub origin: &'a Origin,
    /// The history, newest first.
    pub versions: &'a [Version],
    /// Returns the bytes of a version, if they are stored.
    pub body: &'a dyn Fn(ContentHash) -> Option<Arc<[u8]>>,
    /// The record.
    pub record: &'a StoredRecord,
    /// URLs of the site, of which alerts count those that are affected.
    pub known: &'a [String],
    /// The files of the sites that are marked as staging.
    pub staging: &'a [ContentHash],
    /// The file that the site should have: its name and its bytes.
    pub expected: Option<(&'a str, &'a [u8])>,
}

impl std::fmt::Debug for Look<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Look").field("origin", &self.origin).finish_non_exhaustive()
    }
}

impl Judge {
    /// Creates the default rules.
    pub fn new(crawlers: Crawlers, policy: Policy) -> Self {
        Self { crawlers, policy, after: DEFAULT_AFTER, budget: Budget::default() }
    }

    /// Judges what is new since a state. Returns the next state and the alerts, the most urgent first.
    ///
    /// The first judgment is a baseline: it reports only what is wrong now (a leftover of staging, a page or a file that is cut,
    /// an outage, a file that is not the expected one), since nothing is known to have changed.
    pub fn judge(&self, state: &State, look: &Look<'_>, now: Time) -> (State, Vec<Alert>) {
        let mut run = Run { judge: self, look, now, state: state.clone(), alerts: Vec::new() };
        if state.is_known {
            for index in (0..state.unjudged(look.versions)).rev() {
                run.version(index);
            }
        } else {
            run.baseline();
        }
        run.state.judged = look.versions.first().map(Key::of).or(run.state.judged);
        run.moved();
        run.outage();
        run.drift();
        if run.state.alternated.is_some_and(|last| now.since(last) > CALM) {
            run.state.alternated = None;
            run.state.open.remove(&AlertKind::Alternates);
        }
        if run.alerts.iter().any(|alert| alert.kind != AlertKind::Text) {
            run.state.news = Some(now);
        }
        run.alerts.sort_by_key(|alert| alert.kind);
        run.alerts.iter_mut().for_each(Alert::limit);
        (run.state, run.alerts)
    }

    fn scope(&self) -> ProofScope<'_> {
        ProofScope::new(&self.crawlers).budget(self.budget)
    }
}

/// A judgment in progress.
struct Run<'a> {
    judge: &'a Judge,
    look: &'a Look<'a>,
    now: Time,
    state: State,
    alerts: Vec<Alert>,
}

/// A change from one version to the next.
struct Change<'a> {
    /// The place of the new version in the history.
    index: usize,
    version: &'a Version,
    old: Option<LastFile>,
}

impl<'a> Run<'a> {
    /// Takes the newest answer as it is.
    fn baseline(&mut self) {
        let mut versions = self.look.versions.iter().enumerate();
        let is_answer = |version: &Version| version.copy.is_some() || self.is_absence(version.event);
        let Some((index, version)) = versions.find(|(_, version)| is_answer(version)) else { return };
        self.state.is_known = true;
        self.state.file = version.copy.as_ref().map(LastFile::of);
        let Some(copy) = &version.copy else { return };
        if let Some(body) = (self.look.body)(copy.hash) {
            let change = Change { index, version, old: None };
            self.note_form(copy, &body, version.first_seen);
            for (kind, title) in [(AlertKind::NotText, IS_PAGE), (AlertKind::Cut, IS_CUT)] {
                if self.state.open.contains_key(&kind) {
                    let text = if kind == AlertKind::Cut { vec![words::cut(&body)] } else { Vec::new() };
                    self.report(kind, &change, title, text, None);
                }
            }
            if self.is_leftover(copy.hash, &body) {
                self.leftover(&change, &body);
            }
        }
    }

    fn version(&mut self, index: usize) {
        let version = &self.look.versions[index];
        let change = Change { index, version, old: self.state.file.clone() };
        match &version.copy {
            Some(copy) if change.old.as_ref().is_some_and(|old| old.hash == copy.hash) => {}
            Some(copy) => self.file(&change, copy),
            None if self.is_absence(version.event) && change.old.is_some() => self.gone(&change),
            None => {}
        }
    }

    /// Returns true if an event means that there is no file, or that it is denied: it is an answer, not a failure.
    fn is_absence(&self, event: Event) -> bool {
        matches!(self.judge.policy.effect(event), Effect::Absent | Effect::Denied)
    }

    /// Judges a file that is not the last one.
    fn file(&mut self, change: &Change<'a>, copy: &VersionCopy) {
        // Its address is compared at the end.
        let url = change.old.as_ref().map_or_else(|| copy.url.clone(), |old| old.url.clone());
        self.state.file = Some(LastFile { hash: copy.hash, url });
        self.state.open.remove(&AlertKind::Gone);
        let old = match &change.old {
            Some(old) => (self.look.body)(old.hash),
            None => Some(Arc::from([])),
        };
        let (Some(old), Some(new)) = (old, (self.look.body)(copy.hash)) else {
            let text = vec!["The bytes of one of the two files are not stored any more.".to_owned()];
            self.report(AlertKind::Undecided, change, "has another file, which could not be compared", text, None);
            return;
        };
        let scope = self.judge.scope();
        let mut diff = Diff::new(&old, &new, &scope);
        let licenses = words::licenses(&old, &new);
        let has_records =
            !diff.signals.is_empty() || !licenses.is_empty() || diff.beside != comity_report::DiffBeside::default();
        let (was_html, is_html) = (looks_like_html(&old), looks_like_html(&new));
        // A pattern that no URL matches in the form in which clients send it changes nothing.
        let is_same = !diff.changes.iter().any(|change| change.sent) && diff.undecided.is_empty() && !has_records;
        let was_cut = self.state.open.contains_key(&AlertKind::Cut);
        self.note_form(copy, &new, change.version.first_seen);
        // A file that becomes a page is news, whatever it means.
        if is_same && (was_html || !is_html) {
            self.report(AlertKind::Text, change, "changed in text, and not in meaning", Vec::new(), None);
            return;
        }
        if !self.look.known.is_empty() {
            diff.count(&old, &new, self.look.known, &scope);
        }
        diff.limit(MAX_CHANGES);
        let words = words::Words { diff: &diff, old: &old, new: &new, origin: self.look.origin };
        if self.has_come_back(change.index, Some(copy.hash)) {
            self.alternates(change, Some(&words));
            return;
        }
        let leftover =
            self.is_leftover(copy.hash, &new) || self.blocks_everything(&new) && !self.blocks_everything(&old);
        if leftover && !self.state.open.contains_key(&AlertKind::Leftover) {
            self.leftover(change, &new);
        } else if !leftover {
            self.state.open.remove(&AlertKind::Leftover);
        }
        if is_html {
            self.report(AlertKind::NotText, change, IS_PAGE, words.everything(), Some(&words));
        } else {
            for (kind, answer) in [(AlertKind::Blocked, DiffAnswer::Blocked), (AlertKind::Allowed, DiffAnswer::Allowed)]
            {
                if let Some((title, text)) = words.changes(answer) {
                    self.report(kind, change, title, text, Some(&words));
                }
            }
            if has_records {
                let (title, text) = words.records(&licenses);
                self.report(AlertKind::Records, change, title, text, Some(&words));
            }
        }
        if !diff.undecided.is_empty() {
            let (title, text) = ("changed, and not all of it could be decided", words.undecided());
            self.report(AlertKind::Undecided, change, title, text, Some(&words));
        }
        if self.state.open.contains_key(&AlertKind::Cut) && !was_cut {
            self.report(AlertKind::Cut, change, IS_CUT, vec![words::cut(&new)], None);
        }
    }

    /// Notes whether the file is HTML or too large.
    fn note_form(&mut self, copy: &VersionCopy, body: &[u8], since: Time) {
        for (kind, is_so) in [(AlertKind::NotText, looks_like_html(body)), (AlertKind::Cut, copy.size > SIZE_LIMIT)] {
            if is_so {
                self.state.open.entry(kind).or_insert(since);
            } else {
                self.state.open.remove(&kind);
            }
        }
    }

    /// Judges an answer that there is no file.
    fn gone(&mut self, change: &Change<'a>) {
        self.state.file = None;
        for kind in [AlertKind::NotText, AlertKind::Cut, AlertKind::Leftover, AlertKind::Moved] {
            self.state.open.remove(&kind);
        }
        self.state.open.insert(AlertKind::Gone, change.version.first_seen);
        if self.has_come_back(change.index, None) {
            self.alternates(change, None);
            return;
        }
        let mut alert = self.alert(AlertKind::Gone, change);
        alert.title = format!("{}, and had a robots.txt", change.version.event);
        let meaning = match self.judge.policy.effect(change.version.event) {
            Effect::Denied => "Nothing may be fetched by this policy.",
            _ => "Without a file, everything may be fetched (RFC 9309 §2.3.1.3).",
        };
        alert.text.push(meaning.to_owned());
        let bodies = change.old.as_ref().and_then(|old| (self.look.body)(old.hash));
        if let Some(old) = bodies {
            let mut diff = Diff::new(&old, b"", &self.judge.scope());
            diff.limit(MAX_CHANGES);
            let words = words::Words { diff: &diff, old: &old, new: b"", origin: self.look.origin };
            alert.text.extend(words.everything());
            alert.diff = words.json();
        }
        self.alerts.push(alert);
    }

    /// Reports a file that now comes from another site. The history has no version for that if the bytes are the same.
    fn moved(&mut self) {
        let site = |url: &str| Origin::of_robots_url(url).or_else(|_| Origin::of(url)).ok();
        let newest = self.look.versions.iter().find_map(|version| version.copy.as_ref());
        let (Some(file), Some(copy)) = (self.state.file.clone(), newest) else { return };
        if file.hash != copy.hash || file.url == copy.url {
            return;
        }
        self.state.file = Some(LastFile::of(copy));
        let (old, new) = (site(&file.url), site(&copy.url));
        if new.as_ref() == Some(self.look.origin) {
            self.state.open.remove(&AlertKind::Moved);
        } else if new.is_some() && new != old {
            let since = self.look.record.last.as_ref().map_or(self.now, |last| last.ended);
            self.state.open.insert(AlertKind::Moved, since);
            let hash = copy.hash.to_string();
            let mut alert = self.own_alert(AlertKind::Moved, &[&file.url, &copy.url, &hash], since);
            alert.title = format!("redirects its robots.txt to {}", comity::Escaped(copy.url.as_bytes()));
            alert.new = Some(hash);
            self.alerts.push(alert);
        }
    }

    /// Returns true if an earlier version than the last one was this file, or was none.
    fn has_come_back(&self, index: usize, hash: Option<ContentHash>) -> bool {
        let now = self.look.versions[index].first_seen;
        let earlier = self.look.versions[index + 1..].iter();
        earlier.take_while(|version| now.since(version.last_seen) <= ALTERNATES_WITHIN).any(|version| match hash {
            Some(hash) => version.copy.as_ref().is_some_and(|copy| copy.hash == hash),
            None => version.copy.is_none() && self.is_absence(version.event),
        })
    }

    /// Reports a file that goes back and forth, once until it was calm for a day.
    fn alternates(&mut self, change: &Change<'a>, words: Option<&words::Words<'_>>) {
        let seen = change.version.first_seen;
        let was_calm = self.state.alternated.is_none_or(|last| seen.since(last) > CALM);
        self.state.alternated = Some(seen);
        if !was_calm {
            return;
        }
        self.state.open.insert(AlertKind::Alternates, seen);
        let pause = "Further changes to versions that were seen before are not reported until a day without one.";
        let text = [pause.to_owned()].into_iter().chain(words.into_iter().flat_map(words::Words::everything)).collect();
        self.report(AlertKind::Alternates, change, "went back to an earlier version", text, words);
    }

    /// Reports that the file has been unreachable for long, or is reachable again.
    fn outage(&mut self) {
        let record = self.look.record;
        let open = self.state.open.get(&AlertKind::Unreachable).copied();
        if let Some(since) = open
            && record.failing_since != Some(since)
        {
            self.state.open.remove(&AlertKind::Unreachable);
            let ended = record.failing_since.or(record.last.as_ref().map(|last| last.ended)).unwrap_or(self.now);
            let mut alert = self.own_alert(AlertKind::Back, &[&since.as_unix_millis().to_string()], ended);
            alert.title = format!("reachable again; it had been unreachable since {}", comity_report::stamp(since));
            self.alerts.push(alert);
        }
        let (Some(since), Some(last)) = (record.failing_since, &record.last) else { return };
        let is_reported = self.state.open.contains_key(&AlertKind::Unreachable);
        if is_reported || record.failures < MIN_FAILURES || self.now.since(since) < self.judge.after {
            return;
        }
        self.state.open.insert(AlertKind::Unreachable, since);
        let mut alert = self.own_alert(AlertKind::Unreachable, &[&since.as_unix_millis().to_string()], since);
        alert.title = format!("unreachable: {}, {} times", last.event, record.failures);
        alert.text = words::outage(record, &self.judge.policy, self.now);
        self.alerts.push(alert);
    }

    /// Reports that the live file differs from the expected one.
    fn drift(&mut self) {
        let (Some((name, expected)), Some(file)) = (self.look.expected, &self.state.file) else { return };
        let pair = [ContentHash::of(expected), file.hash];
        if self.state.compared == Some(pair) {
            return;
        }
        let Some(live) = (self.look.body)(file.hash) else { return };
        self.state.compared = Some(pair);
        let mut diff = Diff::new(expected, &live, &self.judge.scope());
        let licenses = words::licenses(expected, &live);
        let is_same = diff.outcome == DiffOutcome::Same
            && diff.undecided.is_empty()
            && licenses.is_empty()
            && diff.beside == comity_report::DiffBeside::default();
        if is_same {
            self.state.open.remove(&AlertKind::Drift);
            return;
        }
        // A file that goes back and forth would be reported each time.
        if self.state.alternated.is_some() && self.state.open.contains_key(&AlertKind::Drift) {
            return;
        }
        let since = self.look.versions.first().map_or(self.now, |version| version.first_seen);
        self.state.open.entry(AlertKind::Drift).or_insert(since);
        let parts = pair.map(|hash| hash.to_string());
        let mut alert = self.own_alert(AlertKind::Drift, &[&parts[0], &parts[1]], since);
        alert.title = format!("differs in meaning from {}", comity::Escaped(name.as_bytes()));
        (alert.old, alert.new) = (Some(parts[0].clone()), Some(parts[1].clone()));
        diff.limit(MAX_CHANGES);
        let words = words::Words { diff: &diff, old: expected, new: &live, origin: self.look.origin };
        alert.text = words::managed_parts(expected, &live, &self.judge.scope());
        alert.text.extend(words.everything());
        if !licenses.is_empty() {
            alert.text.push(licenses);
        }
        alert.diff = words.json();
        self.alerts.push(alert);
    }

    /// Reports a change from one version to the next, with their difference.
    fn report(
        &mut self,
        kind: AlertKind,
        change: &Change<'_>,
        title: impl Into<String>,
        text: Vec<String>,
        words: Option<&words::Words<'_>>,
    ) {
        let (title, diff) = (title.into(), words.and_then(words::Words::json));
        self.alerts.push(Alert { title, text, diff, ..self.alert(kind, change) });
    }

    /// Creates an alert about a change from one version to the next.
    fn alert(&self, kind: AlertKind, change: &Change<'_>) -> Alert {
        let version = change.version;
        let before = self.look.versions.get(change.index + 1);
        let hash = |hash: Option<ContentHash>| hash.map(|hash| hash.to_string());
        let old = hash(change.old.as_ref().map(|old| old.hash));
        let new = hash(version.copy.as_ref().map(|copy| copy.hash));
        let since = version.first_seen.as_unix_millis().to_string();
        let parts = [old.as_deref().unwrap_or_default(), new.as_deref().unwrap_or_default(), &since];
        let mut alert = self.own_alert(kind, &parts, version.first_seen);
        alert.not_before = before.map(|before| comity_report::stamp(before.last_seen));
        (alert.old, alert.new) = (old, new);
        alert
    }

    /// Creates an alert about the site, with the parts of its id.
    fn own_alert(&self, kind: AlertKind, parts: &[&str], since: Time) -> Alert {
        Alert::new(kind, Some(self.look.origin.as_str()), parts, self.now, since)
    }

    fn blocks_everything(&self, body: &[u8]) -> bool {
        leftover::blocks_everything(body, &self.judge.scope())
    }

    fn is_leftover(&self, hash: ContentHash, body: &[u8]) -> bool {
        self.look.staging.contains(&hash) || leftover::is_linted(body, &self.judge.crawlers, self.look.origin)
    }

    fn leftover(&mut self, change: &Change<'a>, body: &[u8]) {
        self.state.open.insert(AlertKind::Leftover, change.version.first_seen);
        let is_staging = change.version.copy.as_ref().is_some_and(|copy| self.look.staging.contains(&copy.hash));
        let title = if is_staging { "serves the file of a staging site" } else { "is blocked as a whole" };
        let text = leftover::lines(body, &self.judge.crawlers, self.look.origin);
        self.report(AlertKind::Leftover, change, title, text, None);
    }
}
