//! Fleets: several clients, each a process of its own, share one PostgreSQL server, and lose each other, the server and the
//! network. Skipped with a message if PostgreSQL is not installed.
//!
//! `COMITY_FLEET_ORIGINS` sets the number of origins, which defaults to 600. `cargo xtask test --long` uses 10,000.
//!
//! Leases are short where a test waits for their end ([`lease`]).
//!
//! | fault | tests |
//! |---|---|
//! | clients are killed (SIGKILL) | `clients_are_killed_and_stopped` |
//! | clients are stopped (SIGSTOP) for longer than a lease | that one, `partition::a_client_is_stopped_within_a_transaction` |
//! | the server is killed | `the_server_is_killed`, `clients_fetch_without_the_server`, and in `database.rs` `a_client_that_waits_survives_a_crash_of_the_server` |
//! | the server loses its last transactions (`synchronous_commit = off`) | `the_server_forgets_its_last_transactions`, and in `database.rs` `a_lease_that_the_server_forgot_is_late` |
//! | the network is cut, in both directions and in one | `partition::a_network_loses_packets`, `partition::a_fleet_is_separated`, `partition::a_proxy_loses_bytes`, `partition::a_client_vanishes_within_a_transaction` |
//! | an answer is lost with its connection | `lost` |
//! | clocks of clients are a day early or late | `wrong_clocks_of_clients_change_nothing` |
//! | the connection limit is reached, the database is read-only, its tables are newer, the password is wrong, rights are missing | `refusals`, and in `database.rs` `refusals_say_what_to_do`, `newer_tables_are_refused`, `a_user_with_few_rights_can_work` |
//! | the disk is full | `full` |

#![cfg(unix)]

mod client;
mod full;
mod lease;
mod lost;
mod namespace;
mod outage;
mod partition;
mod proxy;
mod refusals;
mod web;

use std::time::Duration;

use client::{Fleet, Settings};
use comity_testserver::Postgres;
use lease::SHORT_LEASE;
use web::Web;

/// Returns the number of origins.
fn origins() -> usize {
    std::env::var("COMITY_FLEET_ORIGINS").map_or(600, |number| number.parse().unwrap())
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

/// Eight clients share ten connections, and would use 128. None gives up and fetches for itself.
#[test]
fn few_connections_are_shared() {
    const ORIGINS: usize = 60;
    let Some(database) = Postgres::start() else { return };
    database.psql(
        "create role comity login password 'secret' connection limit 10; grant create on database postgres to comity",
    );
    let web = Web::start_slow(ORIGINS, Duration::from_millis(20));
    // On a busy machine, a client may wait long for its turn.
    let address = database.url_for("comity", "secret") + "?timeout=60";
    let settings = Settings { at_once: 60, ..Settings::new(&address, &web, ORIGINS) };
    let mut fleet = Fleet::start(&settings, &[0; 8]);
    assert_eq!(fleet.finish().len(), 8 * ORIGINS);
    assert_eq!((web.requests(), fleet.store_errors()), (ORIGINS, 0));
}

/// The clocks of two clients are a day early and a day late. When all files are due by the clock of the database, each is
/// fetched once more.
#[test]
fn wrong_clocks_of_clients_change_nothing() {
    const ORIGINS: usize = 200;
    let Some(database) = Postgres::start() else { return };
    let web = Web::start_slow(ORIGINS, Duration::ZERO);
    let settings = Settings { at_once: 16, ..Settings::new(&database.url(), &web, ORIGINS) };
    let mut fleet = Fleet::start(&settings, &[0, -1, 1]);
    let answers = fleet.finish();
    client::never_older(&answers);
    assert_eq!((answers.len(), web.requests(), fleet.store_errors()), (3 * ORIGINS, ORIGINS, 0));
    settings.is_clean(&answers);

    database.psql("update comity.origin set due = clock_timestamp()");
    let mut fleet = Fleet::start(&settings, &[-1, 1, 1]);
    let answers = fleet.finish();
    assert_eq!((answers.len(), web.requests(), fleet.store_errors()), (3 * ORIGINS, 2 * ORIGINS, 0));
}

/// Clients are killed (SIGKILL) at random times, and started again. Others are stopped (SIGSTOP) for longer than a lease, and
/// continue. No fetch is lost but the one that was in progress, and no answer is older than an earlier one.
#[test]
fn clients_are_killed_and_stopped() {
    const KILLS: usize = 9;
    const STOPS: usize = 2;
    let Some(database) = Postgres::start() else { return };
    let origins = origins();
    let web = Web::start_slow(origins, Duration::from_millis(5));
    let settings = Settings { lease: SHORT_LEASE, ..Settings::new(&database.url(), &web, origins) };
    let mut fleet = Fleet::start(&settings, &[0, 0, 0]);
    for round in 1..=KILLS {
        // While there is much to fetch.
        fleet.wait_for(origins * round / (KILLS + 1));
        fleet.kill_and_start_again(round % 3);
    }
    // The one that has just started fetches meanwhile.
    fleet.wait_for(origins);
    fleet.stop(&[1, 2], SHORT_LEASE + Duration::from_millis(500));
    let answers = fleet.finish();
    client::never_older(&answers);
    let fetches = web.requests();
    println!("{fetches} fetches of {origins} origins, with {KILLS} kills and {STOPS} stops");
    assert!((origins..=origins + KILLS + STOPS).contains(&fetches), "{fetches} with {KILLS} kills and {STOPS} stops");
    assert_eq!(fleet.store_errors(), 0);
    settings.is_clean(&answers);
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
    client::never_older(&answers);
    let fetches = web.requests();
    println!("{fetches} fetches of {origins} origins, with {KILLS} kills of the server");
    assert!((origins..=origins + KILLS).contains(&fetches), "{fetches} with {KILLS} kills");
    assert_eq!(fleet.store_errors(), 0);
    settings.is_clean(&answers);
}

/// The server loses its last transactions when it is killed. Lost results are fetched again, and leases that it had granted
/// twice confuse nobody.
#[test]
fn the_server_forgets_its_last_transactions() {
    const ORIGINS: usize = 200;
    let settings = ["synchronous_commit=off", "wal_writer_delay=10s"];
    let Some(mut database) = Postgres::start_with(&settings) else { return };
    let web = Web::start_slow(ORIGINS, Duration::from_millis(5));
    let settings = Settings { wait: Duration::from_secs(60), ..Settings::new(&database.url(), &web, ORIGINS) };
    // The end of a lease may be lost, too.
    let settings = Settings { lease: SHORT_LEASE, ..settings };
    let mut fleet = Fleet::start(&settings, &[0, 0, 0]);
    fleet.wait_for(ORIGINS);
    database.kill();
    database.start_again();
    let answers = fleet.finish();
    let fetches = web.requests();
    assert!((ORIGINS..=2 * ORIGINS).contains(&fetches), "{fetches}");
    assert!(web.most_for_one_origin() <= 2, "each is lost at most once");
    assert_eq!(answers.len(), 3 * ORIGINS);
    // The results of earlier answers may be lost.
    settings.is_clean(&[]);
}

/// Without `wait`, nobody waits for a server that is down: each client fetches what it needs, and counts the errors.
#[test]
fn clients_fetch_without_the_server() {
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
