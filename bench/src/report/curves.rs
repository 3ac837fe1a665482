//! Plots of curves: the time in relation to a growing quantity.

use std::convert::identity;

use anyhow::Result;
use plotters::prelude::*;

use super::markdown::time;
use super::plot::{FAINT, INK, color, logarithmic, svg, text};
use crate::definition::Model;
use crate::results::{Measured, OURS, Row, Workload, median};

pub(super) fn plot(workload: &Workload) -> Result<String> {
    let definition = &workload.definition;
    let figure: fn(&Row) -> &[f64] = if definition.model == Model::Decide { Row::steady } else { Row::whole };
    let curves = curves(&workload.points, figure);
    let times = curves.iter().flat_map(|(_, points)| points.iter().map(|(_, time)| *time));
    let unit = if definition.model == Model::Parse { "a file" } else { "a question" };

    // The horizontal axis is logarithmic, too, unless it starts at zero.
    let values: Vec<f64> = workload.points.iter().filter_map(|point| point.x.map(f64::from)).collect();
    let logarithms = values.iter().all(|x| *x >= 1.0);
    let place = if logarithms { f64::ln } else { identity };
    let value = if logarithms { f64::exp } else { identity };
    let places: Vec<f64> = values.into_iter().map(place).collect();
    let (first, last) = (places.first().copied().unwrap_or(0.0), places.last().copied().unwrap_or(1.0));
    let margin = (last - first) / 50.0;
    // Without `partial_axis`, the axis has no default format, which plotters requires.
    let across = (first - margin..last + margin).with_key_points(places).partial_axis(first..last);

    svg(478, [&definition.title, &format!("time for {unit}, logarithmic")], |area| {
        let mut chart = ChartBuilder::on(area)
            .margin_top(60)
            .margin_right(240)
            .margin_bottom(8)
            .x_label_area_size(50)
            .y_label_area_size(84)
            .build_cartesian_2d(across, logarithmic(times))?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .bold_line_style(FAINT)
            .axis_style(TRANSPARENT)
            .label_style(text(INK, FontStyle::Normal))
            .x_label_formatter(&|x| format!("{:.0}", value(*x)))
            .y_label_formatter(&|nanoseconds| time(*nanoseconds))
            .x_desc(definition.x.as_deref().unwrap_or_default())
            .draw()?;
        let mut labels = Vec::new();
        // Our curve is drawn last, over the others.
        for (participant, points) in curves.iter().rev() {
            let points: Vec<(f64, f64)> = points.iter().map(|&(x, time)| (place(x), time)).collect();
            labels.extend(points.last().map(|end| (chart.backend_coord(end).1, *participant)));
            let width = if *participant == OURS { 3 } else { 2 };
            let style = color(participant).filled().stroke_width(width);
            chart.draw_series(LineSeries::new(points, style).point_size(width + 1))?;
        }
        for (y, participant) in apart(labels) {
            let style = if participant == OURS { FontStyle::Bold } else { FontStyle::Normal };
            area.draw_text(participant, &text(color(participant), style), (654, y))?;
        }
        Ok(())
    })
}

/// Returns the medians of each participant, up to the point where it was stopped.
fn curves(points: &[Measured], figure: fn(&Row) -> &[f64]) -> Vec<(&str, Vec<(f64, f64)>)> {
    let rows = points.first().map(|point| &*point.rows).unwrap_or_default();
    let curve = |participant: &str| {
        points.iter().filter_map(|point| Some((point.x?.into(), median(figure(point.row(participant)?))?))).collect()
    };
    rows.iter().map(|row| (&*row.participant, curve(&row.participant))).collect()
}

/// Moves labels down until none covers another.
fn apart(mut labels: Vec<(i32, &str)>) -> Vec<(i32, &str)> {
    labels.sort_unstable();
    let mut free = 0;
    for (y, _) in &mut labels {
        free = free.max(*y) + 16;
        *y = free - 16;
    }
    labels
}
