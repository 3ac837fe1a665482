//! A database that is down for a while: what clients fetched meanwhile is in it afterwards.

use std::sync::Arc;
use std::time::Duration;

use comity::{Crawler, Origin};
use comity_fetch::store::Store;
use comity_fetch::{Addresses, Client, Fixed};
use comity_store_postgres::{PostgresOptions, PostgresStore};
use comity_testserver::Postgres;

use crate::web::Web;

const SITES: usize = 20;

fn url(site: usize) -> String {
    format!("http://site{site}.test/private/x")
}

/// Returns a client with a store of its own, and the store.
fn client(server: &Postgres, web: &Web) -> (Client, Arc<PostgresStore>) {
    let options: PostgresOptions = server.url().parse().unwrap();
    let store = Arc::new(PostgresStore::new(options.patience(Duration::MAX)).unwrap());
    let client = Client::builder("TestBot/1.0 (+https://bot.test/)")
        .addresses(Addresses::Any)
        .resolver(Arc::new(Fixed::new([web.address()])))
        .store(Arc::clone(&store) as _);
    (client.build().unwrap(), store)
}

async fn asks(client: &Client) {
    for site in 0..SITES {
        assert!(client.check(&Crawler::ANY, url(site)).await.unwrap().is_disallowed());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_client_finds_what_was_fetched_meanwhile() {
    let Some(mut server) = Postgres::start() else { return };
    let web = Web::start_here().await;
    let (first, store) = client(&server, &web);
    store.connect().await.unwrap();
    server.kill();
    asks(&first).await;
    assert_eq!(web.requests(), SITES);
    assert!(first.stats().store_errors_total > 0);

    server.start_again();
    let (second, store) = client(&server, &web);
    for site in 0..SITES {
        let origin = Origin::of(&url(site)).unwrap();
        // Until the test's own timeout.
        while !matches!(store.load(&origin).await, Ok(Some(_))) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
    asks(&second).await;
    assert_eq!(web.requests(), SITES, "the second client does not fetch");
}
