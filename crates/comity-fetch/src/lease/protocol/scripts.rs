//! The scripts of `testdata/leases.toml`, which describes their format: a path of the protocol each. Together they take
//! every transition that random answers of a store lead to.

use std::collections::BTreeSet;
use std::fs;

use comity_policy::{Action as SiteAction, Head, Input as SiteInput, Policy};
use serde::Deserialize;

use super::properties::random_transitions;
use super::*;
use crate::store::{Stored, Ticket};

pub(super) const START: Time = Time::from_unix_seconds(1_800_000_000);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    script: Vec<Script>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Script {
    name: String,
    #[serde(default, rename = "why")]
    _why: String,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    store: String,
    #[serde(rename = "max-age")]
    max_age: Option<String>,
    memory: Option<String>,
    unsaved: Option<String>,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    at: Option<String>,
    input: Option<String>,
    expect: String,
    failure: Option<String>,
}

pub(super) fn origin() -> Origin {
    Origin::of("https://a.test").unwrap()
}

/// Returns a record after an attempt with this result: `found` (for 24 hours), `brief` (a file for one hour), `long` (a
/// file for three days, by another policy), `missing`, or `failed`.
pub(super) fn attempt(base: StoredRecord, result: &str, now: Time) -> StoredRecord {
    let mut site = Site::resume(base, Policy::STANDARD);
    site.refresh();
    let SiteAction::Send(_) = site.poll(now) else { panic!("no request") };
    let body = format!("# {now}\nUser-agent: *\nDisallow: /\n");
    let (head, is_file) = match result {
        "found" | "long" => (Head::http(200), true),
        "brief" => (Head::http(200).with("cache-control", b"max-age=3600"), true),
        "missing" => (Head::http(404), false),
        "failed" => (Head::http(500), false),
        _ => panic!("`{result}` is no result"),
    };
    site.handle(SiteInput::Head(head), now);
    if is_file {
        site.handle(SiteInput::Bytes(body.as_bytes()), now);
        site.handle(SiteInput::End, now);
    }
    assert_eq!(site.poll(now), SiteAction::Finish);
    let mut record = site.into_record();
    if result == "long" {
        record.fresh_for = Some(span("3d"));
    }
    record
}

/// Returns a record that contains this client's report.
pub(super) fn change(base: StoredRecord, now: Time) -> StoredRecord {
    let mut site = Site::resume(base, Policy::STANDARD);
    site.handle(SiteInput::SiteAnswers(true), now);
    site.into_record()
}

/// Parses a record: `none`, or attempts and reports in order with their times, as in `found -25h, failed -1h`.
fn record(text: &str) -> StoredRecord {
    let part = |record, part: &str| match part.split_once(' ') {
        Some(("changed", at)) => change(record, time(at)),
        Some((result, at)) => attempt(record, result, time(at)),
        None => panic!("`{part}` is no attempt"),
    };
    if text == "none" { StoredRecord::new(&origin()) } else { text.split(", ").fold(record("none"), part) }
}

/// Parses a time before or after the start: `-25h`, `+50ms`.
fn time(text: &str) -> Time {
    let span = span(&text[1..]);
    match &text[..1] {
        "+" => START + span,
        _ => Time::from_unix_millis(START.as_unix_millis() - span.as_millis() as u64),
    }
}

fn span(text: &str) -> Duration {
    humantime::parse_duration(text).unwrap_or_else(|error| panic!("`{text}`: {error}"))
}

pub(super) fn stored(record: StoredRecord) -> Stored {
    Stored::new(record, 1)
}

/// Returns the error of a store that is `down` or `broken`, or of a `damaged` record.
pub(super) fn error(text: &str) -> StoreError {
    match text {
        "down" => StoreError::other("down"),
        "damaged" => StoreError::damaged("the record"),
        "broken" => StoreError::broken("the table of records"),
        _ => panic!("`{text}` is no error"),
    }
}

/// Parses an input that answers an action.
fn input(text: &str, action: &Action, now: Time) -> Input {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    match (action, word) {
        (Action::Load, "loaded") => Input::Loaded(Ok((rest != "none").then(|| record(rest)))),
        (Action::Begin(_), "granted") => Input::Begun(Ok(Lease::Granted(Ticket::random(&origin())))),
        (Action::Begin(_), "fresh") => Input::Begun(Ok(Lease::Fresh(stored(record(rest))))),
        (Action::Begin(_), "held") => Input::Begun(Ok(Lease::Held { until: span(rest) })),
        (Action::Wait(_), "waited") => Input::Waited,
        (Action::Fetch(base), "fetched") if rest == "changed" => Input::Fetched(change(base.clone(), now)),
        (Action::Fetch(base), "fetched") => Input::Fetched(attempt(base.clone(), rest, now)),
        (Action::Save, "kept") => Input::Completed(Ok(Saved::Kept)),
        (Action::Save, "late") => Input::Completed(Ok(Saved::Late(stored(record(rest))))),
        (Action::Load, "error") => Input::Loaded(Err(error(rest))),
        (Action::Begin(_), "error") => Input::Begun(Err(error(rest))),
        (Action::Save, "error") => Input::Completed(Err(error(rest))),
        _ => panic!("`{text}` does not answer {action:?}"),
    }
}

/// Checks an action.
fn check(found: &Action, expected: &str, title: &str) {
    let (words, of) = match found {
        Action::Fetch(base) => ("fetch".to_owned(), Some(base)),
        Action::Answer(Answer::Stored(record)) => ("answer stored".to_owned(), Some(record)),
        Action::Answer(Answer::Stale(record)) => ("answer stale".to_owned(), Some(record)),
        Action::Answer(Answer::Other(record)) => ("answer other".to_owned(), Some(record)),
        Action::Wait(time) => (format!("wait {}", humantime::format_duration(*time)), None),
        other => (label(other), None),
    };
    match of {
        None => assert_eq!(words, expected, "{title}"),
        Some(found) => {
            let rest = expected.strip_prefix(&words).unwrap_or_else(|| panic!("{title}: `{words}`, not `{expected}`"));
            assert_eq!(*found, record(rest.trim_start()), "{title}: of another record than `{expected}`");
        }
    }
}

/// Returns an action without the values in it.
fn label(action: &Action) -> String {
    match action {
        Action::Load => "load".to_owned(),
        Action::Begin(FetchKind::Due) => "begin due".to_owned(),
        Action::Begin(FetchKind::Forced) => "begin forced".to_owned(),
        Action::Begin(FetchKind::SiteAnswers(_)) => "begin answers".to_owned(),
        Action::Wait(_) => "wait".to_owned(),
        Action::Fetch(_) => "fetch".to_owned(),
        Action::Save => "save".to_owned(),
        Action::Answer(Answer::Remembered) => "answer memory".to_owned(),
        Action::Answer(Answer::Stored(_)) => "answer stored".to_owned(),
        Action::Answer(Answer::Stale(_)) => "answer stale".to_owned(),
        Action::Answer(Answer::Other(_)) => "answer other".to_owned(),
        Action::Answer(Answer::Own { is_saved: true }) => "answer own saved".to_owned(),
        Action::Answer(Answer::Own { is_saved: false }) => "answer own unsaved".to_owned(),
        Action::Fail(error) if error.is_store() => "error store".to_owned(),
        Action::Fail(_) => "error lost".to_owned(),
    }
}

/// Performs a step, and returns its transition in words with the next action.
pub(super) fn transition(
    protocol: &mut LeaseProtocol<'_>,
    input: Input,
    now: Time,
    elapsed: Duration,
) -> (String, Action) {
    let has_own = if protocol.own.is_some() { " with a result" } else { "" };
    let failed = |error: &StoreError| if error.is_damaged() { "damaged" } else { "error" };
    let word = match &input {
        Input::Start => "start",
        Input::Loaded(Ok(None)) => "nothing",
        Input::Loaded(Ok(Some(_))) => "record",
        Input::Begun(Ok(Lease::Granted(_))) => "granted",
        Input::Begun(Ok(Lease::Fresh(_))) => "fresh",
        Input::Begun(Ok(Lease::Held { .. })) => "held",
        Input::Waited => "waited",
        Input::Fetched(record) if record.failing_since.is_some() => "failure",
        Input::Fetched(_) => "fetched",
        Input::Completed(Ok(Saved::Kept)) => "kept",
        Input::Completed(Ok(Saved::Late(_))) => "late",
        Input::Loaded(Err(error)) | Input::Begun(Err(error)) | Input::Completed(Err(error)) => failed(error),
    };
    let before = format!("{:?}{has_own}: {word}", protocol.state);
    let action = protocol.step(input, now, elapsed);
    (format!("{before} -> {}", label(&action)), action)
}

impl Script {
    fn run(&self, taken: &mut BTreeSet<String>) {
        let (has_store, requires_store) = match &*self.store {
            "" => (true, false),
            "required" => (true, true),
            "none" => (false, false),
            other => panic!("`{other}` is no store"),
        };
        let max_age = self.max_age.as_deref().map(span);
        let settings = Settings { requires_store, max_age, ..Settings::default() };
        let kind = match &*self.kind {
            "" => FetchKind::Due,
            "forced" => FetchKind::Forced,
            "answers" => FetchKind::SiteAnswers(true),
            other => panic!("`{other}` is no kind"),
        };
        let remembered = self.memory.as_ref().or(self.unsaved.as_ref()).map(|text| {
            let site = Site::resume(record(text), settings.policy);
            let mut own = CachedSite::new(origin(), site.into(), &comity::Dialect::STANDARD, Vec::new());
            own.is_saved = self.unsaved.is_none();
            own
        });
        let origin = origin();
        let mut protocol = LeaseProtocol::new(&origin, kind, &settings, has_store, remembered.as_ref());
        let (mut elapsed, mut last) = (Duration::ZERO, None);
        for (nth, step) in self.steps.iter().enumerate() {
            let title = format!("{}, step {}", self.name, nth + 1);
            elapsed += step.at.as_deref().map(span).unwrap_or_default();
            if let Some(Action::Wait(time)) = &last {
                elapsed += *time;
            }
            let input = match (&last, &step.input) {
                (None, None) if nth == 0 => Input::Start,
                (Some(action), Some(text)) => input(text, action, START + elapsed),
                _ => panic!("{title}: the first step has no input, and each other step answers an action"),
            };
            let (words, action) = transition(&mut protocol, input, START + elapsed, elapsed);
            taken.insert(words);
            check(&action, &step.expect, &title);
            assert_eq!(protocol.failure.take().map(|(_, what)| what), step.failure.as_deref(), "{title}");
            last = Some(action).filter(|action| !matches!(action, Action::Answer(_) | Action::Fail(_)));
        }
        assert!(last.is_none(), "{}: the question is not answered", self.name);
    }
}

#[test]
fn every_script_runs_and_every_transition_has_one() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/leases.toml");
    let file: File = toml::from_str(&fs::read_to_string(path).unwrap()).unwrap_or_else(|error| panic!("{error}"));
    let (mut names, mut taken) = (BTreeSet::new(), BTreeSet::new());
    for script in &file.script {
        assert!(names.insert(&script.name), "`{}` is there twice", script.name);
        script.run(&mut taken);
    }
    let missing: Vec<String> = random_transitions().difference(&taken).cloned().collect();
    assert!(missing.is_empty(), "no script for {} transitions:\n{}", missing.len(), missing.join("\n"));
}
