//! Metrics of the service, in two formats of Prometheus.

pub(crate) mod live;
mod process;
pub(crate) mod routes;
mod text_format;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::StatusCode;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, text};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use live::Live;
use process::Process;

/// The upper bounds of the buckets for answer times, in seconds.
const SECONDS: [f64; 14] =
    [0.0001, 0.000_25, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.25, 1.0, 5.0, 15.0, 60.0];

/// The classes of status codes.
const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// The metrics of the service.
#[derive(Debug)]
pub(crate) struct Metrics {
    /// The metrics of this service, whose names start with `comity_`.
    own: Registry,
    /// The metrics of its process, such as `process_cpu_seconds_total`, which have the same names in all programs.
    process: Registry,
    counted: Arc<Counted>,
}

/// The metrics that requests and connections change.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    routes: Vec<OfRoute>,
    problems: Mutex<BTreeMap<&'static str, u64>>,
    pub(crate) connections_total: Counter,
    pub(crate) connections_refused_total: Counter,
    pub(crate) connections_evicted_total: Counter,
    pub(crate) connections: Gauge,
}

#[derive(Debug)]
struct OfRoute {
    name: &'static str,
    classes: [Counter; 5],
    seconds: Histogram,
}

impl Metrics {
    /// Returns metrics for these routes.
    pub(crate) fn new(routes: &[&'static str], live: Live) -> Self {
        let of_route =
            |name: &&'static str| OfRoute { name, classes: Default::default(), seconds: Histogram::new(SECONDS) };
        let counted = Arc::new(Counted { routes: routes.iter().map(of_route).collect(), ..Counted::default() });
        let mut own = Registry::with_prefix("comity");
        own.register_collector(Box::new(Arc::clone(&counted)));
        own.register_collector(Box::new(live));
        let mut process = Registry::with_prefix("process");
        process.register_collector(Box::new(Process::default()));
        Self { own, process, counted }
    }

    /// Returns the metrics that connections change.
    pub(crate) fn counted(&self) -> &Counted {
        &self.counted
    }

    pub(crate) fn answered(&self, route: usize, status: StatusCode, took: Duration) {
        let Some(of_route) = self.counted.routes.get(route) else { return };
        let class = usize::from(status.as_u16() / 100).clamp(1, CLASSES.len()) - 1;
        of_route.classes[class].inc();
        of_route.seconds.observe(took.as_secs_f64());
    }

    /// Counts an answer that is a problem document with this code.
    pub(crate) fn problem(&self, code: &'static str) {
        *self.counted.problems.lock().unwrap_or_else(PoisonError::into_inner).entry(code).or_default() += 1;
    }

    /// Returns all metrics as `OpenMetrics` 1.0, always in the same order.
    pub(crate) fn openmetrics(&self) -> Result<String, fmt::Error> {
        let mut page = String::new();
        text::encode_registry(&mut page, &self.own)?;
        text::encode_registry(&mut page, &self.process)?;
        text::encode_eof(&mut page)?;
        Ok(page)
    }

    /// Returns all metrics in Prometheus' text format 0.0.4, always in the same order.
    pub(crate) fn text(&self) -> Result<String, fmt::Error> {
        self.openmetrics().map(|page| text_format::from_openmetrics(&page))
    }
}

impl Collector for Counted {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        encoder
            .encode_descriptor("build", "The version of this program", None, MetricType::Info)?
            .encode_info(&[("version", env!("CARGO_PKG_VERSION"))])?;

        let about = "Requests that were answered";
        let mut requests = encoder.encode_descriptor("http_requests", about, None, MetricType::Counter)?;
        for route in &self.routes {
            for (class, count) in CLASSES.iter().zip(&route.classes) {
                count.encode(requests.encode_family(&[("route", route.name), ("status", class)])?)?;
            }
        }
        let about = "Time from the head of a request to the head of its answer";
        let unit = Some(&Unit::Seconds);
        let mut seconds = encoder.encode_descriptor("http_request", about, unit, MetricType::Histogram)?;
        for route in &self.routes {
            route.seconds.encode(seconds.encode_family(&[("route", route.name)])?)?;
        }
        let about = "Requests that were answered with a problem, by its code";
        let mut problems = encoder.encode_descriptor("http_problems", about, None, MetricType::Counter)?;
        for (code, count) in &*self.problems.lock().unwrap_or_else(PoisonError::into_inner) {
            ConstCounter::new(*count).encode(problems.encode_family(&[("code", *code)])?)?;
        }
        let counters = [
            ("connections_accepted", "Connections that were accepted", &self.connections_total),
            (
                "connections_refused",
                "Connections that could only ask about health, because all others were busy",
                &self.connections_refused_total,
            ),
            ("connections_evicted", "Idle connections that were closed for others", &self.connections_evicted_total),
        ];
        for (name, about, counter) in counters {
            counter.encode(encoder.encode_descriptor(name, about, None, MetricType::Counter)?)?;
        }
        let open = encoder.encode_descriptor("connections", "Open connections", None, MetricType::Gauge)?;
        self.connections.encode(open)
    }
}
