//! The contract of archives.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use comity_policy::{BODY_LIMIT, Event, Failure, StoredRecord};

use super::attempts::{Attempts, found, noise, origin};
use super::{DAY, Shared, URL, load, save};
use crate::store::{
    Archive, ContentHash, FetchKind, Lease, MAX_COPIES, MAX_COPY_BYTES, MAX_OTHER_STATES, Purge, Saved, Version,
};

pub(super) const CHECKS: &[super::Check] = &[
    |store| Box::pin(an_empty_archive(store)),
    |store| Box::pin(summaries_describe_records(store)),
    |store| Box::pin(histories_have_each_state(store)),
    |store| Box::pin(the_same_record_adds_no_version(store)),
    |store| Box::pin(an_unseen_copy_has_a_version(store)),
    |store| Box::pin(contents_are_stored_once(store)),
    |store| Box::pin(histories_limit_copies(store)),
    |store| Box::pin(failures_remove_no_copy(store)),
    |store| Box::pin(histories_limit_bytes(store)),
    |store| Box::pin(purges(store)),
    |store| Box::pin(lists_pages(store)),
    |store| Box::pin(refuses_invalid_records(store)),
    |store| Box::pin(restores_later_entries(store)),
    |store| Box::pin(a_restored_entry_ends_the_lease(store)),
    |store| Box::pin(refuses_incomplete_entries(store)),
    |store| Box::pin(agrees_with_a_simple_list(store)),
];

fn archive(store: &Shared) -> &dyn Archive {
    store.archive().expect("a store with an archive")
}

/// Returns a history as a text: contents by their first letter, other states by their event.
async fn history(store: &Shared, url: &str) -> String {
    let mut states = Vec::new();
    for version in archive(store).versions(&origin(url)).await.unwrap() {
        states.push(match &version.copy {
            Some(copy) => {
                assert_eq!(version.event, Event::Found);
                let body = archive(store).body(copy.hash).await.unwrap().expect("the content of a version");
                assert_eq!((body.len(), ContentHash::of(&body)), (copy.size, copy.hash));
                char::from(body[0]).to_string()
            }
            None => version.event.to_string(),
        });
    }
    states.join(", ")
}

async fn is_clean(store: &Shared) {
    let report = archive(store).verify().await.unwrap();
    assert!(report.is_clean(), "{:#?}", report.problems);
    let stats = archive(store).stats().await.unwrap();
    assert_eq!((report.origins, report.bodies), (stats.origins, stats.bodies));
}

async fn an_empty_archive(store: &Shared) {
    assert_eq!(load(store, URL).await, None);
    assert_eq!(archive(store).versions(&origin(URL)).await.unwrap(), []);
    assert_eq!(archive(store).entry(&origin(URL)).await.unwrap(), None);
    assert_eq!(archive(store).body(ContentHash::of(b"")).await.unwrap(), None);
    assert_eq!(archive(store).list(None, 10).await.unwrap(), []);
    for what in [Purge::All, Purge::Origin(origin(URL)), Purge::Before(Attempts::at(URL).now)] {
        assert_eq!(archive(store).purge(what).await.unwrap(), 0);
    }
    let stats = archive(store).stats().await.unwrap();
    assert_eq!((stats.origins, stats.bodies), (0, 0));
    is_clean(store).await;
}

async fn summaries_describe_records(store: &Shared) {
    let mut attempts = Attempts::at(URL);
    save(store, &attempts.found(b"good")).await;
    let failed = attempts.after(DAY).status(503);
    save(store, &failed).await;

    let record = load(store, URL).await.unwrap();
    assert_eq!(&*record.copy.unwrap().body, b"good");
    assert_eq!(record.last.unwrap().event, Event::Status(503));
    let [summary] = &archive(store).list(None, 10).await.unwrap()[..] else { panic!() };
    assert_eq!(summary.copy.as_ref().unwrap().hash, ContentHash::of(b"good"));
    assert_eq!(summary.copy.as_ref().unwrap().size, 4);
    assert_eq!(summary.event, Some(Event::Status(503)));
    assert_eq!(summary.failing_since, Some(attempts.now));
    assert_eq!(summary.fetched, failed.copy.map(|copy| copy.fetched));
    assert_eq!((summary.failures, summary.policy.as_str()), (1, "standard"));
}

async fn histories_have_each_state(store: &Shared) {
    let mut attempts = Attempts::at(URL);
    let start = attempts.now;
    save(store, &attempts.found(b"A")).await;
    save(store, &attempts.after(DAY).found(b"A")).await;
    save(store, &attempts.after(DAY).found(b"B")).await;
    save(store, &attempts.after(DAY).status(304)).await;
    save(store, &attempts.after(DAY).found(b"A")).await;
    save(store, &attempts.after(DAY).status(404)).await;
    save(store, &attempts.after(DAY).status(404)).await;
    save(store, &attempts.after(DAY).found(b"A")).await;
    save(store, &attempts.after(DAY).status(503)).await;
    save(store, &attempts.after(DAY).status(304)).await;
    save(store, &attempts.after(DAY).failed(Failure::Tls)).await;

    let expected = "gave no secure connection, A, answered 503, A, answered 404, A, B, A";
    assert_eq!(history(store, URL).await, expected);
    let days =
        |version: &Version| [version.first_seen, version.last_seen].map(|time| time.since(start).as_secs() / DAY);
    let versions = archive(store).versions(&origin(URL)).await.unwrap();
    let days: Vec<_> = versions.iter().map(days).collect();
    assert_eq!(days, [[10, 10], [9, 9], [8, 8], [7, 7], [5, 6], [4, 4], [2, 3], [0, 1]]);
    assert_eq!(versions[1].copy.as_ref().unwrap().url, "https://example.com/robots.txt");
    assert_eq!(archive(store).stats().await.unwrap().bodies, 2);
    is_clean(store).await;
}

async fn the_same_record_adds_no_version(store: &Shared) {
    let mut attempts = Attempts::at(URL);
    for record in [attempts.found(b"A"), attempts.after(DAY).status(503), attempts.pages_answer(true)] {
        save(store, &record).await;
        let versions = archive(store).versions(&origin(URL)).await.unwrap();
        save(store, &record).await;
        assert_eq!(archive(store).versions(&origin(URL)).await.unwrap(), versions);
    }
    assert_eq!(history(store, URL).await, "answered 503, A");
}

async fn an_unseen_copy_has_a_version(store: &Shared) {
    let mut attempts = Attempts::at(URL);
    let fetched = attempts.found(b"A").copy.unwrap().fetched;
    save(store, &attempts.after(DAY).status(503)).await;
    assert_eq!(history(store, URL).await, "answered 503, A");
    assert_eq!(archive(store).versions(&origin(URL)).await.unwrap()[1].first_seen, fetched);
}

async fn contents_are_stored_once(store: &Shared) {
    let hash = ContentHash::of(b"same");
    for url in ["https://a.example/", "https://b.example/"] {
        save(store, &found(url, b"same")).await;
    }
    save(store, &found("https://c.example/", b"other")).await;
    assert_eq!(archive(store).stats().await.unwrap().bodies, 2);

    assert_eq!(archive(store).purge(Purge::Origin(origin("https://a.example/"))).await.unwrap(), 1);
    assert_eq!(archive(store).body(hash).await.unwrap().as_deref(), Some(&b"same"[..]));
    is_clean(store).await;
    assert_eq!(archive(store).purge(Purge::Origin(origin("https://b.example/"))).await.unwrap(), 1);
    assert_eq!(archive(store).body(hash).await.unwrap(), None);
    assert_eq!(archive(store).stats().await.unwrap().bodies, 1);
    is_clean(store).await;
}

async fn histories_limit_copies(store: &Shared) {
    let mut attempts = Attempts::at(URL);
    for number in 0..MAX_COPIES + 3 {
        save(store, &attempts.after(DAY).found(format!("{number}").as_bytes())).await;
    }
    assert_eq!(archive(store).versions(&origin(URL)).await.unwrap().len(), MAX_COPIES);
    assert_eq!(archive(store).stats().await.unwrap().bodies, MAX_COPIES as u64);
    assert_eq!(archive(store).body(ContentHash::of(b"2")).await.unwrap(), None);
    assert!(archive(store).body(ContentHash::of(b"3")).await.unwrap().is_some());
    is_clean(store).await;
}

async fn failures_remove_no_copy(store: &Shared) {
    let mut attempts = Attempts::at(URL);
    save(store, &attempts.found(b"A")).await;
    for _ in 0..=MAX_OTHER_STATES {
        save(store, &attempts.after(DAY).status(503)).await;
        save(store, &attempts.after(DAY).failed(Failure::Timeout)).await;
    }
    let versions = archive(store).versions(&origin(URL)).await.unwrap();
    assert_eq!(versions.len(), MAX_OTHER_STATES + 1);
    assert_eq!(versions[0].last_seen, attempts.now);
    assert!(versions[MAX_OTHER_STATES].copy.is_some());
    is_clean(store).await;
}

async fn histories_limit_bytes(store: &Shared) {
    let mut attempts = Attempts::at(URL);
    let most = MAX_COPY_BYTES / BODY_LIMIT;
    for number in 0..most as u64 + 2 {
        save(store, &attempts.after(DAY).found(&noise(number, BODY_LIMIT))).await;
    }
    assert_eq!(archive(store).versions(&origin(URL)).await.unwrap().len(), most);
    assert_eq!(archive(store).stats().await.unwrap().bodies, most as u64);
    is_clean(store).await;
}

async fn purges(store: &Shared) {
    let urls = ["https://a.example/", "https://b.example/", "https://c.example/", "https://d.example/"];
    let mut attempts = urls.map(Attempts::at);
    for (days, attempts) in attempts.iter_mut().enumerate() {
        save(store, &attempts.after(days as u64 * DAY).found(b"A")).await;
    }
    save(store, &StoredRecord::new(&origin("https://e.example/"))).await;
    let names = async || -> String {
        let page = archive(store).list(None, 10).await.unwrap();
        page.iter().map(|summary| summary.origin.as_bytes()[8] as char).collect()
    };
    assert_eq!(names().await, "abcde");
    assert_eq!(
        archive(store).purge(Purge::Before(attempts[1].now)).await.unwrap(),
        2,
        "`a`, and `e` of which nothing is known"
    );
    assert_eq!(names().await, "bcd");
    assert_eq!(archive(store).purge(Purge::Origin(origin("https://c.example/other/page"))).await.unwrap(), 1);
    assert_eq!(archive(store).purge(Purge::Origin(origin("https://c.example/"))).await.unwrap(), 0);
    assert_eq!(names().await, "bd");
    assert_eq!(load(store, "https://c.example/").await, None);
    assert_eq!(archive(store).versions(&origin("https://c.example/")).await.unwrap(), []);
    assert_eq!(archive(store).purge(Purge::All).await.unwrap(), 2);
    assert_eq!(names().await, "");
    is_clean(store).await;
    assert_eq!(archive(store).stats().await.unwrap().bodies, 0);
}

async fn lists_pages(store: &Shared) {
    let mut expected: Vec<String> = (0..23).map(|number| format!("https://site{number}.example")).collect();
    for url in &expected {
        save(store, &found(url, b"A")).await;
    }
    expected.sort();
    for most in [1, 5, 23, 100] {
        let mut listed: Vec<String> = Vec::new();
        loop {
            let page = archive(store).list(listed.last().map(String::as_str), most).await.unwrap();
            assert!(page.len() <= most);
            if page.is_empty() {
                break;
            }
            listed.extend(page.into_iter().map(|summary| summary.origin));
            assert!(listed.len() <= expected.len());
        }
        assert_eq!(listed, expected);
    }
    let page = archive(store).list(Some("https://site10.example/nothing is called so"), 1).await.unwrap();
    assert_eq!(page[0].origin, "https://site11.example");
    assert_eq!(archive(store).list(None, 0).await.unwrap(), []);
}

async fn refuses_invalid_records(store: &Shared) {
    for text in
        ["", "example.com", "https://Example.com", "https://example.com/", "https://example.com:443", "mailto:a"]
    {
        let mut record = found(URL, b"A");
        record.origin = text.to_owned();
        let error = store.complete(&record, None).await.unwrap_err();
        assert!(error.is_invalid(), "{text}: {error}");
    }
    assert_eq!(archive(store).stats().await.unwrap().origins, 0);
    let good = found(URL, b"A");
    save(store, &good).await;
    let mut record = good.clone();
    record.copy.as_mut().unwrap().body = vec![b'a'; BODY_LIMIT + 1].into();
    for bad in [record, good.without_body()] {
        let error = store.complete(&bad, None).await.unwrap_err();
        assert!(error.is_invalid(), "{error}");
    }
    assert_eq!(load(store, URL).await, Some(good), "what was stored stays");
    is_clean(store).await;
}

async fn restores_later_entries(store: &Shared) {
    let mut attempts = Attempts::at(URL);
    save(store, &attempts.found(b"A")).await;
    let older = archive(store).entry(&origin(URL)).await.unwrap().unwrap();
    save(store, &attempts.after(DAY).found(b"B")).await;
    let later = archive(store).entry(&origin(URL)).await.unwrap().unwrap();
    assert_eq!((later.versions.len(), later.bodies.len()), (2, 2));

    assert_eq!(archive(store).restore(vec![older.clone(), later.clone()]).await.unwrap(), 0);
    assert_eq!(archive(store).entry(&origin(URL)).await.unwrap().as_ref(), Some(&later));

    archive(store).purge(Purge::All).await.unwrap();
    assert_eq!(archive(store).restore(vec![older, later.clone()]).await.unwrap(), 2);
    assert_eq!(archive(store).entry(&origin(URL)).await.unwrap(), Some(later));
    is_clean(store).await;
}

/// A fetch that began before an entry was restored is based on the earlier record, so its result must not replace the
/// entry.
async fn a_restored_entry_ends_the_lease(store: &Shared) {
    let mut attempts = Attempts::at(URL);
    save(store, &attempts.found(b"A")).await;
    save(store, &attempts.after(DAY).found(b"B")).await;
    let later = archive(store).entry(&origin(URL)).await.unwrap().unwrap();
    archive(store).purge(Purge::All).await.unwrap();

    save(store, &Attempts::at(URL).found(b"A")).await;
    let Lease::Granted(ticket) = store.begin(&origin(URL), Duration::from_secs(DAY), FetchKind::Forced).await.unwrap()
    else {
        panic!("no lease");
    };
    assert_eq!(archive(store).restore(vec![later.clone()]).await.unwrap(), 1);
    let late = store.complete(&Attempts::at(URL).found(b"A"), Some(&ticket)).await.unwrap();
    assert!(matches!(late, Saved::Late(_)), "{late:?}");
    assert_eq!(load(store, URL).await.as_ref(), Some(&later.record));
}

async fn refuses_incomplete_entries(store: &Shared) {
    save(store, &found(URL, b"A")).await;
    let good = archive(store).entry(&origin(URL)).await.unwrap().unwrap();
    archive(store).purge(Purge::All).await.unwrap();

    let mut missing = good.clone();
    missing.record.copy = None;
    missing.bodies.clear();
    let mut other_size = good.clone();
    other_size.versions[0].copy.as_mut().unwrap().size = 2;
    for bad in [missing, other_size] {
        let error = archive(store).restore(vec![good.clone(), bad]).await.unwrap_err();
        assert!(error.is_invalid(), "{error}");
        assert_eq!(archive(store).stats().await.unwrap().origins, 0, "nothing of it is kept");
    }

    let mut more = good.clone();
    more.bodies.push(Arc::from(&b"nobody's"[..]));
    assert_eq!(archive(store).restore(vec![more]).await.unwrap(), 1);
    assert_eq!(archive(store).entry(&origin(URL)).await.unwrap(), Some(good), "without what belongs to nobody");
    is_clean(store).await;
}

/// The result of an attempt, and the content that it found.
type State = (Event, Option<ContentHash>);

/// Runs the same operations on a store and on a simple model, and compares the results.
async fn agrees_with_a_simple_list(store: &Shared) {
    let urls = ["https://a.example/", "https://b.example/", "https://c.example/"];
    let mut attempts = urls.map(Attempts::at);
    let mut simple: [Option<(StoredRecord, Vec<State>)>; 3] = [None, None, None];
    let mut random = noise(7, 3 * 300).into_iter();
    while let (Some(site), Some(what), Some(content)) = (random.next(), random.next(), random.next()) {
        let site = usize::from(site % 3);
        let content = [b'A' + content % 5];
        let attempt = attempts[site].after(DAY);
        let record = match what % 8 {
            0..4 => attempt.found(&content),
            4 => attempt.status(404),
            5 => attempt.status(503),
            6 => attempt.failed(Failure::Timeout),
            _ => {
                let gone = archive(store).purge(Purge::Origin(origin(urls[site]))).await.unwrap();
                assert_eq!(gone, u64::from(simple[site].take().is_some()));
                continue;
            }
        };
        save(store, &record).await;
        let (last, states) = simple[site].get_or_insert((record.clone(), Vec::new()));
        let event = record.last.as_ref().unwrap().event;
        let copy = record.copy.as_ref().map(|copy| ContentHash::of(&copy.body));
        if let (false, Some(copy), false) = (event.is_found(), copy, states.iter().any(|state| state.1.is_some())) {
            states.push((Event::Found, Some(copy)));
        }
        let state = (event, if event.is_found() { copy } else { None });
        if states.last() != Some(&state) {
            states.push(state);
        }
        *last = record;
    }
    let mut contents = BTreeSet::new();
    for (url, simple) in urls.iter().zip(simple) {
        assert_eq!(load(store, url).await.as_ref(), simple.as_ref().map(|(record, _)| record));
        let versions = archive(store).versions(&origin(url)).await.unwrap();
        contents.extend(versions.iter().filter_map(|version| version.copy.as_ref()).map(|copy| copy.hash));
        let states = versions.iter().map(|version| (version.event, version.copy.as_ref().map(|copy| copy.hash)));
        let expected = simple.map(|(_, states)| states).unwrap_or_default();
        assert_eq!(states.rev().collect::<Vec<_>>(), expected);
    }
    assert_eq!(archive(store).stats().await.unwrap().bodies, contents.len() as u64);
    is_clean(store).await;
}
