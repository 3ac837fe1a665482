//! Checks the maximum memory that clients can make the service use, and that it is released.

use std::io::Write;
use std::net::{Ipv4Addr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use crate::client::{get, head};
use crate::service::{Service, max_files};

/// The maximum memory of all bodies, as documented, in bytes.
const BODIES: usize = 256 << 20;
/// The part of this memory that one client may use, as documented.
const BODIES_OF_A_CLIENT: usize = BODIES / 4;
/// The memory of an HTTP/1.1 connection without its body, as documented, in bytes.
const CONNECTION: usize = 64 << 10;
/// The tolerance of the measurement, in bytes.
const MARGIN: usize = 64 << 20;

const CONNECTIONS: usize = 2900;
const SENT: usize = 100_000;
const ROUNDS: usize = 4;

/// Starts large bodies from this number of addresses and stops in the middle, in rounds.
fn stop_midway(addresses: u8, bodies: usize) {
    let connections = CONNECTIONS.min(max_files().saturating_sub(300));
    if connections < CONNECTIONS {
        println!("SKIPPED: {CONNECTIONS} connections, for this process may have few files; {connections} instead");
    }
    let service = Service::start(&["--rate", "0"]);
    for _ in 0..100 {
        assert_eq!(service.ask(&get("/v1/service")).status, 200);
    }
    let idle = service.memory();
    let beginning = head("/v1/check", "application/json") + "Content-Length: 110000\r\n\r\n";
    let request = [beginning.as_bytes(), &b" ".repeat(SENT)].concat();
    let bound = idle + bodies + connections * CONNECTION;
    for round in 1..=ROUNDS {
        let begin = |n: usize| {
            let mut stream = service.connect_from(Ipv4Addr::new(127, 1, 0, 1 + (n % usize::from(addresses)) as u8));
            stream.set_write_timeout(Some(Duration::from_millis(200))).unwrap();
            // The request may already be refused, or not be read.
            let _ = stream.write_all(&request);
            stream
        };
        let stopped: Vec<TcpStream> = (0..connections).map(begin).collect();
        let all_sent = Instant::now();
        while all_sent.elapsed() < Duration::from_secs(2) {
            thread::sleep(Duration::from_millis(50));
            let memory = service.memory();
            assert!(memory <= bound + MARGIN, "round {round}: {} KiB of {} KiB", memory >> 10, bound >> 10);
        }
        println!("round {round}: {} KiB, {} KiB at most so far", service.memory() >> 10, service.peak() >> 10);
        drop(stopped);
        service.until("comity_connections", 1.0);
    }
    assert!(service.peak() <= bound + MARGIN, "{} KiB", service.peak() >> 10);
    let all_left = Instant::now();
    while service.memory() > idle + MARGIN {
        let (after, memory) = (all_left.elapsed(), service.memory() >> 10);
        assert!(after < Duration::from_secs(60), "{memory} KiB after a minute, {} KiB before", idle >> 10);
        thread::sleep(Duration::from_millis(200));
    }
    println!("{} KiB after {:?}, {} KiB before", service.memory() >> 10, all_left.elapsed(), idle >> 10);
}

#[test]
fn bodies_of_one_client_that_stop_midway() {
    stop_midway(1, BODIES_OF_A_CLIENT);
}

#[test]
fn bodies_of_many_clients_that_stop_midway() {
    stop_midway(8, BODIES);
}
