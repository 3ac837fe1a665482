//! Plots of bars: the time of each participant on one workload, as a multiple of comity's.

use anyhow::Result;
use plotters::prelude::*;

use super::markdown::ratio;
use super::plot::{FAINT, INK, color, logarithmic, svg, text};
use crate::results::{OURS, Ratio, Row, Workload};

pub(super) fn plot(workload: &Workload) -> Result<String> {
    let value = |ratio: Ratio| match ratio {
        Ratio::Is(value) | Ratio::MoreThan(value) => value,
    };
    let rows = workload.last().into_iter().flat_map(|point| point.rows.iter().map(move |row| (point, row)));
    let mut bars: Vec<(&Row, Ratio)> =
        rows.filter_map(|(point, row)| Some((row, point.ratio(row, OURS, Row::whole)?))).collect();
    // From the bottom to the top.
    bars.sort_by(|a, b| value(b.1).total_cmp(&value(a.1)));
    let subtitle = "time, as a multiple of comity's; shorter is faster; logarithmic";

    svg(98 + 26 * bars.len() as u32, [&workload.definition.title, subtitle], |area| {
        let times = logarithmic(bars.iter().map(|(_, ratio)| value(*ratio)));
        let mut chart = ChartBuilder::on(area)
            .margin_top(58)
            .margin_right(120)
            .x_label_area_size(34)
            .y_label_area_size(236)
            .build_cartesian_2d(times, (0..bars.len().saturating_sub(1)).into_segmented())?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .bold_line_style(FAINT)
            .axis_style(TRANSPARENT)
            .label_style(text(INK, FontStyle::Normal))
            .x_label_formatter(&|ratio| format!("{ratio}x"))
            .y_labels(bars.len())
            .y_label_formatter(&|segment| match segment {
                SegmentValue::CenterOf(index) if *index < bars.len() => bars[*index].0.participant.clone(),
                _ => String::new(),
            })
            .draw()?;
        for (index, (row, times)) in bars.iter().enumerate() {
            // Bars start at comity's time, because a logarithmic scale has no zero.
            let [(one, _), (end, y)] =
                [1.0, value(*times)].map(|time| chart.backend_coord(&(time, SegmentValue::CenterOf(index))));
            let (from, to) = (one.min(end) - 1, one.max(end) + 2);
            area.draw(&Rectangle::new([(from, y - 9), (to, y + 9)], color(&row.participant).filled()))?;
            area.draw_text(&ratio(Some(*times)), &text(INK, FontStyle::Normal), (to + 6, y))?;
        }
        Ok(())
    })
}
