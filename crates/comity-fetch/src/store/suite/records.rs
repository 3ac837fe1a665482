//! The contract of stores that implement `load` and `complete`.

use std::sync::Arc;
use std::task::{Context, Waker};

use comity_policy::{BODY_LIMIT, Event, Failure, StoredRecord};
use tokio::task::JoinSet;

use super::attempts::{Attempts, found, noise, origin};
use super::{DAY, Shared, URL, load, save};

pub(super) const CHECKS: &[super::Check] = &[
    |store| Box::pin(loads_what_was_completed(store)),
    |store| Box::pin(the_last_writer_wins(store)),
    |store| Box::pin(revisions_change(store)),
    |store| Box::pin(keeps_the_copy_apart_from_the_last_attempt(store)),
    |store| Box::pin(records_of_many_origins(store)),
    |store| Box::pin(many_callers_at_once(store)),
    |store| Box::pin(bodies_of_all_sizes(store)),
    |store| Box::pin(callers_may_go_away(store)),
];

async fn loads_what_was_completed(store: &Shared) {
    assert_eq!(load(store, URL).await, None);
    let mut attempts = Attempts::at(URL);
    let records = [
        StoredRecord::new(&origin(URL)),
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
}

async fn the_last_writer_wins(store: &Shared) {
    let mut attempts = Attempts::at(URL);
    let (first, second) = (attempts.found(b"first"), attempts.after(DAY).found(b"second"));
    for record in [&first, &second, &first] {
        save(store, record).await;
        assert_eq!(load(store, URL).await.as_ref(), Some(record));
    }
}

async fn revisions_change(store: &Shared) {
    let record = found(URL, b"A");
    let mut last = None;
    for _ in 0..3 {
        save(store, &record).await;
        let revision = store.load(&origin(URL)).await.unwrap().map(|stored| stored.revision);
        assert!(revision.is_some() && revision != last, "{revision:?}");
        last = revision;
    }
}

async fn keeps_the_copy_apart_from_the_last_attempt(store: &Shared) {
    let mut attempts = Attempts::at(URL);
    save(store, &attempts.found(b"good")).await;
    save(store, &attempts.after(DAY).status(503)).await;
    let record = load(store, URL).await.unwrap();
    assert_eq!(&*record.copy.unwrap().body, b"good");
    assert_eq!(record.last.unwrap().event, Event::Status(503));
}

async fn records_of_many_origins(store: &Shared) {
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
    for url in urls {
        assert_eq!(&*load(store, url).await.unwrap().copy.unwrap().body, url.as_bytes());
    }
    assert!(load(store, "HTTP://M\u{dc}LLER.example.:80/a?b").await.is_some());
    assert!(load(store, "http://[2001:DB8:0::1]:80/").await.is_some());
    assert!(load(store, "http://other.example/").await.is_none());
}

/// Saves and loads from many tasks at once. Each task loads what it saved.
async fn many_callers_at_once(store: &Shared) {
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
                // All of them write this one, and any of them may be the last.
                save(&store, &found(URL, format!("{task}").as_bytes())).await;
                assert!(load(&store, URL).await.unwrap().copy.is_some());
            }
        });
    }
    while let Some(task) = tasks.join_next().await {
        task.unwrap();
    }
}

async fn bodies_of_all_sizes(store: &Shared) {
    for size in [0, 1, 4095, 4096, 65_536, BODY_LIMIT - 1, BODY_LIMIT] {
        for body in [noise(size as u64, size), vec![b'a'; size]] {
            let record = found(URL, &body);
            save(store, &record).await;
            assert_eq!(load(store, URL).await, Some(record), "{size}");
        }
    }
    // An empty file is a file.
    save(store, &found(URL, b"")).await;
    let record = load(store, URL).await.unwrap();
    assert!(record.whole_copy().expect("a copy").body.is_empty());
}

/// Checks that callers that go away leave no partial changes, and that nobody waits for them.
async fn callers_may_go_away(store: &Shared) {
    for round in 0..20 {
        let url = format!("https://gone{round}.example/");
        let record = found(&url, b"A");
        let mut saving = store.complete(&record, None);
        let polled = saving.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        drop((polled, saving));
        drop(store.load(&origin(&url)));
        let loaded = load(store, &url).await;
        assert!(loaded.is_none_or(|loaded| loaded == record));
    }
    save(store, &found(URL, b"last")).await;
    assert!(load(store, URL).await.is_some());
}
