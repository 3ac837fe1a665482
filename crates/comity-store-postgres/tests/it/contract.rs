//! The contract of stores, with a real PostgreSQL server. Skipped with a message if it is not installed.

#![cfg(unix)]

use std::sync::Arc;
use std::time::Duration;

use comity::Origin;
use comity_fetch::store::{Archive, MemoryStore, SqliteStore, Store, export, import, suite};
use comity_policy::{Action, Head, Input, Policy, Site, Time};
use comity_store_postgres::{PostgresOptions, PostgresStore};
use comity_testserver::Postgres;

/// Returns a function that creates stores in one database, each in a schema of its own.
fn new_store(server: &Postgres) -> impl AsyncFnMut() -> Arc<PostgresStore> {
    let mut number = 0;
    async move || {
        number += 1;
        let options: PostgresOptions = format!("{}?schema=test{number}", server.url()).parse().unwrap();
        // Nothing here is about timeouts, and a server on a busy machine may be slower than the default of them.
        Arc::new(PostgresStore::new(options.timeout(Duration::from_secs(60))).unwrap())
    }
}

#[tokio::test]
async fn records() {
    let Some(server) = Postgres::start() else { return };
    suite::records(new_store(&server)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leases() {
    let Some(server) = Postgres::start() else { return };
    suite::leases(new_store(&server)).await;
}

#[tokio::test]
async fn archive() {
    let Some(server) = Postgres::start() else { return };
    suite::archive(new_store(&server)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn journal() {
    let Some(server) = Postgres::start() else { return };
    suite::journal(new_store(&server)).await;
}

/// Fills a store with records of several kinds, with histories.
async fn fill(store: &dyn Store) {
    for number in 0..30_u64 {
        let origin = Origin::of(&format!("https://site{number}.example/")).unwrap();
        let mut site = Site::new(&origin, Policy::STANDARD);
        for day in 0..=number % 4 {
            let now = Time::from_unix_seconds(1_800_000_000 + day * 86_400);
            site.refresh();
            assert!(matches!(site.poll(now), Action::Send(_)));
            let status = [200, 200, 404, 503][usize::try_from((number + day) % 4).unwrap()];
            site.handle(Input::Head(Head::http(status)), now);
            site.handle(Input::Bytes(format!("User-agent: *\nDisallow: /{}\n", day % 3).as_bytes()), now);
            site.handle(Input::End, now);
            assert_eq!(site.poll(now), Action::Finish);
            store.complete(site.record(), None).await.unwrap();
        }
    }
}

async fn exported(store: &dyn Archive) -> String {
    let mut lines = Vec::new();
    export(store, &mut lines).await.unwrap();
    String::from_utf8(lines).unwrap()
}

/// Each kind of store imports what each kind has exported, and exports the same again.
#[tokio::test]
async fn archives_move_between_any_two_stores() {
    let Some(server) = Postgres::start() else { return };
    let mut folders = Vec::new();
    let mut in_postgres = new_store(&server);
    for from in 0..3 {
        for to in 0..3 {
            let mut stores: Vec<Arc<dyn Store>> = Vec::new();
            for kind in [from, to] {
                stores.push(match kind {
                    0 => Arc::new(MemoryStore::new(64 << 20)) as Arc<dyn Store>,
                    1 => {
                        folders.push(tempfile::tempdir().unwrap());
                        Arc::new(SqliteStore::open(folders.last().unwrap().path()).unwrap()) as Arc<dyn Store>
                    }
                    _ => in_postgres().await as Arc<dyn Store>,
                });
            }
            let [source, target] = [&stores[0], &stores[1]];
            fill(&**source).await;
            let (source, target) = (source.archive().unwrap(), target.archive().unwrap());
            let lines = exported(source).await;
            assert_eq!(lines.lines().count(), 30);
            let imported = import(target, &mut lines.as_bytes()).await.unwrap();
            assert_eq!((imported.taken, imported.older, imported.refused), (30, 0, Vec::new()), "{from} to {to}");
            assert_eq!(exported(target).await, lines, "{from} to {to}");
            let report = target.verify().await.unwrap();
            assert!(report.is_clean() && report.origins == 30, "{from} to {to}: {report:?}");
        }
    }
}
