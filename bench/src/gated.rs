//! The workloads that the gate runs under valgrind. Each prepares its input and then does its work a given number of
//! times.

use std::hint::black_box;
use std::rc::Rc;

use anyhow::{Context, Result, bail};
use comity::{Crawler, Dialect, Robots};
use comity_lint::{Evidence, Linter, Safety};
use comity_meaning::Comparison;
use comity_page::Tags;

use crate::meaning::{hostile_pairs, pairs};
use crate::scale::Scale;
use crate::work::fixable::FILES;
use crate::work::{AGENT, Body, Case, Library};

/// The workloads with their descriptions.
pub(crate) const WORKLOADS: [(&str, &str); 34] = [
    ("one-shot", "the answer to one question about each of 300 files, keeping nothing"),
    ("parse", "parsing the same files, keeping all they say"),
    ("lint", "finding the mistakes in the same files"),
    ("compile-and-decide", "what a crawler does with a site: parse, compile, 1,000 answers; 20 large files"),
    ("huge-decide", "1,000 answers from 16,700 rules"),
    ("huge-compile", "compiling 16,700 rules"),
    ("standard-decide", "1,000 answers from each of 20 large files, in the standard dialect"),
    ("standard-huge-decide", "1,000 answers from 16,700 rules, in the standard dialect"),
    ("hostile-decide", "an answer from 500 KiB of patterns that no summary of the path rules out"),
    ("hostile-parse", "500 KiB of whatever makes parsing slow"),
    ("hostile-compile", "compiling the same files"),
    ("fix-missp2", "linting and fixing 512,000 bytes: misspelled names that Google's parser understands"),
    ("fix-missp", "linting and fixing 512,000 bytes: misspelled names that it does not"),
    ("fix-hide", "linting and fixing 512,000 bytes: groups that hide the rules of `*`"),
    ("fix-copies", "linting and fixing 512,000 bytes: groups that change nothing"),
    ("fix-partial", "linting and fixing 512,000 bytes: groups of known crawlers that repeat one of the rules of `*`"),
    ("fix-ignorec", "linting and fixing 512,000 bytes: comments that ask for lints that there are not"),
    ("fix-redun", "linting and fixing 512,000 bytes: numbers that start one another, in binary"),
    ("fix-rules_inc", "linting and fixing 512,000 bytes: numbers that start one another"),
    ("fix-noslash", "linting and fixing 512,000 bytes: rules without a slash"),
    ("fix-unreach", "linting and fixing 512,000 bytes: rules that others always outrank"),
    ("fix-stars", "linting and fixing 512,000 bytes: patterns that are compared in pairs"),
    ("fix-groups", "linting and fixing 512,000 bytes: a redundant rule in each of many groups"),
    ("fix-closing", "linting and fixing 512,000 bytes: rules whose fixes close the site"),
    ("fix-dup", "linting and fixing 512,000 bytes: the same rule again and again"),
    ("fix-joined", "linting and fixing 512,000 bytes: groups of two crawlers that many groups name"),
    ("fix-apart", "linting and fixing 512,000 bytes: groups with a blank line between their crawlers"),
    ("fix-list", "linting and fixing 512,000 bytes: a list of crawlers in one line"),
    ("fix-http", "linting and fixing 512,000 bytes: sitemaps on http: of a site on https:"),
    ("meaning-removed", "comparing the same files with themselves without one rule, for all URLs"),
    ("meaning-fixed", "comparing the same files with themselves after their safe fixes"),
    ("meaning-dialects", "comparing two dialects, for each of the same files"),
    ("meaning-unrelated", "comparing each eighth of the same files with the next one"),
    ("meaning-hostile", "comparing pairs of 500 kB that take the most work, or as much as the budget admits"),
];

/// The workload that takes as long as all others together.
const LONGEST: &str = "meaning-hostile";

/// Returns the names of all workloads, in the order of [`WORKLOADS`].
pub(crate) fn all() -> Vec<&'static str> {
    WORKLOADS.iter().map(|(workload, _)| *workload).collect()
}

/// Returns the names of all workloads but [`LONGEST`].
pub(crate) fn quick() -> Vec<&'static str> {
    all().into_iter().filter(|workload| *workload != LONGEST).collect()
}

/// The name of [`repeat`], as callgrind prints it, as a pattern.
pub(crate) const COUNTED: &str = "*gated*repeat*";

/// The prefix of the names of workloads that compare files.
const MEANING: &str = "meaning-";

/// The prefix of the names of workloads that fix files.
pub(crate) const FIX: &str = "fix-";

/// The workloads with real files, which are not available on every machine. Only their ratio is judged: linting to
/// parsing.
pub(crate) const REAL: [&str; 2] = ["real-lint", "real-parse"];

/// The workloads with hostile web pages, and with the same pages at twice the size. Only their ratio is judged, which
/// hardly depends on the compiler.
pub(crate) const PAGES: [&str; 2] = ["pages", "pages-twice"];
const PAGE_BYTES: usize = 256 * 1024;

/// Prepares a workload and does its work `times` times. With 0, only the preparation is measured.
pub(crate) fn run(workload: &str, times: u32) -> Result<bool> {
    if PAGES.contains(&workload) {
        let pages = hostile_pages(if workload == PAGES[0] { PAGE_BYTES } else { 2 * PAGE_BYTES });
        repeat(times, || pages.iter().for_each(|page| assert_eq!(Tags::new(black_box(page.as_bytes())).count(), 1)));
        return Ok(true);
    }
    if let Some(name) = workload.strip_prefix(FIX) {
        return fix(name, times);
    }
    if let Some(name) = workload.strip_prefix(MEANING) {
        return compare(name, times);
    }
    let library = if REAL.contains(&workload) {
        Library::real_files(Scale::QUICK)?.context("there are no real files here")?
    } else {
        Library::open(Scale::QUICK, true)?
    };
    let work = |name: &str| -> Result<Vec<Case>> { Ok(library.make(name)?.swap_remove(0).cases) };
    match workload {
        "one-shot" => {
            let cases = work("every-file")?;
            repeat(times, || cases.iter().for_each(one_shot));
        }
        "parse" | "real-parse" => repeat(times, || library.bodies.iter().for_each(parse)),
        "lint" | "real-lint" => {
            let (linter, evidence) = (Linter::new(), Evidence::default());
            let lint = |body: &Rc<Body>| drop(black_box(linter.lint(&body.bytes, &evidence)));
            repeat(times, || library.bodies.iter().for_each(lint));
        }
        "compile-and-decide" => {
            let cases = work("largest-files")?;
            repeat(times, || cases.iter().for_each(|case| decide(&compile(&case.body), case, 5)));
        }
        "huge-decide" => {
            let cases = work("many-rules")?;
            let rules: Vec<_> = cases.iter().map(|case| compile(&case.body)).collect();
            repeat(times, || cases.iter().zip(&rules).for_each(|(case, rules)| decide(rules, case, 5)));
        }
        "standard-decide" | "standard-huge-decide" => {
            let cases = work(if workload == "standard-decide" { "largest-files" } else { "many-rules" })?;
            let rules = |case: &Case| Robots::parse(&case.body.bytes).rules_for(&Crawler::literal(AGENT));
            let rules: Vec<_> = cases.iter().map(rules).collect();
            repeat(times, || cases.iter().zip(&rules).for_each(|(case, rules)| decide(rules, case, 5)));
        }
        "huge-compile" => {
            let robots: Vec<_> = work("many-rules")?.iter().map(|case| read(&case.body)).collect();
            repeat(times, || {
                robots.iter().for_each(|robots| drop(black_box(robots.rules_for(&Crawler::literal(AGENT)))))
            });
        }
        "hostile-decide" => {
            let points = library.make("hostile")?;
            let all: Vec<_> =
                points.iter().flat_map(|point| &point.cases).map(|case| (compile(&case.body), case)).collect();
            repeat(times, || all.iter().for_each(|(rules, case)| decide(rules, case, 1)));
        }
        "hostile-parse" => {
            let points = library.make("hostile")?;
            repeat(times, || points.iter().for_each(|point| drop(black_box(read(&point.cases[0].body)))));
        }
        "hostile-compile" => {
            let points = library.make("hostile")?;
            let robots: Vec<_> = points.iter().map(|point| read(&point.cases[0].body)).collect();
            repeat(times, || {
                robots.iter().for_each(|robots| drop(black_box(robots.rules_for(&Crawler::literal(AGENT)))))
            });
        }
        _ => bail!("`{workload}` is not gated"),
    }
    Ok(true)
}

/// Lints and fixes a file, including unsafe fixes.
fn fix(name: &str, times: u32) -> Result<bool> {
    let (_, make) =
        FILES.iter().find(|(file, _)| *file == name).with_context(|| format!("there is no file `{name}`"))?;
    let (file, linter) = (make(), Linter::new());
    let mut evidence = Evidence::default();
    evidence.location = Some("https://shop.example/robots.txt".to_owned());
    repeat(times, || {
        drop(black_box(linter.lint(black_box(file.as_bytes()), &evidence)));
        drop(black_box(linter.fix(black_box(file.as_bytes()), &evidence, Safety::Unsafe)));
    });
    Ok(true)
}

/// Compares pairs of files that are parsed before.
fn compare(name: &str, times: u32) -> Result<bool> {
    let bodies = Library::open(Scale::QUICK, true)?.bodies;
    let [standard, google] = [Dialect::STANDARD, Dialect::GOOGLE_PARSER];
    let parse = |pair: pairs::Pair| pair.map(|body| Robots::parse_with(body, &standard));
    let all: Vec<[Robots; 2]> = match name {
        "removed" => bodies.iter().filter_map(|body| pairs::one_removed(&body.bytes, &standard)).map(parse).collect(),
        "fixed" => {
            let linter = Linter::new();
            bodies.iter().filter_map(|body| pairs::fixed(&body.bytes, &linter)).map(parse).collect()
        }
        "dialects" => bodies
            .iter()
            .map(|body| [&standard, &google].map(|dialect| Robots::parse_with(&body.bytes, dialect)))
            .collect(),
        "hostile" => hostile_pairs::pairs().into_iter().map(|(_, pair)| parse(pair.map(String::into_bytes))).collect(),
        "unrelated" => {
            // Each eighth pair: all of them took 72 seconds under valgrind, a third of the time of the whole gate.
            let pairs = bodies.windows(2).step_by(8);
            pairs.map(|pair| parse([pair[0].bytes.clone(), pair[1].bytes.clone()])).collect()
        }
        _ => bail!("there is no comparison `{name}`"),
    };
    repeat(times, || {
        for [old, new] in &all {
            drop(black_box(Comparison::new(black_box(old), black_box(new)).run()));
        }
    });
    Ok(true)
}

/// Does the work. The gate counts the instructions in this function.
#[inline(never)]
fn repeat(times: u32, mut work: impl FnMut()) {
    for _ in 0..times {
        work();
    }
}

/// Returns pages of about `bytes` bytes. Each repeats one piece of HTML, and ends with a meta tag that must be found.
fn hostile_pages(bytes: usize) -> Vec<String> {
    let repeated = |piece: &str| piece.repeat(bytes / piece.len());
    let distinct: String = (0..bytes / 10).map(|number| format!("a{number:05}=\"\" ")).collect();
    let mut pages = vec![format!("<meta {distinct} name=robots>")];
    for (start, piece, end) in [
        ("<meta ", "a=\"b\" ", "name=robots>"),
        ("<meta ", "name=robots ", ">"),
        ("<meta name=robots content=\"", "a,&amp;", "\">"),
        ("<", "x", "><meta name=robots>"),
        ("", "<", "><meta name=robots>"),
        ("<!--", "<!-", "--><meta name=robots>"),
        ("<script>", "<!--<script>", "--></script><meta name=robots>"),
        ("<title>", "</titl", "</title><meta name=robots>"),
        ("<!DOCTYPE '", "x", "'><meta name=robots>"),
    ] {
        pages.push(format!("{start}{}{end}", repeated(piece)));
    }
    pages
}

fn one_shot(case: &Case) {
    let _ =
        black_box(Dialect::GOOGLE_PARSER.decide(&case.body.bytes, &Crawler::literal(AGENT), &case.questions[0].url));
}

fn read(body: &Body) -> Robots {
    Robots::parse_with(black_box(&body.bytes), &Dialect::GOOGLE_PARSER)
}

fn parse(body: &Rc<Body>) {
    black_box(read(body));
}

fn compile(body: &Body) -> comity::Rules {
    read(body).rules_for(&Crawler::literal(AGENT))
}

/// Checks all questions `times` times.
fn decide(rules: &comity::Rules, case: &Case, times: u32) {
    for question in (0..times).flat_map(|_| &case.questions) {
        let _ = black_box(rules.check(black_box(&question.url)));
    }
}
