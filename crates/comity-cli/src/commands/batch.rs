//! `comity batch`: reads questions as JSON Lines, and writes the answers as JSON Lines in the same order.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, BufWriter, IsTerminal, Read, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use comity::{Crawlers, Dialect, Rules};
use comity_report::{BatchLine, BatchRules, Files};
use indicatif::{ProgressBar, ProgressStyle};

use crate::args;
#[cfg(feature = "parquet")]
use crate::commands::columns;
use crate::input::{crawlers, file};
use crate::outcome::Outcome;
use crate::render::error::message;
use crate::render::json;

/// The maximum length of a line in bytes. This is many times the length of a body of one megabyte in base64.
const MAX_LINE_BYTES: usize = 64 << 20;

pub(crate) fn run(args: &args::Batch) -> Result<Outcome> {
    #[cfg(feature = "parquet")]
    if let Some(input) = &args.columns.input {
        return columns::run(args, input);
    }
    let mut batch = Batch {
        dialect: args.dialect.dialect,
        crawlers: crawlers::table(args.crawlers.as_deref())?,
        files: Files::new(args.memory.saturating_mul(1 << 20)),
    };
    let mut input = BufReader::with_capacity(1 << 16, file::open(&args.file)?);
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let is_terminal = io::stdout().is_terminal();
    let progress = progress();
    let (mut number, mut answered, mut bad) = (0_u64, 0_u64, 0_u64);
    let (mut line, mut written) = (Vec::new(), Vec::new());
    loop {
        let read = read_line(&mut input, &mut line).with_context(|| file::name(&args.file))?;
        number += 1;
        let text = if number == 1 { line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&line) } else { &line };
        let answer = match read {
            Line::None => break,
            Line::Whole if text.trim_ascii().is_empty() => continue,
            Line::Whole => batch.answer(text),
            Line::TooLong => Err((
                BatchLine::default(),
                anyhow!("expected a line of at most {MAX_LINE_BYTES} bytes, found a longer one"),
            )),
        };
        answered += 1;
        let object = answer.unwrap_or_else(|(mut object, error)| {
            bad += 1;
            object.fail(&message(&error), number);
            object
        });
        if is_terminal {
            writeln!(out, "{}", json::safe(&serde_json::to_string(&object)?))?;
        } else {
            written.clear();
            object.write(&mut written);
            out.write_all(&written)?;
        }
        progress.inc(1);
        // A caller that sends one question at a time waits for its answer before sending the next.
        if input.buffer().is_empty() {
            out.flush()?;
        }
    }
    out.flush()?;
    progress.finish_and_clear();
    if bad > 0 {
        writeln!(anstream::stderr(), "{bad} of {answered} lines were not answered: see their `error`")?;
        return Ok(Outcome::Trouble);
    }
    Ok(Outcome::Yes)
}

/// Returns a progress line with a counter, if standard error is a terminal and standard output is not.
fn progress() -> ProgressBar {
    if io::stdout().is_terminal() || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let progress = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {human_pos} answers, {per_sec}, {elapsed}") {
        progress.set_style(style);
    }
    progress.enable_steady_tick(Duration::from_millis(200));
    progress
}

enum Line {
    Whole,
    TooLong,
    /// There is no further line.
    None,
}

/// Reads a line without its end. Keeps nothing of a line that is too long.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Line> {
    line.clear();
    if input.by_ref().take(MAX_LINE_BYTES as u64 + 1).read_until(b'\n', line)? == 0 {
        return Ok(Line::None);
    }
    if line.pop_if(|last| *last == b'\n').is_some() || line.len() <= MAX_LINE_BYTES {
        return Ok(Line::Whole);
    }
    *line = Vec::new();
    input.skip_until(b'\n')?;
    Ok(Line::TooLong)
}

struct Batch {
    dialect: Dialect,
    crawlers: Crawlers,
    files: Files,
}

impl Batch {
    /// Returns the line with its answer, or unchanged with the error.
    fn answer<'l>(&mut self, line: &'l [u8]) -> Result<BatchLine<'l>, (BatchLine<'l>, anyhow::Error)> {
        let mut line = BatchLine::parse(line).map_err(|error| (BatchLine::default(), error.into()))?;
        match self.enter(&mut line) {
            Ok(()) => Ok(line),
            Err(error) => Err((line, error)),
        }
    }

    fn enter(&mut self, line: &mut BatchLine<'_>) -> Result<()> {
        let question = line.question()?;
        let body = match question.rules {
            BatchRules::Given(body) => body,
            BatchRules::File(path) => Cow::Owned(self.read(&path)?),
            BatchRules::Site => bail!(
                "expected `robots`, `robots_b64` or `robots_file`, found none of them: this command fetches nothing, \
                 which POST /v1/batch of `comity serve` does"
            ),
        };
        let dialect = self.dialect;
        let enter = |rules: &Rules| line.answer_by_rules(&question.urls, rules, &dialect, None);
        self.files.with_rules(&body, &dialect, question.crawler, &self.crawlers, enter)??;
        Ok(())
    }

    fn read(&self, path: &Path) -> Result<Vec<u8>> {
        // A device or a pipe would block all later lines.
        if !std::fs::metadata(path).with_context(|| file::name(path))?.is_file() {
            bail!("expected the path of a file in `robots_file`, found {}", file::name(path));
        }
        file::read_robots(path, &self.dialect)
    }
}
