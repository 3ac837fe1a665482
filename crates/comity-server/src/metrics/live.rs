//! Metrics whose values other parts of the service count.

use std::fmt;

use comity_fetch::Client;
use comity_watch::{AlertKind, WatchFacts, WatchStatus};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Unit;

use crate::admission::Admission;
use crate::admission::scheduler::Scheduler;
use crate::egress::RequestBudgets;

/// A collector of these values.
#[derive(Debug)]
pub(crate) struct Live {
    pub(crate) client: Client,
    pub(crate) admission: Admission,
    pub(crate) scheduler: Scheduler,
    pub(crate) budgets: Option<RequestBudgets>,
    pub(crate) watch: Option<WatchStatus>,
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
            counter.encode(encoder.encode_descriptor(name, about, None, MetricType::Counter)?)?;
        }
        if let Some(budgets) = &self.budgets {
            let about =
                "Requests to sites that were not sent, because the budget of the client or of all clients was spent";
            let mut refused = encoder.encode_descriptor("fetch_requests_refused", about, None, MetricType::Counter)?;
            for (budget, number) in ["client", "all"].into_iter().zip(budgets.refused()) {
                ConstCounter::new(number).encode(refused.encode_family(&[("budget", budget)])?)?;
            }
        }
        let times = stats.fetch_times;
        let buckets: Vec<(f64, u64)> = times
            .buckets()
            .map(|(bound, count)| (bound.map_or(f64::INFINITY, |bound| bound.as_secs_f64()), count))
            .collect();
        let about = "Time of an attempt to fetch a robots.txt, with its redirects, probes and body";
        encoder
            .encode_descriptor("fetch", about, Some(&Unit::Seconds), MetricType::Histogram)?
            .encode_histogram::<NoLabelSet>(times.sum.as_secs_f64(), times.count(), &buckets, None)?;
        let admission = &self.admission;
        let gauges = [
            ("origins", "Origins in memory", stats.origins),
            ("origins_bytes", "Approximate memory of these origins, in bytes", stats.memory),
            (
                "fetch_budgets",
                "Pairs of clients and sites with requests in the last minute",
                self.budgets.as_ref().map_or(0, RequestBudgets::len) as u64,
            ),
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
            gauge.encode(encoder.encode_descriptor(name, about, None, MetricType::Gauge)?)?;
        }
        self.watch.as_ref().map_or(Ok(()), |watch| watched(&watch.facts(), &mut encoder))
    }
}

/// Writes the metrics of the watcher.
fn watched(facts: &WatchFacts, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
    let integer = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let gauges = [
        ("watch_sites", "Watched sites", facts.sites as u64),
        ("watch_due", "Watched sites that are due", facts.due as u64),
        ("watch_undelivered", "Alerts that a receiver has not accepted", facts.undelivered.values().sum()),
        (
            "watch_network_down",
            "1 if the network of the service is down, so that nothing is judged",
            u64::from(facts.network_down),
        ),
        (
            "watch_failing",
            "1 if sites can't be judged, for example because the disk is full",
            u64::from(facts.problem.is_some()),
        ),
    ];
    for (name, about, value) in gauges {
        let gauge = ConstGauge::new(integer(value));
        gauge.encode(encoder.encode_descriptor(name, about, None, MetricType::Gauge)?)?;
    }
    let about = "Time for which the first of the sites that are due has been due";
    let late = encoder.encode_descriptor("watch_late", about, Some(&Unit::Seconds), MetricType::Gauge)?;
    ConstGauge::new(facts.late_seconds).encode(late)?;
    let about = "Watched sites for which a condition holds";
    let mut open = encoder.encode_descriptor("watch_open", about, None, MetricType::Gauge)?;
    for kind in AlertKind::ALL.iter().filter(|kind| kind.is_condition()) {
        let count = facts.open.get(kind).copied().unwrap_or_default() as u64;
        ConstGauge::new(integer(count)).encode(open.encode_family(&[("kind", kind.name())])?)?;
    }
    let about = "Alerts about watched sites";
    let mut alerts = encoder.encode_descriptor("watch_alerts", about, None, MetricType::Counter)?;
    for kind in AlertKind::ALL {
        let count = facts.alerts.get(kind).copied().unwrap_or_default();
        ConstCounter::new(count).encode(alerts.encode_family(&[("kind", kind.name())])?)?;
    }
    Ok(())
}
