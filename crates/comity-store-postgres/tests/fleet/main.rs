//! Fleets: several clients, each a process of its own, share one PostgreSQL server, and lose each other, the server and the
//! network. Skipped with a message if PostgreSQL is not installed.
//!
//! `COMITY_FLEET_ORIGINS` sets the number of origins, which defaults to 2,000. `cargo xtask test --long` uses 10,000.

#![cfg(unix)]

mod client;
mod full;
mod namespace;
mod partition;
mod proxy;
mod web;

use std::time::Duration;

use client::{Fleet, Settings};
use comity_testserver::Postgres;
use web::Web;

/// Returns the number of origins.
fn origins() -> usize {
    std::env::var("COMITY_FLEET_ORIGINS").map_or(2000, |number| number.parse().unwrap())
}

/// The program of a client: see [`client::run`].
#[test]
#[ignore = "other tests run it as a process"]
fn client_process() {
    client::run();
}

#[test]
fn each_origin_is_fetched_once() {
    let Some(mut database) = Postgres::start() else { return };
    let (web, origins) = (Web::start(), origins());
    let settings = Settings { at_once: 32, ..Settings::new(&database.url(), &web, origins) };
    let mut fleet = Fleet::start(&settings, &[0, 0, 0]);
    let answers = fleet.finish();
    assert_eq!(answers.len(), 3 * origins);
    assert_eq!(web.requests(), origins);
    assert_eq!(fleet.store_errors(), 0);
    assert_eq!(
        database.psql("select count(*) from comity.origin where record is not null and ticket is null"),
        origins.to_string()
    );

    // Without the database, all clients answer from memory, and do not even try to reach it.
    database.kill();
    assert_eq!(fleet.ask_again().len(), 3 * origins);
    assert_eq!((web.requests(), fleet.store_errors()), (origins, 0));
}

/// The clocks of two clients are a day early and a day late.
#[test]
fn wrong_clocks_of_clients_change_nothing() {
    let Some(database) = Postgres::start() else { return };
    let web = Web::start();
    let settings = Settings { at_once: 16, ..Settings::new(&database.url(), &web, 200) };
    let mut fleet = Fleet::start(&settings, &[0, -1, 1]);
    assert_eq!(fleet.finish().len(), 600);
    assert_eq!((web.requests(), fleet.store_errors()), (200, 0));
}

/// Clients are killed (SIGKILL) at random times, and started again. Others are stopped (SIGSTOP) for longer than a lease, and
/// continue. No fetch is lost but the one that was in progress, and no answer is older than an earlier one.
#[test]
fn clients_are_killed_and_stopped() {
    const KILLS: usize = 9;
    const STOPS: usize = 3;
    let Some(database) = Postgres::start() else { return };
    let origins = origins();
    let web = Web::start_slow(origins, Duration::from_millis(5));
    let settings = Settings::new(&database.url(), &web, origins);
    let mut fleet = Fleet::start(&settings, &[0, 0, 0]);
    for round in 1..=KILLS + STOPS {
        // While there is much to fetch.
        fleet.wait_for(origins * round / (KILLS + STOPS));
        if round <= KILLS {
            fleet.kill_and_start_again(round % 3);
        } else {
            // It may have just started.
            fleet.stop(round % 3, client::LEASE + Duration::from_secs(1));
        }
    }
    let answers = fleet.finish();
    // A fetch fails if its client is stopped for longer than its timeout.
    assert!(client::never_older(&answers) <= STOPS);
    let fetches = web.requests();
    println!("{fetches} fetches of {origins} origins, with {KILLS} kills and {STOPS} stops");
    assert!((origins..=origins + KILLS + STOPS).contains(&fetches), "{fetches} with {KILLS} kills and {STOPS} stops");
    assert_eq!(fleet.store_errors(), 0);
    settings.is_clean();
}

/// The server is killed, and started again. Clients wait for it, and no result is lost.
#[test]
fn the_server_is_killed() {
    const KILLS: usize = 3;
    let Some(mut database) = Postgres::start() else { return };
    let origins = origins();
    let web = Web::start_slow(origins, Duration::from_millis(5));
    let settings = Settings { wait: Duration::from_secs(60), ..Settings::new(&database.url(), &web, origins) };
    let mut fleet = Fleet::start(&settings, &[0, 0, 0]);
    for round in 1..=KILLS {
        fleet.wait_for(origins * round / 4);
        database.kill();
        database.start_again();
    }
    let answers = fleet.finish();
    assert_eq!(client::never_older(&answers), 0);
    let fetches = web.requests();
    println!("{fetches} fetches of {origins} origins, with {KILLS} kills of the server");
    assert!((origins..=origins + KILLS).contains(&fetches), "{fetches} with {KILLS} kills");
    assert_eq!(fleet.store_errors(), 0);
    settings.is_clean();
}

/// The server loses its last transactions when it is killed. Lost results are fetched again, and leases that it had granted
/// twice confuse nobody.
#[test]
fn the_server_forgets_its_last_transactions() {
    const ORIGINS: usize = 300;
    let settings = ["synchronous_commit=off", "wal_writer_delay=10s"];
    let Some(mut database) = Postgres::start_with(&settings) else { return };
    let web = Web::start_slow(ORIGINS, Duration::from_millis(5));
    let settings = Settings { wait: Duration::from_secs(60), ..Settings::new(&database.url(), &web, ORIGINS) };
    let mut fleet = Fleet::start(&settings, &[0, 0, 0]);
    fleet.wait_for(300);
    database.kill();
    database.start_again();
    let answers = fleet.finish();
    let fetches = web.requests();
    assert!((ORIGINS..=2 * ORIGINS).contains(&fetches), "{fetches}");
    assert!(web.most_for_one_origin() <= 2, "each is lost at most once");
    assert_eq!(answers.len(), 3 * ORIGINS);
    settings.is_clean();
}

/// Without `wait`, nobody waits for a server that is down: each client fetches what it needs, and counts the errors.
#[test]
fn nobody_needs_the_server() {
    const ORIGINS: usize = 60;
    let Some(mut database) = Postgres::start() else { return };
    let web = Web::start_slow(ORIGINS, Duration::from_millis(5));
    let settings = Settings::new(&database.url(), &web, ORIGINS);
    let mut fleet = Fleet::start(&settings, &[0, 0, 0]);
    fleet.wait_for(30);
    database.kill();
    assert_eq!(fleet.finish().len(), 3 * ORIGINS);
    assert!(fleet.store_errors() > 0);
    assert!((ORIGINS..=3 * ORIGINS).contains(&web.requests()), "{}", web.requests());
    assert_eq!(fleet.ask_again().len(), 3 * ORIGINS);
}
