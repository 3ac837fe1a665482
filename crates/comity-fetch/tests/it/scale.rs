//! Ten thousand sites, and a hundred thousand concurrent questions.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use comity::Crawler;
use comity_fetch::store::{SqliteStore, Store};
use comity_fetch::{Addresses, Client, ClientBuilder, Clock, Fixed, Time};
use comity_testserver::{ANY, HttpServer, Reply};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

const ORIGINS: usize = 10_000;
const QUESTIONS: usize = 100_000;
/// The number of concurrent questions.
const AT_ONCE: usize = 2_000;

/// A cache for some of the sites only.
const SMALL_MEMORY: u64 = 8 << 20;

/// Returns the rules of a site, which no other site has.
fn robots(host: &str) -> String {
    let mut robots = format!("User-agent: *\nDisallow: /private/of/{host}/\n");
    for n in 0..30 {
        let _ = writeln!(robots, "Disallow: /section-{n}/of/{host}/");
    }
    robots
}

/// Sites that share a server, and clients that share a clock.
struct World {
    server: HttpServer,
    clock: Clock,
}

impl World {
    async fn new() -> Self {
        let server = HttpServer::start().await;
        server.serve_with(ANY, "/robots.txt", |request| Reply::ok(robots(&request.host)));
        Self { server, clock: Clock::set_to(Time::from_unix_seconds(1_800_000_000)) }
    }

    fn client(&self) -> ClientBuilder {
        Client::builder("TestBot/1.0 (+https://bot.test/)")
            .addresses(Addresses::Any)
            .resolver(Arc::new(Fixed::new([self.server.addr()])))
            .clock(self.clock.clone())
    }
}

/// Asks all questions, some about the same origin concurrently, and checks all answers.
async fn ask_all(client: &Client, what: &str) {
    let began = Instant::now();
    let at_once = Arc::new(Semaphore::new(AT_ONCE));
    let mut asking = JoinSet::new();
    for n in 0..QUESTIONS {
        let permit = at_once.clone().acquire_owned().await.unwrap();
        let client = client.clone();
        asking.spawn(async move {
            let origin = if n % 2 == 0 { n / (QUESTIONS / ORIGINS) } else { n * 7919 % ORIGINS };
            let host = format!("s{origin}.test");
            let private = n % 3 == 0;
            let path = if private { format!("private/of/{host}/{n}") } else { format!("public/{n}") };
            let decision = client.check(&Crawler::ANY, &format!("http://{host}/{path}")).await.unwrap();
            assert_eq!(decision.is_disallowed(), private, "{decision}");
            drop(permit);
        });
        while let Some(asked) = asking.try_join_next() {
            asked.unwrap();
        }
    }
    while let Some(asked) = asking.join_next().await {
        asked.unwrap();
    }
    let (took, stats, peak) = (began.elapsed(), client.stats(), peak());
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    let shown = peak.map_or_else(|| "unknown".to_owned(), |bytes| format!("{:.0} MiB", mib(bytes)));
    eprintln!(
        "{what}: {took:.1?}, {} origins in {:.1} MiB of memory; the process at its peak: {shown}",
        stats.origins,
        mib(stats.memory)
    );
    // This includes the server and its log of requests.
    assert!(peak.is_none_or(|bytes| bytes < 512 << 20));
}

/// Returns the peak memory of the process, as reported by Linux.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_sites_are_asked_once_each() {
    let world = World::new().await;
    let folder = tempfile::tempdir().unwrap();
    let store = || -> Arc<dyn Store> { Arc::new(SqliteStore::open(Path::new(folder.path())).unwrap()) };

    let client = world.client().store(store()).build().unwrap();
    ask_all(&client, "cold").await;
    let stats = client.stats();
    for n in 0..ORIGINS {
        assert_eq!(world.server.count(&format!("s{n}.test"), "/robots.txt"), 1, "s{n}.test");
    }
    assert_eq!(world.server.requests().len(), ORIGINS);
    assert_eq!((stats.fetches_total, stats.requests_total), (ORIGINS as u64, ORIGINS as u64));
    assert_eq!((stats.origins, stats.questions_total), (ORIGINS as u64, QUESTIONS as u64));
    assert_eq!((stats.fail_open_total, stats.unreachable_total, stats.store_errors_total), (0, 0, 0));
    assert!(stats.shared_fetches_total > 0, "nobody had to wait for another's fetch");

    ask_all(&client, "warm").await;
    let warm = client.stats();
    assert_eq!(warm.memory_hits_total - stats.memory_hits_total, QUESTIONS as u64);
    assert_eq!(world.server.requests().len(), ORIGINS, "who is warm asks nobody");
    drop(client);

    // The next program finds all of it on disk.
    let client = world.client().store(store()).build().unwrap();
    ask_all(&client, "from the store").await;
    let stats = client.stats();
    assert_eq!((stats.fetches_total, stats.store_hits_total), (0, ORIGINS as u64));
    drop(client);

    // A client with little memory reads the store more often, and still fetches nothing.
    let client = world.client().store(store()).memory(SMALL_MEMORY).build().unwrap();
    ask_all(&client, "from the store, with little memory").await;
    let stats = client.stats();
    assert!(stats.memory <= SMALL_MEMORY, "{} bytes", stats.memory);
    assert!(stats.origins < ORIGINS as u64 && stats.store_hits_total > ORIGINS as u64, "{stats:?}");
    assert_eq!((stats.fetches_total, world.server.requests().len()), (0, ORIGINS));
}
