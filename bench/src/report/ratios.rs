//! Plots of bars: the time of each participant on one workload, as a multiple of comity's.

use super::markdown::ratio;
use super::plot::{Anchor, Canvas, Logarithmic, color};
use crate::results::{OURS, Ratio, Row, Workload};

const LEFT: f64 = 236.0;
const RIGHT: f64 = 760.0;
const ROW: f64 = 26.0;
const TOP: f64 = 64.0;

pub(super) fn plot(workload: &Workload) -> Option<String> {
    let point = workload.last()?;
    let value = |ratio: Ratio| match ratio {
        Ratio::Is(value) | Ratio::MoreThan(value) => value,
    };
    let mut bars: Vec<(&Row, Ratio)> =
        point.rows.iter().filter_map(|row| Some((row, point.ratio(row, OURS, Row::whole)?))).collect();
    bars.sort_by(|a, b| value(a.1).total_cmp(&value(b.1)));
    let scale = Logarithmic::around(bars.iter().map(|(_, ratio)| value(*ratio)), LEFT, RIGHT);
    let bottom = TOP + ROW * bars.len() as f64;
    let mut canvas = Canvas::new(880.0, bottom + 34.0);
    let title = &workload.definition.title;
    canvas.bold((16.0, 26.0), Anchor::Start, title);
    canvas.text((16.0, 46.0), Anchor::Start, "time, as a multiple of comity's; shorter is faster; logarithmic");
    for tick in scale.ticks() {
        canvas.line((scale.at(tick), TOP - 6.0), (scale.at(tick), bottom));
        canvas.text((scale.at(tick), bottom + 18.0), Anchor::Middle, &format!("{tick}x"));
    }
    for (index, (row, times)) in bars.iter().enumerate() {
        let y = TOP + ROW * index as f64;
        // Bars start at comity's time, because a logarithmic scale has no zero.
        let (one, end) = (scale.at(1.0), scale.at(value(*times)));
        canvas.text((LEFT - 8.0, y + 16.0), Anchor::End, &row.participant);
        let (from, to) = (one.min(end) - 1.5, one.max(end) + 1.5);
        canvas.bar((from, y + 3.0), (to - from, ROW - 8.0), color(&row.participant));
        canvas.text((to + 6.0, y + 16.0), Anchor::Start, &ratio(Some(*times)));
    }
    Some(canvas.finish(title))
}
