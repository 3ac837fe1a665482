//! A watcher with a simulated clock and a simulated network.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use comity::{Crawlers, Origin};
use comity_fetch::store::{ContentHash, SqliteStore, Store, StoreError};
use comity_fetch::transport::{
    Chunk, End, NextChunk, ResponseBody, Sending, Transport, TransportError, TransportRequest, TransportResponse,
};
use comity_fetch::{Client, Clock, Failure, Policy, Time};
use comity_watch::{Alert, AlertKind, Judge, SiteGroup, Watcher};
use http::HeaderMap;
use http::header::RETRY_AFTER;

use crate::deadly::Deadly;

/// The answer of each site: a file, or nothing at all.
#[derive(Debug, Default)]
pub(crate) struct Sites {
    pub(crate) files: Mutex<HashMap<String, String>>,
    pub(crate) default: Mutex<String>,
    pub(crate) is_cut_off: Mutex<bool>,
    pub(crate) requests: AtomicUsize,
    conditional: AtomicUsize,
}

struct Whole(Option<Vec<u8>>);

impl ResponseBody for Whole {
    fn next_chunk(&mut self) -> NextChunk<'_> {
        let chunk = self.0.take().map_or(Chunk::End(End::Verified), Chunk::Bytes);
        Box::pin(async move { Ok(chunk) })
    }
}

impl Transport for Sites {
    fn send<'a>(&'a self, request: &'a TransportRequest<'a>) -> Sending<'a> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move {
            if *self.is_cut_off.lock().unwrap() {
                return Err(TransportError::new(Failure::Connect, "no route"));
            }
            let host = request.url.host_str().unwrap_or_default();
            let file = self.files.lock().unwrap().get(host).cloned();
            let file = file.unwrap_or_else(|| self.default.lock().unwrap().clone());
            if let Some(status) = file.strip_prefix("status ") {
                let (status, retry_after) = status.split_once(' ').unwrap_or((status, "0"));
                let headers = HeaderMap::from_iter([(RETRY_AFTER, retry_after.parse().unwrap())]);
                return Ok(TransportResponse::new(status.parse().unwrap(), headers, Whole(None)));
            }
            let etag = format!("\"{}\"", ContentHash::of(file.as_bytes()));
            let mut headers = HeaderMap::new();
            headers.insert("etag", etag.parse().unwrap());
            if request.headers.get("if-none-match").is_some_and(|tag| tag.as_bytes() == etag.as_bytes()) {
                self.conditional.fetch_add(1, Ordering::Relaxed);
                return Ok(TransportResponse::new(304, headers, Whole(None)));
            }
            Ok(TransportResponse::new(200, headers, Whole(Some(file.into_bytes()))))
        })
    }
}

/// A watcher of some sites, each looked at every hour.
pub(crate) struct World {
    pub(crate) sites: Arc<Sites>,
    pub(crate) clock: Clock,
    pub(crate) folder: PathBuf,
    pub(crate) number: usize,
    /// The number of the write before or after which the process ends.
    pub(crate) ends_at_write: Option<usize>,
    _temporary: Option<tempfile::TempDir>,
}

impl World {
    pub(crate) fn new(number: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let world = Self::in_folder(number, folder.path());
        Self { _temporary: Some(folder), ..world }
    }

    pub(crate) fn in_folder(number: usize, folder: &Path) -> Self {
        let sites = Arc::new(Sites::default());
        "User-agent: *\nDisallow: /cart\n".clone_into(&mut sites.default.lock().unwrap());
        let clock = Clock::set_to(Time::from_unix_seconds(1_800_000_000));
        Self { sites, clock, folder: folder.to_owned(), number, ends_at_write: None, _temporary: None }
    }

    pub(crate) fn client(&self) -> Client {
        self.try_client().unwrap()
    }

    fn try_client(&self) -> Result<Client, StoreError> {
        let store = SqliteStore::open(&self.folder)?.with_clock(self.clock.clone());
        let store: Arc<dyn Store> = match self.ends_at_write {
            Some(left) => Arc::new(Deadly::new(store, left)),
            None => Arc::new(store),
        };
        let transport: Arc<dyn Transport> = self.sites.clone();
        let client = Client::builder("ExampleBot/1.0").store(store).memory(1 << 20).clock(self.clock.clone());
        Ok(client.transport(transport).revalidates(true).build().unwrap())
    }

    pub(crate) async fn watcher(&self) -> Watcher {
        self.try_watcher().await.unwrap()
    }

    pub(crate) async fn try_watcher(&self) -> Result<Watcher, StoreError> {
        let every = Some(Duration::from_secs(3600));
        let group = SiteGroup { every, expected: None, known: Arc::new([]), staging: Vec::new() };
        let origin = |number| Origin::of(&format!("https://site-{number}.test")).unwrap();
        let sites = (0..self.number).map(|number| (origin(number), 0)).collect();
        let judge = Judge::new(Crawlers::builtin(), Policy::STANDARD);
        Watcher::new(self.try_client()?, judge, vec![group], sites, self.clock.clone()).await
    }

    pub(crate) fn set(&self, number: usize, file: &str) {
        self.sites.files.lock().unwrap().insert(format!("site-{number}.test"), file.to_owned());
    }

    fn pass(&self, minutes: u64) {
        self.clock.advance(Duration::from_secs(minutes * 60));
    }
}

pub(crate) async fn all(watcher: &Watcher) -> Vec<Alert> {
    watcher.outbox().alerts(0, 100_000).await.unwrap()
}

fn kinds(alerts: &[Alert]) -> Vec<AlertKind> {
    alerts.iter().map(|alert| alert.kind).collect()
}

#[tokio::test]
async fn each_run_looks_at_what_is_due() {
    let world = World::new(20);
    let mut watcher = world.watcher().await;
    assert_eq!(watcher.once().await.unwrap().asked, 20);
    world.set(3, "User-agent: *\nDisallow: /shop\n");
    assert_eq!(watcher.once().await.unwrap().asked, 0, "none is due");
    drop(watcher);
    // Another process, an hour and a half later: all are due, and each was asked once.
    world.pass(90);
    let mut watcher = world.watcher().await;
    assert_eq!(watcher.once().await.unwrap().asked, 20);
    assert_eq!(world.sites.requests.load(Ordering::Relaxed), 40);
    assert_eq!(world.sites.conditional.load(Ordering::Relaxed), 19, "only one file was sent again");
    assert_eq!(kinds(&all(&watcher).await), [AlertKind::Blocked, AlertKind::Allowed]);
    // After news, it looks again after two minutes.
    world.pass(2);
    assert_eq!(watcher.once().await.unwrap().asked, 1);
    let status = watcher.status().facts();
    assert_eq!((status.sites, status.alerts[&AlertKind::Blocked]), (20, 1));
}

#[tokio::test]
async fn a_run_right_after_another_asks_nobody() {
    let world = World::new(6);
    world.set(1, "status 503");
    world.set(2, "status 503 300");
    for (minutes, asked) in [(0, 6), (0, 0), (1, 0), (1, 1), (2, 0), (1, 1)] {
        world.pass(minutes);
        let mut watcher = world.watcher().await;
        assert_eq!(watcher.once().await.unwrap().asked, asked, "after {minutes} more minutes");
    }
}

#[tokio::test]
async fn the_own_network_is_one_alert() {
    let world = World::new(30);
    let mut watcher = world.watcher().await;
    watcher.once().await.unwrap();
    *world.sites.is_cut_off.lock().unwrap() = true;
    world.set(7, "User-agent: *\nDisallow: /\n");
    for _ in 0..12 {
        world.pass(15);
        watcher.once().await.unwrap();
    }
    assert_eq!(kinds(&all(&watcher).await), [AlertKind::Network]);
    // Another process knows it, too.
    drop(watcher);
    let mut watcher = world.watcher().await;
    *world.sites.is_cut_off.lock().unwrap() = false;
    for _ in 0..12 {
        world.pass(15);
        watcher.once().await.unwrap();
    }
    assert_eq!(kinds(&all(&watcher).await), [AlertKind::Network, AlertKind::Leftover, AlertKind::Blocked]);
}

/// A day of sites that flap, fail, send HTML and come back, with restarts.
#[tokio::test]
async fn a_day_of_trouble_repeats_nothing() {
    let world = World::new(12);
    let mut watcher = world.watcher().await;
    let files =
        ["User-agent: *\nDisallow: /a\n", "status 503", "<html>", "status 404", "User-agent: *\nDisallow: /b\n"];
    for step in 0..24 * 12 {
        for site in 0..10 {
            // Each site changes at its own pace; the last two never do.
            world.set(site, files[(step / (site + 1)) % files.len()]);
        }
        watcher.once().await.unwrap();
        world.pass(5);
        if step % 50 == 49 {
            drop(watcher);
            watcher = world.watcher().await;
        }
    }
    let alerts = all(&watcher).await;
    assert!(alerts.len() > 20, "{}", alerts.len());
    let ids: std::collections::HashSet<&str> = alerts.iter().map(|alert| alert.id.as_str()).collect();
    assert_eq!(ids.len(), alerts.len(), "an alert was repeated");
    for site in 0..12 {
        let origin = format!("https://site-{site}.test");
        let mut is_open = false;
        for alert in alerts.iter().filter(|alert| alert.origin.as_deref() == Some(&origin)) {
            assert!(site < 10, "{alert:?}");
            match alert.kind {
                AlertKind::Unreachable => assert!(!std::mem::replace(&mut is_open, true), "{alert:?}"),
                AlertKind::Back => assert!(std::mem::replace(&mut is_open, false), "{alert:?}"),
                _ => {}
            }
        }
        let flaps = alerts.iter().filter(|alert| alert.origin.as_deref() == Some(&origin));
        assert!(flaps.filter(|alert| alert.kind == AlertKind::Alternates).count() <= 1, "{origin}");
    }
}

/// Many sites for a simulated day: all looks at their times, and each change once. With `COMITY_LONG_TESTS`, 20,000 sites.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_sites_are_looked_at_at_their_times() {
    let number = if std::env::var_os("COMITY_LONG_TESTS").is_some() { 20_000 } else { 1000 };
    let world = World::new(number);
    let mut watcher = world.watcher().await;
    let began = Instant::now();
    watcher.once().await.unwrap();
    let first = began.elapsed();
    // The first interval leads to the phase of each site; later ones are an hour.
    for _ in 0..95 {
        world.pass(1);
        watcher.once().await.unwrap();
    }
    for site in 0..number {
        world.set(site, "User-agent: *\nDisallow: /cart\nDisallow: /new\n");
    }
    let asked = world.sites.requests.load(Ordering::Relaxed);
    let began = Instant::now();
    let mut judged = 0;
    for _ in 0..61 {
        world.pass(1);
        judged += watcher.once().await.unwrap().asked;
    }
    let took = began.elapsed();
    let looks = world.sites.requests.load(Ordering::Relaxed) - asked;
    println!(
        "{number} sites: first looks {first:?}; {looks} looks with {judged} judgments in {took:?}, {:.0} per second",
        judged as f64 / took.as_secs_f64()
    );
    let alerts = all(&watcher).await;
    let blocked = alerts.iter().filter(|alert| alert.kind == AlertKind::Blocked).count();
    assert_eq!(blocked, number, "each change is seen within an hour");
    assert_eq!(blocked, alerts.len(), "and nothing else");
}
