//! `comity test`: runs a site's own tests of its robots.txt.

mod matching;
mod plan;
mod report;
mod suite;

use std::cell::{Cell, OnceCell, RefCell};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use comity::{Crawlers, Dialect, Escaped, Origin, Preference, Robots, Rules, Verdict};
use comity_report::{CrawlerQuery, OperatorQuestion, Question, Readings, looks_like};

use crate::args;
use crate::input::live::{self, Fetcher};
use crate::input::{crawlers, file, question, sitemap};
use crate::outcome::Outcome;
use crate::render::words::{about_file, hint};
use plan::{Plan, Planned};
use report::{Case, Report};
use suite::{Expect, Stated, Suite, Test};

/// The maximum number of questions about URLs of sitemaps (crawlers × URLs) in a run.
const MAX_SITEMAP_QUESTIONS: usize = 10_000_000;

/// A robots.txt that is tested or compared with.
struct File {
    name: String,
    body: Vec<u8>,
    robots: Robots,
    /// Its lines, safe to print.
    lines: Vec<String>,
    /// Remarks about the file as a whole.
    notes: Vec<String>,
}

pub(crate) fn run(args: &args::Test) -> Result<Outcome> {
    let suite = Suite::read(&args.file)?;
    let folder = args.file.parent().unwrap_or(Path::new("."));
    let of_suite = |path: &Option<PathBuf>| path.as_ref().map(|path| beside(folder, path));
    let Some(robots) = args.robots.clone().or_else(|| of_suite(&suite.robots)) else {
        bail!(
            "expected a robots.txt: name it in {} with `robots = \"robots.txt\"`, or give --robots FILE",
            file::name(&args.file)
        );
    };
    let against = args.against.clone().or_else(|| of_suite(&suite.against));
    file::read_stdin_once([&robots, &args.file].into_iter().chain(&against))?;
    let table = crawlers::table(args.naming.crawlers.as_deref())?;
    let table = (!args.naming.literal).then_some(&table);
    let origin = origin(args, &suite, [Some(&robots), against.as_ref()])?;
    let other_site = other_site(&robots, origin.as_ref());
    let plan = Plan::new(&suite, &args.file, origin, against.is_some(), table)?;
    let fetcher = fetcher(args, &suite, [Some(&robots), against.as_ref()])?;
    let dialect = &args.dialect.dialect;
    let file = File::read(&robots, fetcher.as_ref(), dialect)?;
    let against = against.map(|path| File::read(&path, fetcher.as_ref(), dialect)).transpose()?;
    let bench = Bench {
        file: &file,
        against: against.as_ref(),
        site: plan.site.map_or_else(OnceCell::new, OnceCell::from),
        listed: Cell::new(0),
        readings: RefCell::default(),
        folder,
        table,
        fetcher: fetcher.as_ref(),
    };

    for planned in &plan.tests {
        bench.refuse_misspelled(&planned.askers).context(planned.place.clone())?;
    }
    let mut report = Report::new(args, file::name(&args.file));
    report.hints.extend(other_site);
    for planned in &plan.tests {
        report.line = planned.line;
        bench.put(planned, &mut report).context(planned.place.clone())?;
    }
    let outcome = report.outcome();
    let xml = report.finish(&file, against.as_ref())?;
    if let (Some(path), Some(xml)) = (&args.junit, xml) {
        std::fs::write(path, xml).with_context(|| format!("{} could not be written", file::name(path)))?;
    }
    Ok(outcome)
}

/// Returns the location of a file that a test file names: a URL, or a path relative to the test file.
fn beside(folder: &Path, path: &Path) -> PathBuf {
    if live::is_url(path) { path.to_owned() } else { folder.join(path) }
}

/// Returns the site whose file is tested, if an option, the test file or the URL of a file names it.
fn origin(args: &args::Test, suite: &Suite, files: [Option<&PathBuf>; 2]) -> Result<Option<Origin>> {
    if let Some(typed) = &args.origin {
        return question::site(typed).map(Some);
    }
    if let Some(written) = &suite.origin {
        let found = comity_report::site_of(written).map_err(|error| anyhow!(error));
        return found.with_context(|| file::name(&args.file)).map(Some);
    }
    let url = files.into_iter().flatten().filter(|path| live::is_url(path)).find_map(|path| path.to_str());
    Ok(url.map(Origin::of).transpose()?)
}

/// Returns a hint if the tested file is fetched from another site than the one whose URLs it is tested with, such as a
/// copy for testing.
fn other_site(robots: &Path, origin: Option<&Origin>) -> Option<String> {
    let from = robots.to_str().filter(|_| live::is_url(robots)).and_then(|url| Origin::of(url).ok())?;
    let origin = origin.filter(|origin| **origin != from)?;
    Some(format!("The file of {from} was tested as that of {origin}."))
}

/// Returns a fetcher, if anything has to be fetched. All fetches share its connections and its memory.
fn fetcher(args: &args::Test, suite: &Suite, files: [Option<&PathBuf>; 2]) -> Result<Option<Fetcher>> {
    let sitemaps = suite.test.iter().filter_map(|test| test.get_ref().sitemap.as_ref());
    let typed: Vec<&str> = files
        .into_iter()
        .flatten()
        .chain(sitemaps)
        .filter(|path| live::is_url(path))
        .filter_map(|path| path.to_str())
        .collect();
    if typed.is_empty() {
        return Ok(None);
    }
    Fetcher::new(&args.fetching, &args.dialect.dialect, &typed).map(Some)
}

impl File {
    /// Reads or fetches a file. One that looks like something else is refused: it has no rules, so every
    /// `expect = "allow"` would pass.
    fn read(path: &Path, fetcher: Option<&Fetcher>, dialect: &Dialect) -> Result<Self> {
        let (name, body) = match (path.to_str().filter(|_| live::is_url(path)), fetcher) {
            (Some(url), Some(fetcher)) => fetcher.read_robots(url)?,
            _ => (file::name(path), file::read_robots(path, dialect)?),
        };
        let lines = comity_report::lines(&body, dialect);
        let robots = Robots::parse_with(&body, dialect);
        if let Some(kind) = looks_like(&robots, &body) {
            bail!("{name} is {kind}, expected a robots.txt: no test was run");
        }
        let notes = about_file(&name, &robots, &body);
        Ok(Self { name, body, robots, lines, notes })
    }

    /// Returns a line for the end of a message, after a line break; nothing if there is no such line.
    fn quote(&self, line: u32) -> String {
        let text = (line as usize).checked_sub(1).and_then(|index| self.lines.get(index));
        text.map_or_else(String::new, |text| format!("\n{line:>4} | {}", text.trim()))
    }
}

/// The files and settings that all tests run against.
struct Bench<'a> {
    file: &'a File,
    against: Option<&'a File>,
    /// The site of the file, once it is known. If nothing else names it, the first URL of a sitemap does.
    site: OnceCell<Origin>,
    /// The number of questions about URLs of sitemaps so far.
    listed: Cell<usize>,
    /// The file in the dialects of operators.
    readings: RefCell<Readings>,
    /// The folder of the test file.
    folder: &'a Path,
    /// The crawler table, unless tokens are taken literally.
    table: Option<&'a Crawlers>,
    fetcher: Option<&'a Fetcher>,
}

/// The rules for a crawler, in the file and in the one that it is compared with.
struct Compiled<'a> {
    asker: &'a CrawlerQuery,
    rules: Rules,
    others: Option<Rules>,
}

struct UrlResult {
    failure: Option<String>,
    change: Option<String>,
}

impl Bench<'_> {
    /// Runs a test, and adds its cases to the report.
    fn put(&self, planned: &Planned<'_>, report: &mut Report) -> Result<()> {
        let Planned { test, askers, questions, .. } = planned;
        if let Some(pattern) = &test.matching {
            let files = matching::Files { file: self.file, against: self.against };
            let expect = test.expect.context("expected `expect`, found none")?;
            return report.add(matching::case(test, expect, pattern, askers, &files, self.table)?);
        }
        let read = |path: &PathBuf| sitemap::read(&beside(self.folder, path), self.fetcher);
        let listed = test.sitemap.as_ref().map(read).transpose()?;
        self.count_listed(listed.as_ref().map_or(0, Vec::len).saturating_mul(askers.len()))?;
        for asker in askers {
            let compile = |file: &File| file.robots.rules_for(&asker.as_crawler());
            let compiled = Compiled { asker, rules: compile(self.file), others: self.against.map(compile) };
            let agent = Escaped(asker.token().as_bytes());
            for question in questions {
                let url = Escaped(question.typed.as_bytes());
                let name = test.name.as_ref().map_or_else(
                    || format!("{agent} {} {url}", test.says()),
                    |name| format!("{} ({agent} {url})", Escaped(name.as_bytes())),
                );
                let UrlResult { failure, change } = self.judge(test, &compiled, question);
                report.add(Case { name, failure, change })?;
                report.hints.extend(self.operator_answer(&compiled, question));
            }
            if let (Some(path), Some(listed)) = (&test.sitemap, &listed) {
                report.add(self.all_of(test, &compiled, path, listed))?;
            }
        }
        Ok(())
    }

    /// Fails for a crawler that is probably misspelled: its answers are those of a crawler that nobody has.
    fn refuse_misspelled(&self, askers: &[CrawlerQuery]) -> Result<()> {
        for asker in askers {
            let is_seen = self.file.robots.check(&asker.as_crawler(), "/").names_crawler();
            if let Some(hint) = hint(asker, self.table, is_seen) {
                bail!("{hint} --literal tests it nevertheless");
            }
        }
        Ok(())
    }

    /// Returns a hint if the dialect of the crawler's operator answers differently.
    fn operator_answer(&self, compiled: &Compiled<'_>, question: &Question) -> Option<String> {
        let dialect = compiled.rules.dialect();
        let verdict = compiled.rules.check(question.asked_in(dialect));
        let operator = OperatorQuestion::new(compiled.asker.profile()?, dialect, verdict)?;
        let mut readings = self.readings.borrow_mut();
        let found = readings.answer(&self.file.body, &operator, |dialect| question.asked_in(dialect))?;
        let (agent, url) = (Escaped(compiled.asker.token().as_bytes()), Escaped(question.typed.as_bytes()));
        Some(format!("{agent} {url}: {}", found.sentence))
    }

    /// Counts the questions of a test about URLs of a sitemap, before they are asked. Fails if there are too many.
    fn count_listed(&self, questions: usize) -> Result<()> {
        let listed = self.listed.get().saturating_add(questions);
        self.listed.set(listed);
        if listed > MAX_SITEMAP_QUESTIONS {
            bail!(
                "expected at most {MAX_SITEMAP_QUESTIONS} questions about URLs of sitemaps (crawlers × URLs), found {listed} so \
                 far: split the tests"
            );
        }
        Ok(())
    }

    /// Returns one case for a whole sitemap, because it may list fifty thousand pages.
    fn all_of(&self, test: &Test, compiled: &Compiled<'_>, path: &Path, urls: &[String]) -> Case {
        let agent = Escaped(compiled.asker.token().as_bytes());
        let (mut failures, mut changes) = (FirstMessages::default(), FirstMessages::default());
        for url in urls {
            let UrlResult { failure, change } = self.judge_listed(test, compiled, url);
            failures.add(failure);
            changes.add(change);
        }
        let every = format!("{agent} {} every URL of {}", test.says(), file::name(path));
        let name = test.name.as_ref().map_or(every, |name| format!("{} ({agent})", Escaped(name.as_bytes())));
        let failure = if urls.is_empty() {
            Some(format!("{} lists no URLs", file::name(path)))
        } else {
            failures.told(urls.len(), "are wrong")
        };
        Case { name, failure, change: changes.told(urls.len(), "have another answer") }
    }

    /// Returns the result for a URL of a sitemap. URLs of other sites fail, because the file does not apply to them.
    fn judge_listed(&self, test: &Test, compiled: &Compiled<'_>, url: &str) -> UrlResult {
        let failed = |why: String| UrlResult { failure: Some(why), change: None };
        match (Question::new(url, false), Origin::of(url)) {
            (Ok(question), Ok(origin)) => {
                let site = self.site.get_or_init(|| origin.clone());
                if *site == origin {
                    return self.judge(test, compiled, &question);
                }
                failed(format!(
                    "{}: is not on {site}, so this file does not apply to it",
                    Escaped(question.typed.as_bytes())
                ))
            }
            (Err(error), _) => failed(error.to_string()),
            (_, Err(error)) => failed(error.to_string()),
        }
    }

    /// Returns the result for a URL: the verdict is compared with the expectation, and with the verdict of the other
    /// file.
    fn judge(&self, test: &Test, compiled: &Compiled<'_>, question: &Question) -> UrlResult {
        let url = Escaped(question.typed.as_bytes());
        let ask = |rules: &Rules| -> Verdict { rules.check(question.asked_in(rules.dialect())) };
        let verdict = ask(&compiled.rules);
        let other = self.against.zip(compiled.others.as_ref().map(ask));
        let changed = other.filter(|(_, other)| other.answer() != verdict.answer());
        let change = changed.map(|(against, other)| format!("{url}: {other} in {}", against.name));
        let right = match test.expect {
            Some(Expect::Allow) => verdict.is_allowed(),
            Some(Expect::Disallow) => verdict.is_disallowed(),
            Some(Expect::Unchanged) => change.is_none(),
            None => true,
        };
        let line = verdict.line().unwrap_or(0);
        if right && test.line.is_none_or(|expected| expected == line) {
            return UrlResult { failure: self.wrong_preference(test, compiled, question), change };
        }
        let name = test.expect.map_or("an answer", Expect::name);
        let expected = match test.line {
            Some(line) => format!("{name} by line {line}"),
            None => name.to_owned(),
        };
        let quote = self.file.quote(line);
        UrlResult { failure: Some(format!("{url}: expected {expected}, found {verdict}{quote}")), change }
    }

    /// Returns a message about the first preference that is not the expected one.
    fn wrong_preference(&self, test: &Test, compiled: &Compiled<'_>, question: &Question) -> Option<String> {
        let asked = question.asked_in(compiled.rules.dialect());
        test.preferences().into_iter().find_map(|(key, expected)| {
            let (found, line) = stated(&self.file.robots, compiled.asker, asked, key);
            let url = Escaped(question.typed.as_bytes());
            let quote = self.file.quote(line.unwrap_or(0));
            (found != expected).then(|| format!("{url}: expected {key} = {expected}, found {found}{quote}"))
        })
    }
}

/// Returns the preference about a use that a file states for a crawler and a URL, in `Content-Signal` and
/// `Content-Usage`, and its line. The more restrictive one applies.
fn stated(robots: &Robots, asker: &CrawlerQuery, url: &str, key: &str) -> (Stated, Option<u32>) {
    let crawler = asker.as_crawler();
    let signal = robots.content_signals(&crawler, url).of(key);
    let signal = signal.map(|signal| (if signal.granted { Stated::Yes } else { Stated::No }, Some(signal.line)));
    // Both records have `search`, and no label of `Content-Usage` means AI input.
    let label = if key == "ai-train" { "train-ai" } else { key };
    let usage = robots.content_usage(&crawler, url).preference(label);
    let usage = match usage.preference {
        Preference::Allow => Some((Stated::Yes, usage.line)),
        Preference::Disallow => Some((Stated::No, usage.line)),
        _ => None,
    };
    let all = [signal, usage].into_iter().flatten();
    all.max_by_key(|(stated, _)| *stated == Stated::No).unwrap_or((Stated::Missing, None))
}

/// Messages about some of many URLs: their number, and the first few.
#[derive(Default)]
struct FirstMessages {
    count: u64,
    first: Vec<String>,
}

impl FirstMessages {
    /// The maximum number of messages that are kept.
    const MAX_NAMED: usize = 5;

    fn add(&mut self, said: Option<String>) {
        if let Some(said) = said {
            self.count += 1;
            if self.first.len() < Self::MAX_NAMED {
                self.first.push(said);
            }
        }
    }

    fn told(&self, all: usize, what: &str) -> Option<String> {
        let lines: String = self.first.iter().map(|said| format!("\n{said}")).collect();
        (self.count > 0).then(|| format!("{} of {all} URLs {what}:{lines}", self.count))
    }
}
