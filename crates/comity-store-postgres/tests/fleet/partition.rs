//! Clients that are separated from the database, while others are not.

use std::sync::Arc;
use std::time::{Duration, Instant};

use comity::{Crawler, Origin};
use comity_fetch::store::Store;
use comity_fetch::{Addresses, Client, Fixed};
use comity_store_postgres::{PostgresOptions, PostgresStore};
use comity_testserver::Postgres;

use crate::client::{self, Fleet, Settings};
use crate::lease::{Leased, SHORT_LEASE};
use crate::namespace::{self, Firewall};
use crate::proxy::Proxy;
use crate::web::Web;

fn client_of(store: &Arc<PostgresStore>, web: &Web) -> Client {
    Client::builder("TestBot/1.0 (+https://bot.test/)")
        .addresses(Addresses::Any)
        .resolver(Arc::new(Fixed::new([web.address()])))
        .store(Arc::new(Leased::new(store, SHORT_LEASE)))
        .build()
        .unwrap()
}

/// Returns a store with a short timeout.
fn far_store(address: &str) -> Arc<PostgresStore> {
    let options: PostgresOptions = address.parse().unwrap();
    Arc::new(PostgresStore::new(options.timeout(Duration::from_secs(1)).patience(Duration::MAX)).unwrap())
}

async fn is_disallowed(client: &Client, site: &str) -> bool {
    client.check(&Crawler::ANY, format!("http://{site}.test/private/x")).await.unwrap().is_disallowed()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_proxy_loses_bytes() {
    let Some(server) = Postgres::start() else { return };
    let proxy = Proxy::start(server.port()).await;
    separate(&server, &proxy.url(), |to_server, from_server| proxy.lose(to_server, from_server)).await;
}

#[test]
fn a_network_loses_packets() {
    namespace::run("partition::packets_are_lost");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "runs in a network namespace: see `a_network_loses_packets`"]
async fn packets_are_lost() {
    let Some((server, firewall)) = Firewall::start() else { return };
    let lose = |to_server, from_server| firewall.lose([(to_server, from_server), (false, false), (false, false)]);
    separate(&server, &firewall.urls()[0], lose).await;
}

/// Loses the bytes to the server, from it, and in both directions. The client fetches alone, the other one waits at
/// most for the lease of a client that it cannot see, and both use the database when the network works again.
async fn separate(server: &Postgres, far: &str, lose: impl Fn(bool, bool)) {
    let web = Web::start_here().await;
    let near = Arc::new(PostgresStore::new(server.url().parse().unwrap()).unwrap());
    let far = far_store(far);
    let clients = [client_of(&far, &web), client_of(&near, &web)];
    for client in &clients {
        assert!(is_disallowed(client, "before").await);
    }
    assert_eq!(web.requests(), 1);

    for (name, to_server, from_server) in [("requests", true, false), ("answers", false, true), ("both", true, true)] {
        let before = web.requests();
        let errors = clients[0].stats().store_errors_total;
        lose(to_server, from_server);
        let began = Instant::now();
        assert!(is_disallowed(&clients[0], name).await, "{name}");
        assert!(began.elapsed() < Duration::from_secs(8), "{name}: {:?}", began.elapsed());
        assert!(clients[0].stats().store_errors_total > errors, "{name}");
        assert_eq!(web.requests(), before + 1, "{name}");
        // The server may have granted a lease, and the answer was lost.
        let began = Instant::now();
        assert!(is_disallowed(&clients[1], name).await, "{name}");
        assert!(began.elapsed() < Duration::from_secs(8), "{name}: {:?}", began.elapsed());
        assert!(web.requests() <= before + 2, "{name}");

        lose(false, false);
        let origin = Origin::of(&format!("http://{name}.test/")).unwrap();
        let end = Instant::now() + Duration::from_secs(20);
        while far.load(&origin).await.is_err() {
            assert!(Instant::now() < end, "the database is not used again");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let (errors, before) = (clients[0].stats().store_errors_total, web.requests());
        for client in &clients {
            assert!(is_disallowed(client, &format!("after-{name}")).await);
        }
        assert_eq!((clients[0].stats().store_errors_total, web.requests()), (errors, before + 1), "{name}");
        assert!(far.load(&origin).await.unwrap().is_some());
    }
    assert!(near.archive().unwrap().verify().await.unwrap().is_clean());
}

#[test]
fn a_fleet_is_separated() {
    namespace::run("partition::a_fleet_loses_packets");
}

/// Three of four clients are separated from the database for longer than a lease: one in both directions, and each of the
/// others in one. They wait, so only the fetches that they are in are done again by the fourth.
#[test]
#[ignore = "runs in a network namespace: see `a_fleet_is_separated`"]
fn a_fleet_loses_packets() {
    const ORIGINS: usize = 150;
    const CUTS: [(bool, bool); 3] = [(true, true), (true, false), (false, true)];
    let Some((server, firewall)) = Firewall::start() else { return };
    let web = Web::start_slow(ORIGINS, Duration::from_millis(100));
    let settings = Settings { far: firewall.urls().into(), ..Settings::new(&server.url(), &web, ORIGINS) };
    let settings = Settings { wait: Duration::from_secs(60), lease: SHORT_LEASE, ..settings };
    let mut fleet = Fleet::start(&settings, &[0; 4]);
    fleet.wait_for(40);
    firewall.lose(CUTS);
    std::thread::sleep(Duration::from_millis(500));
    let before = web.requests();
    std::thread::sleep(SHORT_LEASE);
    assert!(web.requests() > before, "the fourth client goes on");
    firewall.lose([(false, false); 3]);
    let answers = fleet.finish();
    client::never_older(&answers);
    let fetches = web.requests();
    println!("{fetches} fetches of {ORIGINS} origins, with {} cuts", CUTS.len());
    assert!((ORIGINS..=ORIGINS + CUTS.len()).contains(&fetches), "{fetches} with {} cuts", CUTS.len());
    assert_eq!(fleet.store_errors(), 0);
    settings.is_clean(&answers);
}

/// A client vanishes within a transaction. Its locks end before other clients notice them as failures.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_vanishes_within_a_transaction() {
    let Some(server) = Postgres::start() else { return };
    let web = Web::start_here().await;
    let proxy = Proxy::start(server.port()).await;
    let near = Arc::new(PostgresStore::new(server.url().parse().unwrap()).unwrap());
    let clients = [client_of(&far_store(&proxy.url()), &web), client_of(&near, &web)];
    assert!(is_disallowed(&clients[0], "before").await);
    proxy.lose_statement("COMMIT\0");
    assert!(is_disallowed(&clients[0], "held").await);
    assert_eq!(clients[0].stats().store_errors_total, 1);
    assert!(is_disallowed(&clients[1], "held").await);
    assert_eq!((clients[1].stats().store_errors_total, web.requests()), (0, 3));
}

/// A client is stopped (SIGSTOP) within a transaction, for longer than its lease. Another client takes over, and the result
/// of the first one is discarded when it goes on: its answer must not be older.
#[test]
fn a_client_is_stopped_within_a_transaction() {
    const TIMEOUT: u64 = 2;
    let Some(server) = Postgres::start() else { return };
    let web = Web::start_slow(1, Duration::ZERO);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let proxy = runtime.block_on(Proxy::start(server.port()));
    proxy.lose_statement("COMMIT\0");
    let far = vec![format!("{}?timeout={TIMEOUT}", proxy.url())];
    let settings = Settings { far, lease: SHORT_LEASE, ..Settings::new(&server.url(), &web, 1) };
    runtime.block_on(PostgresStore::new(server.url().parse().unwrap()).unwrap().connect()).unwrap();
    let mut stopped = Fleet::start(&settings, &[0]);
    proxy.wait_for_loss();
    let began = Instant::now();
    stopped.signal(0, "STOP");
    let other = Fleet::start(&Settings { far: Vec::new(), ..settings }, &[0]).finish();
    // A shorter stop is no different from a slow database, without which a client answers alone.
    std::thread::sleep(Duration::from_secs(TIMEOUT + 2).saturating_sub(began.elapsed()));
    stopped.signal(0, "CONT");
    let answers = stopped.finish();
    assert_eq!((other.len(), other[0].version), (1, 2));
    assert_eq!((answers.len(), answers[0].version), (1, 2), "the result of the other client");
    assert_eq!((stopped.store_errors(), web.requests()), (0, 2));
}
