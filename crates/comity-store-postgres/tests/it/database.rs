//! The tables, the users and the failures of a database, with a real PostgreSQL server. Skipped with a message if it is
//! not installed.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::sync::Arc;
use std::time::{Duration, Instant};

use comity::Origin;
use comity_fetch::StoredRecord;
use comity_fetch::store::{ContentHash, FetchKind, Lease, Purge, Saved, Store, StoreError, Stored, export};
use comity_policy::{Action, Head, Input, Policy, Site, Time};
use comity_store_postgres::{PostgresOptions, PostgresStore};
use comity_testserver::Postgres;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

const LEASE: Duration = Duration::from_secs(600);

fn origin() -> Origin {
    Origin::of("https://example.com/").unwrap()
}

fn store(address: &str) -> PostgresStore {
    PostgresStore::new(address.parse().unwrap()).unwrap()
}

/// Returns the error of connecting, after checking that a further operation has the same one.
async fn refused(address: &str) -> StoreError {
    let store = store(address);
    let error = store.connect().await.unwrap_err();
    assert!(!error.to_string().contains("secret"), "{error}");
    assert!(!format!("{error:?} {store:?}").contains("secret"), "{error:?} {store:?}");
    store.load(&origin()).await.unwrap_err();
    error
}

#[track_caller]
fn says(error: &StoreError, expected: &[&str]) {
    for part in expected {
        assert!(error.to_string().contains(part), "{part} in: {error}");
    }
}

async fn works(store: &PostgresStore) {
    let Lease::Granted(ticket) = store.begin(&origin(), LEASE, FetchKind::Forced).await.unwrap() else { panic!() };
    let record = StoredRecord::new(&origin());
    assert_eq!(store.complete(&record, Some(&ticket)).await.unwrap(), Saved::Kept);
    assert_eq!(store.load(&origin()).await.unwrap().unwrap().record, record);
}

/// Locks the table of origins for some seconds. Returns when it is locked.
async fn lock(server: &Arc<Postgres>, seconds: &'static str) -> tokio::task::JoinHandle<String> {
    let held = "select 1 from pg_locks where relation = 'comity.origin'::regclass and mode = 'AccessExclusiveLock' and granted";
    let locking = tokio::task::spawn_blocking({
        let server = Arc::clone(server);
        move || {
            server
                .psql(&format!("begin; lock table comity.origin in access exclusive mode; select pg_sleep({seconds})"))
        }
    });
    while server.psql(held).trim() != "1" {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    locking
}

/// Many clients start at the same time, before there are tables.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_client_creates_the_tables() {
    let Some(server) = Postgres::start() else { return };
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let store = store(&server.url());
        tasks.spawn(async move { store.connect().await });
    }
    while let Some(connected) = tasks.join_next().await {
        connected.unwrap().unwrap();
    }
    assert_eq!(server.psql("select version from comity.migration order by version"), "1\n2");
    works(&store(&server.url())).await;
}

#[tokio::test]
async fn newer_tables_are_refused() {
    let Some(server) = Postgres::start() else { return };
    store(&server.url()).connect().await.unwrap();
    let before = server.psql("select table_name, column_name from information_schema.columns order by 1, 2");
    server.psql("insert into comity.migration (version) values (7)");
    let error = refused(&server.url()).await;
    assert!(error.is_newer(), "{error}");
    says(&error, &["its tables have version 7, and this program knows versions up to 2", "use a newer comity"]);
    assert_eq!(server.psql("select table_name, column_name from information_schema.columns order by 1, 2"), before);
}

/// The rights that docs/fleet.md grants are enough, and a user without them gets an error that says so.
#[tokio::test]
async fn a_user_with_few_rights_can_work() {
    let Some(server) = Postgres::start() else { return };
    store(&server.url()).connect().await.unwrap();
    server.psql("create role comity login password 'secret'");
    let address = server.url_for("comity", "secret");
    says(&refused(&address).await, &["permission denied for schema comity", "grant the rights"]);

    let guide = fs::read_to_string("../../docs/fleet.md").unwrap();
    let grants = guide.lines().filter(|line| line.to_lowercase().starts_with("grant ") && line.ends_with("to comity;"));
    let grants: Vec<&str> = grants.collect();
    assert!(!grants.is_empty());
    server.psql(&grants.join("\n"));
    works(&store(&address)).await;
    assert!(server.try_psql("set role comity; drop table comity.body").unwrap_err().contains("must be owner"));
    let change = server.try_psql("set role comity; insert into comity.migration (version) values (2)");
    assert!(change.unwrap_err().contains("permission denied for table migration"));
}

#[tokio::test]
async fn refusals_say_what_to_do() {
    let Some(mut server) = Postgres::start_with(&["max_connections=4", "superuser_reserved_connections=3"]) else {
        return;
    };
    let owner = store(&server.url());
    works(&owner).await;
    server.psql("create role comity login password 'secret'");

    let wrong = server.url_for("comity", "secret-that-is-wrong");
    says(&refused(&wrong).await, &["password authentication failed for user \"comity\"", "check the user"]);
    let none = format!("postgres://comity@127.0.0.1:{}/postgres", server.port());
    says(&refused(&none).await, &["could not connect", "password missing"]);
    let missing = format!("postgres://postgres@127.0.0.1:{}/nothing", server.port());
    says(&refused(&missing).await, &["database \"nothing\" does not exist", "create the database first"]);

    // One connection is left, which the owner's pool has.
    let full = server.url_for("comity", "secret");
    says(&refused(&full).await, &["remaining connection slots are reserved", "raise max_connections"]);

    server.psql("alter role postgres set default_transaction_read_only = on");
    let read_only = store(&server.url());
    let error = read_only.begin(&origin(), LEASE, FetchKind::Forced).await.unwrap_err();
    says(&error, &["read-only transaction", "use the address of the primary"]);
    assert!(read_only.load(&origin()).await.unwrap().is_some(), "what is there can be read");

    server.kill();
    let error = refused(&server.url()).await;
    says(&error, &["PostgreSQL at 127.0.0.1:", "could not connect", "refused"]);
}

/// After a failure, further operations fail at once: a database that hangs must not delay each question.
#[tokio::test]
async fn a_server_that_hangs_is_noticed_once() {
    let Some(server) = Postgres::start() else { return };
    let options: PostgresOptions = server.url().parse().unwrap();
    let store = PostgresStore::new(options.timeout(Duration::from_secs(2))).unwrap();
    works(&store).await;
    let server = Arc::new(server);
    let locking = lock(&server, "7").await;
    let mut times = Vec::new();
    for _ in 0..20 {
        let began = Instant::now();
        says(&store.load(&origin()).await.unwrap_err(), &["did not answer within 2s"]);
        times.push(began.elapsed());
    }
    assert!(times[0] >= Duration::from_secs(2), "{times:?}");
    assert!(times[1..].iter().max().unwrap() < &Duration::from_secs(1), "{times:?}");
    locking.await.unwrap();
    let end = Instant::now() + Duration::from_secs(20);
    while store.load(&origin()).await.is_err() {
        assert!(Instant::now() < end, "the database is not used again");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    works(&store).await;
}

/// A server that accepts no connections (SIGSTOP) is noticed by new clients. Those with a connection go on.
#[tokio::test]
async fn a_server_that_accepts_nothing_is_noticed() {
    let Some(server) = Postgres::start() else { return };
    let connected = store(&server.url());
    works(&connected).await;
    let options: PostgresOptions = server.url().parse().unwrap();
    let new = PostgresStore::new(options.timeout(Duration::from_millis(400))).unwrap();
    server.pause(true);
    let error = new.connect().await.unwrap_err();
    says(&error, &["did not accept a connection in time"]);
    assert!(PostgresStore::is_down(&error));
    works(&connected).await;
    server.pause(false);
    works(&new).await;
}

/// Operations on the whole database take as long as they take. Here, another transaction delays them.
#[tokio::test]
async fn large_operations_have_no_timeout() {
    let Some(server) = Postgres::start() else { return };
    works(&store(&server.url())).await;
    let options: PostgresOptions = server.url().parse().unwrap();
    let store = PostgresStore::new(options.timeout(Duration::from_secs(1))).unwrap();
    let server = Arc::new(server);
    let locking = lock(&server, "4").await;
    let began = Instant::now();
    let archive = store.archive().unwrap();
    assert!(archive.verify().await.unwrap().is_clean());
    assert!(began.elapsed() > Duration::from_secs(2), "{:?}", began.elapsed());
    assert_eq!(archive.purge(Purge::All).await.unwrap(), 1);
    locking.await.unwrap();
}

/// A client that waits continues after the server was killed and started again, with the lease that it had.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_waits_survives_a_crash_of_the_server() {
    let Some(mut server) = Postgres::start() else { return };
    let options: PostgresOptions = server.url().parse().unwrap();
    let store = Arc::new(PostgresStore::new(options.wait(Duration::from_secs(60))).unwrap());
    let Lease::Granted(ticket) = store.begin(&origin(), LEASE, FetchKind::Due).await.unwrap() else { panic!() };
    server.kill();
    let saving = tokio::spawn({
        let store = Arc::clone(&store);
        async move { store.complete(&StoredRecord::new(&origin()), Some(&ticket)).await }
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(!saving.is_finished());
    server.start_again();
    assert_eq!(saving.await.unwrap().unwrap(), Saved::Kept);
}

/// A server that loses its last transactions in a crash grants a lease again that a client still has. Only the result of
/// the second one is saved, in either order: their tickets are random, so the server cannot give out the same one twice.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lease_that_the_server_forgot_is_late() {
    const ORIGINS: usize = 8;
    let settings = ["synchronous_commit=off", "wal_writer_delay=10s", "full_page_writes=off"];
    let Some(mut server) = Postgres::start_with(&settings) else { return };
    let options: PostgresOptions = server.url().parse().unwrap();
    let store = PostgresStore::new(options.wait(Duration::from_secs(60))).unwrap();
    let begin = async |site: usize| {
        let origin = Origin::of(&format!("https://site{site}.example/")).unwrap();
        store.begin(&origin, LEASE, FetchKind::Due).await.unwrap()
    };
    store.connect().await.unwrap();
    server.psql("checkpoint");
    let mut tickets = Vec::new();
    for site in 0..ORIGINS {
        let Lease::Granted(ticket) = begin(site).await else { panic!() };
        tickets.push(ticket);
    }
    server.kill();
    server.start_again();
    let mut forgotten = 0;
    for (site, first) in tickets.iter().enumerate() {
        // The end of a page of the log may have been written.
        let Lease::Granted(second) = begin(site).await else { continue };
        forgotten += 1;
        let record = StoredRecord::new(first.origin());
        let complete = async |ticket| store.complete(&record, Some(ticket)).await.unwrap();
        if site % 2 == 0 {
            assert_eq!(complete(first).await, Saved::Late(Stored::empty(first.origin())));
            assert_eq!(complete(&second).await, Saved::Kept);
        } else {
            assert_eq!(complete(&second).await, Saved::Kept);
            let mut other = record.clone();
            other.failures = 1;
            assert!(matches!(store.complete(&other, Some(first)).await.unwrap(), Saved::Late(_)));
        }
    }
    assert!(forgotten > 0, "the server has forgotten nothing");
}

/// The server's certificate is verified, by its name and its authority.
#[tokio::test]
async fn servers_are_verified() {
    let Some(mut server) = Postgres::start() else { return };
    let certified = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let other = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let owner = fs::metadata(server.data()).unwrap();
    let [certificate, key, stranger] = ["server.pem", "server.key", "other.pem"].map(|name| server.folder().join(name));
    fs::write(&certificate, certified.cert.pem()).unwrap();
    fs::write(&key, certified.signing_key.serialize_pem()).unwrap();
    fs::write(&stranger, other.cert.pem()).unwrap();
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    {
        use std::os::unix::fs::MetadataExt as _;
        chown(&key, Some(owner.uid()), Some(owner.gid())).unwrap();
    }
    let plain = format!("{}?sslmode=verify-full", server.url());
    says(&refused(&plain).await, &["server does not support TLS"]);

    server.stop();
    server.set("ssl=on");
    server.set(&format!("ssl_cert_file={}", certificate.display()));
    server.set(&format!("ssl_key_file={}", key.display()));
    server.start_again();
    works(&store(&format!("{plain}&sslrootcert={}", certificate.display()))).await;
    for address in [plain.clone(), format!("{plain}&sslrootcert={}", stranger.display())] {
        says(&refused(&address).await, &["could not connect", "certificate", "sslrootcert=FILE"]);
    }
    let named = format!("{plain}&sslrootcert={}", certificate.display()).replace("127.0.0.1", "localhost");
    says(&refused(&named).await, &["certificate"]);
}

/// Values that are not as they were written are never used, and the next result replaces them.
#[tokio::test]
async fn damaged_values_are_replaced() {
    let Some(server) = Postgres::start() else { return };
    let store = store(&server.url());
    let archive = store.archive().unwrap();
    let record = record();
    for damage in [
        "update comity.body set content = 'User-agent: *'",
        "update comity.origin set record = '{}'",
        "update comity.origin set record = (replace(record::text, 'example.com', 'example.net'))::json",
        "alter table comity.origin disable trigger all; update comity.origin set hash = null",
        "update comity.version set version = '{}'",
    ] {
        store.complete(&record, None).await.unwrap();
        assert_eq!(store.load(&origin()).await.unwrap().unwrap().record, record);
        assert!(archive.verify().await.unwrap().is_clean());

        server.psql(damage);
        assert!(!archive.verify().await.unwrap().is_clean(), "{damage}");
        if damage.contains("comity.version") {
            assert!(archive.versions(&origin()).await.unwrap_err().is_damaged());
            continue;
        }
        let error = store.load(&origin()).await.unwrap_err();
        assert!(error.is_damaged(), "{damage}: {error}");
        let lease = store.begin(&origin(), LEASE, FetchKind::Due).await.unwrap();
        assert!(matches!(lease, Lease::Granted(_)), "{damage}: {lease:?}");
    }
    store.complete(&record, None).await.unwrap();
    assert!(archive.verify().await.unwrap().is_clean());
}

/// A content that is larger than any that is written is not loaded, although its hash is right.
#[tokio::test]
async fn a_huge_content_is_damage() {
    let Some(server) = Postgres::start() else { return };
    let store = store(&server.url());
    let archive = store.archive().unwrap();
    store.complete(&record(), None).await.unwrap();
    server.psql(
        "with huge as (insert into comity.body (hash, content) select sha256(content), content
                from (select convert_to(repeat('a', 512003), 'UTF8') as content) as new returning hash)
            update comity.origin set hash = (select hash from huge)",
    );
    says(&store.load(&origin()).await.unwrap_err(), &["https://example.com", "larger than any that is written"]);
    assert!(store.load(&origin()).await.unwrap_err().is_damaged());
    assert!(archive.body(ContentHash::of(&vec![b'a'; 512_003])).await.unwrap_err().is_damaged());
    let report = archive.verify().await.unwrap();
    assert_eq!(report.problems.len(), 1, "{report:?}");
    let lease = store.begin(&origin(), LEASE, FetchKind::Due).await.unwrap();
    assert!(matches!(lease, Lease::Granted(_)), "{lease:?}");
}

/// One damaged record hides no others: it is named, in a list and in an export, and the others are there.
#[tokio::test]
async fn a_damaged_record_is_skipped() {
    let Some(server) = Postgres::start() else { return };
    let store = store(&server.url());
    let archive = store.archive().unwrap();
    for url in ["https://a.example/", "https://b.example/", "https://c.example/"] {
        store.complete(&StoredRecord::new(&Origin::of(url).unwrap()), None).await.unwrap();
    }
    store.complete(&record(), None).await.unwrap();
    server.psql("update comity.origin set record = '5'::json where origin = 'https://b.example'");
    server.psql("update comity.body set content = 'User-agent: *'");
    let listed = archive.list(None, 10).await.unwrap();
    let damaged: Vec<bool> = listed.iter().map(|summary| summary.damage.is_some()).collect();
    assert_eq!(damaged, [false, true, false, false], "{listed:?}");
    let mut lines = Vec::new();
    let exported = export(archive, &mut lines).await.unwrap();
    assert_eq!((exported.written, exported.damaged.len(), exported.more), (2, 2, 0), "{exported:?}");
    assert!(exported.damaged[0].contains("`https://b.example`"), "{exported:?}");
    assert!(exported.damaged[1].contains("`https://example.com`"), "{exported:?}");
}

/// Returns the record of an origin that has just answered with a file.
fn record() -> StoredRecord {
    let now = Time::from_unix_seconds(1_800_000_000);
    let mut site = Site::new(&origin(), Policy::STANDARD);
    assert!(matches!(site.poll(now), Action::Send(_)));
    site.handle(Input::Head(Head::http(200)), now);
    site.handle(Input::Bytes(b"User-agent: *\nDisallow: /private/\n"), now);
    site.handle(Input::End, now);
    assert!(site.record().copy.is_some());
    site.record().clone()
}

/// A server that asks for the password in clear text, or as MD5, does not get it.
#[tokio::test]
async fn the_password_is_sent_by_scram_only() {
    for request in [&b"R\0\0\0\x08\0\0\0\x03"[..], b"R\0\0\0\x0c\0\0\0\x05salt"] {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut startup = [0; 1024];
            let _ = stream.read(&mut startup).await.unwrap();
            stream.write_all(request).await.unwrap();
            let mut answer = Vec::new();
            let _ = stream.read_to_end(&mut answer).await;
            answer
        });
        let error = refused(&format!("postgres://comity:s3cret@127.0.0.1:{port}/comity")).await;
        says(&error, &["could not connect", "asks for the password in an unsafe form", "scram-sha-256"]);
        assert_eq!(server.await.unwrap(), b"", "nothing was sent");
    }
}
