//! The log of the service on standard error: one line for each event, whatever the event contains.

use std::io::{self, Write};

use comity::Escaped;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::{self, MakeWriter};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::args::Format;
use crate::render::json;

/// Starts logging the events of comity's own crates.
pub(crate) fn start(level: LevelFilter, format: Format) -> anyhow::Result<()> {
    let ours = Targets::new().with_target("comity", level);
    let lines = fmt::layer().with_ansi(false).with_target(false).with_writer(Lines(format));
    let lines = match format {
        Format::Human => lines.boxed(),
        Format::Json => lines.json().flatten_event(true).with_current_span(false).boxed(),
    };
    tracing_subscriber::registry().with(lines.with_filter(ours)).try_init()?;
    // A panic's message may quote a request, so it is logged as an event.
    std::panic::set_hook(Box::new(|panic| tracing::error!(%panic, "a panic, which is a bug")));
    Ok(())
}

/// A writer that escapes each event and writes it as one line.
#[derive(Clone, Copy)]
struct Lines(Format);

impl MakeWriter<'_> for Lines {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        *self
    }
}

impl Write for Lines {
    /// Writes an event, which always arrives in one call with its line ending. Whatever crate made it, and whatever it
    /// quotes of a request, the output is a single line without control sequences for a terminal.
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        io::stderr().lock().write_all(line(event, self.0).as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn line(event: &[u8], format: Format) -> String {
    let text = event.strip_suffix(b"\n").unwrap_or(event);
    let mut line = match format {
        Format::Human => Escaped(text).to_string(),
        // Control characters in JSON are already escaped.
        Format::Json => json::safe(&String::from_utf8_lossy(text)),
    };
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_one_line() {
        assert_eq!(line(b"a\nb \x1B[2J\xFF\n", Format::Human), "a\\x0Ab \\x1B[2J\\xFF\n");
        assert_eq!(line("{\"a\":\"\u{202E}\"}\n".as_bytes(), Format::Json), "{\"a\":\"\\u202e\"}\n");
    }
}
