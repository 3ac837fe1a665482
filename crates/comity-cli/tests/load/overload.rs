//! Tests with four times the load that is the capacity of the service.

use std::net::Ipv4Addr;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use crate::client::{Answer, Client, check, get, head, post};
use crate::prober::Prober;
use crate::service::{Service, TEST_TIMEOUT, compares_times};

/// The number of rounds with normal load and with overload. They alternate, so that other work of the machine affects
/// both.
const ROUNDS: usize = 5;
/// The number of attempts, for machines that are busy.
const TRIES: usize = 4;
const ROUND: Duration = Duration::from_millis(1500);

/// The answers that clients received in a round.
#[derive(Debug, Default)]
struct Seen {
    accepted: Vec<Duration>,
    refused: usize,
}

impl Seen {
    /// Returns the 99th percentile of the response times.
    fn p99(&mut self) -> Duration {
        self.accepted.sort_unstable();
        self.accepted[(self.accepted.len() * 99 / 100).min(self.accepted.len() - 1)]
    }
}

/// Sends requests from this number of clients, each with a pause between its requests. A refusal must state when to
/// retry. The clients retry somewhat earlier than that.
fn load(service: &Service, clients: usize, pause: Duration, request: &[u8]) -> Seen {
    const AGAIN: Duration = Duration::from_millis(100);
    let seen = Mutex::new(Seen::default());
    let until = Instant::now() + ROUND;
    thread::scope(|scope| {
        for n in 0..clients {
            let seen = &seen;
            scope.spawn(move || {
                thread::sleep(pause * u32::try_from(n).unwrap() / u32::try_from(clients).unwrap());
                let mut client = service.client();
                let mut next = Instant::now();
                while next < until {
                    let began = Instant::now();
                    let answer: Answer = client.ask(request).unwrap();
                    let took = began.elapsed();
                    next = (next + pause).max(Instant::now());
                    if answer.status == 200 {
                        seen.lock().unwrap().accepted.push(took);
                    } else {
                        assert!(answer.is_refusal(), "{answer:?}");
                        seen.lock().unwrap().refused += 1;
                        next = next.max(began + AGAIN);
                    }
                    thread::sleep(next.saturating_duration_since(Instant::now()));
                }
            });
        }
    });
    seen.into_inner().unwrap()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Measures alternately at capacity and with four times as many clients. Under overload, requests must be refused, the
/// number of accepted ones must be at least 60 % of that at capacity, and they may take at most twice as long (only
/// where [`compares_times`] is true).
fn hold(service: &Service, clients: usize, pause: Duration, request: &[u8]) {
    assert_eq!(service.ask(request).status, 200);
    let compares_times = compares_times();
    let mut said = String::new();
    for attempt in 1..=TRIES {
        let (mut calm, mut full, mut few, mut many, mut refused) = (vec![], vec![], vec![], vec![], 0);
        for _ in 0..ROUNDS {
            let mut seen = load(service, clients, pause, request);
            calm.push(seen.p99().as_secs_f64());
            few.push(seen.accepted.len() as f64);
            let mut seen = load(service, 4 * clients, pause, request);
            full.push(seen.p99().as_secs_f64());
            many.push(seen.accepted.len() as f64);
            refused += seen.refused;
        }
        let (calm, full, few, many) = (median(calm), median(full), median(few), median(many));
        said = format!(
            "attempt {attempt}: p99 {:.1} ms of {few} answers a round at capacity; at four times the load {:.1} ms of {many}, and {refused} refused",
            calm * 1e3,
            full * 1e3
        );
        println!("{said}");
        assert!(refused > 0, "it was no overload: {said}");
        if (!compares_times || full <= 2.0 * calm) && many >= 0.6 * few {
            return;
        }
    }
    panic!("{said}");
}

/// Returns a request that takes a processor for a while: a file to parse, and many URLs to check.
fn work() -> Vec<u8> {
    let rules: String = (0..2000).map(|n| format!("Disallow: /{n}*x{n}/\\n")).collect();
    let urls: String = (0..100).map(|n| format!("\"http://a.test/{n}/x/{n}/y\",")).collect();
    let urls = urls.trim_end_matches(',');
    post(
        "/v1/check",
        &format!("{{\"robots\":\"User-agent: *\\n{rules}\",\"origin\":\"http://a.test\",\"urls\":[{urls}]}}"),
    )
}

#[test]
fn too_many_at_once() {
    let service = Service::start(&[
        "--rate",
        "0",
        "--in-flight",
        "2",
        "--queue",
        "2",
        "--queue-wait",
        "10s",
        "--connections",
        "100",
    ]);
    let prober = thread::scope(|scope| {
        // The health is answered under any load.
        let probing = scope.spawn(|| {
            let (began, mut worst) = (Instant::now(), Duration::ZERO);
            while began.elapsed() < Duration::from_secs(10) {
                let asked = Instant::now();
                assert_eq!(service.ask(&get("/healthz")).status, 200);
                worst = worst.max(asked.elapsed());
                thread::sleep(Duration::from_millis(20));
            }
            worst
        });
        hold(&service, 4, Duration::ZERO, &work());
        probing.join().unwrap()
    });
    println!("health was told within {prober:?}");
    assert!(prober < Duration::from_secs(3), "{prober:?}");
}

#[test]
fn too_often() {
    // This rate is enough for 20 clients with 10 requests per second each.
    let service = Service::start(&["--rate", "200"]);
    let request = get(&check(&service.url("known.test", "/private/x"), "Googlebot"));
    hold(&service, 18, Duration::from_millis(100), &request);
}

/// Checks that a client with questions about many slow sites, most of which it does not wait for, holds up its own
/// questions only: other clients' sites are fetched meanwhile.
#[test]
fn many_slow_sites_of_one_client_hold_up_nobody_else() {
    const OTHER: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);
    let service = Service::start(&["--rate", "0"]);
    let mut clients = Vec::new();
    let mut ask = |request: &[u8]| {
        let mut client = service.client();
        std::io::Write::write_all(&mut client.stream, request).unwrap();
        clients.push(client);
    };
    // Twice as many sites as are fetched at the same time, in single questions, in lists and in a batch.
    for n in 0..100 {
        ask(&get(&check(&service.url(&format!("slow-{n}.test"), "/"), "Googlebot")));
    }
    for list in 0..4 {
        let urls: Vec<_> = (0..80).map(|n| service.url(&format!("slow-list-{list}-{n}.test"), "/")).collect();
        ask(&post("/v1/check", &format!("{{\"urls\":[\"{}\"]}}", urls.join("\",\""))));
    }
    let lines: String =
        (0..200).map(|n| format!("{{\"url\":\"{}\"}}\n", service.url(&format!("slow-line-{n}.test"), "/"))).collect();
    ask(format!("{}Content-Length: {}\r\n\r\n{lines}", head("/v1/batch", "application/x-ndjson"), lines.len())
        .as_bytes());
    let began = Instant::now();
    while service.sites.requests().len() < 200 {
        assert!(began.elapsed() < TEST_TIMEOUT, "{} sites were asked", service.sites.requests().len());
        thread::sleep(Duration::from_millis(10));
    }
    // Fetches continue when the client goes away.
    clients.truncate(50);
    for n in 0..20 {
        let began = Instant::now();
        let request = get(&check(&service.url(&format!("site-{n}.test"), "/private/x"), "Googlebot"));
        let answer = Client::new(service.connect_from(OTHER)).ask(&request).unwrap();
        assert_eq!((answer.status, answer.json()["line"].as_u64()), (200, Some(2)), "{answer:?}");
        // A slow site is given up after 30 seconds.
        assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
    }
}

#[test]
fn a_slow_site_holds_up_nobody() {
    let service = Service::start(&["--rate", "0", "--waiting", "64", "--in-flight", "4", "--queue", "8"]);
    let prober = Prober::start(&service);
    let slow = get(&check(&service.url("slow.test", "/"), "Googlebot"));
    // Far more requests than may wait. An eighth of the waiting requests may be for one site.
    let mut asked = Vec::new();
    for _ in 0..100 {
        let mut client = service.client();
        std::io::Write::write_all(&mut client.stream, &slow).unwrap();
        asked.push(client);
    }
    let began = Instant::now();
    while service.number("comity_http_waiting") < 7.9 {
        assert!(began.elapsed() < TEST_TIMEOUT);
    }
    // Meanwhile, new sites are fetched as usual.
    for n in 0..100 {
        let began = Instant::now();
        let answer = service.ask(&get(&check(&service.url(&format!("site-{n}.test"), "/private/x"), "Googlebot")));
        assert_eq!((answer.status, answer.json()["line"].as_u64()), (200, Some(2)), "{answer:?}");
        assert!(began.elapsed() < Duration::from_secs(3));
    }
    prober.finish();
    let refused = asked.iter_mut().skip(16).filter_map(|client| {
        client.stream.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
        client.answer().ok()
    });
    let refused: Vec<Answer> = refused.collect();
    assert!(refused.len() > 60, "{}", refused.len());
    for answer in refused {
        assert!(answer.is_refusal() && answer.text().contains("slow.test"), "{answer:?}");
    }
}
