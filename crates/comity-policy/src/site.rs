//! The state machine of an origin: its next action, and the ruling that applies.

use std::time::Duration;

use comity::Origin;
use url::Url;

use crate::attempt::{Running, Terms};
use crate::event::{Event, Failure};
use crate::head::Head;
use crate::policy::{Effect, Policy};
use crate::record::StoredRecord;
use crate::ruling::{Ruling, has_just_answered};
use crate::time::Time;

/// The number of decoded bytes of a body that are read: those that are parsed (RFC 9309 §2.5), and two that tell
/// whether the last line was cut.
pub const BODY_LIMIT: usize = comity::READ_LIMIT;

/// The next action for the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub enum Action {
    /// Do nothing until this time, at which the next attempt is due or the current request times out.
    Wait(Time),
    /// Send this request for the file, once and without following redirects. Then pass the head of the response or the
    /// failure to [`Site::handle`].
    Send(Request),
    /// Send this request for a page of the site, in the same way. The body of the response is not needed.
    Probe(Request),
    /// Read and decode more of the body. Then pass the bytes, the end or the failure to [`Site::handle`].
    Read {
        /// The maximum number of bytes to read, after decoding.
        max_bytes: usize,
        /// The time when the attempt times out.
        deadline: Time,
    },
    /// The attempt has ended. Close the connection if the body was not read to its end, and store the
    /// [record](Site::record).
    Finish,
}

/// A GET request, which is conditional if it has validators.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request {
    /// The URL to request.
    pub url: Url,
    /// The number of redirects that led to this URL.
    pub hop: usize,
    /// The values for `If-None-Match` and `If-Modified-Since`.
    pub validators: Option<Validators>,
    /// The time when the request times out.
    pub deadline: Time,
}

impl Request {
    /// Creates a request for any URL, for callers that fetch pages in the same way as robots.txt files.
    pub fn for_page(url: Url, hop: usize, deadline: Time) -> Self {
        Self { url, hop, validators: None, deadline }
    }
}

/// The validators of a copy, for a conditional request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Validators {
    /// The value for `If-None-Match`.
    pub etag: Option<String>,
    /// The value for `If-Modified-Since`.
    pub last_modified: Option<String>,
}

/// An input from the caller.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Input<'a> {
    /// The head of the response to a request.
    Head(Head),
    /// Decoded bytes of the body.
    Bytes(&'a [u8]),
    /// The end of the body. Its length or its last chunk proved that it is complete.
    End,
    /// The request failed, before or during the response. The text has details for people.
    Failed(Failure, &'a str),
    /// True if the site's pages answer, as the caller knows from crawling them. May be passed at any time. Valid for a
    /// day; in place of a probe, for five minutes.
    SiteAnswers(bool),
}

/// A state machine that fetches the robots.txt of an origin, and tells which access applies meanwhile.
///
/// It does no I/O: [`poll`](Self::poll) returns the next action, and [`handle`](Self::handle) takes its result. Both
/// take the current time. An attempt ends with [`Action::Finish`]. Then [`last_ruling`](Self::last_ruling) returns its
/// meaning, and [`ruling`](Self::ruling) the ruling that applies until the next attempt is due.
///
/// ```
/// use comity::{Origin, Robots};
/// use comity_policy::{Access, Action, Head, Input, Policy, Site, Time};
///
/// let mut now = Time::from_unix_seconds(1_800_000_000);
/// let mut site = Site::new(&Origin::of("https://example.com/a")?, Policy::STANDARD);
///
/// let Action::Send(request) = site.poll(now) else { panic!() };
/// assert_eq!(request.url.as_str(), "https://example.com/robots.txt");
/// site.handle(Input::Head(Head::http(200).with("cache-control", b"max-age=3600")), now);
/// site.handle(Input::Bytes(b"User-agent: *\nDisallow: /a\n"), now);
/// site.handle(Input::End, now);
/// assert_eq!(site.poll(now), Action::Finish);
///
/// assert_eq!(site.ruling(now).unwrap().access, Access::Rules);
/// let robots = Robots::parse(&site.record().copy.as_ref().unwrap().body);
/// assert!(robots.check(&comity::Crawler::ANY, "/a").is_disallowed());
///
/// let Action::Wait(due) = site.poll(now) else { panic!() };
/// assert_eq!(due.since(now).as_secs(), 3600);
/// now = due;
/// assert_eq!(site.ruling(now), None, "an old copy is no ruling: ask again");
/// # Ok::<(), comity::OriginError>(())
/// ```
#[derive(Debug)]
pub struct Site {
    policy: Policy,
    record: StoredRecord,
    seed: u64,
    probes: bool,
    revalidates: bool,
    state: State,
}

#[derive(Debug)]
enum State {
    Idle,
    /// The next poll starts an attempt, even if none is due.
    Asked,
    Running(Box<Running>),
    /// An attempt has ended, and the next poll returns `Finish`.
    Finished,
}

impl Site {
    /// Creates the state machine of an origin without a record.
    pub fn new(origin: &Origin, policy: Policy) -> Self {
        Self::resume(StoredRecord::new(origin), policy)
    }

    /// Creates the state machine of an origin from its stored record. A record of another policy is used where
    /// possible: rules remain valid, but after any other result the file is fetched again.
    pub fn resume(record: StoredRecord, policy: Policy) -> Self {
        Self { policy, record, seed: 0, probes: false, revalidates: false, state: State::Idle }
    }

    /// Sets the seed for retry jitter and probe paths. Nothing else is random. Defaults to 0.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Enables probes for sites that answer 5xx for missing pages, if the policy allows them. When the file is answered
    /// with a 5xx, an attempt then makes up to two more requests: one for a page that cannot exist, and one for `/`.
    /// Disabled by default.
    #[must_use]
    pub fn with_probes(mut self) -> Self {
        self.probes = true;
        self
    }

    /// Enables conditional requests where the copy has validators. Disabled by default.
    #[must_use]
    pub fn with_revalidation(mut self) -> Self {
        self.revalidates = true;
        self
    }

    /// Returns the next action. Each request is returned once.
    pub fn poll(&mut self, now: Time) -> Action {
        if let State::Running(running) = &mut self.state {
            if let Some(action) = running.poll(now) {
                return action;
            }
            let event = running.timed_out();
            self.end(event, now);
        }
        match self.state {
            State::Finished => {
                self.state = State::Idle;
                Action::Finish
            }
            State::Idle if !self.is_due(now) => Action::Wait(self.due()),
            _ => self.begin(now),
        }
    }

    /// Processes the result of an action. Unexpected inputs are ignored.
    pub fn handle(&mut self, input: Input<'_>, now: Time) {
        if let Input::SiteAnswers(answers) = input {
            self.record.answers = Some((answers, now));
            // Stores count from the time of saving, so a report must not make the rest of the record fresh again.
            let left = self.due().since(now);
            self.record.fresh_for = self.record.fresh_for.map(|span| span.min(left));
        } else if let State::Running(running) = &mut self.state
            && let Some(event) = running.handle(input, now)
        {
            self.end(event, now);
        }
    }

    /// Makes an attempt due immediately.
    pub fn refresh(&mut self) {
        if matches!(self.state, State::Idle) {
            self.state = State::Asked;
        }
    }

    /// Returns the ruling that applies now, or `None` if an attempt is due; then [`poll`](Self::poll) starts it. If the
    /// policy gives an answer no lifetime, use the [`last_ruling`](Self::last_ruling) after the attempt.
    #[must_use]
    pub fn ruling(&self, now: Time) -> Option<Ruling> {
        if self.is_due(now) { None } else { self.last_ruling(now) }
    }

    /// Returns the ruling on the last attempt, even if another one is due, for callers that cannot make one. Returns
    /// `None` if there was no attempt.
    #[must_use]
    pub fn last_ruling(&self, now: Time) -> Option<Ruling> {
        Ruling::of(&self.record, &self.policy, now)
    }

    /// Returns the time when the next attempt is due.
    #[must_use]
    pub fn due(&self) -> Time {
        let Some(last) = &self.record.last else { return Time::default() };
        let is_ours = self.record.policy == self.policy.name || last.event.is_found();
        match self.policy.effect(last.event) {
            _ if !is_ours => Time::default(),
            Effect::Rules if self.record.whole_copy().is_none() => Time::default(),
            Effect::Rules | Effect::Absent | Effect::Denied => last.ended + self.policy.fresh_for(last.lifetime),
            Effect::Unreachable => last.ended + self.backoff(last.event, last.retry_after),
        }
    }

    /// Returns true if an attempt is due. If the clock was set back by more than a minute, an attempt is due, since a
    /// record from the future would stay fresh for too long.
    #[must_use]
    pub fn is_due(&self, now: Time) -> bool {
        const MAX_CLOCK_STEP: Duration = Duration::from_secs(60);
        let is_from_future = self.record.last.as_ref().is_some_and(|last| last.ended.since(now) > MAX_CLOCK_STEP);
        now >= self.due() || is_from_future
    }

    /// Returns the record, to be stored.
    pub fn record(&self) -> &StoredRecord {
        &self.record
    }

    /// Returns the record.
    pub fn into_record(self) -> StoredRecord {
        self.record
    }

    /// Returns the policy.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    fn begin(&mut self, now: Time) -> Action {
        let deadline = now + self.policy.deadline;
        // The origin of a damaged record may be invalid.
        let Some(url) = robots_url(&self.record.origin) else { return Action::Wait(deadline) };
        let probe = (self.probes && self.policy.probes).then(|| {
            let random = mix(self.seed ^ now.as_unix_millis() ^ fold(&self.record.origin));
            format!("/comity-asks-for-a-missing-page-{random:016x}")
        });
        let copy = self.record.whole_copy().filter(|_| self.revalidates);
        let validators = copy.and_then(|copy| {
            let validators = Validators { etag: copy.etag.clone(), last_modified: copy.last_modified.clone() };
            let has_any = validators.etag.is_some() || validators.last_modified.is_some();
            has_any.then(|| (copy.url.clone(), validators))
        });
        let site_answers = has_just_answered(&self.record, now);
        let (time, redirects) = (self.policy.deadline, self.policy.redirects);
        let mut running = Box::new(Running::new(url, Terms { time, redirects, probe, site_answers, validators }, now));
        let action = running.poll(now).unwrap_or(Action::Wait(deadline));
        self.state = State::Running(running);
        action
    }

    fn end(&mut self, event: Event, now: Time) {
        let State::Running(running) = std::mem::replace(&mut self.state, State::Finished) else { return };
        let mut ended = running.end(event, now);
        let record = &mut self.record;
        self.policy.name.clone_into(&mut record.policy);
        match self.policy.effect(event) {
            Effect::Unreachable => record.count_failure(&ended.attempt, now),
            effect => {
                record.end_failures();
                match (effect, event, &mut record.copy) {
                    (Effect::Rules, Event::NotModified, Some(copy)) => {
                        // RFC 9111 §4.3.4: fields that the response does not update are kept.
                        copy.lifetime = ended.attempt.lifetime.or(copy.lifetime);
                        ended.attempt.lifetime = copy.lifetime;
                        copy.confirmed = now;
                    }
                    (Effect::Rules, _, copy) => *copy = ended.copy,
                    (_, _, copy) => *copy = None,
                }
            }
        }
        let end = ended.attempt.ended;
        record.last = Some(ended.attempt);
        self.record.fresh_for = Some(self.due().since(end));
    }

    /// Returns the time until an unreachable file is requested again.
    fn backoff(&self, event: Event, retry_after: Option<Duration>) -> Duration {
        const MINUTE: Duration = Duration::from_secs(60);
        const HOUR: Duration = Duration::from_secs(60 * 60);
        let doubled = |first: Duration, most: Duration| {
            let times = 1_u32.checked_shl(self.record.failures.saturating_sub(1)).unwrap_or(u32::MAX);
            first.saturating_mul(times).min(most)
        };
        if matches!(event, Event::Status(429 | 503)) {
            return match retry_after {
                Some(asked) => asked.clamp(MINUTE, 24 * HOUR),
                None => doubled(MINUTE, 30 * MINUTE),
            };
        }
        // ± 20 %, so that sites that fail together are not requested together.
        let random = mix(self.seed ^ fold(&self.record.origin) ^ u64::from(self.record.failures));
        let permille = 800 + random % 401;
        doubled(5 * MINUTE, 6 * HOUR) * permille as u32 / 1000
    }
}

/// Returns the URL of the robots.txt of an origin, given as text.
fn robots_url(origin: &str) -> Option<Url> {
    let url = Url::parse(&format!("{origin}/robots.txt")).ok()?;
    let is_bare = url.has_host() && url.username().is_empty() && url.password().is_none();
    (is_bare && url.path() == "/robots.txt" && url.query().is_none() && url.fragment().is_none()).then_some(url)
}

/// Hashes a text (FNV-1a).
fn fold(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Returns a pseudorandom number for each number (splitmix64).
fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
