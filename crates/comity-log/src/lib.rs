#![doc = include_str!("../README.md")]

mod combined;
mod entry;
mod format;
mod json;
mod reader;
mod time;
mod unpack;
mod w3c;

pub use entry::{LogEntry, LogProblem};
pub use format::LogFormat;
pub use json::FieldPlace;
pub use reader::{LogBlock, LogError, LogLine, LogOptions, LogReader, MAX_LINE_BYTES};
pub use time::LogClock;

/// Returns true if a line is a request in the combined or common format.
pub fn is_combined_line(line: &[u8]) -> bool {
    combined::parse(line.trim_ascii(), false).is_ok_and(|entry| entry.target.is_some())
}
