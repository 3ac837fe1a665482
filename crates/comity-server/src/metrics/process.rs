//! Metrics of the process, by the names that all clients of Prometheus use.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Unit;

/// A collector of the metrics of the process. Systems other than Linux only have the time of its start.
#[derive(Debug)]
pub(super) struct Process {
    /// The start of the service, in seconds since 1970.
    started: f64,
}

impl Default for Process {
    fn default() -> Self {
        let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { started: started.as_secs_f64() }
    }
}

impl Collector for Process {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let seconds = Some(&Unit::Seconds);
        let about = "Start of the service, as a Unix time";
        let started = encoder.encode_descriptor("start_time", about, seconds, MetricType::Gauge)?;
        ConstGauge::new(self.started).encode(started)?;
        let Some(usage) = Usage::read() else { return Ok(()) };

        let about = "Processor time of the user and the system";
        let processor = encoder.encode_descriptor("cpu", about, seconds, MetricType::Counter)?;
        ConstCounter::new(usage.cpu_seconds).encode(processor)?;
        for (name, about, unit, value) in [
            ("resident_memory", "Memory that is in use", Some(&Unit::Bytes), usage.resident_bytes),
            ("virtual_memory", "Addresses that are in use", Some(&Unit::Bytes), usage.virtual_bytes),
            ("open_fds", "Open file descriptors", None, usage.open_files),
            ("max_fds", "Maximum number of open file descriptors", None, usage.max_files),
        ] {
            let Some(value) = value else { continue };
            ConstGauge::new(i64::try_from(value).unwrap_or(i64::MAX)).encode(encoder.encode_descriptor(
                name,
                about,
                unit,
                MetricType::Gauge,
            )?)?;
        }
        Ok(())
    }
}

/// The resources that the process uses.
#[derive(Debug, Default)]
struct Usage {
    cpu_seconds: f64,
    resident_bytes: Option<u64>,
    virtual_bytes: Option<u64>,
    open_files: Option<u64>,
    max_files: Option<u64>,
}

impl Usage {
    /// Reads the resources from `/proc` (proc(5)).
    #[cfg(target_os = "linux")]
    fn read() -> Option<Self> {
        use rustix::param::{clock_ticks_per_second, page_size};
        use rustix::process::{Resource, getrlimit};

        let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
        // The second field is the name of the program, which may contain spaces and parentheses.
        let fields: Vec<u64> =
            stat.rsplit_once(')')?.1.split_ascii_whitespace().map(|field| field.parse().unwrap_or_default()).collect();
        // Fields 14, 15, 23 and 24 of the line; the list starts with field 3.
        let field = |number: usize| fields.get(number - 3).copied();
        Some(Self {
            cpu_seconds: (field(14)? + field(15)?) as f64 / clock_ticks_per_second() as f64,
            virtual_bytes: field(23),
            resident_bytes: field(24).map(|pages| pages * page_size() as u64),
            // One of them is the folder that is read here.
            open_files: std::fs::read_dir("/proc/self/fd").ok().map(|files| files.count().saturating_sub(1) as u64),
            max_files: getrlimit(Resource::Nofile).current,
        })
    }

    #[cfg(not(target_os = "linux"))]
    fn read() -> Option<Self> {
        None
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_memory_and_files() {
        let usage = Usage::read().unwrap();
        let resident = usage.resident_bytes.unwrap();
        assert!((1 << 20..1 << 40).contains(&resident), "{usage:?}");
        assert!(usage.virtual_bytes.unwrap() >= resident, "{usage:?}");
        assert!(usage.cpu_seconds >= 0.0 && usage.cpu_seconds < 3600.0, "{usage:?}");
        let _file = std::fs::File::open("/proc/self/stat").unwrap();
        assert!(Usage::read().unwrap().open_files > Some(3), "{usage:?}");
        assert!(usage.max_files.is_none_or(|max| max >= 64), "{usage:?}");
    }
}
