//! Clients that share a store: which of them fetch or wait, and what each of them answers.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use comity::{Crawler, Origin};
use comity_fetch::store::{
    FetchKind, Lease, MemoryStore, Saved, SqliteStore, Store, StoreError, StoreFuture, Stored, Ticket,
};
use comity_fetch::{Addresses, Client, ClientBuilder, Clock, Fixed, Resolve, Resolving, StoredRecord, Time};
use comity_testserver::{ANY, At, Gate, HttpServer, Reply};

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);
const URL: &str = "http://a.test/private/x";
const BOT: &Crawler<'_> = &Crawler::ANY;
const RULES: &str = "User-agent: *\nDisallow: /private/\n";
const OPEN: &str = "User-agent: *\nDisallow: /other/\n";

fn start() -> Time {
    Time::from_unix_seconds(1_800_000_000)
}

/// Returns a client that resolves every name to the server.
fn client(server: &HttpServer, clock: &Clock, store: &Arc<impl Store + 'static>) -> ClientBuilder {
    Client::builder("TestBot/1.0 (+https://bot.test/)")
        .addresses(Addresses::Any)
        .resolver(Arc::new(Fixed::new([server.addr()])))
        .clock(clock.clone())
        .store(Arc::clone(store) as Arc<dyn Store>)
}

fn origin() -> Origin {
    Origin::of(URL).unwrap()
}

async fn stored(store: &dyn Store) -> Option<StoredRecord> {
    store.load(&origin()).await.unwrap().map(|stored| stored.record)
}

async fn is_allowed(client: &Client) -> bool {
    client.check(BOT, URL).await.unwrap().is_allowed()
}

/// Asks about all origins with all clients concurrently, in different orders, and expects one request for each origin.
async fn each_is_fetched_once(store: &Arc<impl Store + 'static>, clocks: &[Clock]) {
    const ORIGINS: usize = 40;
    let server = HttpServer::start().await;
    server.serve(ANY, "/robots.txt", Reply::ok(RULES).header("Cache-Control", "max-age=86400"));
    let clients: Vec<Client> = clocks.iter().map(|clock| client(&server, clock, store).build().unwrap()).collect();
    for _ in 0..2 {
        let mut tasks = tokio::task::JoinSet::new();
        for (nth, client) in clients.iter().enumerate() {
            for site in 0..ORIGINS {
                let (client, site) = (client.clone(), (site * (nth + 1)) % (ORIGINS + 1));
                let url = format!("http://site{site}.test/private/x");
                tasks.spawn(async move { client.check(BOT, &url).await.unwrap().is_disallowed() });
            }
        }
        assert!(tasks.join_all().await.into_iter().all(|is_disallowed| is_disallowed));
        let mut asked: Vec<_> =
            server.requests().iter().map(|request| request.header("host").unwrap().to_owned()).collect();
        let requests = asked.len();
        asked.sort();
        asked.dedup();
        assert_eq!(requests, asked.len(), "one request for each origin");
        assert!((ORIGINS..=ORIGINS + 1).contains(&requests), "{requests}");
    }
    let fetches: u64 = clients.iter().map(|client| client.stats().fetches_total).sum();
    assert_eq!(fetches as usize, server.requests().len());
    assert!(clients.iter().all(|client| client.stats().store_errors_total == 0));
}

#[tokio::test]
async fn two_clients_fetch_each_origin_once() {
    let clock = Clock::system();
    each_is_fetched_once(&Arc::new(MemoryStore::new(8 << 20)), &[clock.clone(), clock]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_clients_fetch_each_origin_once() {
    let clocks = [Clock::system(), Clock::system(), Clock::system()];
    each_is_fetched_once(&Arc::new(MemoryStore::new(8 << 20)), &clocks).await;
    let directory = tempfile::tempdir().unwrap();
    each_is_fetched_once(&Arc::new(SqliteStore::open(directory.path()).unwrap()), &clocks).await;
}

/// Sets the clocks of the clients a day apart. The store's clock decides.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_clocks_of_clients_change_nothing() {
    let store = Arc::new(MemoryStore::new(8 << 20).with_clock(Clock::set_to(start() + DAY)));
    let clocks = [start(), start() + DAY, start() + 2 * DAY].map(Clock::set_to);
    each_is_fetched_once(&store, &clocks).await;
}

#[tokio::test]
async fn a_due_copy_is_fetched_by_one_client() {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, Reply::ok(RULES));
    let clock = Clock::set_to(start());
    let store = Arc::new(MemoryStore::new(8 << 20).with_clock(clock.clone()));
    let clients = [0, 1].map(|_| client(&server, &clock, &store).build().unwrap());
    for round in 1..4 {
        for client in &clients {
            assert!(!is_allowed(client).await);
        }
        assert_eq!(server.requests().len(), round);
        clock.advance(DAY);
    }
    assert_eq!(clients.map(|client| client.stats().store_hits_total), [0, 3]);
}

/// A client that was killed holds a lease until it ends.
#[tokio::test]
async fn another_client_takes_over_after_the_lease() {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, Reply::ok(RULES));
    let store = Arc::new(MemoryStore::new(8 << 20));
    let span = Duration::from_millis(400);
    let Ok(Lease::Granted(_)) = store.begin(&origin(), span, FetchKind::Due).await else { panic!("no lease") };
    let began = Instant::now();
    let survivors = [0, 1].map(|_| client(&server, &Clock::system(), &store).build().unwrap());
    let (first, second) = tokio::join!(is_allowed(&survivors[0]), is_allowed(&survivors[1]));
    assert!(!first && !second && began.elapsed() >= span, "{:?}", began.elapsed());
    assert_eq!(server.requests().len(), 1);
}

/// A fetch that panics returns its lease at once.
#[tokio::test]
async fn a_lost_fetch_gives_its_lease_back() {
    #[derive(Debug)]
    struct Breaks;

    impl Resolve for Breaks {
        fn resolve<'a>(&'a self, _: &'a str, _: u16) -> Resolving<'a> {
            panic!("this resolver breaks down, as the test has it")
        }
    }

    let server = HttpServer::start().await;
    server.serve(ANY, ANY, Reply::ok(RULES));
    let store = Arc::new(MemoryStore::new(8 << 20));
    let broken = client(&server, &Clock::system(), &store).resolver(Arc::new(Breaks)).build().unwrap();
    let good = client(&server, &Clock::system(), &store).build().unwrap();
    assert!(broken.check(BOT, URL).await.is_err());
    let began = Instant::now();
    assert!(!is_allowed(&good).await);
    assert!(began.elapsed() < Duration::from_secs(4), "the lease of an attempt is longer");
}

/// The runtime of a client ends in the middle of a fetch.
#[test]
fn a_dropped_fetch_gives_its_lease_back() {
    let store = Arc::new(MemoryStore::new(8 << 20));
    // The server outlives the client's runtime: if it ended first, the fetch would fail instead of being dropped.
    let server_runtime = tokio::runtime::Runtime::new().unwrap();
    let server = server_runtime.block_on(HttpServer::start());
    server.serve(ANY, ANY, Reply::ok(RULES).hold(At::Start, &Gate::new()));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let client = client(&server, &Clock::system(), &store).build().unwrap();
        tokio::spawn(async move { client.check(BOT, URL).await });
        while server.requests().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let lease = store.begin(&origin(), HOUR, FetchKind::Due).await.unwrap();
        assert!(matches!(lease, Lease::Held { .. }), "{lease:?}");
    });
    runtime.shutdown_timeout(Duration::from_secs(10));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let lease = runtime.block_on(store.begin(&origin(), HOUR, FetchKind::Due)).unwrap();
    assert!(matches!(lease, Lease::Granted(_)), "{lease:?}");
}

/// A store with short leases, regardless of the requested span.
#[derive(Debug)]
struct ShortLeases(MemoryStore);

impl Store for ShortLeases {
    fn load<'a>(&'a self, origin: &'a Origin) -> StoreFuture<'a, Option<Stored>> {
        self.0.load(origin)
    }

    fn begin<'a>(&'a self, origin: &'a Origin, _: Duration, kind: FetchKind) -> StoreFuture<'a, Lease> {
        self.0.begin(origin, Duration::from_millis(50), kind)
    }

    fn complete<'a>(&'a self, record: &'a StoredRecord, ticket: Option<&'a Ticket>) -> StoreFuture<'a, Saved> {
        assert!(ticket.is_some(), "a client completes what it began");
        self.0.complete(record, ticket)
    }

    fn abandon<'a>(&'a self, ticket: &'a Ticket) -> StoreFuture<'a, ()> {
        self.0.abandon(ticket)
    }
}

/// A client is stopped during a fetch. When it continues, another one has fetched a newer file.
#[tokio::test]
async fn a_late_result_is_discarded() {
    let (slow_server, server) = (HttpServer::start().await, HttpServer::start().await);
    let gate = Gate::new();
    slow_server.serve(ANY, ANY, Reply::ok(OPEN).hold(At::Body(3), &gate));
    server.serve(ANY, ANY, Reply::ok(RULES));
    let store = Arc::new(ShortLeases(MemoryStore::new(8 << 20)));
    let slow = client(&slow_server, &Clock::system(), &store).build().unwrap();
    let other = client(&server, &Clock::system(), &store).build().unwrap();

    let asking = tokio::spawn({
        let slow = slow.clone();
        async move { is_allowed(&slow).await }
    });
    while slow_server.requests().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(!is_allowed(&other).await, "by the newer file");
    gate.open();
    assert!(!asking.await.unwrap(), "by the newer file, too");
    assert!(!is_allowed(&slow).await, "its own result is not in memory");
    assert_eq!(slow.stats().memory_hits_total, 1);
    assert_eq!(&*stored(&*store).await.unwrap().copy.unwrap().body, RULES.as_bytes());
    assert_eq!((slow_server.requests().len(), server.requests().len()), (1, 1));
}

/// A client is late, and the one that took over is still fetching: its result is awaited.
#[tokio::test]
async fn a_late_client_awaits_the_one_that_took_over() {
    let (slow_server, server) = (HttpServer::start().await, HttpServer::start().await);
    let gate = Gate::new();
    slow_server.serve(ANY, ANY, Reply::ok(OPEN).hold(At::Body(3), &gate));
    server.serve(ANY, ANY, Reply::ok(RULES));
    let store = Arc::new(ShortLeases(MemoryStore::new(8 << 20)));
    let slow = client(&slow_server, &Clock::system(), &store).build().unwrap();
    let mut asking = tokio::spawn(async move { is_allowed(&slow).await });
    while slow_server.requests().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    let Ok(Lease::Granted(ticket)) = store.0.begin(&origin(), HOUR, FetchKind::Due).await else { panic!("no lease") };
    gate.open();
    assert!(tokio::time::timeout(Duration::from_millis(300), &mut asking).await.is_err());

    let other = client(&server, &Clock::system(), &Arc::new(MemoryStore::new(8 << 20))).build().unwrap();
    let record = other.check(BOT, URL).await.unwrap().site().record().clone();
    assert_eq!(store.complete(&record, Some(&ticket)).await.unwrap(), Saved::Kept);
    assert!(!asking.await.unwrap(), "by the file that the other one fetched");
    assert_eq!(slow_server.requests().len(), 1);
}

/// Checks the answers while another client fetches: a copy is used if only the lifetime that the site gave it has
/// passed, and not if the policy no longer accepts it.
#[tokio::test]
async fn a_stale_copy_answers_if_the_policy_allows_it() {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, Reply::ok(RULES).header("Cache-Control", "max-age=7200"));
    let clock = Clock::set_to(start());
    let store = Arc::new(MemoryStore::new(8 << 20).with_clock(clock.clone()));
    let warm = client(&server, &clock, &store).build().unwrap();
    let impatient = client(&server, &clock, &store).max_age(HOUR).build().unwrap();
    assert!(!is_allowed(&warm).await);

    let hold = async |span| match store.begin(&origin(), span, FetchKind::Due).await {
        Ok(Lease::Granted(ticket)) => ticket,
        other => panic!("expected a lease, found {other:?}"),
    };
    clock.advance(3 * HOUR);
    let ticket = hold(HOUR).await;
    let cold = client(&server, &clock, &store).build().unwrap();
    for client in [&warm, &cold] {
        let decision = client.check(BOT, URL).await.unwrap();
        assert!(decision.is_disallowed() && decision.site().is_overdue());
    }
    assert_eq!(server.requests().len(), 1);
    let answer = tokio::time::timeout(Duration::from_millis(300), impatient.check(BOT, URL)).await;
    assert!(answer.is_err(), "it wants a newer one");
    store.abandon(&ticket).await.unwrap();
    assert!(!is_allowed(&impatient).await);
    assert_eq!(server.requests().len(), 2);

    clock.advance(DAY);
    let ticket = hold(HOUR).await;
    let mut asking = Box::pin(warm.check(BOT, URL));
    assert!(tokio::time::timeout(Duration::from_millis(300), &mut asking).await.is_err(), "it is too old");
    store.abandon(&ticket).await.unwrap();
    assert!(asking.await.unwrap().is_disallowed());
}

/// A store that saves another client's result just before it grants the next lease.
#[derive(Debug)]
struct Overtaken {
    store: MemoryStore,
    result: Mutex<Option<StoredRecord>>,
}

impl Store for Overtaken {
    fn load<'a>(&'a self, origin: &'a Origin) -> StoreFuture<'a, Option<Stored>> {
        self.store.load(origin)
    }

    fn begin<'a>(&'a self, origin: &'a Origin, span: Duration, kind: FetchKind) -> StoreFuture<'a, Lease> {
        Box::pin(async move {
            let result = self.result.lock().unwrap().take();
            if let Some(record) = result {
                self.store.complete(&record, None).await?;
            }
            self.store.begin(origin, span, kind).await
        })
    }

    fn complete<'a>(&'a self, record: &'a StoredRecord, ticket: Option<&'a Ticket>) -> StoreFuture<'a, Saved> {
        self.store.complete(record, ticket)
    }

    fn abandon<'a>(&'a self, ticket: &'a Ticket) -> StoreFuture<'a, ()> {
        self.store.abandon(ticket)
    }
}

/// A client reads the record, another one saves a later copy, and the first one gets a lease. Its fetch fails. The later
/// copy stays, and answers.
#[tokio::test]
async fn a_failure_is_added_to_the_copy_that_is_stored_when_the_lease_begins() {
    let server = HttpServer::start().await;
    server.serve_in_turn(ANY, ANY, [Reply::ok(OPEN), Reply::ok(RULES), Reply::status(503)]);
    let clock = Clock::set_to(start());
    let store =
        Arc::new(Overtaken { store: MemoryStore::new(8 << 20).with_clock(clock.clone()), result: Mutex::new(None) });
    let first = client(&server, &clock, &store).build().unwrap();
    assert!(is_allowed(&first).await);
    clock.advance(DAY);
    let other = client(&server, &clock, &Arc::new(MemoryStore::new(8 << 20))).build().unwrap();
    let mut record = other.check(BOT, URL).await.unwrap().site().record().clone();
    // It is due at once.
    record.fresh_for = None;
    *store.result.lock().unwrap() = Some(record);

    assert!(!is_allowed(&first).await, "by the later copy");
    let record = stored(&*store).await.unwrap();
    assert_eq!(&*record.copy.unwrap().body, RULES.as_bytes());
    assert!(record.failing_since.is_some());
    assert_eq!(server.requests().len(), 3);
}

/// A store that can be down.
#[derive(Debug)]
struct Unreliable {
    store: MemoryStore,
    is_down: AtomicBool,
    calls: AtomicU64,
}

impl Unreliable {
    fn new(clock: &Clock) -> Arc<Self> {
        let store = MemoryStore::new(8 << 20).with_clock(clock.clone());
        Arc::new(Self { store, is_down: AtomicBool::new(false), calls: AtomicU64::new(0) })
    }

    fn set_down(&self, is_down: bool) {
        self.is_down.store(is_down, Ordering::Relaxed);
    }

    fn check(&self) -> Result<&MemoryStore, StoreError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        if self.is_down.load(Ordering::Relaxed) {
            return Err(StoreError::other("the connection was refused"));
        }
        Ok(&self.store)
    }
}

impl Store for Unreliable {
    fn load<'a>(&'a self, origin: &'a Origin) -> StoreFuture<'a, Option<Stored>> {
        Box::pin(async move { self.check()?.load(origin).await })
    }

    fn begin<'a>(&'a self, origin: &'a Origin, span: Duration, kind: FetchKind) -> StoreFuture<'a, Lease> {
        Box::pin(async move { self.check()?.begin(origin, span, kind).await })
    }

    fn complete<'a>(&'a self, record: &'a StoredRecord, ticket: Option<&'a Ticket>) -> StoreFuture<'a, Saved> {
        Box::pin(async move { self.check()?.complete(record, ticket).await })
    }

    fn abandon<'a>(&'a self, ticket: &'a Ticket) -> StoreFuture<'a, ()> {
        Box::pin(async move { self.check()?.abandon(ticket).await })
    }
}

#[tokio::test]
async fn without_its_store_a_client_fetches() {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, Reply::ok(RULES));
    let clock = Clock::set_to(start());
    let store = Unreliable::new(&clock);
    let client = client(&server, &clock, &store).build().unwrap();
    store.set_down(true);
    assert!(!is_allowed(&client).await);
    let errors = client.stats().store_errors_total;
    assert!(errors > 0);

    // A copy in memory needs no store.
    let calls = store.calls.load(Ordering::Relaxed);
    assert!(!is_allowed(&client).await);
    assert_eq!((store.calls.load(Ordering::Relaxed), client.stats().store_errors_total), (calls, errors));

    // The result of a fetch without the store is the base of what is saved later.
    clock.advance(DAY);
    store.set_down(false);
    server.serve(ANY, ANY, Reply::status(503));
    assert!(!is_allowed(&client).await);
    let record = stored(&store.store).await.unwrap();
    assert_eq!(&*record.copy.unwrap().body, RULES.as_bytes());
    assert!(record.failing_since.is_some());
}

/// A store that works again must not lose its last good copy to a failure that was saved without it.
#[tokio::test]
async fn a_failure_without_the_store_replaces_no_copy() {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, Reply::ok(RULES));
    let clock = Clock::set_to(start());
    let store = Unreliable::new(&clock);
    let first = client(&server, &clock, &store).build().unwrap();
    assert!(!is_allowed(&first).await);
    let good = stored(&store.store).await.unwrap();

    clock.advance(DAY);
    let gate = Gate::new();
    server.serve(ANY, ANY, Reply::status(503).hold(At::Start, &gate));
    store.set_down(true);
    let second = client(&server, &clock, &store).build().unwrap();
    let asking = tokio::spawn({
        let second = second.clone();
        async move { is_allowed(&second).await }
    });
    while server.requests().len() < 2 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    store.set_down(false);
    gate.open();
    assert!(!asking.await.unwrap());
    assert_eq!(stored(&store.store).await, Some(good));
}

/// A failure that was saved only in memory is no base for later attempts if another client has saved a later copy.
#[tokio::test]
async fn a_failure_without_the_store_is_no_base_for_the_next() {
    let server = HttpServer::start().await;
    server.serve_in_turn(ANY, ANY, [Reply::ok(OPEN), Reply::ok(RULES), Reply::status(503)]);
    let clock = Clock::set_to(start());
    let store = Unreliable::new(&clock);
    let clients = [0, 1].map(|_| client(&server, &clock, &store).build().unwrap());
    assert!(is_allowed(&clients[0]).await);
    clock.advance(DAY);
    assert!(!is_allowed(&clients[1]).await);
    clock.advance(DAY);
    store.set_down(true);
    assert!(is_allowed(&clients[0]).await, "it knows its own copy alone");
    store.set_down(false);
    clock.advance(DAY / 24);
    assert!(!is_allowed(&clients[0]).await, "the stored copy is later");
    assert_eq!(&*stored(&store.store).await.unwrap().copy.unwrap().body, RULES.as_bytes());
}

/// A file that was fetched while the store was down is later than the stored one, although that one is still fresh.
#[tokio::test]
async fn a_later_file_without_the_store_supersedes_the_stored_one() {
    let server = HttpServer::start().await;
    let an_hour = |body| Reply::ok(body).header("Cache-Control", "max-age=3600");
    server.serve_in_turn(ANY, ANY, [Reply::ok(OPEN), an_hour(RULES)]);
    let clock = Clock::set_to(start());
    let store = Unreliable::new(&clock);
    let [first, second] = [0, 1].map(|_| client(&server, &clock, &store).build().unwrap());
    assert!(is_allowed(&first).await);
    clock.advance(HOUR);
    store.set_down(true);
    assert!(!is_allowed(&second).await);
    store.set_down(false);

    // The stored file is fresh for 22 more hours.
    clock.advance(HOUR);
    assert!(!is_allowed(&second).await, "the file that forbids it is later");
    assert_eq!(server.requests().len(), 3, "the later file is due, so it is fetched again");
    assert_eq!(&*stored(&store.store).await.unwrap().copy.unwrap().body, RULES.as_bytes());
}

/// A store that fails at random, and records the leases that it has granted.
#[derive(Debug)]
struct Faulty {
    store: MemoryStore,
    random: Mutex<fastrand::Rng>,
    leases: Mutex<Vec<Ticket>>,
}

impl Faulty {
    fn fail(&self) -> Result<(), StoreError> {
        let fails = self.random.lock().unwrap().u8(..4) == 0;
        if fails { Err(StoreError::other("a fault")) } else { Ok(()) }
    }

    fn end(&self, ticket: &Ticket) {
        self.leases.lock().unwrap().retain(|lease| lease != ticket);
    }
}

impl Store for Faulty {
    fn load<'a>(&'a self, origin: &'a Origin) -> StoreFuture<'a, Option<Stored>> {
        Box::pin(async move {
            self.fail()?;
            self.store.load(origin).await
        })
    }

    fn begin<'a>(&'a self, origin: &'a Origin, span: Duration, kind: FetchKind) -> StoreFuture<'a, Lease> {
        Box::pin(async move {
            self.fail()?;
            let lease = self.store.begin(origin, span, kind).await?;
            if let Lease::Granted(ticket) = &lease {
                self.leases.lock().unwrap().push(ticket.clone());
            }
            Ok(lease)
        })
    }

    fn complete<'a>(&'a self, record: &'a StoredRecord, ticket: Option<&'a Ticket>) -> StoreFuture<'a, Saved> {
        Box::pin(async move {
            self.fail()?;
            self.end(ticket.expect("a client completes what it began"));
            self.store.complete(record, ticket).await
        })
    }

    fn abandon<'a>(&'a self, ticket: &'a Ticket) -> StoreFuture<'a, ()> {
        self.end(ticket);
        self.store.abandon(ticket)
    }
}

/// Whatever fails, a lease ends with its question: with the result, or without one.
#[tokio::test]
async fn every_lease_is_given_back() {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, Reply::ok(RULES));
    let clock = Clock::set_to(start());
    for (seed, is_required) in [(1, false), (2, false), (3, true), (4, true)] {
        let random = Mutex::new(fastrand::Rng::with_seed(seed));
        let store = MemoryStore::new(8 << 20).with_clock(clock.clone());
        let store = Arc::new(Faulty { store, random, leases: Mutex::default() });
        let [asking, other] =
            [0, 1].map(|_| client(&server, &clock, &store).require_store(is_required).build().unwrap());
        let mut answers = 0;
        for _ in 0..12 {
            clock.advance(DAY);
            let (check, fetch) = tokio::join!(asking.check(BOT, URL), other.fetch(URL));
            let report = asking.site_answers(URL, true).await;
            answers +=
                [check.is_ok(), fetch.is_ok(), report.is_ok()].into_iter().filter(|is_answer| *is_answer).count();
            assert_eq!(*store.leases.lock().unwrap(), []);
        }
        assert!(answers == 36 || is_required && (1..36).contains(&answers), "{answers}");
    }
}

/// Counts warnings.
#[derive(Clone, Default)]
struct Warnings(Arc<AtomicUsize>);

impl tracing::Subscriber for Warnings {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        *metadata.level() <= tracing::Level::WARN
    }

    fn event(&self, _: &tracing::Event<'_>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

/// A store that is down is in the log once, and not once for each question.
#[tokio::test]
async fn a_store_that_is_down_does_not_fill_the_log() {
    let warnings = Warnings::default();
    let _guard = tracing::subscriber::set_default(warnings.clone());
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, Reply::ok(RULES));
    let clock = Clock::set_to(start());
    let store = Unreliable::new(&clock);
    store.set_down(true);
    for is_required in [false, true] {
        let client = client(&server, &clock, &store).require_store(is_required).build().unwrap();
        for site in 0..40 {
            let answer = client.check(BOT, &format!("http://s{site}.test/private/x")).await;
            assert_eq!(answer.is_ok(), !is_required);
        }
        assert!(client.stats().store_errors_total >= 40);
        assert_eq!(warnings.0.swap(0, Ordering::Relaxed), 1, "required: {is_required}");
    }
}

/// A file that was fetched while the store was down replaces the stored one, if the store works when the fetch ends.
#[tokio::test]
async fn a_later_file_replaces_a_stored_one_that_is_fresh() {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, Reply::ok(OPEN));
    let clock = Clock::set_to(start());
    let store = Unreliable::new(&clock);
    let [first, second] = [0, 1].map(|_| client(&server, &clock, &store).build().unwrap());
    assert!(is_allowed(&first).await);
    clock.advance(HOUR);
    let gate = Gate::new();
    server.serve(ANY, ANY, Reply::ok(RULES).hold(At::Start, &gate));
    store.set_down(true);
    let asking = tokio::spawn(async move { is_allowed(&second).await });
    while server.requests().len() < 2 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    store.set_down(false);
    gate.open();
    assert!(!asking.await.unwrap(), "the own file is later than the stored one");
    assert_eq!(&*stored(&store.store).await.unwrap().copy.unwrap().body, RULES.as_bytes());
}

/// A result that was fetched while the store was down is written when it returns, although nobody asks this client again:
/// another client answers without a fetch.
#[tokio::test]
async fn what_the_store_missed_is_written_when_it_returns() {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, Reply::ok(RULES));
    let clock = Clock::set_to(start());
    let store = Unreliable::new(&clock);
    let [first, second] = [0, 1].map(|_| client(&server, &clock, &store).build().unwrap());
    store.set_down(true);
    assert!(!is_allowed(&first).await);
    assert!(stored(&store.store).await.is_none());
    clock.advance(HOUR);
    store.set_down(false);
    while stored(&store.store).await.is_none() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(!is_allowed(&second).await);
    assert_eq!(server.requests().len(), 1, "the second client does not fetch");
    // The hour in memory counts.
    clock.advance(22 * HOUR + Duration::from_secs(59 * 60));
    assert!(!is_allowed(&second).await);
    assert_eq!(server.requests().len(), 1);
    clock.advance(Duration::from_secs(120));
    assert!(!is_allowed(&second).await);
    assert_eq!(server.requests().len(), 2);
}

/// A failure that was saved only in memory does not restore a file that the site has withdrawn since.
#[tokio::test]
async fn a_failure_without_the_store_restores_no_withdrawn_file() {
    let server = HttpServer::start().await;
    server.serve_in_turn(ANY, ANY, [Reply::ok(OPEN), Reply::status(404), Reply::status(503)]);
    let clock = Clock::set_to(start());
    let store = Unreliable::new(&clock);
    let [first, second] = [0, 1].map(|_| client(&server, &clock, &store).build().unwrap());
    assert!(is_allowed(&first).await);
    clock.advance(23 * HOUR);
    assert!(second.fetch(URL).await.is_ok());
    assert!(stored(&store.store).await.unwrap().copy.is_none());

    clock.advance(2 * HOUR);
    store.set_down(true);
    assert!(first.fetch(URL).await.is_ok());
    store.set_down(false);
    clock.advance(HOUR);
    assert!(is_allowed(&first).await, "the stored answer, that there is no file, is fresh");
    clock.advance(DAY);
    assert!(!is_allowed(&first).await, "the file that it had before is not in force again");
    assert!(stored(&store.store).await.unwrap().copy.is_none());
}

/// A report of a caller does not make a stored copy fresh again.
#[tokio::test]
async fn a_report_does_not_postpone_the_next_fetch() {
    let server = HttpServer::start().await;
    server.serve_in_turn(ANY, ANY, [Reply::ok(OPEN), Reply::ok(RULES)]);
    let clock = Clock::set_to(start());
    let store = Arc::new(MemoryStore::new(8 << 20).with_clock(clock.clone()));
    let client = client(&server, &clock, &store).build().unwrap();
    assert!(is_allowed(&client).await);
    clock.advance(23 * DAY / 24);
    client.site_answers(URL, true).await.unwrap();
    clock.advance(2 * DAY / 24);
    assert!(!is_allowed(&client).await);
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn a_required_store_that_is_down_is_an_error() {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, Reply::ok(RULES));
    let clock = Clock::set_to(start());
    let store = Unreliable::new(&clock);
    let client = client(&server, &clock, &store).require_store(true).build().unwrap();
    store.set_down(true);
    let error = client.check(BOT, URL).await.unwrap_err();
    assert!(error.is_store(), "{error}");
    let expected = "http://a.test was not fetched, since the store failed and is required: the store failed: the \
                    connection was refused";
    assert_eq!(error.to_string(), expected);
    assert!(std::error::Error::source(&error).is_some());
    assert!(server.requests().is_empty());

    store.set_down(false);
    assert!(!is_allowed(&client).await);
    store.set_down(true);
    assert!(!is_allowed(&client).await, "from memory");
    clock.advance(DAY);
    assert!(client.check(BOT, URL).await.is_err());
    assert_eq!(server.requests().len(), 1);
}

/// A store with a lease that another client holds. It records when it is asked, and fails after some times.
#[derive(Debug, Default)]
struct AlwaysHeld {
    until: Duration,
    asked: Mutex<Vec<tokio::time::Instant>>,
}

impl Store for AlwaysHeld {
    fn load<'a>(&'a self, _: &'a Origin) -> StoreFuture<'a, Option<Stored>> {
        Box::pin(async { Ok(None) })
    }

    fn begin<'a>(&'a self, _: &'a Origin, _: Duration, _: FetchKind) -> StoreFuture<'a, Lease> {
        let mut asked = self.asked.lock().unwrap();
        asked.push(tokio::time::Instant::now());
        let is_over = asked.len() == 8;
        let until = self.until;
        Box::pin(async move { if is_over { Err(StoreError::other("the end")) } else { Ok(Lease::Held { until }) } })
    }

    fn complete<'a>(&'a self, _: &'a StoredRecord, _: Option<&'a Ticket>) -> StoreFuture<'a, Saved> {
        unreachable!("nothing was fetched")
    }
}

/// Waiting clients ask again after 50 ms, later every 400 ms, and when the lease ends.
#[tokio::test(start_paused = true)]
async fn waiting_clients_ask_less_and_less_often() {
    for (until, expected) in
        [(10_000, [50, 100, 200, 400, 400, 400, 400]), (120, [50, 100, 120, 120, 120, 120, 120]), (30, [30_u32; 7])]
    {
        let store = Arc::new(AlwaysHeld { until: Duration::from_millis(until), ..AlwaysHeld::default() });
        let client = Client::builder("TestBot/1.0 (+https://bot.test/)");
        let client = client.store(Arc::clone(&store) as Arc<dyn Store>).require_store(true).build().unwrap();
        assert!(client.check(BOT, URL).await.unwrap_err().is_store());
        let asked = store.asked.lock().unwrap();
        let intervals: Vec<u128> = asked.windows(2).map(|two| (two[1] - two[0]).as_millis()).collect();
        assert_eq!(intervals, expected.map(u128::from), "{until}");
    }
}

/// An answer about the site's pages is added to the record that another client has saved meanwhile.
#[tokio::test]
async fn report_of_a_caller_is_added_to_the_latest_record() {
    let server = HttpServer::start().await;
    server.serve_in_turn(ANY, ANY, [Reply::ok(OPEN), Reply::ok(RULES)]);
    let clock = Clock::set_to(start());
    let store = Arc::new(MemoryStore::new(8 << 20).with_clock(clock.clone()));
    let clients = [0, 1].map(|_| client(&server, &clock, &store).build().unwrap());
    assert!(is_allowed(&clients[0]).await);
    clock.advance(DAY);
    assert!(!is_allowed(&clients[1]).await);
    clients[0].site_answers(URL, true).await.unwrap();
    let record = stored(&*store).await.unwrap();
    assert_eq!(&*record.copy.unwrap().body, RULES.as_bytes());
    assert_eq!(record.answers.map(|(answers, _)| answers), Some(true));
    assert!(!is_allowed(&clients[0]).await);
}

/// A store that answers nothing, and counts the questions.
#[derive(Debug, Default)]
struct Silent(AtomicUsize);

impl Store for Silent {
    fn load<'a>(&'a self, _: &'a Origin) -> StoreFuture<'a, Option<Stored>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Box::pin(std::future::pending())
    }

    fn begin<'a>(&'a self, _: &'a Origin, _: Duration, _: FetchKind) -> StoreFuture<'a, Lease> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Box::pin(std::future::pending())
    }

    fn complete<'a>(&'a self, _: &'a StoredRecord, _: Option<&'a Ticket>) -> StoreFuture<'a, Saved> {
        Box::pin(std::future::pending())
    }

    fn patience(&self) -> Option<Duration> {
        Some(Duration::from_millis(20))
    }
}

#[tokio::test]
async fn questions_do_not_wait_for_a_store_that_is_silent() {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, Reply::ok(RULES));
    let store = Arc::new(Silent::default());
    let client = client(&server, &Clock::system(), &store).build().unwrap();
    let began = Instant::now();
    for site in 0..50 {
        assert!(client.check(BOT, format!("http://s{site}.test/private/x")).await.unwrap().is_disallowed());
    }
    let (asked, seconds) = (store.0.load(Ordering::Relaxed), began.elapsed().as_secs() as usize);
    assert!(asked <= 3 + seconds, "after three, one a second: {asked} in {seconds} s");
    assert_eq!(server.requests().len(), 50);
}
