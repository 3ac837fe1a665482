//! A client with its own address, which sends small requests while others load the service.

use std::net::Ipv4Addr;
use std::time::{Duration, Instant};

use crate::client::{Client, check, get, post};
use crate::service::{Service, compares_times};

/// The address of this client. The others of these tests use 127.0.0.1 or 127.1.0.0/16.
const ADDRESS: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

/// The number of times that each request is sent for one measurement.
const ROUNDS: usize = 200;

/// The number of attempts, for machines that are busy.
const ATTEMPTS: usize = 4;

/// The maximum ratio of response times under load and on a quiet service: of their medians, and of their 99th
/// percentiles where a quiet machine compares times.
const MAX_RATIO: f64 = 10.0;

/// A client that sends small requests, each on a new connection.
pub(crate) struct Stranger<'s> {
    service: &'s Service,
    questions: Vec<(&'static str, Vec<u8>)>,
}

impl<'s> Stranger<'s> {
    /// Returns a client that requests `/healthz`, and a check on a known site.
    pub(crate) fn new(service: &'s Service) -> Self {
        let known = get(&check(&service.url("known.test", "/private/x"), "Googlebot"));
        Self { service, questions: vec![("health", get("/healthz")), ("a known site", known)] }
    }

    /// Adds small requests about files.
    pub(crate) fn with_documents(mut self) -> Self {
        let rules: String = (0..900).map(|n| format!("Disallow: /private/{n}/\\n")).collect();
        assert!(rules.len() > 20_000);
        let check = format!("{{\"robots\":\"User-agent: *\\n{rules}\",\"url\":\"http://a.test/private/7/x\"}}");
        self.questions.extend([
            ("lint", post("/v1/lint", "{\"robots\":\"User-agent: *\\nDisalow: /a\"}")),
            ("matrix", post("/v1/matrix", "{\"robots\":\"User-agent: *\\nDisallow: /a\",\"urls\":[\"/a\"]}")),
            ("a file of 20 KB", post("/v1/check", &check)),
        ]);
        self
    }

    /// Sends each request many times. Returns a percentile of the response times of each.
    ///
    /// # Panics
    ///
    /// If a request is not answered.
    fn measure(&self, percentile: usize) -> Vec<Duration> {
        let mut times = vec![Vec::new(); self.questions.len()];
        for _ in 0..ROUNDS {
            for ((name, question), times) in self.questions.iter().zip(&mut times) {
                let began = Instant::now();
                let answer = Client::new(self.service.connect_from(ADDRESS)).ask(question);
                times.push(began.elapsed());
                let answer = answer.unwrap_or_else(|error| panic!("{name}: {error} after {:?}", began.elapsed()));
                assert_eq!(answer.status, 200, "{name}: {answer:?}");
            }
        }
        let pick = |mut times: Vec<Duration>| {
            times.sort_unstable();
            times[times.len() * percentile / 100]
        };
        times.into_iter().map(pick).collect()
    }

    /// Compares response times while the service is quiet and while `load` runs. `load` starts the load and returns a
    /// guard that ends it when it is dropped.
    ///
    /// # Panics
    ///
    /// If a request is not answered, or its answers take more than ten times as long in each attempt.
    pub(crate) fn endure<L>(&self, load: impl Fn() -> L) {
        // On a machine with other work, a few requests take long whatever the service does.
        let percentile = if compares_times() { 99 } else { 50 };
        for attempt in 1..=ATTEMPTS {
            let quiet = self.measure(percentile);
            let running = load();
            let loaded = self.measure(percentile);
            drop(running);
            let mut is_slow = false;
            for (((name, _), quiet), loaded) in self.questions.iter().zip(&quiet).zip(&loaded) {
                let ratio = loaded.as_secs_f64() / quiet.as_secs_f64();
                println!(
                    "attempt {attempt}, {name}: p{percentile} {quiet:?}, under load {loaded:?}, {ratio:.1} times as long"
                );
                is_slow |= ratio > MAX_RATIO;
            }
            if !is_slow {
                return;
            }
        }
        panic!("the load of one client slows down the answers to another");
    }
}
