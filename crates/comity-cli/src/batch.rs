//! `comity batch`: questions as JSON Lines in, answers as JSON Lines out, in order.

use std::collections::{HashMap, VecDeque};
use std::io::{self, BufRead, BufReader, BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use comity::{Answer, Crawler, Crawlers, Dialect, Escaped, Robots, Rules, Verdict};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Map, Value};

use crate::{Outcome, args, asker, input, json};

/// The longest line that is taken: a body of a megabyte as base64, many times over.
const MOST_BYTES: usize = 64 << 20;

pub(crate) fn run(args: &args::Batch) -> Result<Outcome> {
    let mut input = BufReader::with_capacity(1 << 16, input::open(&args.file)?);
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let mut batch = Batch {
        dialect: args.dialect.dialect,
        crawlers: asker::table(args.crawlers.as_deref())?,
        files: Files::new(args.memory.saturating_mul(1 << 20)),
    };
    let is_terminal = io::stdout().is_terminal();
    let progress = progress();
    let (mut number, mut bad) = (0_u64, 0_u64);
    let mut line = Vec::new();
    loop {
        let read = read_line(&mut input, &mut line).with_context(|| input::name(&args.file))?;
        number += 1;
        let answer = match read {
            Read::End => break,
            Read::Line if line.trim_ascii().is_empty() => continue,
            Read::Line => batch.answer(&line),
            Read::TooLong => {
                Err((Map::new(), anyhow!("expected a line of at most {MOST_BYTES} bytes, found a longer one")))
            }
        };
        let object = answer.unwrap_or_else(|(mut object, error)| {
            bad += 1;
            object.insert("error".into(), Value::from(format!("{error:#}")));
            object.insert("input_line".into(), Value::from(number));
            object
        });
        if is_terminal {
            writeln!(out, "{}", json::safe(&serde_json::to_string(&object)?))?;
        } else {
            serde_json::to_writer(&mut out, &object)?;
            out.write_all(b"\n")?;
        }
        progress.inc(1);
        // Whoever asks one question at a time wants its answer before the next.
        if input.buffer().is_empty() {
            out.flush()?;
        }
    }
    out.flush()?;
    progress.finish_and_clear();
    Ok(if bad == 0 { Outcome::Yes } else { Outcome::Trouble })
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
    fn answer(&mut self, line: &[u8]) -> Result<Map<String, Value>, (Map<String, Value>, anyhow::Error)> {
        let mut object = match serde_json::from_slice(line) {
            Ok(Value::Object(object)) => object,
            Ok(_) => return Err((Map::new(), anyhow!("expected a JSON object, found another JSON value"))),
            Err(e) => return Err((Map::new(), anyhow!("expected a JSON object: {e}"))),
        };
        match self.verdict(&object) {
            Ok(verdict) => {
                insert(&mut object, &verdict);
                Ok(object)
            }
            Err(error) => Err((object, error)),
        }
    }

    fn verdict(&mut self, object: &Map<String, Value>) -> Result<Verdict> {
        let url = bytes(object, "url")?.context("expected `url` or `url_b64`, found neither")?;
        let asker = Asker::of(object)?;
        let source = Source::of(object)?;
        let file = self.files.get(&source, &self.dialect)?;
        if let Some((_, rules)) = file.rules.iter().find(|(known, _)| *known == asker) {
            return Ok(rules.check(&url));
        }
        let rules = match &asker {
            Asker::Agent(agent) => file.robots.rules_for(agent.as_slice()),
            Asker::Agents(agents) => {
                let agents: Vec<&str> = agents.iter().map(String::as_str).collect();
                file.robots.rules_for(Crawler::merged(&agents))
            }
            Asker::Crawler(name) => {
                let profile = self.crawlers.find(name).with_context(|| {
                    format!("expected the name of a known crawler in `crawler`, found `{}`", Escaped(name.as_bytes()))
                })?;
                file.robots.rules_for(profile)
            }
        };
        let verdict = rules.check(&url);
        self.files.keep(&source, asker, rules);
        Ok(verdict)
    }
}

fn insert(object: &mut Map<String, Value>, verdict: &Verdict) {
    let allowed = match verdict.answer() {
        Answer::Allowed => Value::Bool(true),
        Answer::Disallowed => Value::Bool(false),
        _ => Value::Null,
    };
    object.insert("allowed".into(), allowed);
    object.insert("line".into(), Value::from(verdict.line().unwrap_or(0)));
    object.insert("seen".into(), Value::Bool(verdict.is_seen()));
    object.insert("reason".into(), serde_json::to_value(verdict.reason()).unwrap_or_default());
}

/// A field's text as bytes, or its `_b64` form.
fn bytes(object: &Map<String, Value>, name: &str) -> Result<Option<Vec<u8>>> {
    let encoded = format!("{name}_b64");
    match (object.get(name), object.get(&encoded)) {
        (Some(_), Some(_)) => bail!("expected `{name}` or `{encoded}`, found both"),
        (Some(Value::String(text)), None) => Ok(Some(text.as_bytes().to_vec())),
        (None, Some(Value::String(text))) => {
            Ok(Some(BASE64.decode(text).with_context(|| format!("expected base64 in `{encoded}`"))?))
        }
        (None, None) => Ok(None),
        _ => bail!("expected text in `{name}` or `{encoded}`, found another JSON value"),
    }
}

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Asker {
    Agent(Vec<u8>),
    Agents(Vec<String>),
    Crawler(String),
}

impl Asker {
    fn of(object: &Map<String, Value>) -> Result<Self> {
        let agents = match object.get("agents") {
            None => None,
            Some(value) => Some(serde_json::from_value(value.clone()).context("expected a list of texts in `agents`")?),
        };
        let crawler = match object.get("crawler") {
            None => None,
            Some(Value::String(name)) => Some(name.clone()),
            Some(_) => bail!("expected text in `crawler`, found another JSON value"),
        };
        match (bytes(object, "agent")?, agents, crawler) {
            (Some(agent), None, None) => Ok(Self::Agent(agent)),
            (None, Some(agents), None) => Ok(Self::Agents(agents)),
            (None, None, Some(crawler)) => Ok(Self::Crawler(crawler)),
            (None, None, None) => bail!("expected `agent`, `agent_b64`, `agents` or `crawler`, found none of them"),
            _ => bail!("expected one of `agent`, `agent_b64`, `agents` and `crawler`, found several"),
        }
    }
}

/// Which robots.txt.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Source {
    Body(Vec<u8>),
    File(PathBuf),
}

impl Source {
    fn of(object: &Map<String, Value>) -> Result<Self> {
        let file = match object.get("robots_file") {
            None => None,
            Some(Value::String(path)) => Some(PathBuf::from(path)),
            Some(_) => bail!("expected a path in `robots_file`, found another JSON value"),
        };
        match (bytes(object, "robots")?, file) {
            (Some(body), None) => Ok(Self::Body(body)),
            (None, Some(file)) if input::is_stdin(&file) => bail!("`robots_file` can't be standard input"),
            (None, Some(file)) => Ok(Self::File(file)),
            (None, None) => bail!("expected `robots`, `robots_b64` or `robots_file`, found none of them"),
            (Some(_), Some(_)) => bail!("expected one of `robots`, `robots_b64` and `robots_file`, found several"),
        }
    }

    fn memory(&self) -> usize {
        match self {
            Self::Body(body) => body.len(),
            Self::File(path) => path.as_os_str().len(),
        }
    }
}

/// Files that were parsed, within a bound of memory: the oldest goes first.
struct Files {
    parsed: HashMap<Source, Parsed>,
    order: VecDeque<Source>,
    memory: usize,
    most: usize,
}

struct Parsed {
    robots: Robots,
    /// Compiled, for the last few that asked.
    rules: VecDeque<(Asker, Rules)>,
    memory: usize,
}

impl Files {
    /// Who asks about one file: more than a few take turns.
    const MOST_RULES: usize = 16;

    fn new(most: usize) -> Self {
        Self { parsed: HashMap::new(), order: VecDeque::new(), memory: 0, most }
    }

    fn get(&mut self, source: &Source, dialect: &Dialect) -> Result<&mut Parsed> {
        if !self.parsed.contains_key(source) {
            let robots = match source {
                Source::Body(body) => Robots::parse_with(body, dialect),
                Source::File(path) => Robots::parse_with(input::read(path)?, dialect),
            };
            // The text stands in the map and in the order; what the maps themselves need is small change.
            let memory = 2 * source.memory() + robots.memory() + 512;
            self.make_room(memory, None);
            self.memory += memory;
            self.order.push_back(source.clone());
            self.parsed.insert(source.clone(), Parsed { robots, rules: VecDeque::new(), memory });
        }
        self.parsed.get_mut(source).context("a file that was just parsed is gone")
    }

    fn keep(&mut self, source: &Source, asker: Asker, rules: Rules) {
        let memory = rules.memory() + size_of::<Asker>();
        self.make_room(memory, Some(source));
        if self.memory + memory > self.most {
            return; // this file alone fills it
        }
        let Some(file) = self.parsed.get_mut(source) else { return };
        if file.rules.len() == Self::MOST_RULES
            && let Some((_, oldest)) = file.rules.pop_front()
        {
            let freed = oldest.memory() + size_of::<Asker>();
            file.memory -= freed;
            self.memory -= freed;
        }
        file.rules.push_back((asker, rules));
        file.memory += memory;
        self.memory += memory;
    }

    /// Forgets the oldest files until there is room, but not the one in use.
    fn make_room(&mut self, memory: usize, in_use: Option<&Source>) {
        while self.memory + memory > self.most
            && let Some(oldest) = self.order.front()
            && Some(oldest) != in_use
            && let Some(oldest) = self.order.pop_front()
        {
            self.memory -= self.parsed.remove(&oldest).map_or(0, |parsed| parsed.memory);
        }
    }
}
