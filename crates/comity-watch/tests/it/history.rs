//! A site's history, made by the state machine of policies and the rules of stores.

use std::collections::HashMap;
use std::sync::Arc;

use comity::{Crawlers, Origin};
use comity_fetch::store::{ContentHash, Version, VersionCopy, add_version};
use comity_fetch::{Policy, StoredRecord, Time};
use comity_policy::{Action, Head, Input, Site};
use comity_watch::{Alert, AlertKind, Judge, Look, State};

/// An answer of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer<'a> {
    File(&'a str),
    Status(u16),
    /// A redirect to another site, and the file there.
    Moved(&'static str, &'static str),
}

/// A site, what is stored about it, and a watcher's state.
pub(crate) struct Watched {
    pub(crate) origin: Origin,
    pub(crate) record: StoredRecord,
    pub(crate) versions: Vec<Version>,
    pub(crate) bodies: HashMap<ContentHash, Arc<[u8]>>,
    pub(crate) state: State,
    pub(crate) judge: Judge,
    pub(crate) expected: Option<&'static str>,
    pub(crate) known: Vec<String>,
    pub(crate) staging: Vec<ContentHash>,
}

/// A time, in minutes after the start of the tests.
pub(crate) fn minute(minute: u64) -> Time {
    Time::from_unix_seconds(1_800_000_000 + minute * 60)
}

impl Watched {
    pub(crate) fn new() -> Self {
        let origin = Origin::of("https://shop.example").unwrap();
        Self {
            record: StoredRecord::new(&origin),
            origin,
            versions: Vec::new(),
            bodies: HashMap::new(),
            state: State::default(),
            judge: Judge::new(Crawlers::builtin(), Policy::STANDARD),
            expected: None,
            known: Vec::new(),
            staging: Vec::new(),
        }
    }

    /// Looks at the site, as a client does, and stores what it answers.
    pub(crate) fn look(&mut self, now: Time, answer: &Answer<'_>) {
        let mut site = Site::resume(self.record.clone(), Policy::STANDARD);
        site.refresh();
        assert!(matches!(site.poll(now), Action::Send(_)));
        match answer {
            Answer::File(body) => {
                site.handle(Input::Head(Head::http(200)), now);
                site.handle(Input::Bytes(body.as_bytes()), now);
                site.handle(Input::End, now);
            }
            Answer::Status(status) => site.handle(Input::Head(Head::http(*status)), now),
            Answer::Moved(url, body) => {
                site.handle(Input::Head(Head::http(301).with("location", url.as_bytes())), now);
                assert!(matches!(site.poll(now), Action::Send(_)));
                site.handle(Input::Head(Head::http(200)), now);
                site.handle(Input::Bytes(body.as_bytes()), now);
                site.handle(Input::End, now);
            }
        }
        assert_eq!(site.poll(now), Action::Finish);
        self.record = site.into_record();
        if let Some(copy) = &self.record.copy {
            self.bodies.insert(ContentHash::of(&copy.body), copy.body.clone());
        }
        add_version(&mut self.versions, &self.record, VersionCopy::of(&self.record).as_ref());
    }

    /// Judges what is new.
    pub(crate) fn judged(&mut self, now: Time) -> Vec<Alert> {
        let body = |hash: ContentHash| self.bodies.get(&hash).cloned();
        let look = Look {
            origin: &self.origin,
            versions: &self.versions,
            body: &body,
            record: &self.record,
            known: &self.known,
            staging: &self.staging,
            expected: self.expected.map(|text| ("public/robots.txt", text.as_bytes())),
        };
        let (state, alerts) = self.judge.judge(&self.state, &look, now);
        // Judging again finds the same: a watcher may have ended before it saved anything.
        let (again, same) = self.judge.judge(&self.state, &look, now);
        assert_eq!((&again, &same), (&state, &alerts));
        // After the state was saved, nothing is new.
        assert_eq!(self.judge.judge(&state, &look, now).1, []);
        // What is stored is what was meant.
        let stored = serde_json::from_str(&serde_json::to_string(&state).unwrap()).unwrap();
        assert_eq!(state, stored);
        self.state = state;
        alerts
    }

    /// Looks and judges.
    pub(crate) fn sees(&mut self, at: u64, answer: &Answer<'_>) -> Vec<Alert> {
        self.look(minute(at), answer);
        self.judged(minute(at))
    }
}

pub(crate) fn kinds(alerts: &[Alert]) -> Vec<AlertKind> {
    alerts.iter().map(|alert| alert.kind).collect()
}
