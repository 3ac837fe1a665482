//! The formats, and their detection by the first lines.

use std::sync::Arc;

use crate::combined;
use crate::entry::{LogEntry, LogProblem};
use crate::json::{FieldPlace, JsonFields};
use crate::reader::MAX_LINE_BYTES;
use crate::w3c::{self, Columns};

/// A format, as users name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LogFormat {
    /// Common or combined, with or without a host in front, and with any fields after them; also S3.
    Combined,
    /// A JSON object in each line.
    Json,
    /// W3C extended.
    W3c,
    /// AWS Application Load Balancer.
    Alb,
}

comity::__names! {
    LogFormat is "a format of logs" {
        Combined = "combined",
        Json = "json",
        W3c = "w3c",
        Alb = "alb",
    }
}

/// The way in which the lines of a log are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Combined {
        host_first: bool,
    },
    Json(Arc<JsonFields>),
    /// `None` before the line `#Fields:`.
    W3c(Option<Arc<Columns>>),
    Alb,
}

impl Form {
    /// Returns the form of a log with these first lines. Returns `None` if none of them is a request.
    pub(crate) fn of(lines: &[&[u8]], given: Option<LogFormat>, fields: &[FieldPlace]) -> Option<Self> {
        let wants = |format| given.is_none_or(|given| given == format);
        let lines = lines.iter().copied().map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
        if wants(LogFormat::W3c) && lines.clone().any(|line| Columns::of(line).is_some()) {
            return Some(Self::W3c(None));
        }
        let objects: Vec<&[u8]> = lines.clone().filter(|line| line.starts_with(b"{")).collect();
        if wants(LogFormat::Json)
            && let Some(fields) = JsonFields::find(&objects, fields)
        {
            return Some(Self::Json(Arc::new(fields)));
        }
        if wants(LogFormat::Alb) && lines.clone().any(|line| combined::parse_balancer(line).is_ok()) {
            return Some(Self::Alb);
        }
        if wants(LogFormat::Combined) && lines.clone().any(|line| combined::parse(line, false).is_ok()) {
            let host_first =
                lines.filter(|line| combined::parse(line, false).is_ok()).find_map(combined::is_host_first);
            return Some(Self::Combined { host_first: host_first.unwrap_or(false) });
        }
        None
    }

    /// Reads a line without its end. Returns `None` for a blank line or a comment. A line `#Fields:` changes the form.
    pub(crate) fn read<'l>(&mut self, line: &'l [u8]) -> Result<Option<LogEntry<'l>>, LogProblem> {
        if line.is_empty() || line.trim_ascii_start().is_empty() {
            return Ok(None);
        }
        if line.starts_with(b"#") {
            self.note(line);
            return Ok(None);
        }
        match self {
            Self::Combined { host_first } => combined::parse(line, *host_first),
            Self::Json(fields) => fields.parse(line),
            Self::W3c(Some(columns)) => columns.parse(line),
            Self::W3c(None) => Err(LogProblem("expected the line `#Fields:` before the first request")),
            Self::Alb => combined::parse_balancer(line),
        }
        .map(Some)
    }

    /// Reads the comment of a line.
    fn note(&mut self, line: &[u8]) {
        if let Self::W3c(columns) = self
            && line.starts_with(w3c::FIELDS)
        {
            *columns = Columns::of(line).map(Arc::new);
        }
    }

    /// Reads the comments of a block of lines, for the block after it.
    pub(crate) fn pass(&mut self, lines: &[u8]) {
        if matches!(self, Self::W3c(_)) {
            // As in the block itself.
            let lines = lines.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
            lines.filter(|line| line.len() <= MAX_LINE_BYTES).for_each(|line| self.note(line));
        }
    }
}
