//! The machine: what to do for an origin, and what counts.

use std::time::Duration;

use comity::Origin;
use url::Url;

use crate::attempt::{Running, Terms};
use crate::event::{Event, Failure};
use crate::head::Head;
use crate::policy::{Effect, Policy};
use crate::record::Record;
use crate::ruling::{Ruling, site_answers};
use crate::time::Time;

/// The number of bytes of a body that are read, after decoding: those that count, and two that tell whether the last line
/// was cut (RFC 9309 §2.5).
pub const LIMIT: usize = comity::READ_LIMIT;

/// What the caller is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub enum Action {
    /// Nothing until then: the next attempt, or the end of the time that a request has.
    Wait(Time),
    /// Send this request for the file, once, and follow no redirect; then tell the head of the answer, or the failure.
    Send(Request),
    /// The same for a page of the site, whose body does not matter.
    Probe(Request),
    /// Read the body: no more than so many bytes after decoding, and tell them, or its end, or the failure.
    Read {
        /// So many bytes.
        most: usize,
        /// Until then.
        deadline: Time,
    },
    /// An attempt is over: drop the connection if the body was not read to its end, and store the
    /// [record](Site::record).
    Finish,
}

/// A request: an unconditional GET, unless there are validators.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request {
    /// What to ask for.
    pub url: Url,
    /// How many redirects led here.
    pub hop: usize,
    /// What to send as `If-None-Match` and `If-Modified-Since`.
    pub validators: Option<Validators>,
    /// When it is of no more use.
    pub deadline: Time,
}

impl Request {
    /// A request for any URL, which no machine asked for: for callers who fetch pages as they fetch robots.txt files.
    pub fn for_page(url: Url, hop: usize, deadline: Time) -> Self {
        Self { url, hop, validators: None, deadline }
    }
}

/// What a copy can be asked about with.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Validators {
    /// For `If-None-Match`.
    pub etag: Option<String>,
    /// For `If-Modified-Since`.
    pub last_modified: Option<String>,
}

/// What the caller has to tell.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Input<'a> {
    /// The head of the answer to a request.
    Head(Head),
    /// Bytes of the body, decoded.
    Bytes(&'a [u8]),
    /// The body is complete: its length was right, its last chunk came.
    End,
    /// There is no answer, or no more of it; with what else is known, for people.
    Failed(Failure, &'a str),
    /// Whether the site's pages answer, as the caller knows from crawling them. May come at any time; holds for a day.
    SiteAnswers(bool),
}

/// What is known of an origin's robots.txt, what to do about it, and what counts meanwhile.
///
/// It does nothing by itself: [`poll`](Self::poll) says what to do, [`handle`](Self::handle) takes what came of it, and
/// both are told the time. An attempt ends in [`Action::Finish`]; then [`last_ruling`](Self::last_ruling) says what it
/// means, and [`ruling`](Self::ruling) what counts until the next one is due.
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
    record: Record,
    seed: u64,
    probes: bool,
    revalidates: bool,
    state: State,
}

#[derive(Debug)]
enum State {
    Idle,
    /// As soon as it is asked what to do, whether anything is due or not.
    Asked,
    Running(Box<Running>),
    /// An attempt is over, and the caller has not heard of it.
    Finished,
}

impl Site {
    /// An origin that nothing is known about.
    pub fn new(origin: &Origin, policy: Policy) -> Self {
        Self::resume(Record::new(origin), policy)
    }

    /// An origin as it was remembered. A record of another policy is used as far as it can be: rules are rules, but
    /// what another policy made of a failure is asked about anew.
    pub fn resume(record: Record, policy: Policy) -> Self {
        Self { policy, record, seed: 0, probes: false, revalidates: false, state: State::Idle }
    }

    /// What the random parts come of: the spread of retries, and the path of a probe. Nothing else is random.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// With probes for sites that answer 5xx for missing pages, if the policy knows them: at most two requests more
    /// when the file is answered so, to a page that can't exist and to `/`.
    #[must_use]
    pub fn with_probes(mut self) -> Self {
        self.probes = true;
        self
    }

    /// With conditional requests where the copy has something to ask with.
    #[must_use]
    pub fn with_revalidation(mut self) -> Self {
        self.revalidates = true;
        self
    }

    /// What to do now. Requests are told once.
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

    /// Takes what came of an action. What was not asked for is ignored.
    pub fn handle(&mut self, input: Input<'_>, now: Time) {
        if let Input::SiteAnswers(answers) = input {
            self.record.answers = Some((answers, now));
        } else if let State::Running(running) = &mut self.state
            && let Some(event) = running.handle(input, now)
        {
            self.end(event, now);
        }
    }

    /// Makes an attempt due now.
    pub fn refresh(&mut self) {
        if matches!(self.state, State::Idle) {
            self.state = State::Asked;
        }
    }

    /// What counts now; none if there is something to do first. Then [`poll`](Self::poll) says what. A policy may let
    /// an answer be good for no time at all: whoever waited for it takes the [`last_ruling`](Self::last_ruling).
    #[must_use]
    pub fn ruling(&self, now: Time) -> Option<Ruling> {
        if self.is_due(now) { None } else { self.last_ruling(now) }
    }

    /// What the last attempt means, even if another is due: for those who can't make one. None if there was none.
    #[must_use]
    pub fn last_ruling(&self, now: Time) -> Option<Ruling> {
        Ruling::of(&self.record, &self.policy, now)
    }

    /// When the next attempt is due.
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

    /// Whether an attempt is due. A clock that was set back by more than a minute makes everything due: what is from
    /// the future would stay fresh for too long.
    #[must_use]
    pub fn is_due(&self, now: Time) -> bool {
        const SLACK: Duration = Duration::from_secs(60);
        let is_from_future = self.record.last.as_ref().is_some_and(|last| last.ended.since(now) > SLACK);
        now >= self.due() || is_from_future
    }

    /// What is remembered, to be stored.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// What is remembered.
    pub fn into_record(self) -> Record {
        self.record
    }

    /// The policy in force.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    fn begin(&mut self, now: Time) -> Action {
        let deadline = now + self.policy.deadline;
        // A damaged record may have what is no origin.
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
        let site_answers = site_answers(&self.record, now) == Some(true);
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
                        // RFC 9111 §4.3.4: what the answer does not say anew stays as it was.
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

    /// How long to leave an unreachable file alone.
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
        // ± 20 %: sites that fail together must not be asked together.
        let random = mix(self.seed ^ fold(&self.record.origin) ^ u64::from(self.record.failures));
        let permille = 800 + random % 401;
        doubled(5 * MINUTE, 6 * HOUR) * permille as u32 / 1000
    }
}

/// Where an origin's robots.txt is, given its text.
fn robots_url(origin: &str) -> Option<Url> {
    let url = Url::parse(&format!("{origin}/robots.txt")).ok()?;
    let is_bare = url.has_host() && url.username().is_empty() && url.password().is_none();
    (is_bare && url.path() == "/robots.txt" && url.query().is_none() && url.fragment().is_none()).then_some(url)
}

/// A number of a text (FNV-1a).
fn fold(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// A number that looks random for each number (splitmix64).
fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
