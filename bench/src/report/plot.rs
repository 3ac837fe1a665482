//! The frame of a plot: dark text on a light background, without scripts or embedded fonts.

use anyhow::Result;
use plotters::coord::Shift;
use plotters::coord::combinators::{LogCoord, WithKeyPoints};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::results::OURS;

pub(super) const INK: RGBColor = RGBColor(0x1f, 0x23, 0x28);
pub(super) const FAINT: RGBColor = RGBColor(0xd0, 0xd7, 0xde);

/// Colors that most color-blind people can distinguish (after Okabe and Ito), darkened for contrast on white.
const COLORS: [(&str, RGBColor); 10] = [
    (OURS, RGBColor(0xb3, 0x26, 0x1e)),
    ("comity, STANDARD", RGBColor(0xe0, 0x7a, 0x5f)),
    ("robotstxt", RGBColor(0x0b, 0x5f, 0xa5)),
    ("robotxt", RGBColor(0x00, 0x77, 0x5a)),
    ("texting_robots", RGBColor(0x8a, 0x5a, 0x00)),
    ("robots_txt", RGBColor(0x6e, 0x4a, 0xa5)),
    ("cylon", RGBColor(0x3a, 0x7c, 0xa5)),
    ("protego (Python)", RGBColor(0x57, 0x60, 0x6a)),
    ("urllib.robotparser (Python)", RGBColor(0x8c, 0x95, 0x9f)),
    ("robots-parser (JavaScript)", RGBColor(0x6b, 0x6a, 0x00)),
];

pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

pub(super) fn color(participant: &str) -> RGBColor {
    COLORS.iter().find(|(name, _)| *name == participant).map_or(INK, |(_, color)| *color)
}

/// Returns the style of text that starts at a position, and is centered on it vertically.
pub(super) fn text(color: RGBColor, style: FontStyle) -> TextStyle<'static> {
    let size = 13.0 * 1.24; // plotters divides by 1.24
    ("system-ui, sans-serif", size, style).into_font().color(&color).pos(Pos::new(HPos::Left, VPos::Center))
}

/// Returns a logarithmic axis from the power of ten below all values to the power of ten above them.
pub(super) fn logarithmic(values: impl Iterator<Item = f64>) -> WithKeyPoints<LogCoord<f64>> {
    let powers = values.filter(|value| *value > 0.0).map(f64::log10);
    let (low, high) = powers.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), power| {
        (low.min(power.floor()), high.max(power.ceil()))
    });
    let low = if low.is_finite() { low as i32 } else { 0 };
    let ticks: Vec<f64> = (low..=(high as i32).max(low + 1)).map(|power| 10_f64.powi(power)).collect();
    (ticks[0]..ticks[ticks.len() - 1]).log_scale().with_key_points(ticks)
}

/// Returns the file with a title, a subtitle and what `draw` adds. It has a background of its own, so that it is readable
/// on dark pages, too.
pub(super) fn svg(height: u32, titles: [&str; 2], draw: impl FnOnce(&Area) -> Result<()>) -> Result<String> {
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, (880, height)).into_drawing_area();
    area.fill(&WHITE)?;
    area.draw_text(titles[0], &text(INK, FontStyle::Bold), (16, 22))?;
    area.draw_text(titles[1], &text(INK, FontStyle::Normal), (16, 42))?;
    draw(&area)?;
    area.present()?;
    drop(area);
    // plotters writes no title for screen readers.
    let title = titles[0].replace('&', "&amp;").replace('<', "&lt;");
    Ok(svg.replacen(">\n", &format!(" role=\"img\">\n<title>{title}</title>\n"), 1))
}
