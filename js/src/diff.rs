//! Comparisons of files and claims about them, for all URLs and all crawlers: the module `diff`.

use comity::{Crawler, Dialect, Escaped, Governed, Profile, Robots};
use comity_meaning::{Claim, Comparison, Difference, Direction, Held, Outcome, PatternError};

use crate::buffers::{set_output, with_input};
use crate::crawler::read;
use crate::parts::{Reader, Writer};
use crate::row::{ROW, checked_row};
use crate::{REFUSED, export};

export! {
    /// Compares two files. The input is both files, each with the name of its dialect, and the crawlers and patterns
    /// that limit the comparison, as lists, each crawler with its form. Writes the differences, and returns 0 or [`REFUSED`].
    fn diff(len: usize) -> i32 {
        with_input(len, |input| {
            let mut input = Reader::new(input);
            let (old, new) = (file(&mut input), file(&mut input));
            let Some(named) = named(&mut input) else { return REFUSED };
            let under = input.list();
            let Some(crawlers) = crawlers(&named) else { return REFUSED };
            let mut comparison = Comparison::new(&old, &new);
            if !crawlers.is_empty() {
                comparison = comparison.only(&crawlers);
            }
            if let [under] = under[..] {
                comparison = match comparison.under(under.as_bytes()) {
                    Ok(comparison) => comparison,
                    Err(error) => return refuse_pattern(&error),
                };
            }
            write_difference(&comparison.run());
            0
        })
    }

    /// Checks a claim about a file. The input is the file with the name of its dialect, `allowed` or `disallowed`, the
    /// pattern, the exceptions and the crawlers. Writes the result, and returns 0 or [`REFUSED`].
    fn prove(len: usize) -> i32 {
        with_input(len, |input| {
            let mut input = Reader::new(input);
            let robots = file(&mut input);
            let (kind, pattern) = (input.text(), input.bytes());
            let claim = if kind == "allowed" { Claim::all_allowed(pattern) } else { Claim::none_allowed(pattern) };
            let claim = input.list().iter().fold(claim, |claim, pattern| claim.except(pattern.as_bytes()));
            let Some(named) = named(&mut input) else { return REFUSED };
            let Some(crawlers) = crawlers(&named) else { return REFUSED };
            let held = if crawlers.is_empty() { claim.check(&robots) } else { claim.only(&crawlers).check(&robots) };
            match held {
                Ok(held) => write_proof(&held),
                Err(error) => return refuse_pattern(&error),
            }
            0
        })
    }
}

/// Reads the name of a dialect and a body.
fn file(input: &mut Reader<'_>) -> Robots {
    let dialect = Dialect::named(input.text()).expect("the name of a dialect was checked");
    Robots::parse_with(input.bytes(), &dialect)
}

/// A crawler in the input.
enum Named<'a> {
    Name(&'a str),
    Row(Box<Profile>),
}

/// Reads the crawlers: their number, and the form and the content of each. Returns `None` if a row is refused.
fn named<'a>(input: &mut Reader<'a>) -> Option<Vec<Named<'a>>> {
    (0..input.number())
        .map(|_| match input.number() {
            form if form & 7 == ROW => Some(Named::Row(checked_row(form, input.bytes())?.into())),
            _ => Some(Named::Name(input.text())),
        })
        .collect()
}

/// Returns the crawlers. Returns `None` if a name is refused, also that of a crawler that ignores robots.txt: about no
/// crawler at all, every claim would hold.
fn crawlers<'a>(named: &'a [Named<'a>]) -> Option<Vec<Crawler<'a>>> {
    let crawler = |named: &'a Named<'a>| match named {
        Named::Name(name) => read(name),
        Named::Row(row) => Some(Crawler::from(&**row)),
    };
    let crawlers: Vec<_> = named.iter().map(crawler).collect::<Option<_>>()?;
    let ignoring = |crawler: &&Crawler<'_>| crawler.governed() == Governed::No;
    let Some(row) = crawlers.iter().find(ignoring).and_then(Crawler::profile) else { return Some(crawlers) };
    let mut output = Writer::default();
    output.text(format!("{} ignores robots.txt, so no rule applies to it", Escaped(row.token.as_bytes())));
    output.optional::<&str>(None);
    set_output(output);
    None
}

/// Writes the reason for which a pattern was refused, with no suggestion of a crawler.
fn refuse_pattern(error: &PatternError) -> i32 {
    let mut output = Writer::default();
    output.text(error.to_string());
    set_output(output);
    REFUSED
}

fn write_difference(found: &Difference) {
    let mut output = Writer::default();
    output.text(match found.outcome() {
        Outcome::Same => "same",
        Outcome::Differs => "differs",
        _ => "undecided",
    });
    output.list(found.signals.iter().map(ToString::to_string));
    output.list(&found.unfinished);
    for change in &found.changes {
        output.text(if change.direction == Direction::Blocked { "blocked" } else { "allowed" });
        output.list(&*change.crawlers);
        output.text(&change.rule.pattern);
        output.number(change.rule.line.unwrap_or(0));
        output.text(&change.witness);
        output.text(change.to_string());
    }
    set_output(output);
}

fn write_proof(held: &Held) {
    let mut output = Writer::default();
    match held {
        Held::Yes => output.text("yes"),
        Held::No(found) => {
            output.text("no");
            output.text(&found.crawler);
            output.text(&found.path);
            output.number(found.line.unwrap_or(0));
        }
        _ => output.text("undecided"),
    }
    set_output(output);
}
