//! What a run found.

use serde::{Serialize, Serializer};

use crate::agreement::Agreement;
use crate::definition::Definition;
use crate::memory::Footprint;
use crate::participants::Skipped;
use crate::start::Start;
use crate::work::Point;

/// The participant that ratios are to.
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

/// What the figures depend on.
#[derive(Debug, Serialize)]
pub(crate) struct Machine {
    pub(crate) cpu: String,
    pub(crate) cores: usize,
    pub(crate) compiler: String,
    pub(crate) work: String,
    /// Whose answers are right.
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
    /// The same over files that have user-agent lines and rules alone.
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
    /// Parts of the work alone.
    pub(crate) limits: Vec<Row>,
}

/// One participant there. All figures are nanoseconds a unit, one for each round.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) participant: String,
    /// With making ready and letting go.
    #[serde(serialize_with = "rounded")]
    pub(crate) nanoseconds: Vec<f64>,
    /// Without that, where it is told apart.
    #[serde(serialize_with = "rounded")]
    pub(crate) steady: Vec<f64>,
    /// Making ready and letting go, a file.
    #[serde(serialize_with = "rounded")]
    pub(crate) build: Vec<f64>,
    /// It took longer than this and was stopped.
    pub(crate) over: Option<f64>,
    /// A part of the work alone answers something, too, which says nothing.
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

    /// How many times as long as `base` this participant takes, by the figure that `of` takes from a row.
    pub(crate) fn ratio(&self, row: &Row, base: &str, of: fn(&Row) -> &[f64]) -> Option<Ratio> {
        let base = of(self.row(base)?);
        if let Some(over) = row.over {
            return median(base).map(|base| Ratio::MoreThan(over / base));
        }
        // Within each round, for what disturbs one disturbs the other.
        let ratios: Vec<f64> = of(row).iter().zip(base).map(|(own, base)| own / base).collect();
        median(&ratios).map(Ratio::Is)
    }
}

impl Workload {
    /// The figure of a workload with a single point, or of its last one.
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

/// A ratio, or what it is more than.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ratio {
    Is(f64),
    MoreThan(f64),
}

/// No clock is as exact as a float.
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
