//! A client that is separated from the database, while another one is not.

use std::sync::Arc;
use std::time::{Duration, Instant};

use comity::{Crawler, Origin};
use comity_fetch::store::Store;
use comity_fetch::{Addresses, Client, Fixed};
use comity_store_postgres::{PostgresOptions, PostgresStore};
use comity_testserver::Postgres;

use crate::proxy::Proxy;
use crate::web::Web;

fn client(store: &Arc<PostgresStore>, web: &Web) -> Client {
    Client::builder("TestBot/1.0 (+https://bot.test/)")
        .addresses(Addresses::Any)
        .resolver(Arc::new(Fixed::new([web.address()])))
        .timeout(Duration::from_secs(1))
        .store(Arc::clone(store) as Arc<dyn Store>)
        .build()
        .unwrap()
}

async fn is_disallowed(client: &Client, site: &str) -> bool {
    client.check(&Crawler::ANY, format!("http://{site}.test/private/x")).await.unwrap().is_disallowed()
}

/// Bytes to the server, from the server, or both are lost. The client fetches alone, the other one waits at most for the
/// lease of a client that it cannot see, and both use the database when the network works again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_network_is_cut() {
    let Some(server) = Postgres::start() else { return };
    let web = Web::start_here().await;
    let proxy = Proxy::start(server.port()).await;
    let near: PostgresOptions = server.url().parse().unwrap();
    let far: PostgresOptions = format!("postgres://postgres@127.0.0.1:{}/postgres", proxy.port()).parse().unwrap();
    let near = Arc::new(PostgresStore::new(near).unwrap());
    let far = Arc::new(PostgresStore::new(far.timeout(Duration::from_millis(500))).unwrap());
    let clients = [client(&far, &web), client(&near, &web)];
    for client in &clients {
        assert!(is_disallowed(client, "before").await);
    }
    assert_eq!(web.requests(), 1);

    for (name, to_server, from_server) in [("requests", true, false), ("answers", false, true), ("both", true, true)] {
        let before = web.requests();
        let errors = clients[0].stats().store_errors_total;
        proxy.lose(to_server, from_server);
        let began = Instant::now();
        assert!(is_disallowed(&clients[0], name).await, "{name}");
        assert!(began.elapsed() < Duration::from_secs(4), "{name}: {:?}", began.elapsed());
        assert!(clients[0].stats().store_errors_total > errors, "{name}");
        assert_eq!(web.requests(), before + 1, "{name}");
        // The server may have granted a lease, and the answer was lost.
        let began = Instant::now();
        assert!(is_disallowed(&clients[1], name).await, "{name}");
        assert!(began.elapsed() < Duration::from_secs(8), "{name}: {:?}", began.elapsed());
        assert!(web.requests() <= before + 2, "{name}");

        proxy.lose(false, false);
        tokio::time::sleep(Duration::from_millis(1600)).await;
        let (errors, before) = (clients[0].stats().store_errors_total, web.requests());
        for client in &clients {
            assert!(is_disallowed(client, &format!("after-{name}")).await);
        }
        assert_eq!((clients[0].stats().store_errors_total, web.requests()), (errors, before + 1), "{name}");
        let origin = Origin::of(&format!("http://{name}.test/")).unwrap();
        assert!(far.load(&origin).await.unwrap().is_some());
    }
    assert!(near.archive().unwrap().verify().await.unwrap().is_clean());
}
