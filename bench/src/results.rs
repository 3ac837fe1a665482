//! The results of a run.

use serde::{Serialize, Serializer};

use crate::agreement::Agreement;
use crate::definition::Definition;
use crate::memory::Footprint;
use crate::participants::Skipped;
use crate::start::Start;
use crate::work::Point;

/// The participant that the others are compared with.
pub(crate) const OURS: &str = "comity";

#[derive(Debug, Serialize)]
pub(crate) struct Results {
    pub(crate) machine: Machine,
    pub(crate) participants: Vec<Version>,
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) examined: Vec<Examined>,
    pub(crate) workloads: Vec<Workload>,
    pub(crate) memory: Vec<Weighed>,
    pub(crate) start: Option<Start>,
}

/// The facts about the machine and the run on which the figures depend.
#[derive(Debug, Serialize)]
pub(crate) struct Machine {
    pub(crate) cpu: String,
    pub(crate) cores: usize,
    pub(crate) compiler: String,
    pub(crate) work: String,
    /// The source of the correct answers.
    pub(crate) reference: String,
    pub(crate) quick: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct Version {
    pub(crate) name: String,
    pub(crate) version: String,
}

/// A participant's answers to all recorded questions.
#[derive(Debug, Serialize)]
pub(crate) struct Examined {
    pub(crate) participant: String,
    pub(crate) agreement: Agreement,
    pub(crate) finished: bool,
}

/// A participant's memory over all files.
#[derive(Debug, Serialize)]
pub(crate) struct Weighed {
    pub(crate) participant: String,
    pub(crate) footprint: Footprint,
    /// The memory for the same files, reduced to their user-agent lines and rules.
    pub(crate) rules_alone: Footprint,
}

#[derive(Debug, Serialize)]
pub(crate) struct Workload {
    pub(crate) definition: Definition,
    pub(crate) points: Vec<Measured>,
}

/// One point of a workload.
#[derive(Debug, Serialize)]
pub(crate) struct Measured {
    pub(crate) x: Option<u32>,
    pub(crate) label: String,
    pub(crate) units: usize,
    pub(crate) bytes: usize,
    pub(crate) rows: Vec<Row>,
    /// The times of parts of the work.
    pub(crate) limits: Vec<Row>,
}

/// The figures of one participant at a point, in nanoseconds per unit, one for each round.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) participant: String,
    /// The times including preparing files and dropping the results.
    #[serde(serialize_with = "rounded")]
    pub(crate) nanoseconds: Vec<f64>,
    /// The times without that, if it is measured separately.
    #[serde(serialize_with = "rounded")]
    pub(crate) steady: Vec<f64>,
    /// The times for preparing a file and dropping the result, per file.
    #[serde(serialize_with = "rounded")]
    pub(crate) build: Vec<f64>,
    /// The time after which the participant was stopped, if it was.
    pub(crate) over: Option<f64>,
    /// The agreement with the reference. Without meaning for parts of the work.
    pub(crate) agreement: Agreement,
}

impl Measured {
    pub(crate) fn new(point: &Point, units: usize, rows: Vec<Row>, limits: Vec<Row>) -> Self {
        let bytes = point.cases.iter().map(|case| case.body.bytes.len()).sum();
        Self { x: point.x, label: point.label.clone(), units, bytes, rows, limits }
    }

    pub(crate) fn row(&self, participant: &str) -> Option<&Row> {
        self.rows.iter().chain(&self.limits).find(|row| row.participant == participant)
    }

    /// Returns the time of a participant as a multiple of that of `base`. `of` selects the times from a row.
    pub(crate) fn ratio(&self, row: &Row, base: &str, of: fn(&Row) -> &[f64]) -> Option<Ratio> {
        let base = of(self.row(base)?);
        if let Some(over) = row.over {
            return median(base).map(|base| Ratio::MoreThan(over / base));
        }
        // The ratio is computed within each round, because a disturbance affects the whole round.
        let ratios: Vec<f64> = of(row).iter().zip(base).map(|(own, base)| own / base).collect();
        median(&ratios).map(Ratio::Is)
    }
}

impl Workload {
    /// Returns the only point of the workload, or the last one.
    pub(crate) fn last(&self) -> Option<&Measured> {
        self.points.last()
    }
}

impl Row {
    pub(crate) fn whole(&self) -> &[f64] {
        &self.nanoseconds
    }

    pub(crate) fn steady(&self) -> &[f64] {
        &self.steady
    }
}

/// A ratio, or a lower bound if the participant was stopped.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ratio {
    Is(f64),
    MoreThan(f64),
}

/// Serializes rounded values, because no clock is as precise as a float.
fn rounded<S: Serializer>(values: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(values.iter().map(|value| (value * 10.0).round() / 10.0))
}

pub(crate) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        count if count % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

pub(crate) fn least(values: &[f64]) -> Option<f64> {
    values.iter().copied().min_by(f64::total_cmp)
}
