//! `comity minimize`: finds the smallest file with the same verdicts.

use std::io::Write;

use anyhow::Result;
use comity::{Dialect, Escaped, SourceText};
use comity_meaning::{Budget, minimize};

use crate::args;
use crate::input::{crawlers, source};
use crate::outcome::Outcome;
use crate::render::body;

/// The dialects of the search engines, and the standard.
const DIALECTS: [Dialect; 5] =
    [Dialect::STANDARD, Dialect::GOOGLE, Dialect::GOOGLE_PARSER, Dialect::BING, Dialect::YANDEX];

pub(crate) fn run(args: &args::Minimize) -> Result<Outcome> {
    let table = crawlers::table(args.crawlers.as_deref())?;
    let (name, body) = source::robots(&args.file, &args.fetching)?;
    let dialects: &[Dialect] = if args.dialect.is_empty() { &DIALECTS } else { &args.dialect };
    let smaller = minimize(&body, dialects, &table, Budget::of_steps(args.budget));
    if !smaller.is_complete {
        eprintln!(
            "warning: {name}: not every rule and group was decided; what remains may not be the smallest file. A greater --budget may \
             help, unless the file is cut by a limit of a dialect"
        );
    }
    let mut out = anstream::stdout().lock();
    if !args.check {
        body::print(&smaller.text)?;
        return Ok(Outcome::Yes);
    }
    let text = SourceText::new(&body, &dialects[0]);
    for line in text.lines().filter(|line| smaller.removed.binary_search(&line.number).is_ok()) {
        writeln!(out, "{:>4} | {}", line.number, Escaped(line.text.trim_ascii()))?;
    }
    let names = dialects.iter().map(|dialect| dialect.name).collect::<Vec<_>>().join(", ");
    match smaller.removed.len() {
        0 if !smaller.is_complete => return Ok(Outcome::Trouble),
        0 => {
            writeln!(out, "Every rule and every group of {name} does something, in {names}.")?;
            return Ok(Outcome::Yes);
        }
        1 => {
            writeln!(out, "1 line of {name} is not needed, in {names}. `comity minimize` prints the file without it.")?;
        }
        many => {
            writeln!(
                out,
                "{many} lines of {name} are not needed, in {names}. `comity minimize` prints the file without them."
            )?;
        }
    }
    Ok(Outcome::No)
}
