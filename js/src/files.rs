//! Files and compiled rules, and questions about them: the module `check`.
//!
//! Every function that needs a value takes its slot and its serial number, and returns [`GONE`] if it is no longer kept.

use std::cell::RefCell;

use comity::{Crawlers, Dialect, Explanation, Profile, Purpose, Robots, RuleKind, user_agent};

use crate::buffers::{set_output, with_input};
use crate::form::with_crawler;
use crate::kept::{Kept, MAX_BYTES};
use crate::parts::{Reader, Writer};
use crate::verdict::packed;
use crate::{GONE, REFUSED, export};

/// A value that is kept for JavaScript.
#[derive(Debug)]
enum Value {
    File(Robots),
    Compiled(comity::Rules),
}

thread_local! {
    static KEPT: RefCell<Kept<Value>> = const { RefCell::new(Kept::new(MAX_BYTES)) };
}

export! {
    /// Parses the input, a body of this length, in the dialect with this number. Returns the slot.
    fn parse(serial: f64, len: usize, dialect: usize) -> usize {
        let robots = with_input(len, |body| Robots::parse_with(body, &Dialect::ALL[dialect]));
        let bytes = robots.memory();
        keep(serial, Value::File(robots), bytes)
    }

    /// Sets the maximum memory of the values that are kept, in bytes.
    fn limit(bytes: usize) {
        KEPT.with_borrow_mut(|kept| kept.limit(bytes));
    }

    /// Compiles the rules of a file for the crawler in the input. Returns the slot, [`GONE`] or [`REFUSED`].
    fn compile(serial: f64, file: usize, file_serial: f64, form: u32, len: usize) -> i32 {
        let rules = with_file(file, file_serial, |robots| {
            with_input(len, |crawler| with_crawler(form, crawler, |crawler| robots.rules_for(crawler)))
        });
        match rules {
            None => GONE,
            Some(None) => REFUSED,
            Some(Some(rules)) => {
                let bytes = rules.memory();
                i32::try_from(keep(serial, Value::Compiled(rules), bytes)).expect("there are not that many values")
            }
        }
    }

    /// Checks the URL in the input by compiled rules. Returns the verdict, or [`GONE`].
    fn check(rules: usize, serial: f64, len: usize) -> f64 {
        let verdict = with_rules(rules, serial, |rules| with_input(len, |url| packed(rules.check_bytes(url))));
        verdict.unwrap_or(f64::from(GONE))
    }

    /// Checks a URL by a file. The input is the crawler and, after `crawler_len` bytes, the URL. Returns the verdict,
    /// [`GONE`] or [`REFUSED`].
    fn ask(file: usize, serial: f64, form: u32, crawler_len: usize, len: usize) -> f64 {
        let verdict = with_question(file, serial, form, crawler_len, len, |robots, crawler, url| {
            packed(robots.check_bytes(crawler, url))
        });
        verdict.unwrap_or_else(f64::from)
    }

    /// Explains the answer of [`ask`], with the same input and the same result. Writes the reasons to the output.
    fn explain(file: usize, serial: f64, form: u32, crawler_len: usize, len: usize) -> f64 {
        let verdict = with_question(file, serial, form, crawler_len, len, |robots, crawler, url| {
            let explanation = robots.explain_bytes(crawler, url);
            write_reasons(&explanation);
            packed(explanation.verdict)
        });
        verdict.unwrap_or_else(f64::from)
    }

    /// Returns the crawl-delay of compiled rules in seconds, or [`GONE`]. NaN means that there is none.
    fn crawl_delay(rules: usize, serial: f64) -> f64 {
        let delay = with_rules(rules, serial, |rules| {
            rules.crawl_delay().map_or(f64::NAN, |found| found.delay.as_secs_f64())
        });
        delay.unwrap_or(f64::from(GONE))
    }

    /// Writes the values of the sitemaps of a file as a list, and then the line, name and value of each record.
    fn records(file: usize, serial: f64) -> i32 {
        let written = with_file(file, serial, |robots| {
            let mut output = Writer::default();
            output.list(robots.sitemaps().map(|record| record.value()));
            for record in robots.records() {
                output.number(record.line());
                output.text(record.name());
                output.text(record.value());
            }
            set_output(output);
        });
        written.map_or(GONE, |()| 0)
    }

    /// Writes the product tokens that a `User-Agent` header may mean, most likely first. The input is the header, and the
    /// tokens of rows of one's own.
    fn candidates(len: usize) {
        with_input(len, |input| {
            let mut input = Reader::new(input);
            let header = input.text();
            let mut table = Crawlers::builtin();
            for token in input.texts() {
                table.add(Profile::new(token.to_owned(), "", Purpose::Other));
            }
            let mut output = Writer::default();
            output.list(user_agent::candidates(header, &table));
            set_output(output);
        });
    }
}

#[allow(clippy::cast_sign_loss, clippy::cast_possible_truncation, reason = "JavaScript counts serial numbers from 1")]
fn whole(serial: f64) -> u64 {
    serial as u64
}

fn keep(serial: f64, value: Value, bytes: usize) -> usize {
    KEPT.with_borrow_mut(|kept| kept.insert(whole(serial), value, bytes + size_of::<Value>()))
}

fn with_file<R>(at: usize, serial: f64, read: impl FnOnce(&Robots) -> R) -> Option<R> {
    KEPT.with_borrow_mut(|kept| match kept.get(at, whole(serial))? {
        Value::File(robots) => Some(read(robots)),
        Value::Compiled(_) => None,
    })
}

fn with_rules<R>(at: usize, serial: f64, read: impl FnOnce(&comity::Rules) -> R) -> Option<R> {
    KEPT.with_borrow_mut(|kept| match kept.get(at, whole(serial))? {
        Value::Compiled(rules) => Some(read(rules)),
        Value::File(_) => None,
    })
}

/// Calls a function with a file, and the crawler and the URL in the input.
fn with_question(
    file: usize,
    serial: f64,
    form: u32,
    crawler_len: usize,
    len: usize,
    call: impl FnOnce(&Robots, &comity::Crawler<'_>, &[u8]) -> f64,
) -> Result<f64, i32> {
    let found = with_file(file, serial, |robots| {
        with_input(len, |input| {
            let (crawler, url) = input.split_at(crawler_len);
            with_crawler(form, crawler, |crawler| call(robots, crawler, url))
        })
    });
    found.ok_or(GONE)?.ok_or(REFUSED)
}

/// Writes the text, path, basis and reason of an explanation, its token and tokens, and its rules.
fn write_reasons(explanation: &Explanation) {
    let mut output = Writer::default();
    output.text(explanation.to_string());
    output.text(&explanation.path);
    output.text(explanation.basis());
    output.text(explanation.why_it_wins());
    output.optional(explanation.token.as_ref());
    output.list(&explanation.tokens);
    for rule in &explanation.rules {
        output.number(rule.line);
        output.text(if rule.kind == RuleKind::Allow { "allow" } else { "disallow" });
        output.text(&rule.value);
        output.text(&rule.pattern);
        output.number(rule.priority.into());
        output.text(if rule.matches { "1" } else { "" });
        output.number(rule.rank.unwrap_or(0));
    }
    set_output(output);
}
