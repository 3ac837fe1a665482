//! Eviction of the store in memory.

use comity_fetch::store::{Archive, MAX_COPIES, MemoryStore, Purge, Store};

use crate::attempts::{Attempts, found, noise, origin};
use crate::load;

const DAY: u64 = 24 * 60 * 60;

fn url(site: u64) -> String {
    format!("https://site{site}.example/")
}

async fn has(store: &MemoryStore, site: u64) -> bool {
    // Listing an origin is not using it.
    store.list(None, usize::MAX).await.unwrap().iter().any(|summary| origin(&url(site)).to_string() == summary.origin)
}

#[tokio::test]
async fn never_holds_more_than_it_may() {
    let most = 1_000_000;
    let store = MemoryStore::new(most);
    for site in 0..500 {
        store.complete(&found(&url(site % 170), &noise(site, (site as usize * 997) % 40_000)), None).await.unwrap();
        let stats = store.stats().await.unwrap();
        assert!(stats.bytes <= most as u64, "{stats:?}");
        assert!(has(&store, site % 170).await);
    }
    assert!(store.stats().await.unwrap().origins > 20);
    assert!(store.verify().await.unwrap().is_clean());
}

#[tokio::test]
async fn forgets_first_what_nobody_asked_about() {
    let store = MemoryStore::new(250_000);
    for site in 0..2 {
        store.complete(&found(&url(site), &noise(site, 100_000)), None).await.unwrap();
    }
    assert!(load(&store, &url(0)).await.unwrap().is_some());
    store.complete(&found(&url(2), &noise(2, 100_000)), None).await.unwrap();
    assert!(has(&store, 0).await && !has(&store, 1).await && has(&store, 2).await);
}

#[tokio::test]
async fn keeps_the_last_whatever_its_size() {
    let store = MemoryStore::new(1000);
    for site in 0..3 {
        store.complete(&found(&url(site), &noise(site, 100_000)), None).await.unwrap();
        let record = load(&store, &url(site)).await.unwrap();
        assert_eq!(record, Some(found(&url(site), &noise(site, 100_000))));
        assert_eq!(store.stats().await.unwrap().origins, 1);
    }
}

/// Checks that memory is released to the last byte.
#[tokio::test]
async fn counts_its_bytes() {
    let store = MemoryStore::new(1 << 30);
    let mut attempts = Attempts::at(&url(0));
    let mut bytes = Vec::new();
    for round in 0..3 * MAX_COPIES as u64 {
        store.complete(&attempts.after(DAY).found(&noise(round, 1000)), None).await.unwrap();
        store.complete(&found(&url(1), &noise(round, 1000)), None).await.unwrap();
        bytes.push(store.stats().await.unwrap().bytes);
    }
    let last = &bytes[2 * MAX_COPIES..];
    assert!(last.iter().all(|bytes| *bytes == last[0]), "{bytes:?}");
    store.purge(Purge::All).await.unwrap();
    assert_eq!(store.stats().await.unwrap().bytes, 0);
}
