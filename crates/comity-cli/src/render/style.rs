//! The colors of the output, and escaping of text for a terminal.

use anstyle::{AnsiColor, Style};
use comity::{Answer, Escaped};

pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
pub(crate) const ALLOWED: Style = AnsiColor::Green.on_default();
pub(crate) const DISALLOWED: Style = AnsiColor::Red.on_default();
pub(crate) const NO_VERDICT: Style = AnsiColor::Yellow.on_default();
pub(crate) const STRONG: Style = Style::new().bold();
pub(crate) const FAINT: Style = Style::new().dimmed();

pub(crate) fn of(answer: Answer) -> Style {
    match answer {
        Answer::Allowed => ALLOWED,
        Answer::Disallowed => DISALLOWED,
        _ => NO_VERDICT,
    }
}

pub(crate) fn paint(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

/// Returns a text of several lines that is safe to print: messages quote arguments and the content of files.
pub(crate) fn safe(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| Escaped(line.as_bytes()).to_string()).collect();
    lines.join("\n")
}
