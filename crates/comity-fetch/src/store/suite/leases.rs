//! The contract of leases.

use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;

use comity_policy::StoredRecord;
use tokio::task::JoinSet;

use super::attempts::{Attempts, found, origin};
use super::{DAY, Shared, URL, load, save};
use crate::store::{FetchKind, Lease, Saved, Ticket};

/// Long enough to stay held for the duration of a test.
const LONG_LEASE: Duration = Duration::from_secs(600);
/// Short enough to wait for.
const SHORT_LEASE: Duration = Duration::from_millis(300);
/// Later than the end of a lease of [`SHORT_LEASE`].
const AFTER_SHORT_LEASE: Duration = Duration::from_millis(350);

pub(super) const CHECKS: &[super::Check] = &[
    |store| Box::pin(one_client_at_a_time(store)),
    |store| Box::pin(completion_ends_a_lease(store)),
    |store| Box::pin(records_are_due_by_their_span(store)),
    |store| Box::pin(abandoned_leases_are_granted_again(store)),
    |store| Box::pin(leases_run_out(store)),
    |store| Box::pin(renewed_leases_stay_held(store)),
    |store| Box::pin(late_results_are_discarded(store)),
    |store| Box::pin(late_without_a_record(store)),
    |store| Box::pin(completion_without_a_ticket_wins(store)),
    |store| Box::pin(one_of_many_is_granted(store)),
    |store| Box::pin(callers_may_go_away(store)),
];

async fn begin(store: &Shared, url: &str, span: Duration, kind: FetchKind) -> Lease {
    store.begin(&origin(url), span, kind).await.unwrap()
}

async fn granted(store: &Shared, span: Duration, kind: FetchKind) -> Ticket {
    match begin(store, URL, span, kind).await {
        Lease::Granted(ticket) => ticket,
        other => panic!("expected a lease, found {other:?}"),
    }
}

async fn is_held(store: &Shared, span: Duration) {
    for kind in [FetchKind::Due, FetchKind::Forced, FetchKind::SiteAnswers(true)] {
        match begin(store, URL, LONG_LEASE, kind).await {
            Lease::Held { until } => assert!(until <= span, "{until:?}"),
            other => panic!("expected the lease of another client, found {other:?}"),
        }
    }
}

fn is_late(saved: Saved, expected: &StoredRecord) {
    match saved {
        Saved::Late(stored) => assert_eq!(stored.record, *expected),
        Saved::Kept => panic!("a late result was saved"),
    }
}

async fn one_client_at_a_time(store: &Shared) {
    let ticket = granted(store, LONG_LEASE, FetchKind::Due).await;
    assert_eq!(*ticket.origin(), origin(URL));
    is_held(store, LONG_LEASE).await;
    for other in ["http://example.com/", "https://www.example.com/", "https://example.com:444/"] {
        assert!(matches!(begin(store, other, LONG_LEASE, FetchKind::Due).await, Lease::Granted(_)), "{other}");
    }
    assert_eq!(load(store, URL).await, None, "a lease is no record");
}

async fn completion_ends_a_lease(store: &Shared) {
    let ticket = granted(store, LONG_LEASE, FetchKind::Due).await;
    let record = found(URL, b"A");
    assert_eq!(store.complete(&record, Some(&ticket)).await.unwrap(), Saved::Kept);
    match begin(store, URL, LONG_LEASE, FetchKind::Due).await {
        Lease::Fresh(stored) => {
            assert_eq!(stored.record, record);
            assert_eq!(Some(stored), store.load(&origin(URL)).await.unwrap());
        }
        other => panic!("expected the record, found {other:?}"),
    }
    granted(store, LONG_LEASE, FetchKind::Forced).await;
}

/// Checks that a record is due when its span has passed by the store's clock. The times in the record are the client's,
/// and do not matter.
async fn records_are_due_by_their_span(store: &Shared) {
    for shift in [0, 2000 * DAY] {
        let mut record = Attempts::at(URL).after(shift).found(b"A");
        record.fresh_for = Some(SHORT_LEASE);
        save(store, &record).await;
        assert!(matches!(begin(store, URL, LONG_LEASE, FetchKind::Due).await, Lease::Fresh(_)));
        tokio::time::sleep(AFTER_SHORT_LEASE).await;
        let ticket = granted(store, LONG_LEASE, FetchKind::Due).await;
        store.abandon(&ticket).await.unwrap();
    }
    for span in [None, Some(Duration::ZERO)] {
        let mut record = found(URL, b"B");
        record.fresh_for = span;
        save(store, &record).await;
        let ticket = granted(store, LONG_LEASE, FetchKind::Due).await;
        store.abandon(&ticket).await.unwrap();
    }
}

async fn abandoned_leases_are_granted_again(store: &Shared) {
    let first = granted(store, LONG_LEASE, FetchKind::Due).await;
    store.abandon(&Ticket::random(&origin(URL))).await.unwrap();
    is_held(store, LONG_LEASE).await;
    store.abandon(&first).await.unwrap();
    let second = granted(store, LONG_LEASE, FetchKind::Due).await;
    assert_ne!(first, second);
    store.abandon(&first).await.unwrap();
    is_held(store, LONG_LEASE).await;
}

async fn renewed_leases_stay_held(store: &Shared) {
    let ticket = granted(store, SHORT_LEASE, FetchKind::Due).await;
    store.renew(&Ticket::random(&origin(URL)), Duration::ZERO).await.unwrap();
    is_held(store, SHORT_LEASE).await;
    store.renew(&ticket, LONG_LEASE).await.unwrap();
    tokio::time::sleep(AFTER_SHORT_LEASE).await;
    is_held(store, LONG_LEASE).await;
    assert_eq!(store.complete(&found(URL, b"A"), Some(&ticket)).await.unwrap(), Saved::Kept);
    store.renew(&ticket, LONG_LEASE).await.unwrap();
    granted(store, LONG_LEASE, FetchKind::Forced).await;
}

async fn leases_run_out(store: &Shared) {
    let first = granted(store, SHORT_LEASE, FetchKind::Due).await;
    is_held(store, SHORT_LEASE).await;
    tokio::time::sleep(AFTER_SHORT_LEASE).await;
    // No other client has taken over, so the result is valid.
    let record = found(URL, b"A");
    assert_eq!(store.complete(&record, Some(&first)).await.unwrap(), Saved::Kept);
    assert_eq!(load(store, URL).await, Some(record));

    granted(store, SHORT_LEASE, FetchKind::Forced).await;
    tokio::time::sleep(AFTER_SHORT_LEASE).await;
    granted(store, LONG_LEASE, FetchKind::Forced).await;
}

async fn late_results_are_discarded(store: &Shared) {
    let mut attempts = Attempts::at(URL);
    let old = attempts.found(b"old");
    let slow = attempts.after(DAY).found(b"slow");
    let new = attempts.after(DAY).found(b"new");
    save(store, &old).await;
    let slow_ticket = granted(store, SHORT_LEASE, FetchKind::Forced).await;
    tokio::time::sleep(AFTER_SHORT_LEASE).await;
    let new_ticket = granted(store, LONG_LEASE, FetchKind::Forced).await;

    is_late(store.complete(&slow, Some(&slow_ticket)).await.unwrap(), &old);
    assert_eq!(store.complete(&new, Some(&new_ticket)).await.unwrap(), Saved::Kept);
    is_late(store.complete(&slow, Some(&slow_ticket)).await.unwrap(), &new);
    is_late(store.complete(&old, Some(&new_ticket)).await.unwrap(), &new);
    assert_eq!(load(store, URL).await, Some(new));
}

async fn late_without_a_record(store: &Shared) {
    let slow = granted(store, Duration::from_millis(1), FetchKind::Due).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    granted(store, LONG_LEASE, FetchKind::Due).await;
    is_late(store.complete(&found(URL, b"slow"), Some(&slow)).await.unwrap(), &StoredRecord::new(&origin(URL)));
    assert_eq!(load(store, URL).await, None);
}

async fn completion_without_a_ticket_wins(store: &Shared) {
    let mut attempts = Attempts::at(URL);
    let (slow, new) = (attempts.found(b"slow"), attempts.after(DAY).found(b"new"));
    let ticket = granted(store, LONG_LEASE, FetchKind::Due).await;
    save(store, &new).await;
    is_late(store.complete(&slow, Some(&ticket)).await.unwrap(), &new);
    assert_eq!(load(store, URL).await, Some(new));
    granted(store, LONG_LEASE, FetchKind::Forced).await;
}

async fn one_of_many_is_granted(store: &Shared) {
    let mut tasks = JoinSet::new();
    for task in 0..32 {
        let (store, url) = (Arc::clone(store), format!("https://site{}.example/", task % 4));
        tasks.spawn(async move { matches!(begin(&store, &url, LONG_LEASE, FetchKind::Due).await, Lease::Granted(_)) });
    }
    let granted = tasks.join_all().await.into_iter().filter(|is_granted| *is_granted).count();
    assert_eq!(granted, 4, "one for each origin");
}

/// Checks that a caller that goes away while it requests a lease holds none, or one that expires.
async fn callers_may_go_away(store: &Shared) {
    save(store, &found(URL, b"A")).await;
    let origin = origin(URL);
    for kind in [FetchKind::Forced, FetchKind::Due].repeat(5) {
        let mut asking = store.begin(&origin, SHORT_LEASE, kind);
        let polled = asking.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        drop((polled, asking));
    }
    tokio::time::sleep(AFTER_SHORT_LEASE).await;
    granted(store, LONG_LEASE, FetchKind::Forced).await;
}
