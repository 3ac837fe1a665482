//! What every store must do.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::task::{Context, Waker};

use comity_fetch::store::{ContentHash, MOST_BYTES, MOST_COPIES, MOST_OTHERS, Purge, Store, Version};
use comity_policy::{Event, Failure, LIMIT, Record};
use tokio::task::JoinSet;

use crate::attempts::{Attempts, found, noise, origin};

/// A store, as those who ask at once have it.
pub(crate) type Shared = Arc<dyn Store>;

const URL: &str = "https://example.com/";
const DAY: u64 = 24 * 60 * 60;

async fn load(store: &Shared, url: &str) -> Option<Record> {
    store.load(&origin(url)).await.unwrap()
}

async fn save(store: &Shared, record: &Record) {
    store.save(record).await.unwrap();
}

/// A history as a text: contents by their first letter, other states by their event.
async fn history(store: &Shared, url: &str) -> String {
    let mut states = Vec::new();
    for version in store.versions(&origin(url)).await.unwrap() {
        states.push(match &version.copy {
            Some(copy) => {
                assert_eq!(version.event, Event::Found);
                let body = store.body(copy.hash).await.unwrap().expect("the content of a version");
                assert_eq!((body.len(), ContentHash::of(&body)), (copy.size, copy.hash));
                char::from(body[0]).to_string()
            }
            None => version.event.to_string(),
        });
    }
    states.join(", ")
}

async fn is_clean(store: &Shared) {
    let report = store.verify().await.unwrap();
    assert!(report.is_clean(), "{:#?}", report.problems);
    let stats = store.stats().await.unwrap();
    assert_eq!((report.origins, report.bodies), (stats.origins, stats.bodies));
}

pub(crate) async fn knows_nothing_at_first(store: &Shared) {
    assert_eq!(load(store, URL).await, None);
    assert_eq!(store.versions(&origin(URL)).await.unwrap(), []);
    assert_eq!(store.entry(&origin(URL)).await.unwrap(), None);
    assert_eq!(store.body(ContentHash::of(b"")).await.unwrap(), None);
    assert_eq!(store.list(None, 10).await.unwrap(), []);
    for what in [Purge::All, Purge::Origin(origin(URL)), Purge::Before(Attempts::at(URL).now)] {
        assert_eq!(store.purge(what).await.unwrap(), 0);
    }
    let stats = store.stats().await.unwrap();
    assert_eq!((stats.origins, stats.bodies), (0, 0));
    is_clean(store).await;
}

pub(crate) async fn loads_what_was_saved(store: &Shared) {
    let mut attempts = Attempts::at(URL);
    let records = [
        Record::new(&origin(URL)),
        attempts.found(b"User-agent: *\nDisallow: /a\n"),
        attempts.after(DAY).redirected_to("https://www.example.com/r\u{e9}bots.txt", b"Disallow: /b"),
        attempts.after(DAY).pages_answer(true),
        attempts.after(DAY).failed(Failure::Timeout),
        attempts.after(DAY).status(503),
        attempts.after(DAY).status(304),
        attempts.after(DAY).status(404),
        attempts.after(DAY).failed(Failure::Dns),
    ];
    for record in &records {
        save(store, record).await;
        assert_eq!(load(store, URL).await.as_ref(), Some(record));
    }
    assert!(records[1].copy.is_some() && records[8].copy.is_none() && records[8].failing_since.is_some());
    is_clean(store).await;
}

pub(crate) async fn the_last_write_wins(store: &Shared) {
    let mut attempts = Attempts::at(URL);
    let (first, second) = (attempts.found(b"first"), attempts.after(DAY).found(b"second"));
    for record in [&first, &second, &first] {
        save(store, record).await;
        assert_eq!(load(store, URL).await.as_ref(), Some(record));
    }
    assert_eq!(store.stats().await.unwrap().origins, 1);
}

pub(crate) async fn keeps_the_copy_apart_from_the_last_attempt(store: &Shared) {
    let mut attempts = Attempts::at(URL);
    save(store, &attempts.found(b"good")).await;
    let failed = attempts.after(DAY).status(503);
    save(store, &failed).await;

    let record = load(store, URL).await.unwrap();
    assert_eq!(&*record.copy.unwrap().body, b"good");
    assert_eq!(record.last.unwrap().event, Event::Status(503));
    let [summary] = &store.list(None, 10).await.unwrap()[..] else { panic!() };
    assert_eq!(summary.copy.as_ref().unwrap().hash, ContentHash::of(b"good"));
    assert_eq!(summary.copy.as_ref().unwrap().size, 4);
    assert_eq!(summary.event, Some(Event::Status(503)));
    assert_eq!(summary.failing_since, Some(attempts.now));
    assert_eq!(summary.fetched, failed.copy.map(|copy| copy.fetched));
    assert_eq!((summary.failures, summary.policy.as_str()), (1, "standard"));
}

pub(crate) async fn remembers_what_stood_there_when(store: &Shared) {
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
    let versions = store.versions(&origin(URL)).await.unwrap();
    let days: Vec<_> = versions.iter().map(days).collect();
    assert_eq!(days, [[10, 10], [9, 9], [8, 8], [7, 7], [5, 6], [4, 4], [2, 3], [0, 1]]);
    assert_eq!(versions[1].copy.as_ref().unwrap().url, "https://example.com/robots.txt");
    assert_eq!(store.stats().await.unwrap().bodies, 2);
    is_clean(store).await;
}

pub(crate) async fn a_record_saved_again_is_no_change(store: &Shared) {
    let mut attempts = Attempts::at(URL);
    for record in [attempts.found(b"A"), attempts.after(DAY).status(503), attempts.pages_answer(true)] {
        save(store, &record).await;
        let versions = store.versions(&origin(URL)).await.unwrap();
        save(store, &record).await;
        assert_eq!(store.versions(&origin(URL)).await.unwrap(), versions);
    }
    assert_eq!(history(store, URL).await, "answered 503, A");
}

pub(crate) async fn a_copy_that_was_never_seen_here_has_a_version(store: &Shared) {
    let mut attempts = Attempts::at(URL);
    let fetched = attempts.found(b"A").copy.unwrap().fetched;
    save(store, &attempts.after(DAY).status(503)).await;
    assert_eq!(history(store, URL).await, "answered 503, A");
    assert_eq!(store.versions(&origin(URL)).await.unwrap()[1].first_seen, fetched);
}

pub(crate) async fn keeps_each_content_once(store: &Shared) {
    let hash = ContentHash::of(b"same");
    for url in ["https://a.example/", "https://b.example/"] {
        save(store, &found(url, b"same")).await;
    }
    save(store, &found("https://c.example/", b"other")).await;
    assert_eq!(store.stats().await.unwrap().bodies, 2);

    assert_eq!(store.purge(Purge::Origin(origin("https://a.example/"))).await.unwrap(), 1);
    assert_eq!(store.body(hash).await.unwrap().as_deref(), Some(&b"same"[..]));
    is_clean(store).await;
    assert_eq!(store.purge(Purge::Origin(origin("https://b.example/"))).await.unwrap(), 1);
    assert_eq!(store.body(hash).await.unwrap(), None);
    assert_eq!(store.stats().await.unwrap().bodies, 1);
    is_clean(store).await;
}

pub(crate) async fn a_history_has_so_many_copies(store: &Shared) {
    let mut attempts = Attempts::at(URL);
    for number in 0..MOST_COPIES + 3 {
        save(store, &attempts.after(DAY).found(format!("{number}").as_bytes())).await;
    }
    assert_eq!(store.versions(&origin(URL)).await.unwrap().len(), MOST_COPIES);
    assert_eq!(store.stats().await.unwrap().bodies, MOST_COPIES as u64);
    assert_eq!(store.body(ContentHash::of(b"2")).await.unwrap(), None);
    assert!(store.body(ContentHash::of(b"3")).await.unwrap().is_some());
    is_clean(store).await;
}

pub(crate) async fn failures_push_no_copy_out(store: &Shared) {
    let mut attempts = Attempts::at(URL);
    save(store, &attempts.found(b"A")).await;
    for _ in 0..=MOST_OTHERS {
        save(store, &attempts.after(DAY).status(503)).await;
        save(store, &attempts.after(DAY).failed(Failure::Timeout)).await;
    }
    let versions = store.versions(&origin(URL)).await.unwrap();
    assert_eq!(versions.len(), MOST_OTHERS + 1);
    assert_eq!(versions[0].last_seen, attempts.now);
    assert!(versions[MOST_OTHERS].copy.is_some());
    is_clean(store).await;
}

pub(crate) async fn a_history_has_so_many_bytes(store: &Shared) {
    let mut attempts = Attempts::at(URL);
    let most = MOST_BYTES / LIMIT;
    for number in 0..most as u64 + 2 {
        save(store, &attempts.after(DAY).found(&noise(number, LIMIT))).await;
    }
    assert_eq!(store.versions(&origin(URL)).await.unwrap().len(), most);
    assert_eq!(store.stats().await.unwrap().bodies, most as u64);
    is_clean(store).await;
}

pub(crate) async fn forgets_what_it_is_told_to(store: &Shared) {
    let urls = ["https://a.example/", "https://b.example/", "https://c.example/", "https://d.example/"];
    let mut attempts = urls.map(Attempts::at);
    for (days, attempts) in attempts.iter_mut().enumerate() {
        save(store, &attempts.after(days as u64 * DAY).found(b"A")).await;
    }
    save(store, &Record::new(&origin("https://e.example/"))).await;
    let names = async || -> String {
        let page = store.list(None, 10).await.unwrap();
        page.iter().map(|summary| summary.origin.as_bytes()[8] as char).collect()
    };
    assert_eq!(names().await, "abcde");
    assert_eq!(store.purge(Purge::Before(attempts[1].now)).await.unwrap(), 2, "`a`, and `e` of which nothing is known");
    assert_eq!(names().await, "bcd");
    assert_eq!(store.purge(Purge::Origin(origin("https://c.example/other/page"))).await.unwrap(), 1);
    assert_eq!(store.purge(Purge::Origin(origin("https://c.example/"))).await.unwrap(), 0);
    assert_eq!(names().await, "bd");
    assert_eq!(load(store, "https://c.example/").await, None);
    assert_eq!(store.versions(&origin("https://c.example/")).await.unwrap(), []);
    assert_eq!(store.purge(Purge::All).await.unwrap(), 2);
    assert_eq!(names().await, "");
    is_clean(store).await;
    assert_eq!(store.stats().await.unwrap().bodies, 0);
}

pub(crate) async fn lists_by_pages(store: &Shared) {
    let mut expected: Vec<String> = (0..23).map(|number| format!("https://site{number}.example")).collect();
    for url in &expected {
        save(store, &found(url, b"A")).await;
    }
    expected.sort();
    for most in [1, 5, 23, 100] {
        let mut listed: Vec<String> = Vec::new();
        loop {
            let page = store.list(listed.last().map(String::as_str), most).await.unwrap();
            assert!(page.len() <= most);
            if page.is_empty() {
                break;
            }
            listed.extend(page.into_iter().map(|summary| summary.origin));
            assert!(listed.len() <= expected.len());
        }
        assert_eq!(listed, expected);
    }
    let page = store.list(Some("https://site10.example/nothing is called so"), 1).await.unwrap();
    assert_eq!(page[0].origin, "https://site11.example");
    assert_eq!(store.list(None, 0).await.unwrap(), []);
}

/// Many tasks save and load at once; each sees what it wrote itself.
pub(crate) async fn serves_many_at_once(store: &Shared) {
    let mut tasks = JoinSet::new();
    for task in 0..64 {
        let store = Arc::clone(store);
        tasks.spawn(async move {
            let url = format!("https://task{task}.example/");
            let mut attempts = Attempts::at(&url);
            for round in 0..6 {
                let body = noise(task * 100 + round, 100 + task as usize * 37);
                let record = attempts.after(DAY).found(&body);
                save(&store, &record).await;
                assert_eq!(load(&store, &url).await, Some(record));
                // What all of them write: the last one wins, whoever that is.
                save(&store, &found(URL, format!("{task}").as_bytes())).await;
                assert!(load(&store, URL).await.unwrap().copy.is_some());
            }
            assert_eq!(store.versions(&origin(&url)).await.unwrap().len(), 6);
        });
    }
    while let Some(task) = tasks.join_next().await {
        task.unwrap();
    }
    assert_eq!(store.stats().await.unwrap().origins, 65);
    is_clean(store).await;
}

pub(crate) async fn bodies_of_all_sizes(store: &Shared) {
    for size in [0, 1, 4095, 4096, 65_536, LIMIT - 1, LIMIT] {
        for body in [noise(size as u64, size), vec![b'a'; size]] {
            let record = found(URL, &body);
            save(store, &record).await;
            assert_eq!(load(store, URL).await, Some(record));
            assert_eq!(store.body(ContentHash::of(&body)).await.unwrap().as_deref(), Some(&body[..]));
        }
    }
    let mut record = found(URL, b"A");
    record.copy.as_mut().unwrap().body = vec![b'a'; LIMIT + 1].into();
    let error = store.save(&record).await.unwrap_err();
    assert!(error.is_invalid(), "{error}");
    assert_eq!(error.to_string(), "no store keeps a body of 512003 bytes, which is more than 512002");
    assert_eq!(load(store, URL).await.unwrap().copy.unwrap().body.len(), LIMIT, "what was there stays");
    is_clean(store).await;
}

pub(crate) async fn an_empty_file_is_a_file(store: &Shared) {
    save(store, &found(URL, b"")).await;
    let copy = load(store, URL).await.unwrap().copy.expect("a copy");
    assert!(copy.body.is_empty());
    assert_eq!(store.body(ContentHash::of(b"")).await.unwrap().as_deref(), Some(&b""[..]));
    assert_eq!(store.list(None, 1).await.unwrap()[0].copy.as_ref().unwrap().size, 0);
}

pub(crate) async fn all_sorts_of_origins(store: &Shared) {
    let urls = [
        "http://example.com/",
        "https://example.com/",
        "https://example.com:8443/",
        "https://www.example.com/",
        "ftp://example.com/",
        "http://m\u{fc}ller.example/",
        "http://[2001:db8::1]/",
        "http://[2001:db8::1]:8080/",
        "http://192.0.2.1/",
        "http://localhost/",
        "gopher://example.com/",
        "http://xn--mller-kva.example:1/",
        &format!("http://{}.example/", "long-".repeat(2000)),
    ];
    for url in urls {
        save(store, &found(url, url.as_bytes())).await;
    }
    assert_eq!(store.stats().await.unwrap().origins, urls.len() as u64);
    for url in urls {
        assert_eq!(&*load(store, url).await.unwrap().copy.unwrap().body, url.as_bytes());
    }
    assert!(load(store, "HTTP://M\u{dc}LLER.example.:80/a?b").await.is_some());
    assert!(load(store, "http://[2001:DB8:0::1]:80/").await.is_some());
    is_clean(store).await;
}

pub(crate) async fn keeps_nothing_of_what_is_no_origin(store: &Shared) {
    for text in
        ["", "example.com", "https://Example.com", "https://example.com/", "https://example.com:443", "mailto:a"]
    {
        let mut record = found(URL, b"A");
        record.origin = text.to_owned();
        let error = store.save(&record).await.unwrap_err();
        assert!(error.is_invalid(), "{text}: {error}");
    }
    assert_eq!(store.stats().await.unwrap().origins, 0);
}

pub(crate) async fn restores_what_is_later(store: &Shared) {
    let mut attempts = Attempts::at(URL);
    save(store, &attempts.found(b"A")).await;
    let older = store.entry(&origin(URL)).await.unwrap().unwrap();
    save(store, &attempts.after(DAY).found(b"B")).await;
    let later = store.entry(&origin(URL)).await.unwrap().unwrap();
    assert_eq!((later.versions.len(), later.bodies.len()), (2, 2));

    assert_eq!(store.restore(vec![older.clone(), later.clone()]).await.unwrap(), 0);
    assert_eq!(store.entry(&origin(URL)).await.unwrap().as_ref(), Some(&later));

    store.purge(Purge::All).await.unwrap();
    assert_eq!(store.restore(vec![older, later.clone()]).await.unwrap(), 2);
    assert_eq!(store.entry(&origin(URL)).await.unwrap(), Some(later));
    is_clean(store).await;
}

pub(crate) async fn restores_nothing_that_is_incomplete(store: &Shared) {
    save(store, &found(URL, b"A")).await;
    let good = store.entry(&origin(URL)).await.unwrap().unwrap();
    store.purge(Purge::All).await.unwrap();

    let mut missing = good.clone();
    missing.record.copy = None;
    missing.bodies.clear();
    let mut other_size = good.clone();
    other_size.versions[0].copy.as_mut().unwrap().size = 2;
    for bad in [missing, other_size] {
        let error = store.restore(vec![good.clone(), bad]).await.unwrap_err();
        assert!(error.is_invalid(), "{error}");
        assert_eq!(store.stats().await.unwrap().origins, 0, "nothing of it is kept");
    }

    let mut more = good.clone();
    more.bodies.push(Arc::from(&b"nobody's"[..]));
    assert_eq!(store.restore(vec![more]).await.unwrap(), 1);
    assert_eq!(store.entry(&origin(URL)).await.unwrap(), Some(good), "without what belongs to nobody");
    is_clean(store).await;
}

/// Whoever goes away in the middle leaves nothing half done, and nobody waiting.
pub(crate) async fn callers_may_go_away(store: &Shared) {
    for round in 0..20 {
        let url = format!("https://gone{round}.example/");
        let record = found(&url, b"A");
        let mut saving = store.save(&record);
        let polled = saving.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        drop((polled, saving));
        drop(store.load(&origin(&url)));
    }
    save(store, &found(URL, b"last")).await;
    assert!(load(store, URL).await.is_some());
    is_clean(store).await;
}

/// How an attempt ended, and the content that it found.
type State = (Event, Option<ContentHash>);

/// The same stories about a few sites, told to a store and to one that is known to be simple, must end the same.
pub(crate) async fn remembers_as_simply_as_a_list(store: &Shared) {
    let urls = ["https://a.example/", "https://b.example/", "https://c.example/"];
    let mut attempts = urls.map(Attempts::at);
    let mut simple: [Option<(Record, Vec<State>)>; 3] = [None, None, None];
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
                let gone = store.purge(Purge::Origin(origin(urls[site]))).await.unwrap();
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
        let versions = store.versions(&origin(url)).await.unwrap();
        contents.extend(versions.iter().filter_map(|version| version.copy.as_ref()).map(|copy| copy.hash));
        let states = versions.iter().map(|version| (version.event, version.copy.as_ref().map(|copy| copy.hash)));
        let expected = simple.map(|(_, states)| states).unwrap_or_default();
        assert_eq!(states.rev().collect::<Vec<_>>(), expected);
    }
    assert_eq!(store.stats().await.unwrap().bodies, contents.len() as u64);
    is_clean(store).await;
}
