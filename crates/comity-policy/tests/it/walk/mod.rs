//! A machine that is driven by anybody, and what must hold after each step.

use std::time::Duration;

use comity_policy::{
    Access, Action, BODY_LIMIT, Event, Failure, Head, Input, Policy, Ruling, Site, StoredRecord, Time,
};

use crate::naive;

pub(crate) const START: Time = Time::from_unix_seconds(1_800_000_000);
pub(crate) const ORIGIN: &str = "http://a.test";
/// In milliseconds.
const DAY: u64 = 24 * 60 * 60 * 1000;

/// An action of a caller, at any time, requested or not.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Poll,
    Head(Head),
    Bytes(usize),
    End,
    Fail(Failure),
    Answers(bool),
    Refresh,
    Later(Duration),
    Earlier(Duration),
    /// Sets the clock to the time of the next attempt.
    Due,
    Resume(Policy),
}

fn access(ruling: Ruling) -> &'static str {
    match ruling.access {
        Access::Rules => "rules",
        Access::AllowAll => "allow",
        Access::DisallowAll => "disallow",
        _ => "something new",
    }
}

/// Does the steps, and checks after each what must hold.
pub(crate) struct Walk {
    pub(crate) site: Site,
    pub(crate) policy: Policy,
    pub(crate) now: Time,
    /// The seed; true to probe; true to revalidate.
    pub(crate) options: (u64, bool, bool),
    /// True if the access can be compared with the table.
    is_preset: bool,
    /// The attempt in progress: its addresses, its probes, and the bytes that were accepted.
    asked: Option<(Vec<String>, usize, usize)>,
    /// True while the machine waits for bytes.
    reads: bool,
    /// As the table defines them, counted here a second time.
    since: Option<Time>,
    failures: u32,
    /// The number of days with a failure, and the latest of them.
    days: (u32, u64),
    /// At the end of time there is none left; some policies never have any.
    had_no_time: bool,
    /// All that the machine said, if it is to be kept.
    pub(crate) trace: Option<Vec<String>>,
}

impl Walk {
    pub(crate) fn new(record: StoredRecord, policy: Policy, options: (u64, bool, bool)) -> Self {
        let (since, failures) = (record.failing_since, record.failures);
        let ended = record.last.as_ref().map(|last| last.ended);
        let days = match (since, record.failed_days) {
            (None, _) => (0, 0),
            (Some(_), Some(days)) => (days.count.max(1), days.latest),
            // Records of old do not tell: that is one day, and the latest that they know of.
            (Some(since), None) => (1, ended.map_or(since, |ended| ended.max(since)).as_unix_millis() / DAY),
        };
        let is_preset = Policy::ALL.contains(&policy);
        let (asked, reads, had_no_time, trace) = (None, false, false, None);
        let site = Self::site(record, policy, options);
        Self { site, policy, now: START, options, is_preset, asked, reads, since, failures, days, had_no_time, trace }
    }

    pub(crate) fn site(record: StoredRecord, policy: Policy, (seed, probes, revalidates): (u64, bool, bool)) -> Site {
        let mut site = Site::resume(record, policy).with_seed(seed);
        if probes {
            site = site.with_probes();
        }
        if revalidates {
            site = site.with_revalidation();
        }
        site
    }

    pub(crate) fn go(&mut self, steps: &[Step]) {
        for step in steps {
            let before = self.site.record().clone();
            self.step(step);
            self.learn(&before);
            self.check();
        }
        // However it went, an attempt that is under way ends: so long after a moment that it was told of.
        let before = self.site.record().clone();
        if self.asked.is_some() {
            self.poll();
        }
        self.learn(&before);
        if self.asked.is_some() {
            self.now = self.now + self.policy.deadline;
            let before = self.site.record().clone();
            assert_eq!(self.site.poll(self.now), Action::Finish, "an attempt lasts beyond its time");
            self.learn(&before);
            self.check();
        }
    }

    fn step(&mut self, step: &Step) {
        let zeros;
        let input = match step {
            Step::Poll => return self.poll(),
            Step::Head(head) => Input::Head(head.clone()),
            Step::Bytes(count) => {
                zeros = vec![0; *count];
                Input::Bytes(&zeros)
            }
            Step::End => Input::End,
            Step::Fail(failure) => Input::Failed(*failure, "x"),
            Step::Answers(answers) => Input::SiteAnswers(*answers),
            Step::Refresh => return self.site.refresh(),
            Step::Later(by) => return self.now = self.now + *by,
            Step::Earlier(by) => {
                let millis = self.now.as_unix_millis().saturating_sub(by.as_millis() as u64);
                return self.now = Time::from_unix_millis(millis);
            }
            Step::Due => return self.now = self.now.max(self.site.due()),
            Step::Resume(policy) => {
                self.policy = *policy;
                self.site = Self::site(self.site.record().clone(), *policy, self.options);
                (self.asked, self.reads) = (None, false);
                return;
            }
        };
        if let (Input::Bytes(bytes), Some((_, _, taken)), true) = (&input, &mut self.asked, self.reads) {
            *taken = BODY_LIMIT.min(*taken + bytes.len());
        }
        self.site.handle(input, self.now);
    }

    fn poll(&mut self) {
        let action = self.site.poll(self.now);
        self.had_no_time |= self.now + self.policy.deadline == self.now;
        if let Some(trace) = &mut self.trace {
            trace.push(format!("{action:?}"));
        }
        self.reads = matches!(action, Action::Read { .. });
        let (seed_probes, redirects) = (self.options.1, usize::from(self.policy.redirects));
        match action {
            Action::Send(request) => {
                let (urls, probes, _) = self.asked.get_or_insert_default();
                assert_eq!(*probes, 0, "the file is asked for after a probe");
                assert_eq!(request.hop, urls.len());
                assert!(self.now < request.deadline && request.deadline <= self.now + self.policy.deadline);
                if urls.is_empty() {
                    assert_eq!(request.url.as_str(), "http://a.test/robots.txt");
                }
                assert!(matches!(request.url.scheme(), "http" | "https"));
                assert!(!urls.contains(&request.url.to_string()), "asked for twice: {}", request.url);
                if request.validators.is_some() {
                    let copy = self.site.record().copy.as_ref().map(|copy| copy.url.as_str());
                    assert!(self.options.2 && copy == Some(request.url.as_str()), "a copy is asked about elsewhere");
                }
                urls.push(request.url.to_string());
                assert!(urls.len() <= redirects + 1, "{urls:?}");
            }
            Action::Probe(request) => {
                assert!(seed_probes && self.policy.probes, "a probe that nobody asked for");
                let (_, probes, _) = self.asked.as_mut().expect("a probe comes after a request");
                *probes += 1;
                assert!(*probes <= 2, "{probes} probes");
                assert!(request.url.as_str().starts_with("http://a.test/") && request.validators.is_none());
            }
            Action::Read { max_bytes, .. } => {
                let (_, _, taken) = self.asked.as_ref().expect("a body comes after a request");
                assert!(max_bytes > 0 && taken + max_bytes <= BODY_LIMIT, "{max_bytes} more than {taken}");
            }
            Action::Finish => {
                assert!(self.asked.take().is_some() || self.had_no_time, "what is finished?");
            }
            _ => {}
        }
    }

    /// Sees what an attempt that ended did to the record.
    fn learn(&mut self, before: &StoredRecord) {
        let record = self.site.record();
        let mut unchanged = before.clone();
        unchanged.answers = record.answers;
        if record.last == before.last && record.fresh_for <= before.fresh_for {
            // Stores count the lifetime from the time of saving, so a report shortens it.
            unchanged.fresh_for = record.fresh_for;
        }
        if *record == unchanged {
            return;
        }
        let last = record.last.as_ref().unwrap();
        assert_eq!(last.ended, self.now);
        if !self.is_preset {
            return;
        }
        if naive::is_unreachable(last.event, self.policy.name) {
            let began = last.began.min(last.ended);
            // What we refused ourselves for a month is not what the site failed to answer for a month.
            let is_refusal = |event| naive::end(event, self.policy.name) == "refused";
            if before.last.as_ref().is_some_and(|before| is_refusal(before.event)) && !is_refusal(last.event) {
                self.since = None;
            }
            let day = last.ended.as_unix_millis() / DAY;
            self.days = match (self.since, self.days) {
                (None, _) => (1, day),
                (Some(_), (count, latest)) if day > latest => (count.saturating_add(1), day),
                (Some(_), days) => days,
            };
            self.since = Some(self.since.map_or(began, |since| since.min(began)));
            self.failures = self.failures.saturating_add(1);
            assert_eq!(record.copy, before.copy, "a failure changes the copy");
        } else {
            (self.since, self.failures, self.days) = (None, 0, (0, 0));
            let is_found = matches!(last.event, Event::Found | Event::NotModified);
            assert_eq!(record.copy.is_some(), is_found, "{:?}", last.event);
        }
        if let (Event::NotModified, Some(old), Some(copy)) = (last.event, &before.copy, &record.copy) {
            assert!(self.options.2 && old.body == copy.body && old.fetched == copy.fetched);
        }
    }

    fn check(&mut self) {
        let record = self.site.record();
        assert_eq!(record.origin, ORIGIN, "another origin's entry");
        assert!(record.copy.as_ref().is_none_or(|copy| copy.body.len() <= BODY_LIMIT));
        let (ruling, last) = (self.site.ruling(self.now), self.site.last_ruling(self.now));
        if let Some(trace) = &mut self.trace {
            trace.push(format!("{ruling:?} {last:?} {:?}", self.site.due()));
        }
        assert!(ruling.is_none() || ruling == last);
        assert_eq!(last.is_some(), record.last.is_some());
        if !self.is_preset {
            return;
        }
        let name = self.policy.name;
        assert_eq!(last.map(access), naive::counts(record, (self.since, self.days.0), name, self.now), "{last:?}");
        if let Some(last) = last.filter(|ruling| ruling.access == Access::AllowAll) {
            assert_eq!(last.is_allowed_by_failure(), naive::is_unreachable(last.event, name));
        }
        // Nothing counts past its time, and nothing is asked for before it.
        let (earliest, latest) = naive::due(record, self.failures, name);
        let is_from_future = record.last.as_ref().is_some_and(|last| last.ended > self.now + naive::MINUTE);
        match ruling {
            Some(ruling) => assert!(self.now < latest && !is_from_future, "{ruling:?} counts past its time"),
            None => assert!(self.now >= earliest || is_from_future, "{last:?} would still count"),
        }
    }
}
