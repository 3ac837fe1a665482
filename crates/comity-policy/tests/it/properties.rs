//! Properties that hold for all answers of a site, all actions of a caller, and all times.

use crate::naive;

use std::collections::BTreeSet;
use std::time::Duration;

use crate::arbitrary::{FAILURES, FILE, Said, odd_policy, preset, record, said, seconds, steps};
use crate::walk::{ORIGIN, START, Walk};
use comity::Origin;
use comity_policy::{
    Access, Action, BODY_LIMIT, Effect, Event, Failure, Head, Input, Policy, Request, Row, Site, StoredRecord, Time,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

fn config(cases: u32) -> ProptestConfig {
    // What fails is fixed and gets a test of its own; seeds of an earlier generator would say nothing.
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) }
}

proptest! {
    #![proptest_config(config(1_000))]

    #[test]
    fn table_holds_for_any_events(
        record in record(), policy in preset(), options in any::<(u64, bool, bool)>(), steps in steps(preset()),
    ) {
        Walk::new(record, policy, options).go(&steps);
    }

    #[test]
    fn policies_that_make_no_sense_do_no_harm(
        record in record(), policy in odd_policy(), options in any::<(u64, bool, bool)>(), steps in steps(odd_policy()),
    ) {
        Walk::new(record, policy, options).go(&steps);
    }
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn the_same_inputs_have_the_same_outputs(
        record in record(), policy in preset(), options in any::<(u64, bool, bool)>(), steps in steps(preset()),
    ) {
        let mut one = Walk::new(record.clone(), policy, options);
        one.trace = Some(Vec::new());
        one.go(&steps);
        let mut other = Walk::new(record, policy, options);
        other.trace = Some(Vec::new());
        other.go(&steps);
        prop_assert_eq!(one.trace, other.trace);
        prop_assert_eq!(one.site.record(), other.site.record());
    }

    /// A machine is its record and its options: a store that keeps the record between attempts loses nothing, with the body
    /// in it or apart.
    #[test]
    #[cfg(feature = "serde")]
    fn a_record_is_the_same_after_json(
        record in record(), policy in preset(), steps in steps(preset()), seed in any::<u64>(),
    ) {
        use comity::Robots;

        let mut walk = Walk::new(record, policy, (seed, true, true));
        walk.go(&steps);
        let record = walk.site.record();
        let whole: StoredRecord = serde_json::from_str(&serde_json::to_string(record).unwrap()).unwrap();
        prop_assert_eq!(&whole, record);
        prop_assert_eq!(whole.whole_copy().is_some(), record.whole_copy().is_some());

        let json = serde_json::to_string(&record.without_body()).unwrap();
        let mut again: StoredRecord = serde_json::from_str(&json).unwrap();
        let forgetful = Walk::site(again.clone(), walk.policy, walk.options);
        if let Some(ruling) = forgetful.last_ruling(walk.now).filter(|_| record.copy.is_some()) {
            prop_assert!(ruling.access != Access::Rules, "{}", ruling);
            // Only policies that ask for no copy allow anything without it.
            let with_body = walk.site.last_ruling(walk.now).unwrap();
            prop_assert!(ruling.access == Access::DisallowAll || with_body.access == Access::AllowAll, "{}", ruling);
        }
        if let (Some(copy), Some(stored)) = (&mut again.copy, &record.copy) {
            // Whoever forgets the body allows nothing.
            prop_assert!(!copy.has_body());
            prop_assert!(Robots::parse(&copy.body).check(&comity::Crawler::ANY, "/").is_disallowed());
            copy.body = stored.body.clone();
        }
        prop_assert_eq!(&again, record);
        let resumed = Walk::site(again, walk.policy, walk.options);
        prop_assert_eq!(resumed.ruling(walk.now), walk.site.ruling(walk.now));
        prop_assert_eq!(resumed.due(), walk.site.due());
    }
}

/// An answer of a site, and how long it takes.
#[derive(Clone, Debug)]
enum Answer {
    To(usize),
    Status(u16),
    File { sizes: Vec<usize>, failure: Option<Failure> },
    Fail(Failure),
}

fn answer() -> impl Strategy<Value = (Answer, u64)> {
    let size = prop_oneof![8 => 0..2_000_usize, 1 => 200_000..600_000_usize];
    let file = (vec(size, 0..5), option::weighted(0.2, select(FAILURES)));
    let answer = prop_oneof![
        6 => (0..9_usize).prop_map(Answer::To),
        3 => select(&[204_u16, 206, 304, 401, 404, 429, 500, 500, 500, 503][..]).prop_map(Answer::Status),
        2 => file.prop_map(|(sizes, failure)| Answer::File { sizes, failure }),
        1 => select(FAILURES).prop_map(Answer::Fail),
    ];
    (answer, 0..5_000_u64)
}

fn address(number: usize) -> String {
    match number {
        0 => "http://a.test/robots.txt".to_owned(),
        _ => format!("http://{}.test/{number}", ["a", "b", "c"][number % 3]),
    }
}

/// Returns the end of an attempt as the answers of the web require it, without the machine.
fn follow(web: &[(Answer, u64)], pages: Option<[(u16, u64); 2]>) -> (Event, Vec<String>, usize) {
    let (mut at, mut been, mut took) = (0, vec![0], 0);
    let (event, asked) = loop {
        let (answer, takes) = &web[at];
        took += takes;
        if took >= 30_000 {
            break (Event::Failed(Failure::Timeout), 0);
        }
        break match answer {
            Answer::To(next) if been.contains(next) => (Event::RedirectLoop, 0),
            Answer::To(_) if been.len() == 6 => (Event::RedirectLimit, 0),
            Answer::To(next) => {
                been.push(*next);
                at = *next;
                continue;
            }
            Answer::Status(204) => (Event::Found, 0),
            Answer::Status(status) => match pages {
                // Only what the site itself answers can be explained by a probe of it.
                Some([missing, home]) if status / 100 == 5 && at % 3 == 0 => {
                    let mut asked = 1;
                    let mut is_shown = took + missing.1 < 30_000 && missing.0 / 100 == 5;
                    if is_shown {
                        asked = 2;
                        is_shown = took + missing.1 + home.1 < 30_000 && home.0 / 100 == 2;
                    }
                    (if is_shown { Event::ErrorForMissing(*status) } else { Event::Status(*status) }, asked)
                }
                _ => (Event::Status(*status), 0),
            },
            Answer::File { sizes, failure } => match failure {
                Some(failure) if sizes.iter().sum::<usize>() < BODY_LIMIT => (Event::Failed(*failure), 0),
                _ => (Event::Found, 0),
            },
            Answer::Fail(failure) => (Event::Failed(*failure), 0),
        };
    };
    (event, been.into_iter().map(address).collect(), asked)
}

proptest! {
    #![proptest_config(config(1_000))]

    #[test]
    fn an_attempt_ends_as_the_web_has_it(
        web in vec(answer(), 9),
        pages in [(select(&[200_u16, 404, 500, 503][..]), 0..9_000_u64), (select(&[200_u16, 404, 500][..]), 0..9_000_u64)],
        policy in preset(), wants_probes in prop::bool::weighted(0.8),
    ) {
        let may_probe = wants_probes && matches!(policy.name, "standard" | "google-2019");
        let (event, addresses, probed) = follow(&web, may_probe.then_some(pages));

        let mut site = Walk::site(StoredRecord::new(&Origin::of(ORIGIN).unwrap()), policy, (7, wants_probes, true));
        let (mut now, mut probes, mut actions) = (START, 0, 0);
        let mut body = None;
        loop {
            actions += 1;
            prop_assert!(actions < 100, "it does not end");
            match site.poll(now) {
                Action::Send(Request { url, .. }) => {
                    let (answer, takes) = (0..9).find(|n| address(*n) == url.as_str()).map(|n| &web[n]).unwrap();
                    now = now + Duration::from_millis(*takes);
                    let head = match answer {
                        Answer::To(next) => Head::http(302).with("location", address(*next).as_bytes()),
                        Answer::Status(status) => Head::http(*status),
                        Answer::File { sizes, failure } => {
                            body = Some((sizes.iter(), *failure));
                            Head::http(200)
                        }
                        Answer::Fail(failure) => {
                            site.handle(Input::Failed(*failure, ""), now);
                            continue;
                        }
                    };
                    site.handle(Input::Head(head), now);
                }
                Action::Probe(request) => {
                    let (status, takes) = pages[probes];
                    prop_assert_eq!(probes == 1, request.url.path() == "/");
                    probes += 1;
                    now = now + Duration::from_millis(takes);
                    site.handle(Input::Head(Head::http(status)), now);
                }
                Action::Read { .. } => {
                    let (sizes, failure) = body.as_mut().unwrap();
                    match (sizes.next(), failure) {
                        (Some(size), _) => site.handle(Input::Bytes(&vec![b'#'; *size]), now),
                        (None, Some(failure)) => site.handle(Input::Failed(*failure, ""), now),
                        (None, None) => site.handle(Input::End, now),
                    }
                }
                Action::Finish => break,
                action => prop_assert!(false, "{action:?}"),
            }
        }
        let last = site.record().last.as_ref().unwrap();
        prop_assert_eq!(last.event, event);
        prop_assert_eq!(last.hops.iter().map(|hop| &hop.url).collect::<Vec<_>>(), addresses.iter().collect::<Vec<_>>());
        prop_assert_eq!(probes, probed);
        prop_assert_eq!((last.began, last.ended), (START, now));
    }

    #[test]
    fn an_answer_is_good_for_as_long_as_its_fields_say(fields in said()) {
        let date = |at: &Option<u64>| at.map_or("some day".to_owned(), |at| (START + Duration::from_secs(at)).to_string());
        let mut head = Head::http(200);
        for field in &fields {
            head = match field {
                Said::MaxAge(Some(age)) => head.with("Cache-Control", format!("max-age={age}").as_bytes()),
                Said::MaxAge(None) => head.with("CACHE-CONTROL", b"public, max-age=soon"),
                Said::Never(directive) => head.with("cache-control", directive.as_bytes()),
                Said::Nothing(name, value) => head.with(name, value.as_bytes()),
                Said::Age(age) => head.with("Age", age.to_string().as_bytes()),
                Said::Expires(at) => head.with("Expires", date(at).as_bytes()),
                Said::Date(at) => head.with("Date", date(at).as_bytes()),
            };
        }
        let ages = fields.iter().filter_map(|field| match field {
            Said::MaxAge(age) => Some(age.unwrap_or(0)),
            Said::Never(_) => Some(0),
            _ => None,
        });
        let age = fields.iter().find_map(|field| if let Said::Age(age) = field { Some(*age) } else { None });
        let expires = fields.iter().find_map(|field| if let Said::Expires(at) = field { Some(*at) } else { None });
        let sent = fields.iter().find_map(|field| if let Said::Date(at) = field { *at } else { None });
        let has_bad_date = matches!(fields.iter().find(|field| matches!(field, Said::Date(_))), Some(Said::Date(None)));
        let sent = if has_bad_date { 0 } else { sent.unwrap_or(0) };
        let expected = match (ages.min(), expires) {
            (Some(max_age), _) => Some(max_age.saturating_sub(age.unwrap_or(0))),
            (None, Some(at)) => Some(at.map_or(0, |at| at.saturating_sub(sent))),
            (None, None) => None,
        };
        prop_assert_eq!(head.lifetime(START), expected.map(Duration::from_secs));
    }

    #[test]
    fn any_field_of_any_bytes_can_be_read(
        fields in vec((select(&["location", "etag", "age", "date", "expires", "retry-after", "cache-control", "x"][..]),
            prop_oneof![vec(any::<u8>(), 0..40), "[-0-9a-zA-Z ,=\"]{0,40}".prop_map(String::into_bytes)]), 0..6),
        now in any::<u64>().prop_map(Time::from_unix_millis),
    ) {
        let read = |fields: &mut dyn Iterator<Item = &(&str, Vec<u8>)>| {
            fields.fold(Head::http(503), |head, (name, value)| head.with(name, value))
        };
        let head = read(&mut fields.iter());
        let _ = (head.lifetime(now), head.retry_after(now));
        prop_assert_eq!(head, read(&mut fields.iter().filter(|(name, _)| *name != "x")));
    }

    #[test]
    fn bounds_bound(said in option::of(seconds()), policy in preset(), odd in odd_policy()) {
        let fresh = policy.fresh_for(said);
        prop_assert!(policy.min_fresh <= fresh && fresh <= policy.max_fresh);
        prop_assert!(odd.fresh_for(said) <= odd.max_fresh, "the upper bound is the one that RFC 9309 has");
    }
}

#[test]
fn a_validator_too_long_to_keep_is_not_sent_back() {
    for (length, is_kept) in [(1024, true), (1025, false)] {
        let etag = format!("\"{}\"", "x".repeat(length - 2));
        let mut site = Walk::site(StoredRecord::new(&Origin::of(ORIGIN).unwrap()), Policy::STANDARD, (0, false, true));
        let _ = site.poll(START);
        site.handle(Input::Head(Head::http(200).with("etag", etag.as_bytes())), START);
        site.handle(Input::Bytes(FILE), START);
        site.handle(Input::End, START);
        assert_eq!(site.record().copy.as_ref().unwrap().etag.is_some(), is_kept);
        // What is too long says something all the same.
        let long = format!("{}, max-age=60", "x".repeat(length));
        assert_eq!(Head::http(200).with("cache-control", long.as_bytes()).lifetime(START), Some(naive::MINUTE));
        let expires = "x".repeat(length);
        assert_eq!(Head::http(200).with("expires", expires.as_bytes()).lifetime(START), Some(Duration::ZERO));
        assert_eq!(Head::http(200).with("expires", b"\xFF").lifetime(START), Some(Duration::ZERO));
    }
}

/// A copy that comes back without its body is due at once, is not asked about, and counts for nothing meanwhile.
#[test]
#[cfg(feature = "serde")]
fn a_copy_without_its_body_is_no_copy() {
    for policy in Policy::ALL {
        let options = (0, false, true);
        let mut site = Walk::site(StoredRecord::new(&Origin::of(ORIGIN).unwrap()), *policy, options);
        let _ = site.poll(START);
        site.handle(Input::Head(Head::http(200).with("etag", b"\"1\"")), START);
        // A file that is the same as the placeholder is a file.
        site.handle(Input::Bytes(b"User-agent: *\nDisallow: /\n"), START);
        site.handle(Input::End, START);
        assert!(site.record().whole_copy().is_some());

        let whole = serde_json::to_value(site.record()).unwrap();
        let without = serde_json::to_value(site.record().without_body()).unwrap();
        assert_ne!(whole, without);
        let resumed = Walk::site(serde_json::from_value(whole).unwrap(), *policy, options);
        assert_eq!((resumed.record(), resumed.ruling(START)), (site.record(), site.ruling(START)));
        // Older versions wrote no body at all.
        let mut old = without.clone();
        assert!(old["copy"].as_object_mut().unwrap().remove("body").is_some());
        assert_eq!(serde_json::from_value::<StoredRecord>(old).unwrap(), site.record().without_body());
        let mut site = Walk::site(serde_json::from_value(without).unwrap(), *policy, options);
        assert!(site.record().copy.is_some() && site.record().whole_copy().is_none());
        assert_eq!((site.ruling(START), site.due()), (None, Time::default()));
        let ruling = site.last_ruling(START).unwrap();
        assert_eq!(ruling.access, Access::DisallowAll);
        let said = format!(
            "everything is disallowed: the site sent a robots.txt, but the copy of it was lost (policy {})",
            policy.name
        );
        assert_eq!(ruling.to_string(), said);
        let Action::Send(request) = site.poll(START) else { panic!("it is due") };
        assert_eq!(request.validators, None, "a 304 would say that what is lost is still good");
        site.handle(Input::Head(Head::http(200)), START);
        site.handle(Input::Bytes(FILE), START);
        site.handle(Input::End, START);
        assert_eq!(&*site.record().whole_copy().unwrap().body, FILE);
    }
}

#[test]
fn details_are_kept_short() {
    let mut site = Site::new(&Origin::of(ORIGIN).unwrap(), Policy::STANDARD);
    let _ = site.poll(START);
    site.handle(Input::Failed(Failure::Other, &"é".repeat(10_000)), START);
    assert_eq!(site.record().last.as_ref().unwrap().detail, Some("é".repeat(300)));
}

/// The functions that say what a policy holds agree with the naive table, for every event that there can be.
#[test]
fn every_status_is_in_the_row_where_the_table_has_it() {
    let events = (0..=u16::MAX)
        .flat_map(|code| [Event::Status(code), Event::Ftp(code)])
        .chain(FAILURES.iter().copied().map(Event::Failed))
        .chain([Event::Found, Event::NotModified, Event::RedirectLimit, Event::RedirectLoop]);
    let mut rows = BTreeSet::new();
    for event in events {
        rows.insert(Row::of(event));
        for policy in Policy::ALL {
            let expected = match naive::end(event, policy.name) {
                "rules" => Effect::Rules,
                "allow" => Effect::Absent,
                "disallow" => Effect::Denied,
                _ => Effect::Unreachable,
            };
            assert_eq!(policy.effect(event), expected, "{event:?} under {}", policy.name);
        }
    }
    rows.insert(Row::of(Event::ErrorForMissing(500)));
    assert_eq!(rows.into_iter().collect::<Vec<_>>(), Row::ALL);
}
