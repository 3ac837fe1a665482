//! Hostile clients that use HTTP/1.1.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::client::{Client, check, get, head, post};
use crate::prober::Prober;
use crate::service::{Service, TEST_TIMEOUT, max_files};

/// The maximum growth of memory during an attack, in bytes: more than any of these bodies or answers may use, and less
/// than a client could send during the attack.
const MEMORY: usize = 200 << 20;

/// Starts a service and attacks it while another client sends requests, which must hardly be affected. After the
/// attack, its resources must be released.
pub(crate) fn besiege(arguments: &[&str], attack: impl FnOnce(&Service)) {
    let arguments = [&["--rate", "0"], arguments].concat();
    let service = Service::start(&arguments);
    endure(&service, attack);
}

pub(crate) fn endure(service: &Service, attack: impl FnOnce(&Service)) {
    // The first requests allocate the threads and buffers that every service has.
    let prober = Prober::start(service);
    std::thread::sleep(Duration::from_millis(100));
    let memory = service.memory();
    attack(service);
    prober.finish();
    let peak = service.peak().saturating_sub(memory);
    println!("{} KiB more memory than before, at most", peak >> 10);
    assert!(peak < MEMORY, "{peak} bytes more");
    // The remaining connection is that of the request itself.
    service.until("comity_connections", 1.0);
    for name in ["comity_http_working", "comity_http_queued", "comity_http_waiting", "comity_http_batches"] {
        service.until(name, 1.0);
    }
    assert!(service.number("comity_fail_open_total") < 0.1);
}

/// Sends a byte on each connection at intervals, until all of them are closed or the time is over. Returns the number
/// of connections that are still open.
fn drip(mut streams: Vec<TcpStream>, bytes: &[u8], most: Duration) -> usize {
    const DRIP_INTERVAL: Duration = Duration::from_millis(200);
    let began = Instant::now();
    for stream in &streams {
        stream.set_nonblocking(true).unwrap();
    }
    for byte in bytes.iter().cycle() {
        streams.retain_mut(|stream| {
            let is_open = !matches!(stream.read(&mut [0; 4096]), Ok(0))
                && !stream.take_error().is_ok_and(|error| error.is_some());
            is_open && stream.write_all(&[*byte]).is_ok()
        });
        if streams.is_empty() || began.elapsed() > most {
            break;
        }
        std::thread::sleep(DRIP_INTERVAL);
    }
    streams.len()
}

#[test]
fn heads_that_drip() {
    besiege(&["--head-timeout", "1s"], |service| {
        let streams = (0..300).map(|_| service.connect()).collect();
        assert_eq!(drip(streams, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ", TEST_TIMEOUT), 0);
        // A slow second request is closed like a slow first one.
        let streams = (0..300).map(|_| {
            let mut client = service.client();
            assert_eq!(client.ask(&get("/healthz")).unwrap().status, 200);
            client.stream
        });
        assert_eq!(drip(streams.collect(), b"X", TEST_TIMEOUT), 0);
    });
}

#[test]
fn bodies_that_drip_or_never_come() {
    besiege(&["--body-timeout", "1s"], |service| {
        for framing in ["Content-Length: 1000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n"] {
            let begin = |_| {
                let mut stream = service.connect();
                stream.write_all((head("/v1/check", "application/json") + framing).as_bytes()).unwrap();
                stream
            };
            let bytes = if framing.contains("chunked") { &b"1\r\n \r\n"[..] } else { b" " };
            assert_eq!(drip((0..300).map(begin).collect(), bytes, TEST_TIMEOUT), 0);
            let silent: Vec<TcpStream> = (0..300).map(begin).collect();
            for stream in silent {
                let answer = Client::new(stream).answer().unwrap();
                assert_eq!(answer.status, 408, "{answer:?}");
            }
        }
    });
}

#[test]
fn batches_that_drip_keep_to_their_slots() {
    besiege(&["--batches", "8", "--body-timeout", "1s"], |service| {
        let begin = |_| {
            let mut stream = service.connect();
            let framing = "Transfer-Encoding: chunked\r\n\r\n";
            stream.write_all((head("/v1/batch", "application/x-ndjson") + framing).as_bytes()).unwrap();
            stream
        };
        // Two of these get a slot for as long as they send. The others are refused.
        let streams: Vec<TcpStream> = (0..40).map(begin).collect();
        drip(streams, b"1\r\n \r\n", Duration::from_secs(3));
        service.until("comity_http_batches", 0.0);
        // A connection that sends nothing loses its slot.
        let silent: Vec<TcpStream> = (0..8).map(begin).collect();
        std::thread::sleep(Duration::from_secs(2));
        service.until("comity_http_batches", 0.0);
        drop(silent);
    });
}

#[test]
fn bodies_that_are_huge() {
    besiege(&[], |service| {
        for path in ["/v1/check", "/v1/inspect", "/v1/lint", "/v1/matrix", "/v1/ai", "/v1/fetch"] {
            let announced = head(path, "application/json") + "Content-Length: 99999999999\r\n\r\n";
            assert_eq!(service.ask(announced.as_bytes()).status, 413, "{path}");
        }
        let senders: Vec<_> = (0..8)
            .map(|_| {
                let mut client = service.client();
                std::thread::spawn(move || {
                    let head = head("/v1/lint", "application/json") + "Transfer-Encoding: chunked\r\n\r\n";
                    client.stream.write_all(head.as_bytes()).unwrap();
                    let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
                    // This is far more than the service accepts. It closes the connection eventually.
                    for _ in 0..4096 {
                        if client.stream.write_all(chunk.as_bytes()).is_err() {
                            break;
                        }
                    }
                    client.rest()
                })
            })
            .collect();
        for sender in senders {
            let heard = sender.join().unwrap();
            assert!(heard.is_empty() || heard.starts_with(b"HTTP/1.1 413 "), "{}", String::from_utf8_lossy(&heard));
        }
    });
}

#[test]
fn lines_of_a_batch_that_never_end() {
    besiege(&[], |service| {
        let mut client = service.client();
        let head = head("/v1/batch", "application/x-ndjson") + "Transfer-Encoding: chunked\r\n\r\n";
        client.stream.write_all(head.as_bytes()).unwrap();
        let chunk = format!("10000\r\n{}\r\n", "[".repeat(0x10000));
        for _ in 0..1024 {
            client.stream.write_all(chunk.as_bytes()).unwrap();
        }
        client.stream.write_all(b"3\r\n\n{}\r\n0\r\n\r\n").unwrap();
        let answer = client.answer().unwrap();
        let text = answer.text();
        assert_eq!(text.lines().count(), 2, "{text}");
        assert!(text.lines().all(|line| line.contains("\"error\"")), "{text}");
    });
}

#[test]
fn documents_that_are_deep_or_wide() {
    let deep = "[".repeat(3 << 20);
    let nested = format!("{{\"urls\":{}", "[".repeat(1 << 20));
    let objects = "{\"a\":".repeat(500_000);
    let strings = format!("{{\"urls\":[{}\"\"]}}", "\"\",".repeat(1_000_000));
    let names: String = (0..250_000).map(|n| format!("\"n{n}\":1,")).collect();
    let names = format!("{{{names}\"z\":1}}");
    let agents = format!("{{\"url\":\"http://known.test/\",\"agents\":[{}\"a\"]}}", "\"a\",".repeat(900_000));
    let escapes = format!("{{\"robots\":\"{}\"}}", "\\u0000".repeat(600_000));
    let numbers = format!("{{\"urls\":{}}}", "9".repeat(3 << 20));
    besiege(&[], |service| {
        for path in ["/v1/check", "/v1/inspect", "/v1/lint", "/v1/matrix", "/v1/ai"] {
            for document in [&deep, &nested, &objects, &strings, &names, &agents, &escapes, &numbers] {
                let answer = service.ask(&post(path, document));
                // The file of NUL bytes is valid, so it may have an answer.
                let is_file = std::ptr::eq(document, &raw const escapes) && answer.status == 200;
                let start = &document[..20];
                assert!(is_file || matches!(answer.status, 400 | 413 | 422), "{path} {start}: {}", answer.status);
            }
        }
        let line = format!("{deep}\n{nested}\n{objects}\n{{}}\n").repeat(2);
        let answer = service.ask(
            format!("{}Content-Length: {}\r\n\r\n{line}", head("/v1/batch", "application/jsonl"), line.len())
                .as_bytes(),
        );
        let text = answer.text();
        assert_eq!(text.lines().filter(|line| line.contains("\"error\"")).count(), 8, "{text}");
    });
}

#[test]
fn ten_thousand_silent_clients() {
    const SILENT_CLIENTS: usize = 10_000;
    let most = max_files().saturating_sub(300);
    let clients = SILENT_CLIENTS.min(most);
    if clients < SILENT_CLIENTS {
        println!(
            "SKIPPED: {SILENT_CLIENTS} connections, for this process may have {} files; {clients} instead",
            most + 300
        );
    }
    let arguments = ["--connections", "12000", "--head-timeout", "60s", "--idle-timeout", "60s"];
    besiege(&arguments, |service| {
        let mut idle = Vec::with_capacity(clients);
        let began = Instant::now();
        for n in 0..clients {
            let mut stream = service.connect();
            // A third of them have sent a request, a third have started one, and the others have sent nothing.
            match n % 3 {
                0 => stream.write_all(&get("/healthz")).unwrap(),
                1 => stream.write_all(b"GET /").unwrap(),
                _ => {}
            }
            idle.push(stream);
        }
        while service.number("comity_connections") < clients as f64 {
            assert!(began.elapsed() < TEST_TIMEOUT, "{} of {clients}", service.number("comity_connections"));
        }
        println!("{clients} connections in {:?}: {} KiB", began.elapsed(), service.memory() >> 10);
        std::thread::sleep(Duration::from_secs(1));
    });
}

#[test]
fn more_connections_than_there_may_be() {
    besiege(&["--connections", "100", "--head-timeout", "60s", "--idle-timeout", "60s"], |service| {
        let mut idle = Vec::new();
        for _ in 0..1000 {
            let mut client = service.client();
            // The connection that was idle longest was closed for this one.
            assert_eq!(client.ask(&get("/healthz")).unwrap().status, 200);
            idle.push(client);
        }
        assert!(service.number("comity_connections_evicted_total") > 800.0);
    });
}

#[test]
fn a_thousand_requests_in_one_write() {
    besiege(&[], |service| {
        let url = service.url("known.test", "/private/x");
        let all: Vec<u8> = (0..1000).flat_map(|n| get(&check(&url, &format!("Bot-{n}")))).collect();
        let mut client = service.client();
        let mut writer = client.stream.try_clone().unwrap();
        let writing = std::thread::spawn(move || writer.write_all(&all).unwrap());
        for n in 0..1000 {
            let answer = client.answer().unwrap();
            assert_eq!((answer.status, &answer.json()["agent"]), (200, &format!("Bot-{n}").into()), "in their order");
        }
        writing.join().unwrap();
    });
}

/// Writes, and reads nothing, until the service closes the connection.
fn write_only(service: &Service, head: &str, bytes: &[u8]) {
    let mut stream = service.connect();
    stream.write_all(head.as_bytes()).unwrap();
    let began = Instant::now();
    while began.elapsed() < TEST_TIMEOUT {
        match stream.write_all(bytes) {
            Ok(()) => {}
            Err(_) => return,
        }
    }
    panic!("it takes all that comes, though nobody reads its answers");
}

#[test]
fn clients_that_read_no_answers() {
    besiege(&["--write-timeout", "1s"], |service| {
        let site = service.url("known.test", "/private/x");
        let pipelined = get(&check(&site, "Googlebot")).repeat(100);
        let line = format!("{{\"url\":\"{site}\",\"agent\":\"Googlebot\"}}\n").repeat(200);
        let chunk = format!("{:x}\r\n{line}\r\n", line.len()).into_bytes();
        let batch = head("/v1/batch", "application/x-ndjson") + "Transfer-Encoding: chunked\r\n\r\n";
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| write_only(service, "", &pipelined));
                scope.spawn(|| write_only(service, &batch, &chunk));
            }
        });
    });
}

#[test]
fn unread_large_answers() {
    besiege(&["--write-timeout", "1s"], |service| {
        let urls = format!("\"{}\",", service.url("known.test", "/private/x")).repeat(5000);
        let body = format!("{{\"urls\":[{}],\"agents\":[\"a\",\"b\",\"c\"]}}", urls.trim_end_matches(','));
        let request = post("/v1/check", &body);
        let began: Vec<TcpStream> = (0..16)
            .map(|_| {
                let mut stream = service.connect();
                stream.write_all(&request).unwrap();
                stream
            })
            .collect();
        // The clients stay connected. The service gives up on their answers.
        service.until("comity_connections", 2.0);
        drop(began);
    });
}

#[test]
fn clients_that_vanish() {
    besiege(&[], |service| {
        let site = service.url("known.test", "/private/x");
        let line = format!("{{\"url\":\"{site}\",\"agent\":\"Googlebot\"}}\n").repeat(2000);
        let head = head("/v1/batch", "application/x-ndjson") + "Transfer-Encoding: chunked\r\n\r\n";
        for n in 0..100 {
            let mut stream = service.connect();
            stream.write_all(head.as_bytes()).unwrap();
            stream.write_all(format!("{:x}\r\n{line}\r\n", line.len()).as_bytes()).unwrap();
            if n % 2 == 0 {
                // A part of the answer was received. Because the rest is unread, dropping the connection resets it.
                stream.read_exact(&mut [0; 100]).unwrap();
            }
        }
        let slow = get(&check(&service.url("slow.test", "/"), "Googlebot"));
        for _ in 0..100 {
            service.connect().write_all(&slow).unwrap();
        }
        service.until("comity_http_batches", 0.0);
        service.until("comity_http_waiting", 0.0);
    });
}
