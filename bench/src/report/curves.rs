//! Plots of curves: the time in relation to a growing quantity.

use super::markdown::time;
use super::plot::{Anchor, Canvas, Logarithmic, color};
use crate::definition::Model;
use crate::results::{Measured, OURS, Row, Workload, median};

const LEFT: f64 = 84.0;
const RIGHT: f64 = 640.0;
const TOP: f64 = 60.0;
const BOTTOM: f64 = 420.0;

pub(super) fn plot(workload: &Workload) -> String {
    let definition = &workload.definition;
    let figure: fn(&Row) -> &[f64] = if definition.model == Model::Decide { Row::steady } else { Row::whole };
    let curves = curves(&workload.points, figure);
    let times = curves.iter().flat_map(|(_, points)| points.iter().map(|(_, time)| *time));
    let vertical = Logarithmic::around(times, BOTTOM, TOP);
    let across = Across::over(&workload.points);

    let mut canvas = Canvas::new(880.0, BOTTOM + 58.0);
    canvas.bold((16.0, 26.0), Anchor::Start, &definition.title);
    let unit = if definition.model == Model::Parse { "a file" } else { "a question" };
    canvas.text((16.0, 46.0), Anchor::Start, &format!("time for {unit}, logarithmic"));
    for tick in vertical.ticks() {
        canvas.line((LEFT, vertical.at(tick)), (RIGHT, vertical.at(tick)));
        canvas.text((LEFT - 8.0, vertical.at(tick) + 4.0), Anchor::End, &time(tick));
    }
    for point in &workload.points {
        if let Some(x) = point.x {
            canvas.text((across.at(x), BOTTOM + 20.0), Anchor::Middle, &x.to_string());
        }
    }
    canvas.text(
        (f64::midpoint(LEFT, RIGHT), BOTTOM + 44.0),
        Anchor::Middle,
        definition.x.as_deref().unwrap_or_default(),
    );

    let mut labels = Vec::new();
    // Our curve is drawn last, over the others.
    for (participant, points) in curves.iter().rev() {
        let places: Vec<(f64, f64)> = points.iter().map(|&(x, time)| (across.at(x), vertical.at(time))).collect();
        canvas.polyline(&places, color(participant), if *participant == OURS { 3.0 } else { 1.6 });
        labels.extend(places.last().map(|&(_, y)| (y, *participant)));
    }
    for (y, participant) in apart(labels) {
        let weight = if participant == OURS { "bold" } else { "normal" };
        canvas.colored_text((RIGHT + 14.0, y + 4.0), Anchor::Start, participant, color(participant), weight);
    }
    canvas.finish(&definition.title)
}

/// Returns the medians of each participant, up to the point where it was stopped.
fn curves(points: &[Measured], figure: fn(&Row) -> &[f64]) -> Vec<(&str, Vec<(u32, f64)>)> {
    let rows = points.first().map(|point| &*point.rows).unwrap_or_default();
    let curve = |participant: &str| {
        points.iter().filter_map(|point| Some((point.x?, median(figure(point.row(participant)?))?))).collect()
    };
    rows.iter().map(|row| (&*row.participant, curve(&row.participant))).collect()
}

/// Moves labels down until none covers another.
fn apart(mut labels: Vec<(f64, &str)>) -> Vec<(f64, &str)> {
    labels.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut free = TOP;
    for (y, _) in &mut labels {
        *y = y.max(free);
        free = *y + 16.0;
    }
    labels
}

/// The horizontal scale: logarithmic unless it starts at zero.
enum Across {
    Linear(f64),
    Logarithmic(f64, f64),
}

impl Across {
    fn over(points: &[Measured]) -> Self {
        let values = || points.iter().filter_map(|point| point.x).map(f64::from);
        let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(1.0, f64::max));
        if low < 1.0 { Self::Linear(high) } else { Self::Logarithmic(low.ln(), high.ln()) }
    }

    fn at(&self, x: u32) -> f64 {
        let share = match self {
            Self::Linear(high) => f64::from(x) / high,
            Self::Logarithmic(low, high) => (f64::from(x).ln() - low) / (high - low),
        };
        LEFT + 12.0 + (RIGHT - LEFT - 24.0) * share
    }
}
