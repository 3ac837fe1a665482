//! Runs all kinds of clients at once, for a long time. The resources of the service must not grow.

use std::io::{Read, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::client::{Client, check, get, head, post};
use crate::service::{ROBOTS, Service};

/// The default duration, in seconds.
const SECONDS: u64 = 5;
const VARIABLE: &str = "COMITY_SOAK_SECONDS";

/// The maximum growth of memory after the first third of the time, in bytes. By then, the caches are full and the
/// allocator has reached a steady state.
const GROWTH: usize = 16 << 20;

/// The repeated work of one client. Each turn has its own number.
type Habit = fn(&Service, &mut Client, u64);

const HABITS: [Habit; 8] = [one, many, batch, looks, fetches, leaves, errs, counts];

fn expect(client: &mut Client, request: &[u8], statuses: &[u16]) {
    let answer = client.ask(request).unwrap();
    assert!(statuses.contains(&answer.status), "{answer:?} to {}", String::from_utf8_lossy(request));
}

fn known(service: &Service, turn: u64) -> String {
    service.url(&format!("site-{}.test", turn % 50), &format!("/private/{turn}"))
}

fn one(service: &Service, client: &mut Client, turn: u64) {
    expect(client, &get(&check(&known(service, turn), "Googlebot")), &[200]);
    expect(client, &get(&format!("{}&dialect=google", check(&known(service, turn), "GPTBot"))), &[200]);
}

fn many(service: &Service, client: &mut Client, turn: u64) {
    let body = format!(
        "{{\"urls\":[\"{}\",\"{}\"],\"agents\":[\"Googlebot\",\"GPTBot\"],\"explain\":true}}",
        known(service, turn),
        known(service, turn + 1)
    );
    expect(client, &post("/v1/check", &body), &[200]);
    let robots = ROBOTS.replace('\n', "\\n");
    expect(
        client,
        &post("/v1/check", &format!("{{\"robots\":\"{robots}\",\"url\":\"http://a.test/{turn}\"}}")),
        &[200],
    );
}

fn batch(service: &Service, client: &mut Client, turn: u64) {
    let lines: String =
        (0..200).map(|n| format!("{{\"url\":\"{}\",\"agent\":\"GPTBot\"}}\n", known(service, turn + n))).collect();
    let request =
        format!("{}Content-Length: {}\r\n\r\n{lines}", head("/v1/batch", "application/x-ndjson"), lines.len());
    let answer = client.ask(request.as_bytes()).unwrap();
    assert_eq!((answer.status, answer.text().lines().count()), (200, 200), "{answer:?}");
}

fn looks(service: &Service, client: &mut Client, turn: u64) {
    let robots = format!("{}# {turn}\\nDisalow: /x\\n", ROBOTS.replace('\n', "\\n"));
    let body = format!("{{\"robots\":\"{robots}\"}}");
    for path in ["/v1/inspect", "/v1/lint", "/v1/ai"] {
        expect(client, &post(path, &body), &[200]);
        expect(client, &post(path, &format!("{{\"url\":\"{}\"}}", known(service, turn))), &[200]);
    }
    expect(client, &post("/v1/matrix", &format!("{{\"robots\":\"{robots}\",\"urls\":[\"http://a.test/x\"]}}")), &[200]);
    expect(client, &get("/"), &[200]);
    expect(client, &get("/openapi.json"), &[200]);
}

/// Requests new sites, more than the cache stores.
fn fetches(service: &Service, client: &mut Client, turn: u64) {
    let url = service.url(&format!("new-{turn}.test"), "/private/x");
    let answer = client.ask(&get(&check(&url, "Googlebot"))).unwrap();
    assert_eq!((answer.status, answer.json()["line"].as_u64()), (200, Some(2)), "{answer:?}");
    expect(client, &post("/v1/fetch", &format!("{{\"url\":\"{}\"}}", known(service, turn))), &[200]);
}

/// Sends requests and disconnects at once: at a slow site, and in the middle of a batch, of a head, and of an answer.
fn leaves(service: &Service, _: &mut Client, turn: u64) {
    let slow = get(&check(&service.url(&format!("slow-{}.test", turn % 7), "/"), "Googlebot"));
    service.connect().write_all(&slow).unwrap();
    let mut stream = service.connect();
    let framing = "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n";
    stream.write_all((head("/v1/batch", "application/x-ndjson") + framing).as_bytes()).unwrap();
    service.connect().write_all(b"GET /v1/che").unwrap();
    let mut stream = service.connect();
    stream.write_all(&get("/openapi.json")).unwrap();
    stream.read_exact(&mut [0; 10]).unwrap();
}

fn errs(service: &Service, client: &mut Client, _: u64) {
    expect(client, &get("/nothing"), &[404]);
    expect(client, &get("/v1/check?url=nonsense"), &[422]);
    expect(client, &get("/v1/lint"), &[405]);
    expect(client, &post("/v1/check", "{\"urls\":"), &[400]);
    expect(client, &post("/v1/check", "{\"uris\":[]}"), &[400]);
    let mut stream = service.connect();
    stream.write_all(b"\x16\x03\x01 this is no HTTP\r\n\r\n").unwrap();
    Client::new(stream).rest();
}

fn counts(service: &Service, client: &mut Client, turn: u64) {
    for path in ["/metrics", "/healthz", "/readyz", "/v1/service", "/v1/crawlers/GPTBot"] {
        expect(client, &get(path), &[200]);
    }
    expect(client, &get(&format!("/v1/origins?origin={}", known(service, turn))), &[200, 404]);
}

#[test]
fn nothing_grows() {
    let seconds = std::env::var(VARIABLE).ok().and_then(|text| text.parse().ok()).unwrap_or(SECONDS);
    let time = Duration::from_secs(seconds);
    // The cache of sites is small, so that it is soon full.
    let service = Service::start(&["--rate", "0", "--fetch-rate", "0", "--memory", "2", "--timeout", "2s"]);
    let (stop, turns) = (AtomicBool::new(false), AtomicUsize::new(0));
    let samples = thread::scope(|scope| {
        for habit in HABITS {
            let (service, stop, turns) = (&service, &stop, &turns);
            scope.spawn(move || {
                let mut client = service.client();
                for turn in 0.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    habit(service, &mut client, turn);
                    turns.fetch_add(1, Ordering::Relaxed);
                    // Connections are kept for 100 turns, and then replaced.
                    if turn % 100 == 99 {
                        client = service.client();
                    }
                }
            });
        }
        let stopping = Stop(&stop);
        let began = Instant::now();
        let mut samples = Vec::new();
        while began.elapsed() < time {
            thread::sleep(time / 60);
            service.sites.clear_requests();
            samples.push((service.memory(), service.files()));
        }
        drop(stopping);
        samples
    });
    // The maximum of the middle third is compared with that of the last third, since single samples vary too much.
    let third = samples.len() / 3;
    let most = |samples: &[(usize, usize)]| samples.iter().fold((0, 0), |(a, b), &(c, d)| (a.max(c), b.max(d)));
    let (middle, last) = (most(&samples[third..2 * third]), most(&samples[2 * third..]));
    println!(
        "{seconds} s, {} turns: {} KiB and {} files at most in the second third, {} KiB and {} files in the last",
        turns.load(Ordering::Relaxed),
        middle.0 >> 10,
        middle.1,
        last.0 >> 10,
        last.1
    );
    assert!(last.0 <= middle.0 + GROWTH, "{samples:?}");
    assert!(last.1 <= middle.1 + 40, "{samples:?}");
    // The connections of clients that left are closed, and there were no unexpected errors.
    service.until("comity_connections", 1.0);
    for name in ["comity_http_batches", "comity_http_waiting", "comity_http_queued"] {
        service.until(name, 0.0);
    }
    assert!(service.number("comity_fail_open_total") < 0.1);
    let metrics = service.ask(&get("/metrics")).text();
    let failed: Vec<&str> =
        metrics.lines().filter(|line| line.contains("status=\"5xx\"") && !line.ends_with(" 0")).collect();
    assert!(failed.is_empty(), "{failed:?}");
}

/// Stops all clients when it is dropped, also if a test fails.
struct Stop<'s>(&'s AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
