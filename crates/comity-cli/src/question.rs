//! The URLs that were typed, and those of a file.

use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use comity::Origin;
use comity_report::{AskError, Question, Questions};

use crate::input;

/// Questions about one file: what was typed, and the lines of a file.
pub(crate) fn of_file(typed: &[String], file: Option<&Path>, origin: Option<&str>, raw: bool) -> Result<Questions> {
    in_options(Questions::of_file(collect(typed, file, raw)?, origin))
}

/// The same for questions that are put to their own sites; paths are asked on the one that is given.
pub(crate) fn live(typed: &[String], file: Option<&Path>, origin: Option<&str>, raw: bool) -> Result<Questions> {
    in_options(Questions::live(collect(typed, file, raw)?, origin))
}

/// The site of any URL on it, as `--origin` names it.
pub(crate) fn site(typed: &str) -> Result<Origin> {
    in_options(comity_report::site_of(typed))
}

/// What is taken for granted about whose file it is.
pub(crate) fn assumption(questions: &Questions, file: &str) -> Option<String> {
    let site = questions.site.as_ref().filter(|_| questions.is_assumed)?;
    Some(format!("Assumed: {file} is the robots.txt of {site}; if not, give --origin."))
}

fn in_options<T>(asked: Result<T, AskError>) -> Result<T> {
    asked.map_err(|error| anyhow!(error.in_options()))
}

fn collect(typed: &[String], file: Option<&Path>, raw: bool) -> Result<Vec<Question>> {
    let list = typed.iter().map(|url| in_options(Question::new(url, raw)));
    let mut list: Vec<Question> = list.collect::<Result<_>>()?;
    if let Some(path) = file {
        read(path, raw, &mut list)?;
    }
    Ok(list)
}

/// The URLs of a file, one a line; blank lines and comments don't count.
fn read(path: &Path, raw: bool, list: &mut Vec<Question>) -> Result<()> {
    for (number, line) in BufReader::new(input::open(path)?).split(b'\n').enumerate() {
        let place = || format!("{}, line {}", input::name(path), number + 1);
        let line = line.with_context(place)?;
        let text = std::str::from_utf8(&line)
            .map_err(|_| anyhow!("expected a URL, found bytes that are no text"))
            .with_context(place)?;
        let url = text.trim().trim_start_matches('\u{FEFF}');
        if !url.is_empty() && !url.starts_with('#') {
            list.push(in_options(Question::new(url, raw)).with_context(place)?);
        }
    }
    Ok(())
}
