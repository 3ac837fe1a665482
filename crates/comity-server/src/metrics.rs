//! Metrics of the service, in the Prometheus text format.

use std::fmt;
use std::time::Duration;

use comity_fetch::Client;
use http::StatusCode;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, text};
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use crate::admission::Admission;
use crate::admission::scheduler::Scheduler;

/// A metric label: name and value.
type Label = (&'static str, &'static str);

/// The upper bounds of the buckets for answer times, in seconds.
const SECONDS: [f64; 14] =
    [0.0001, 0.000_25, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.25, 1.0, 5.0, 15.0, 60.0];

/// The classes of status codes.
const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// The metrics of the service.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    routes: Vec<OfRoute>,
    problems: Family<[Label; 1], Counter>,
    pub(crate) connections_total: Counter,
    pub(crate) connections_refused_total: Counter,
    pub(crate) connections_evicted_total: Counter,
    pub(crate) connections: Gauge,
}

/// A number that goes up and down.
pub(crate) type Gauge = prometheus_client::metrics::gauge::Gauge;

/// The counters of a route.
#[derive(Debug)]
struct OfRoute {
    classes: [Counter; 5],
    seconds: Histogram,
}

impl Metrics {
    /// Returns metrics for these routes.
    pub(crate) fn new(routes: &[&'static str], client: Client, admission: Admission, scheduler: Scheduler) -> Self {
        let mut registry = Registry::with_prefix("comity");
        let requests = Family::<[Label; 2], Counter>::default();
        let seconds = Family::<[Label; 1], Histogram>::new_with_constructor(|| Histogram::new(SECONDS));
        let of_route = |route: &&'static str| OfRoute {
            classes: CLASSES.map(|class| requests.get_or_create_owned(&[("route", *route), ("status", class)])),
            seconds: seconds.get_or_create_owned(&[("route", *route)]),
        };
        let routes = routes.iter().map(of_route).collect();
        registry.register("http_requests", "Requests that were answered", requests);
        let about = "Time from the head of a request to the head of its answer";
        registry.register_with_unit("http_request", about, Unit::Seconds, seconds);
        let mut counter = |name: &str, about: &str| {
            let counter = Counter::default();
            registry.register(name, about, counter.clone());
            counter
        };
        let connections_total = counter("connections_accepted", "Connections that were accepted");
        let connections_refused_total = counter(
            "connections_refused",
            "Connections that could only ask about health, because all others were busy",
        );
        let connections_evicted_total = counter("connections_evicted", "Idle connections that were closed for others");
        let connections = Gauge::default();
        registry.register("connections", "Open connections", connections.clone());
        let problems = Family::default();
        registry.register("http_problems", "Requests that were answered with a problem, by its code", problems.clone());
        registry.register_collector(Box::new(Live { client, admission, scheduler }));
        Self {
            registry,
            routes,
            problems,
            connections_total,
            connections_refused_total,
            connections_evicted_total,
            connections,
        }
    }

    /// Counts an answer.
    pub(crate) fn answered(&self, route: usize, status: StatusCode, took: Duration) {
        let Some(of_route) = self.routes.get(route) else { return };
        let class = usize::from(status.as_u16() / 100).clamp(1, CLASSES.len()) - 1;
        of_route.classes[class].inc();
        of_route.seconds.observe(took.as_secs_f64());
    }

    /// Counts a problem.
    pub(crate) fn problem(&self, code: &'static str) {
        self.problems.get_or_create(&[("code", code)]).inc();
    }

    /// Returns all metrics in the text format of `OpenMetrics`.
    pub(crate) fn text(&self) -> Result<String, fmt::Error> {
        let mut page = String::new();
        text::encode(&mut page, &self.registry)?;
        Ok(page)
    }
}

/// Metrics whose values other parts of the service count.
#[derive(Debug)]
struct Live {
    client: Client,
    admission: Admission,
    scheduler: Scheduler,
}

impl Collector for Live {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let stats = self.client.stats();
        let counters = [
            ("questions", "Questions about live sites", stats.questions_total),
            ("fetches", "Attempts to fetch a robots.txt", stats.fetches_total),
            (
                "fetch_requests",
                "Requests that were sent to sites, including redirects and probes",
                stats.requests_total,
            ),
            ("fetched_bytes", "Bytes of bodies that were fetched, decoded", stats.body_bytes_total),
            ("memory_hits", "Questions that were answered from memory", stats.memory_hits_total),
            ("store_hits", "Origins that were found in the store, and still good", stats.store_hits_total),
            (
                "shared_fetches",
                "Questions that waited for a fetch that another question had begun",
                stats.shared_fetches_total,
            ),
            ("unreachable", "Attempts that left the file unreachable", stats.unreachable_total),
            ("store_errors", "Times that the store could not be read or written", stats.store_errors_total),
            (
                "allowed_by_policy_after_failure",
                "Questions that were allowed because a step of the policy turned a failure into permission",
                stats.allowed_by_policy_after_failure_total,
            ),
            (
                "fail_open",
                "Questions that would have been allowed without a valid reason: anything but 0 is a bug",
                stats.fail_open_total,
            ),
        ];
        for (name, about, value) in counters {
            let counter = ConstCounter::new(value);
            counter.encode(encoder.encode_descriptor(name, about, None, counter_type())?)?;
        }
        let admission = &self.admission;
        let gauges = [
            ("origins", "Origins in memory", stats.origins),
            ("origins_bytes", "Approximate memory of these origins, in bytes", stats.memory),
            ("http_working", "Requests that are processed", admission.working() as u64),
            ("http_queued", "Requests in the queue", admission.queued() as u64),
            ("http_waiting", "Requests that wait for sites", admission.waiting() as u64),
            ("http_arriving", "Requests that wait for their bodies", admission.arriving() as u64),
            ("http_batches", "Batches in progress", admission.batches() as u64),
            ("http_computing", "Large questions that have a processor", self.scheduler.running() as u64),
            ("http_computing_queued", "Large questions that wait for a processor", self.scheduler.queued() as u64),
        ];
        for (name, about, value) in gauges {
            let gauge = ConstGauge::new(i64::try_from(value).unwrap_or(i64::MAX));
            gauge.encode(encoder.encode_descriptor(name, about, None, gauge_type())?)?;
        }
        Ok(())
    }
}

fn counter_type() -> prometheus_client::metrics::MetricType {
    prometheus_client::metrics::MetricType::Counter
}

fn gauge_type() -> prometheus_client::metrics::MetricType {
    prometheus_client::metrics::MetricType::Gauge
}
