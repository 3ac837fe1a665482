//! Stores whose clock is set back: a copy must not be fresh for as long as the clock moved.

use std::time::Duration;

use comity_fetch::store::{FetchKind, Lease, MemoryStore, SqliteStore, Store};
use comity_fetch::{Clock, Time};

use crate::attempts::{found, origin};

const URL: &str = "https://example.com/";
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const NOW: Time = Time::from_unix_seconds(1_800_000_000);

/// Completes a record, and begins a fetch at other times.
async fn is_fresh_for_its_span_only<S: Store>(mut store: S, with_clock: fn(S, Clock) -> S) {
    store = with_clock(store, Clock::set_to(NOW));
    let mut record = found(URL, b"A");
    record.fresh_for = Some(DAY);
    store.complete(&record, None).await.unwrap();
    let before = |span: Duration| Time::from_unix_seconds(1_800_000_000 - span.as_secs());
    for (time, is_fresh) in [
        (NOW, true),
        (NOW + DAY / 2, true),
        (NOW + DAY, false),
        (before(Duration::from_secs(1)), false),
        (before(DAY / 2), false),
        (before(7 * DAY), false),
        (Time::from_unix_seconds(0), false),
        (NOW, true),
    ] {
        store = with_clock(store, Clock::set_to(time));
        match store.begin(&origin(URL), DAY, FetchKind::Due).await.unwrap() {
            Lease::Fresh(stored) => assert!(is_fresh && stored.record == record, "{time:?}"),
            Lease::Granted(ticket) => {
                assert!(!is_fresh, "{time:?}");
                store.abandon(&ticket).await.unwrap();
            }
            held @ Lease::Held { .. } => panic!("{held:?}"),
        }
    }
}

#[tokio::test]
async fn in_memory() {
    is_fresh_for_its_span_only(MemoryStore::new(1 << 20), MemoryStore::with_clock).await;
}

#[tokio::test]
async fn on_disk() {
    let directory = tempfile::tempdir().unwrap();
    is_fresh_for_its_span_only(SqliteStore::open(directory.path()).unwrap(), SqliteStore::with_clock).await;
}
