//! `comity batch`: questions as JSON Lines in, answers as JSON Lines out, in order.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, BufWriter, IsTerminal, Write};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use comity::{Crawlers, Dialect, Verdict};
use comity_report::{Files, Object};
use indicatif::{ProgressBar, ProgressStyle};

use crate::args;
use crate::input::{crawlers, file};
use crate::outcome::Outcome;
use crate::render::json;

/// The longest line that is taken: a body of a megabyte as base64, many times over.
const MOST_BYTES: usize = 64 << 20;

pub(crate) fn run(args: &args::Batch) -> Result<Outcome> {
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
            Read::End => break,
            Read::Line if text.trim_ascii().is_empty() => continue,
            Read::Line => batch.answer(text),
            Read::TooLong => {
                Err((Object::default(), anyhow!("expected a line of at most {MOST_BYTES} bytes, found a longer one")))
            }
        };
        answered += 1;
        let object = answer.unwrap_or_else(|(mut object, error)| {
            bad += 1;
            object.complain(&format!("{error:#}"), number);
            object
        });
        if is_terminal {
            writeln!(out, "{}", json::safe(&object.to_string()))?;
        } else {
            written.clear();
            object.write(&mut written);
            written.push(b'\n');
            out.write_all(&written)?;
        }
        progress.inc(1);
        // Whoever asks one question at a time wants its answer before the next.
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

/// A line that counts, if there is a person to see it.
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

enum Read {
    Line,
    TooLong,
    End,
}

/// Reads a line without its end. Of one that is too long, nothing is kept.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Read> {
    line.clear();
    let mut is_too_long = false;
    let mut is_end = true;
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            break;
        }
        is_end = false;
        let end = buffer.iter().position(|b| *b == b'\n');
        let part = &buffer[..end.unwrap_or(buffer.len())];
        is_too_long |= line.len() + part.len() > MOST_BYTES;
        if is_too_long {
            line.clear();
            line.shrink_to_fit();
        } else {
            line.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            break;
        }
    }
    Ok(match (is_end, is_too_long) {
        (true, _) => Read::End,
        (_, true) => Read::TooLong,
        _ => Read::Line,
    })
}

struct Batch {
    dialect: Dialect,
    crawlers: Crawlers,
    files: Files,
}

impl Batch {
    /// The object with its answer, or as it was with what is wrong.
    fn answer<'l>(&mut self, line: &'l [u8]) -> Result<Object<'l>, (Object<'l>, anyhow::Error)> {
        let mut object = Object::parse(line).map_err(|error| (Object::default(), error.into()))?;
        match self.verdict(&object) {
            Ok(verdict) => {
                object.answer(&verdict);
                Ok(object)
            }
            Err(error) => Err((object, error)),
        }
    }

    fn verdict(&mut self, object: &Object<'_>) -> Result<Verdict> {
        let url = object.bytes("url", "url_b64")?.context("expected `url` or `url_b64`, found neither")?;
        let who = object.who()?;
        let file = self.files.get(&body(object, &self.dialect)?, &self.dialect);
        if let Some(rules) = file.rules_of(&who) {
            return Ok(rules.check(&url));
        }
        let rules = who.with(&self.crawlers, |crawler| file.robots().rules_for(crawler))?;
        let verdict = rules.check(&url);
        self.files.keep(who.into_owned(), rules);
        Ok(verdict)
    }
}

/// The robots.txt.
fn body<'l>(object: &Object<'l>, dialect: &Dialect) -> Result<Cow<'l, [u8]>> {
    let file: Option<std::path::PathBuf> = object.get("robots_file", "a path")?;
    match (object.bytes("robots", "robots_b64")?, file) {
        (Some(body), None) => Ok(body),
        (None, Some(file)) => {
            // A device or a pipe would hold up all the lines behind it.
            if !std::fs::metadata(&file).with_context(|| file::name(&file))?.is_file() {
                bail!("expected the path of a file in `robots_file`, found {}", file::name(&file));
            }
            Ok(Cow::Owned(file::read_robots(&file, dialect)?))
        }
        (None, None) => bail!("expected `robots`, `robots_b64` or `robots_file`, found none of them"),
        (Some(_), Some(_)) => bail!("expected one of `robots`, `robots_b64` and `robots_file`, found several"),
    }
}
