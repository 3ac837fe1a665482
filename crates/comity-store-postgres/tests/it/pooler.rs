//! PgBouncer in transaction mode: each transaction may have another connection. Skipped with a message if it is not
//! installed.

#![cfg(unix)]

use std::fs;
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use comity_fetch::store::suite;
use comity_store_postgres::PostgresStore;
use comity_testserver::Postgres;

const PROGRAM: &str = "/usr/sbin/pgbouncer";

/// A running PgBouncer with two connections to a server, which is killed on drop.
struct Pooler {
    process: Child,
    port: u16,
}

impl Pooler {
    fn start(server: &Postgres) -> Option<Self> {
        if !Path::new(PROGRAM).exists() {
            eprintln!("SKIPPED: PgBouncer is not installed; with apt-get: `apt-get install pgbouncer`");
            return None;
        }
        let port = comity_testserver::free_port();
        let configuration = server.folder().join("pgbouncer.ini");
        let lines = format!(
            "[databases]\npostgres = host=127.0.0.1 port={} user=postgres\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
             listen_port = {port}\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\ndefault_pool_size = 2\n",
            server.port()
        );
        fs::write(&configuration, lines).unwrap();
        let mut command = server.command(PROGRAM);
        let process = command.arg(&configuration).stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let end = Instant::now() + Duration::from_secs(60);
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            assert!(Instant::now() < end, "PgBouncer does not start");
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(Self { process, port })
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_contract_holds() {
    let Some(server) = Postgres::start() else { return };
    let Some(pooler) = Pooler::start(&server) else { return };
    let mut number = 0;
    let mut new_store = async || {
        number += 1;
        let address = format!("postgres://postgres@127.0.0.1:{}/postgres?schema=test{number}", pooler.port);
        Arc::new(PostgresStore::new(address.parse().unwrap()).unwrap())
    };
    suite::records(&mut new_store).await;
    suite::leases(&mut new_store).await;
    suite::archive(&mut new_store).await;
    let connections =
        server.psql("select count(*) from pg_stat_activity where client_port is not null and client_port > 0");
    assert!(connections.parse::<u32>().unwrap() <= 2, "{connections}");
}
