//! Inputs of the properties: policies, records, heads, and steps of callers.

use std::time::Duration;

use comity::Origin;
use comity_policy::{
    Action, Effect, Event, FailedDays, Failure, Fallback, Head, Input, Policy, Site, StoredRecord, Time,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use crate::walk::{ORIGIN, START, Step};

pub(crate) const FILE: &[u8] = b"User-agent: *\nDisallow: /private/\n";

#[rustfmt::skip] // a word per line says no more
pub(crate) const FAILURES: &[Failure] = &[
    Failure::Dns, Failure::Refused, Failure::Connect, Failure::Tls, Failure::Timeout, Failure::Reset,
    Failure::Truncated, Failure::InvalidResponse, Failure::Encoding, Failure::BadRedirect, Failure::Other,
];
#[rustfmt::skip] // a word per line says no more
const STATUSES: &[u16] = &[
    200, 204, 206, 301, 302, 304, 300, 401, 403, 404, 407, 408, 421, 425, 429, 500, 503, 100, 0, 999,
];
const LOCATIONS: &[&str] =
    &["/1", "/2", "/3", "/4", "/5", "/6", "/7", "//b.test/1", "/robots.txt", "ftp://a.test/", ""];
const TIMES: &[u64] = &[0, 1, 60, 300, 3_600, 86_400, 604_800, 2_592_000, 31_536_000, u64::MAX];

pub(crate) fn preset() -> impl Strategy<Value = Policy> {
    select(Policy::ALL)
}

fn effect() -> impl Strategy<Value = Effect> {
    select(&[Effect::Rules, Effect::Absent, Effect::Denied, Effect::Unreachable][..])
}

fn fallback() -> impl Strategy<Value = Fallback> {
    const ALL: &[Fallback] = &[
        Fallback::CopyElseDisallow,
        Fallback::CopyElseAllow,
        Fallback::Disallow,
        Fallback::Allow,
        Fallback::AllowIfSiteAnswers,
    ];
    select(ALL)
}

pub(crate) fn seconds() -> impl Strategy<Value = Duration> {
    prop_oneof![select(TIMES), any::<u64>()].prop_map(Duration::from_secs)
}

/// A policy with unusual values.
pub(crate) fn odd_policy() -> impl Strategy<Value = Policy> {
    let effects = [effect().boxed(), effect().boxed(), effect().boxed(), effect().boxed()];
    let ladders = [fallback().boxed(), fallback().boxed(), fallback().boxed(), fallback().boxed()];
    let times = [seconds().boxed(), seconds().boxed(), seconds().boxed()];
    (any::<u8>(), effects, ladders, times, any::<bool>()).prop_map(|(redirects, effects, ladder, times, probes)| {
        let mut policy = Policy::STANDARD;
        policy.name = "odd";
        policy.redirects = redirects;
        [policy.redirects_end, policy.forbidden, policy.too_many_requests, policy.request_failed] = effects;
        policy.failed_days = u32::from(redirects);
        [policy.unreachable.first, policy.unreachable.then, policy.unreachable.last, policy.refused.last] = ladder;
        [policy.min_fresh, policy.max_fresh, policy.deadline] = times;
        policy.probes = probes;
        policy
    })
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        Just(Event::Found),
        Just(Event::NotModified),
        select(STATUSES).prop_map(Event::Status),
        any::<u16>().prop_map(Event::Status),
        select(&[550, 530, 425][..]).prop_map(Event::Ftp),
        Just(Event::RedirectLimit),
        Just(Event::RedirectLoop),
        (500..600_u16).prop_map(Event::ErrorForMissing),
        select(FAILURES).prop_map(Event::Failed),
    ]
}

/// Just where something ends, around the start, or anywhere.
fn time() -> impl Strategy<Value = Time> {
    let around = START.as_unix_millis();
    let end = select(&[300_u64, 43_200, 86_400, 2_592_000][..]);
    prop_oneof![
        2 => (end, 0..3_u64).prop_map(move |(end, millis)| Time::from_unix_millis(around - end * 1000 + millis - 1)),
        6 => (around - 40 * 86_400_000..around + 120_000).prop_map(Time::from_unix_millis),
        1 => any::<u64>().prop_map(Time::from_unix_millis),
    ]
}

/// A record that was fetched once, and then tampered with.
pub(crate) fn record() -> impl Strategy<Value = StoredRecord> {
    let last = option::weighted(0.9, (event(), time(), time(), option::of(seconds()), option::of(seconds())));
    let policy = select(&["standard", "google", "google-2019", "rfc9309", "strict", "archive", "odd", ""][..]);
    let failed_days = option::of((prop_oneof![0..7_u32, any::<u32>()], time()));
    let failing = (option::of(time()), prop_oneof![0..40_u32, any::<u32>()], failed_days);
    let copy = (any::<bool>(), any::<bool>());
    (last, policy, failing, option::of((any::<bool>(), time())), copy).prop_map(
        |(last, policy, (failing_since, failures, failed_days), answers, (copy, etag))| {
            let mut record = fetched();
            if !copy {
                record.copy = None;
            } else if let Some(copy) = &mut record.copy
                && !etag
            {
                copy.etag = None;
            }
            let of_last = record.last.take();
            record.last = last.zip(of_last).map(|((event, began, ended, lifetime, retry_after), mut attempt)| {
                (attempt.event, attempt.began, attempt.ended) = (event, began, ended);
                (attempt.lifetime, attempt.retry_after) = (lifetime, retry_after);
                attempt
            });
            policy.clone_into(&mut record.policy);
            (record.failing_since, record.failures, record.answers) = (failing_since, failures, answers);
            record.failed_days = failed_days
                .map(|(count, latest)| FailedDays { count, latest: latest.as_unix_millis() / (24 * 60 * 60 * 1000) });
            record
        },
    )
}

fn fetched() -> StoredRecord {
    let mut site = Site::new(&Origin::of(ORIGIN).unwrap(), Policy::STANDARD);
    let _ = site.poll(START);
    site.handle(Input::Head(Head::http(200).with("etag", b"\"1\"")), START);
    site.handle(Input::Bytes(FILE), START);
    site.handle(Input::End, START);
    assert_eq!(site.poll(START), Action::Finish);
    site.into_record()
}

fn head() -> impl Strategy<Value = Head> {
    let status = prop_oneof![4 => select(STATUSES), 1 => any::<u16>()];
    let http = (status, option::weighted(0.8, select(LOCATIONS)), option::of(select(TIMES)), option::of(select(TIMES)))
        .prop_map(|(status, location, max_age, retry)| {
            let mut head = Head::http(status).with("ETag", b"\"1\"");
            if let Some(location) = location {
                head = head.with("Location", location.as_bytes());
            }
            if let Some(max_age) = max_age {
                head = head.with("Cache-Control", format!("max-age={max_age}").as_bytes());
            }
            if let Some(retry) = retry {
                head = head.with("Retry-After", retry.to_string().as_bytes());
            }
            head
        });
    prop_oneof![9 => http, 1 => select(&[150, 226, 550, 421][..]).prop_map(Head::ftp)]
}

pub(crate) fn steps(policy: impl Strategy<Value = Policy> + 'static) -> impl Strategy<Value = Vec<Step>> {
    let policy = policy.boxed();
    let waits = (0..400_000_u64).prop_map(Duration::from_millis);
    let long = (0..35 * 86_400_u64).prop_map(Duration::from_secs);
    let step = prop_oneof![
        12 => Just(Step::Poll),
        9 => head().prop_map(Step::Head),
        4 => prop_oneof![9 => 0..100_usize, 1 => 0..600_000_usize].prop_map(Step::Bytes),
        3 => Just(Step::End),
        3 => select(FAILURES).prop_map(Step::Fail),
        1 => any::<bool>().prop_map(Step::Answers),
        2 => Just(Step::Refresh),
        3 => prop_oneof![(0..8_000_u64).prop_map(Duration::from_millis), waits.clone(), long.clone()].prop_map(Step::Later),
        1 => prop_oneof![waits, long].prop_map(Step::Earlier),
        4 => Just(Step::Due),
        1 => policy.prop_map(Step::Resume),
    ];
    vec(step, 0..120)
}

/// A header field that sets the lifetime of an answer, as its sender means it.
#[derive(Clone, Debug)]
pub(crate) enum Said {
    /// `max-age`; `None` is one that is not a number.
    MaxAge(Option<u64>),
    /// A directive that forbids to store the answer.
    Never(&'static str),
    /// A field that has no effect on the lifetime.
    Nothing(&'static str, &'static str),
    Age(u64),
    /// The seconds after the start; `None` is text that is no date.
    Expires(Option<u64>),
    Date(Option<u64>),
}

pub(crate) fn said() -> impl Strategy<Value = Vec<Said>> {
    const OTHERS: &[(&str, &str)] = &[
        ("Cache-Control", "public"),
        ("Cache-Control", "s-maxage=1, private"),
        ("Pragma", "no-cache"),
        ("X-Cache-Control", "max-age=1"),
        ("Server", "max-age=1"),
    ];
    let seconds = || prop_oneof![select(TIMES), 0..100_000_u64];
    let date = || option::weighted(0.9, 0..200_000_u64);
    let said = prop_oneof![
        3 => option::weighted(0.9, seconds()).prop_map(Said::MaxAge),
        1 => select(&["no-store", "no-cache", "NO-CACHE"][..]).prop_map(Said::Never),
        2 => select(OTHERS).prop_map(|(name, value)| Said::Nothing(name, value)),
        2 => seconds().prop_map(Said::Age),
        2 => date().prop_map(Said::Expires),
        2 => date().prop_map(Said::Date),
    ];
    vec(said, 0..6)
}
