//! Writes SVG: dark text on a light background, without scripts or embedded fonts.

use std::fmt::Write as _;

use crate::results::OURS;

const INK: &str = "#1f2328";
const FAINT: &str = "#d0d7de";
const PAPER: &str = "#ffffff";

/// Colors that most color-blind people can distinguish (after Okabe and Ito), darkened for contrast on white.
const COLORS: [(&str, &str); 11] = [
    (OURS, "#b3261e"),
    ("comity, STANDARD", "#e07a5f"),
    ("robotstxt", "#0b5fa5"),
    ("robotxt", "#00775a"),
    ("texting_robots", "#8a5a00"),
    ("robots_txt", "#6e4aa5"),
    ("robotparser", "#a0306f"),
    ("cylon", "#3a7ca5"),
    ("protego (Python)", "#57606a"),
    ("urllib.robotparser (Python)", "#8c959f"),
    ("robots-parser (JavaScript)", "#6b6a00"),
];

pub(super) fn color(participant: &str) -> &'static str {
    COLORS.iter().find(|(name, _)| *name == participant).map_or(INK, |(_, color)| color)
}

/// A picture that is being drawn.
#[derive(Debug)]
pub(super) struct Canvas {
    width: f64,
    height: f64,
    shapes: String,
}

/// The point of a text that is at the given position.
#[derive(Clone, Copy, Debug)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Canvas {
    pub(super) fn new(width: f64, height: f64) -> Self {
        Self { width, height, shapes: String::new() }
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64)) {
        let ((x1, y1), (x2, y2)) = (from, to);
        let _ =
            writeln!(self.shapes, r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" stroke="{FAINT}"/>"#);
    }

    pub(super) fn bar(&mut self, at: (f64, f64), size: (f64, f64), color: &str) {
        let ((x, y), (width, height)) = (at, size);
        let _ = writeln!(
            self.shapes,
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" rx="2" fill="{color}"/>"#
        );
    }

    pub(super) fn polyline(&mut self, points: &[(f64, f64)], color: &str, width: f64) {
        let path: String = points.iter().map(|(x, y)| format!("{x:.1},{y:.1} ")).collect();
        let path = path.trim_end();
        let _ = writeln!(
            self.shapes,
            r#"<polyline points="{path}" fill="none" stroke="{color}" stroke-width="{width}" stroke-linejoin="round"/>"#
        );
        for (x, y) in points {
            let _ = writeln!(self.shapes, r#"<circle cx="{x:.1}" cy="{y:.1}" r="{:.1}" fill="{color}"/>"#, width + 0.8);
        }
    }

    pub(super) fn text(&mut self, at: (f64, f64), anchor: Anchor, text: &str) {
        self.colored_text(at, anchor, text, INK, "normal");
    }

    pub(super) fn bold(&mut self, at: (f64, f64), anchor: Anchor, text: &str) {
        self.colored_text(at, anchor, text, INK, "bold");
    }

    pub(super) fn colored_text(&mut self, at: (f64, f64), anchor: Anchor, text: &str, color: &str, weight: &str) {
        let (x, y) = at;
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        let _ = writeln!(
            self.shapes,
            r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}" fill="{color}" font-weight="{weight}">{text}</text>"#
        );
    }

    /// Returns the whole file. It has a background of its own, so that it is readable on dark pages, too.
    pub(super) fn finish(self, title: &str) -> String {
        let Self { width, height, shapes } = self;
        let title = title.replace('&', "&amp;").replace('<', "&lt;");
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\" font-family=\"system-ui, sans-serif\" font-size=\"13\">\n\
             <title>{title}</title>\n<rect width=\"{width}\" height=\"{height}\" fill=\"{PAPER}\"/>\n{shapes}</svg>\n"
        )
    }
}

/// A logarithmic scale onto pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Logarithmic {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Logarithmic {
    /// Creates a scale from the power of ten below all values to the power of ten above them.
    pub(super) fn around(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|value| *value > 0.0) {
            low = low.min(value.log10().floor());
            high = high.max(value.log10().ceil());
        }
        if !low.is_finite() {
            (low, high) = (0.0, 1.0);
        }
        Self { low, high: high.max(low + 1.0), from, to }
    }

    pub(super) fn at(&self, value: f64) -> f64 {
        let share = (value.log10() - self.low) / (self.high - self.low);
        self.from + (self.to - self.from) * share
    }

    /// Returns the powers of ten on the scale.
    pub(super) fn ticks(&self) -> impl Iterator<Item = f64> + use<> {
        (self.low as i32..=self.high as i32).map(|power| 10_f64.powi(power))
    }
}
