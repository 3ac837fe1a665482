//! Tests of the limit on open files.

use std::net::TcpStream;

use crate::client::{Client, get};
use crate::hostile::endure;
use crate::service::Service;

const PATIENT: [&str; 6] = ["--rate", "0", "--head-timeout", "60s", "--idle-timeout", "60s"];

/// Opens idle connections. Each has received an answer before.
fn idle(service: &Service, connections: usize) -> Vec<TcpStream> {
    let connect = |_| {
        let mut client = service.client();
        assert_eq!(client.ask(&get("/healthz")).unwrap().status, 200);
        client.stream
    };
    (0..connections).map(connect).collect()
}

#[test]
fn the_soft_limit_is_raised() {
    let service = Service::start_with_files("-Sn 64", &PATIENT);
    assert!(service.file_limit() > 4096, "{}", service.file_limit());
    let mut clients: Vec<Client> = idle(&service, 200).into_iter().map(Client::new).collect();
    for client in &mut clients {
        assert_eq!(client.ask(&get("/healthz")).unwrap().status, 200, "it was not evicted");
    }
    assert!(service.logged("WARN").is_empty());
}

#[test]
fn a_hard_limit_that_is_too_low_is_named_and_bounds_the_connections() {
    let service = Service::start_with_files("-n 80", &PATIENT);
    let warnings = service.logged_soon("WARN");
    assert!(warnings.len() == 1 && warnings[0].contains("80") && warnings[0].contains("4096"), "{warnings:?}");
    endure(&service, |service| {
        drop(idle(service, 300));
        assert!(service.number("comity_connections_evicted_total") > 200.0);
    });
    assert_eq!(service.logged("WARN"), warnings, "the service evicts before the system refuses");
}

#[test]
fn a_system_without_files_is_logged_once() {
    let service = Service::start(&PATIENT);
    drop(idle(&service, 1));
    let files = u64::try_from(service.files()).unwrap();
    service.limit_files(files + 40);
    endure(&service, |service| {
        drop(idle(service, 300));
        assert!(service.number("comity_connections_evicted_total") > 200.0);
    });
    assert_eq!(service.logged_soon("no connection can be accepted").len(), 1);
}
