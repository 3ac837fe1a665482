//! Databases that refuse a client or cannot be used: the client states the reason, and answers by its own fetch. It allows
//! nothing that the site and the policy do not allow.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use comity::Crawler;
use comity_fetch::{Addresses, Client, ClientBuilder, Clock, Fixed, Time};
use comity_store_postgres::{PostgresOptions, PostgresStore};
use comity_testserver::{ANY, HttpServer, Postgres, Reply};

const RULES: &str = "User-agent: *\nDisallow: /private/\n";
const OPEN: &str = "User-agent: *\nDisallow: /other/\n";

fn store(address: &str) -> Arc<PostgresStore> {
    let options: PostgresOptions = address.parse().unwrap();
    Arc::new(PostgresStore::new(options.timeout(Duration::from_secs(2)).patience(Duration::MAX)).unwrap())
}

fn client(web: &HttpServer, store: &Arc<PostgresStore>) -> ClientBuilder {
    Client::builder("TestBot/1.0 (+https://bot.test/)")
        .addresses(Addresses::Any)
        .resolver(Arc::new(Fixed::new([web.addr()])))
        .store(Arc::clone(store) as _)
}

/// Returns a web server on which `down.test` fails, and all other sites disallow `/private/`.
async fn web() -> HttpServer {
    let web = HttpServer::start().await;
    web.serve(ANY, "/robots.txt", Reply::ok(RULES));
    web.serve("down.test", "/robots.txt", Reply::status(503));
    web
}

/// Stores a file of `old.test` that allows everything. It is two days old, so no policy accepts it today.
async fn store_old_copy(web: &HttpServer, server: &Postgres) {
    web.serve("old.test", "/robots.txt", Reply::ok(OPEN));
    let two_days_ago = SystemTime::now() - Duration::from_secs(2 * 24 * 60 * 60);
    let before = client(web, &store(&server.url())).clock(Clock::set_to(Time::from(two_days_ago))).build().unwrap();
    assert!(is_allowed(&before, "old", "private").await);
    server.psql("update comity.origin set due = clock_timestamp()");
    web.serve("old.test", "/robots.txt", Reply::ok(RULES));
}

async fn is_allowed(client: &Client, site: &str, folder: &str) -> bool {
    client.check(&Crawler::ANY, format!("http://{site}.test/{folder}/x")).await.unwrap().is_allowed()
}

/// Checks what clients do while the database at this address has a fault. Each part of the reason must be in the error.
async fn is_refused(web: &HttpServer, address: &str, reason: &[&str]) {
    let strict = client(web, &store(address)).require_store(true).build().unwrap();
    let before = web.requests().len();
    let error = strict.check(&Crawler::ANY, "http://a.test/private/x").await.unwrap_err();
    assert!(error.is_store(), "{error}");
    for part in reason {
        assert!(error.to_string().contains(part), "{part} in: {error}");
    }
    assert!(!error.to_string().contains("secret"), "{error}");
    assert_eq!(web.requests().len(), before, "{reason:?}: nothing is fetched without a store that is required");

    let alone = client(web, &store(address)).build().unwrap();
    let answers = [
        (is_allowed(&alone, "a", "private").await, "the file disallows it"),
        (is_allowed(&alone, "down", "public").await, "the site fails"),
        (is_allowed(&alone, "old", "private").await, "the stored copy is too old, and the file disallows it today"),
        (!is_allowed(&alone, "a", "public").await, "the file allows it"),
    ];
    for (is_wrong, why) in answers {
        assert!(!is_wrong, "{reason:?}: {why}");
    }
    let fetched: Vec<usize> = ["a.test", "down.test", "old.test"].map(|host| web.count(host, "/robots.txt")).into();
    web.clear_requests();
    assert_eq!(fetched, [1, 1, 1], "{reason:?}");
    assert!(alone.stats().store_errors_total >= 3, "{reason:?}: {:?}", alone.stats());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_answer_alone() {
    let settings = ["max_connections=5", "superuser_reserved_connections=3"];
    let Some(mut server) = Postgres::start_with(&settings) else { return };
    let web = web().await;
    store_old_copy(&web, &server).await;
    web.clear_requests();
    server.psql(
        "create role comity login password 'secret'; grant usage on schema comity to comity;
        grant select on all tables in schema comity to comity",
    );
    let comity = server.url_for("comity", "secret");

    is_refused(
        &web,
        &server.url_for("comity", "secret-but-wrong"),
        &["password authentication failed", "check the user"],
    )
    .await;
    is_refused(&web, &comity, &["permission denied for table origin", "grant the rights"]).await;
    server.psql("grant insert, update, delete on comity.origin, comity.version, comity.body to comity");
    server.psql("alter role comity set default_transaction_read_only = on");
    is_refused(&web, &comity, &["read-only transaction", "use the address of the primary"]).await;
    server.psql("alter role comity reset default_transaction_read_only");

    server.psql("insert into comity.migration (version) values (7)");
    is_refused(&web, &comity, &["its tables have version 7", "use a newer comity"]).await;
    server.psql("delete from comity.migration where version = 7");

    let others = [store(&server.url()), store(&server.url())];
    for other in &others {
        other.connect().await.unwrap();
    }
    is_refused(&web, &comity, &["remaining connection slots are reserved", "raise max_connections"]).await;
    drop(others);

    server.pause(true);
    is_refused(&web, &comity, &["did not accept a connection in time"]).await;
    server.pause(false);
    server.kill();
    is_refused(&web, &comity, &["could not connect"]).await;

    // Nothing was wrong but these faults.
    server.start_again();
    let works = client(&web, &store(&comity)).require_store(true).build().unwrap();
    assert!(!is_allowed(&works, "old", "private").await);
    assert_eq!(works.stats().store_errors_total, 0);
}
