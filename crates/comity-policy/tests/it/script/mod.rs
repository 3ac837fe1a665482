//! Scripts of fetches as data, in `testdata/policy`: what a site answers and when, what is to be done, and what counts.
//!
//! ```toml
//! [[script]]
//! name = "forbidden"                        # unique among all scripts
//! clause = "RFC 9309 §2.3.1.3"              # where the expectations come from
//! why = "401 and 403 say who may read it."  # optional
//! policy = "strict"                         # one, or several: ["google", "strict"]; default: all presets
//! origin = "ftp://example.com"              # whose file it is; default: http://a.test
//! probe = true                              # with probes; default: without
//! revalidate = true                         # with conditional requests; default: without
//! seed = 7                                  # of what is random; default: 0
//! copy = true                               # begins when a copy has become due
//! each = ["401", "403"]                     # runs once for each of these, put in place of `{}` in its steps
//! steps = [
//!   { expect = "send http://a.test/robots.txt" },
//!   { input = "head {}", fields = ["Cache-Control: max-age=60"] },
//!   { expect = "finish", ruling = { is = "allow", strict = "disallow" }, row = "forbidden" },
//!   { at = "+5m", ruling = "none", answer = "200", body = "" },
//! ]
//! ```
//!
//! A step does what it has of these, in this order:
//!
//! - `at`: lets time pass (`+12h`, `+30d 1s`), or sets the clock back (`-1h`). It starts at Fri, 15 Jan 2027 08:00:00 GMT.
//! - `input`: tells the machine something: `head 200` or `ftp 550` (with `fields`), `bytes TEXT`, `zeros N` (so many
//!   bytes), `end`, `fail KIND`, `answers yes`, `answers no`. Or does something to it: `refresh`; `resume`, or `resume
//!   POLICY`, makes a new one of its record; `lose the copy` and `origin TEXT` damage the record before that; `forget
//!   the days` makes it one of a version that did not count them.
//! - `answer`: a whole answer: a request must be due; then a head as above without the word (`404`, `ftp 550`, with
//!   `fields`) and `body` if it is asked for (by default a robots.txt), or a failure (`fail dns`). If that ends the
//!   attempt, `finish` must follow.
//! - `expect`: what the machine says is to be done: `send URL`, `probe URL`, `read N`, `wait +5m`, `wait` (however
//!   long), `finish`. A request with validators ends in `if ETAG` or `since DATE`, or both.
//! - `ruling` and `last`: what counts, and what the last attempt means: `rules`, `allow`, `disallow`, `none`.
//! - `row` and `rung`: why; `rung` is `-` or left out if there is none. `event`: how the attempt ended, as in
//!   `failed timeout`.
//! - `due`: when the next attempt is.
//! - `copy`: whether there is one. `kept`: how many bytes of it. `from`: its URL.
//! - `hops`: what was asked for in the last attempt, with the statuses: `["http://a.test/robots.txt 404"]`.
//!
//! A time with `~` instead of `+` has a spread of 20 % to either side. A text may end in `*`: then its start counts.
//! An expectation is one for all policies, or a table of them by policy, where `is` holds for those without a key.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use comity::Origin;
use comity_policy::{
    Access, Action, Failure, Head, Input, Policy, Request, Row, Ruling, Rung, Site, StoredRecord, Time,
};
use serde::Deserialize;

const START: Time = Time::from_unix_seconds(1_800_000_000);
const RULES: &str = "User-agent: *\nDisallow: /private/\n";
#[rustfmt::skip] // a word per line says no more
const FAILURES: [Failure; 11] = [
    Failure::Dns, Failure::Refused, Failure::Connect, Failure::Tls, Failure::Timeout, Failure::Reset,
    Failure::Truncated, Failure::InvalidResponse, Failure::Encoding, Failure::BadRedirect, Failure::Other,
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    pub(crate) script: Vec<Script>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Script {
    pub(crate) name: String,
    pub(crate) clause: String,
    #[serde(default, rename = "why")]
    _why: String,
    policy: Option<Names>,
    #[serde(default = "origin")]
    origin: String,
    #[serde(default)]
    probe: bool,
    #[serde(default)]
    revalidate: bool,
    #[serde(default)]
    seed: u64,
    #[serde(default)]
    copy: bool,
    #[serde(default = "once")]
    pub(crate) each: Vec<String>,
    steps: Vec<Step>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    at: Option<String>,
    input: Option<String>,
    answer: Option<String>,
    #[serde(default)]
    fields: Vec<String>,
    body: Option<String>,
    expect: Option<Expected>,
    ruling: Option<Expected>,
    last: Option<Expected>,
    row: Option<Expected>,
    rung: Option<Expected>,
    event: Option<Expected>,
    due: Option<Expected>,
    copy: Option<Expected>,
    kept: Option<usize>,
    from: Option<String>,
    hops: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Names {
    One(String),
    Several(Vec<String>),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Expected {
    Text(String),
    Flag(bool),
    ByPolicy(BTreeMap<String, Expected>),
}

/// The cells of the table that have been seen, to check at the end that none is missing.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) rows: BTreeSet<(Row, &'static str)>,
    /// True for a refusal by the address rules, the rung, true with a copy, the policy.
    pub(crate) rungs: BTreeSet<(bool, Rung, bool, &'static str)>,
    /// The lifetime of a definite answer, and the policy.
    pub(crate) fresh: BTreeSet<(Duration, &'static str)>,
    /// The delays after failures: true with a spread, and the policy.
    pub(crate) retries: BTreeSet<(bool, &'static str)>,
}

fn origin() -> String {
    "http://a.test".to_owned()
}

fn once() -> Vec<String> {
    vec![String::new()]
}

impl Expected {
    fn of(&self, policy: &str) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Flag(flag) => flag.to_string(),
            Self::ByPolicy(by) => {
                let names = |key: &String| key == "is" || Policy::named(key).is_some();
                assert!(by.keys().all(names), "a key is no policy: {:?}", by.keys());
                let one = by.get(policy).or_else(|| by.get("is"));
                one.unwrap_or_else(|| panic!("nothing is expected under {policy}")).of(policy)
            }
        }
    }
}

impl Script {
    pub(crate) fn policies(&self) -> Vec<Policy> {
        let policy = |name: &String| Policy::named(name).unwrap_or_else(|| panic!("no policy `{name}`"));
        match &self.policy {
            None => Policy::ALL.to_vec(),
            Some(Names::One(name)) => vec![policy(name)],
            Some(Names::Several(names)) => names.iter().map(policy).collect(),
        }
    }

    pub(crate) fn run(&self, policy: Policy, each: &str, seen: &mut Seen) {
        let record = StoredRecord::new(&Origin::of(&self.origin).expect("an origin"));
        let mut play = Play { script: self, policy, each, now: START, site: self.site(record, policy) };
        if self.copy {
            play.answer("200", &Step::default());
            play.now = play.site.due();
        }
        for (number, step) in self.steps.iter().enumerate() {
            play.act(step);
            play.check(step, number, seen);
        }
    }

    fn site(&self, record: StoredRecord, policy: Policy) -> Site {
        let mut site = Site::resume(record, policy).with_seed(self.seed);
        if self.probe {
            site = site.with_probes();
        }
        if self.revalidate {
            site = site.with_revalidation();
        }
        site
    }
}

/// A script under way.
struct Play<'s> {
    script: &'s Script,
    policy: Policy,
    each: &'s str,
    now: Time,
    site: Site,
}

impl Play<'_> {
    fn act(&mut self, step: &Step) {
        if let Some(at) = &step.at {
            let by = duration(&at[1..]);
            self.now = match at.as_bytes()[0] {
                b'+' => self.now + by,
                b'-' => Time::from_unix_millis(self.now.as_unix_millis() - by.as_millis() as u64),
                _ => panic!("`at` begins with + or -: {at}"),
            };
        }
        if let Some(input) = &step.input {
            self.input(&input.replace("{}", self.each), step);
        }
        if let Some(answer) = &step.answer {
            self.answer(&answer.replace("{}", self.each), step);
        }
    }

    fn input(&mut self, input: &str, step: &Step) {
        let (word, rest) = input.split_once(' ').unwrap_or((input, ""));
        let zeros;
        let input = match (word, rest) {
            ("head", status) => Input::Head(self.with_fields(Head::http(number(status)), step)),
            ("ftp", code) => Input::Head(self.with_fields(Head::ftp(number(code)), step)),
            ("bytes", text) => Input::Bytes(text.as_bytes()),
            ("zeros", count) => {
                zeros = vec![0; number(count)];
                Input::Bytes(&zeros)
            }
            ("end", "") => Input::End,
            ("fail", kind) => {
                let kind = FAILURES.into_iter().find(|failure| plain(failure) == kind);
                Input::Failed(kind.expect("a failure"), "as the script says")
            }
            ("answers", "yes") => Input::SiteAnswers(true),
            ("answers", "no") => Input::SiteAnswers(false),
            ("refresh", "") => return self.site.refresh(),
            ("resume", name) => {
                let policy = if name.is_empty() { Some(self.policy) } else { Policy::named(name) };
                self.policy = policy.expect("a policy");
                return self.resume(|_| ());
            }
            ("lose", "the copy") => return self.resume(|record| record.copy = None),
            ("forget", "the days") => return self.resume(|record| record.failed_days = None),
            ("origin", text) => return self.resume(|record| text.clone_into(&mut record.origin)),
            _ => panic!("what is `{input}`?"),
        };
        self.site.handle(input, self.now);
    }

    fn with_fields(&self, head: Head, step: &Step) -> Head {
        step.fields.iter().fold(head, |head, field| {
            let field = field.replace("{}", self.each);
            let (name, value) = field.split_once(':').expect("Name: value");
            head.with(name, value.strip_prefix(' ').unwrap_or(value).as_bytes())
        })
    }

    fn resume(&mut self, change: impl FnOnce(&mut StoredRecord)) {
        let mut record = self.site.record().clone();
        change(&mut record);
        self.site = self.script.site(record, self.policy);
    }

    fn answer(&mut self, answer: &str, step: &Step) {
        let action = self.site.poll(self.now);
        assert!(matches!(action, Action::Send(_) | Action::Probe(_)), "a request is answered, and there is {action:?}");
        let before = self.site.record().last.clone();
        let failed = answer.starts_with("fail ");
        let head = if failed || answer.starts_with("ftp ") { answer.to_owned() } else { format!("head {answer}") };
        self.input(&head, step);
        let is_over = |play: &Self| play.site.record().last != before;
        if matches!(action, Action::Send(_)) && answer.ends_with("200") || answer == "ftp 150" {
            assert!(matches!(self.site.poll(self.now), Action::Read { .. }), "the body is wanted");
            let body = step.body.as_deref().unwrap_or(RULES);
            self.site.handle(Input::Bytes(body.as_bytes()), self.now);
            self.site.handle(Input::End, self.now);
            assert!(is_over(self), "a body ends an attempt");
        }
        if is_over(self) {
            assert_eq!(self.site.poll(self.now), Action::Finish);
        }
    }

    fn check(&mut self, step: &Step, number: usize, seen: &mut Seen) {
        let policy = self.policy;
        let each = self.each;
        let title = format!("{} {each} ({}), step {}", self.script.name, policy.name, number + 1);
        let of = |expected: &Option<Expected>| {
            expected.as_ref().map(|expected| expected.of(policy.name).replace("{}", each))
        };
        if let Some(expected) = of(&step.expect) {
            match (self.site.poll(self.now), expected.strip_prefix("wait ")) {
                (Action::Wait(until), Some(wait)) => wait_is(until.since(self.now), wait, &title),
                (Action::Wait(_), None) if expected == "wait" => {}
                (action, _) => is(&spell(&action), &expected, &title),
            }
        }
        let now = self.site.ruling(self.now);
        if let Some(expected) = of(&step.ruling) {
            assert_eq!(access(now), expected, "{title}: {now:?}");
        }
        let last = self.site.last_ruling(self.now);
        if let Some(expected) = of(&step.last) {
            assert_eq!(access(last), expected, "{title}: {last:?}");
        }
        let record = self.site.record();
        if let Some(row) = of(&step.row) {
            let ruling = last.unwrap_or_else(|| panic!("{title}: there was no attempt"));
            assert_eq!(plain(&ruling.row), row, "{title}");
            let rung = of(&step.rung).filter(|rung| rung != "-");
            assert_eq!(ruling.rung.map(|rung| plain(&rung)), rung, "{title}");
            assert_eq!(ruling.policy, policy.name);
            if step.ruling.is_some() && now.is_some() || step.last.is_some() {
                assert_eq!(ruling.is_allowed_by_failure(), rung.is_some() && access(last) == "allow", "{title}");
                seen.rows.insert((ruling.row, policy.name));
                if let Some(rung) = ruling.rung {
                    seen.rungs.insert((ruling.row == Row::Refused, rung, record.copy.is_some(), policy.name));
                }
            }
        } else {
            assert!(step.rung.is_none(), "{title}: a rung needs a row");
        }
        if let Some(expected) = of(&step.event) {
            assert_eq!(record.last.as_ref().map(|last| plain(&last.event)), Some(expected), "{title}");
        }
        if let Some(expected) = of(&step.due) {
            let due = self.site.due().since(self.now);
            wait_is(due, &expected, &title);
            match last {
                Some(ruling) if ruling.rung.is_some() => {
                    seen.retries.insert((expected.starts_with('~'), policy.name));
                }
                Some(_) => {
                    seen.fresh.insert((due, policy.name));
                }
                None => {}
            }
        }
        if let Some(expected) = of(&step.copy) {
            assert_eq!(record.copy.is_some().to_string(), expected, "{title}");
        }
        if step.kept.is_some() {
            assert_eq!(record.copy.as_ref().map(|copy| copy.body.len()), step.kept, "{title}");
        }
        if step.from.is_some() {
            assert_eq!(record.copy.as_ref().map(|copy| copy.url.clone()), step.from, "{title}");
        }
        if let Some(expected) = &step.hops {
            let hops = record.last.iter().flat_map(|last| &last.hops);
            let hops: Vec<_> = hops.map(|hop| format!("{} {}", hop.url, hop.status.unwrap_or(0))).collect();
            let expected: Vec<_> = expected.iter().map(|hop| hop.replace("{}", each)).collect();
            assert_eq!(hops, expected, "{title}");
        }
    }
}

fn number<T: std::str::FromStr>(text: &str) -> T {
    text.parse().unwrap_or_else(|_| panic!("`{text}` is no number, or too large"))
}

/// `12h`, `30d 1s`.
fn duration(text: &str) -> Duration {
    let part = |part: &str| {
        let (count, unit) = part.split_at(part.find(|c: char| !c.is_ascii_digit()).expect("a unit"));
        let millis = match unit {
            "d" => 24 * 60 * 60 * 1000,
            "h" => 60 * 60 * 1000,
            "m" => 60 * 1000,
            "s" => 1000,
            "ms" => 1,
            _ => panic!("`{unit}` is no unit of time"),
        };
        Duration::from_millis(number::<u64>(count) * millis)
    };
    text.split(' ').map(part).sum()
}

#[track_caller]
fn wait_is(wait: Duration, expected: &str, title: &str) {
    let about = duration(&expected[1..]);
    let range = match expected.as_bytes()[0] {
        b'+' => about..=about,
        b'~' => about * 8 / 10..=about * 12 / 10,
        _ => panic!("a time begins with + or ~: {expected}"),
    };
    assert!(range.contains(&wait), "{title}: {wait:?}, not {expected}");
}

#[track_caller]
fn is(found: &str, expected: &str, title: &str) {
    match expected.strip_suffix('*') {
        Some(start) => assert!(found.starts_with(start), "{title}: `{found}`, not `{expected}`"),
        None => assert_eq!(found, expected, "{title}"),
    }
}

fn spell(action: &Action) -> String {
    match action {
        Action::Send(request) => format!("send {}", request_text(request)),
        Action::Probe(request) => format!("probe {}", request_text(request)),
        Action::Read { max_bytes, .. } => format!("read {max_bytes}"),
        Action::Wait(until) => format!("wait until {until}"),
        Action::Finish => "finish".to_owned(),
        other => format!("{other:?}"),
    }
}

fn request_text(request: &Request) -> String {
    let mut text = request.url.to_string();
    if let Some(validators) = &request.validators {
        let named = [(" if ", &validators.etag), (" since ", &validators.last_modified)];
        text.extend(named.iter().flat_map(|(name, value)| value.iter().flat_map(move |value| [name, value.as_str()])));
    }
    text
}

fn access(ruling: Option<Ruling>) -> &'static str {
    match ruling.map(|ruling| ruling.access) {
        Some(Access::Rules) => "rules",
        Some(Access::AllowAll) => "allow",
        Some(Access::DisallowAll) => "disallow",
        _ => "none",
    }
}

/// Returns the name of a variant as written in data: `Failed(BadRedirect)` is `failed bad-redirect`.
pub(crate) fn plain(variant: &impl std::fmt::Debug) -> String {
    let mut text = String::new();
    for c in format!("{variant:?}").chars().filter(|c| *c != ')') {
        match c {
            '(' => text.push(' '),
            _ if c.is_ascii_uppercase() && !text.is_empty() && !text.ends_with(' ') => {
                text.extend(['-', c.to_ascii_lowercase()]);
            }
            _ => text.push(c.to_ascii_lowercase()),
        }
    }
    text
}
