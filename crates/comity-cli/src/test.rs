//! `comity test`: a site's own tests of its robots.txt.

mod junit;
mod suite;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use comity::{Crawler, Crawlers, Dialect, Escaped, Robots, Verdict};

use crate::live::{self, Fetcher};
use crate::style::{self, paint};
use crate::{Outcome, args, asker, input, sitemap};
use suite::{Expect, Suite, Test};

/// One question of a test, and what came of it.
struct Case {
    name: String,
    /// Why it fails.
    failure: Option<String>,
    /// How the answer differs from that of the file that this one is compared with.
    change: Option<String>,
}

/// A file that is asked.
struct File {
    name: String,
    robots: Robots,
    /// Its lines, safe to print.
    lines: Vec<String>,
}

pub(crate) fn run(args: &args::Test) -> Result<Outcome> {
    let suite = Suite::read(&args.file)?;
    let folder = args.file.parent().unwrap_or(Path::new("."));
    let of_suite = |path: &Option<PathBuf>| path.as_ref().map(|path| beside(folder, path));
    let Some(robots) = args.robots.clone().or_else(|| of_suite(&suite.robots)) else {
        bail!(
            "which robots.txt? Name it in {} with `robots = \"robots.txt\"`, or give --robots FILE",
            input::name(&args.file)
        );
    };
    let against = args.against.clone().or_else(|| of_suite(&suite.against));
    if [Some(&robots), against.as_ref(), Some(&args.file)]
        .into_iter()
        .flatten()
        .filter(|path| input::is_stdin(path))
        .count()
        > 1
    {
        bail!("only one file can be standard input");
    }
    let fetcher = fetcher(args, &suite, [Some(&robots), against.as_ref()])?;
    let dialect = &args.dialect.dialect;
    let file = File::read(&robots, fetcher.as_ref(), dialect)?;
    let against = against.map(|path| File::read(&path, fetcher.as_ref(), dialect)).transpose()?;
    let table = asker::table(args.naming.crawlers.as_deref())?;
    let asker = Asker {
        file: &file,
        against: against.as_ref(),
        table: (!args.naming.literal).then_some(&table),
        fetcher: fetcher.as_ref(),
    };

    let mut out = anstream::stdout().lock();
    let mut cases = Vec::new();
    for (index, test) in suite.test.iter().enumerate() {
        let of_test =
            asker.put(test, folder).with_context(|| format!("test {} of {}", index + 1, input::name(&args.file)))?;
        for case in of_test {
            let result =
                if case.failure.is_none() { paint(style::ALLOWED, "ok  ") } else { paint(style::DISALLOWED, "FAIL") };
            writeln!(out, "{result}  {}", case.name)?;
            for line in case.failure.iter().chain(&case.change).flat_map(|text| text.lines()) {
                writeln!(out, "      {line}")?;
            }
            cases.push(case);
        }
    }
    let failed = cases.iter().filter(|case| case.failure.is_some()).count();
    writeln!(out, "\n{} passed, {failed} failed against {}", cases.len() - failed, file.name)?;
    if let Some(against) = &against {
        match cases.iter().filter(|case| case.change.is_some()).count() {
            0 => writeln!(out, "All answers are those of {}.", against.name)?,
            1 => writeln!(out, "1 of them is answered otherwise by {}.", against.name)?,
            n => writeln!(out, "{n} of them are answered otherwise by {}.", against.name)?,
        }
    }
    if let Some(path) = &args.junit {
        let report = junit::report(&input::name(&args.file), &cases)?;
        std::fs::write(path, report).with_context(|| format!("{} could not be written", input::name(path)))?;
    }
    Ok(if failed == 0 { Outcome::Yes } else { Outcome::No })
}

/// What a test file names: beside it, or somewhere else altogether.
fn beside(folder: &Path, path: &Path) -> PathBuf {
    if live::is_url(path) { path.to_owned() } else { folder.join(path) }
}

/// What fetches, if something is to be fetched: one for all, for only one at a time may have the cache.
fn fetcher(args: &args::Test, suite: &Suite, files: [Option<&PathBuf>; 2]) -> Result<Option<Fetcher>> {
    let sitemaps = suite.test.iter().filter_map(|test| test.sitemap.as_ref());
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
    fn read(path: &Path, fetcher: Option<&Fetcher>, dialect: &Dialect) -> Result<Self> {
        let (name, body) = match (path.to_str().filter(|_| live::is_url(path)), fetcher) {
            (Some(url), Some(fetcher)) => fetcher.robots(url)?,
            _ => (input::name(path), input::read_robots(path, dialect)?),
        };
        let lines = comity_report::lines(&body, dialect);
        Ok(Self { name, robots: Robots::parse_with(&body, dialect), lines })
    }
}

struct Asker<'a> {
    file: &'a File,
    against: Option<&'a File>,
    /// The known crawlers, unless tokens are taken literally.
    table: Option<&'a Crawlers>,
    fetcher: Option<&'a Fetcher>,
}

/// What came of one URL.
struct Judged {
    failure: Option<String>,
    change: Option<String>,
}

impl Asker<'_> {
    /// Puts all questions of a test.
    fn put(&self, test: &Test, folder: &Path) -> Result<Vec<Case>> {
        let mut cases = Vec::new();
        let agents: Vec<&str> = test.agent.iter().chain(&test.agents).map(String::as_str).collect();
        if agents.is_empty() {
            bail!("whose answer? Give `agent` or `agents`");
        }
        let urls: Vec<&str> = test.url.iter().chain(&test.urls).map(String::as_str).collect();
        if urls.is_empty() && test.sitemap.is_none() {
            bail!("about which page? Give `url`, `urls` or `sitemap`");
        }
        if test.expect == Expect::Unchanged && self.against.is_none() {
            bail!("unchanged from what? Give --against FILE, or a site's URL");
        }
        if test.expect == Expect::Unchanged && test.line.is_some() {
            bail!("`line` says which line decides; it goes with allow and disallow");
        }
        let read = |path: &PathBuf| sitemap::read(&beside(folder, path), self.fetcher);
        let listed = test.sitemap.as_ref().map(read).transpose()?;
        for agent in agents {
            for url in &urls {
                let Judged { failure, change } = self.judge(test, agent, url);
                let name = test.name.as_ref().map_or_else(
                    || format!("{} {} {}", shown(agent), test.expect.may(), shown(url)),
                    |name| format!("{} ({} {})", shown(name), shown(agent), shown(url)),
                );
                cases.push(Case { name, failure, change });
            }
            if let (Some(path), Some(listed)) = (&test.sitemap, &listed) {
                cases.push(self.all_of(test, agent, path, listed));
            }
        }
        Ok(cases)
    }

    /// One case for a whole sitemap: it may list fifty thousand pages.
    fn all_of(&self, test: &Test, agent: &str, path: &Path, urls: &[String]) -> Case {
        let judged: Vec<Judged> = urls.iter().map(|url| self.judge(test, agent, url)).collect();
        let (failures, changes): (Vec<_>, Vec<_>) = judged.into_iter().map(|one| (one.failure, one.change)).unzip();
        let every = format!("{} {} every URL of {}", shown(agent), test.expect.may(), input::name(path));
        let name = test.name.as_ref().map_or(every, |name| format!("{} ({})", shown(name), shown(agent)));
        let failure = if urls.is_empty() {
            Some(format!("{} lists no URLs", input::name(path)))
        } else {
            of_many(failures, "are wrong")
        };
        Case { name, failure, change: of_many(changes, "have another answer") }
    }

    fn ask(&self, file: &File, agent: &str, url: &str) -> Verdict {
        let crawler =
            self.table.and_then(|table| table.find(agent)).map_or_else(|| Crawler::from(agent), Crawler::from);
        // As it would be sent; a path stands for itself.
        let sent = url::Url::parse(url).ok().filter(url::Url::has_host);
        file.robots.check(crawler, sent.as_ref().map_or(url, url::Url::as_str))
    }

    /// Whether a verdict is what the test expects, and the other file's.
    fn judge(&self, test: &Test, agent: &str, url: &str) -> Judged {
        let verdict = self.ask(self.file, agent, url);
        let other = self.against.map(|against| (against, self.ask(against, agent, url)));
        let changed = other.filter(|(_, other)| other.answer() != verdict.answer());
        let change = changed.map(|(against, other)| format!("{}: {other} in {}", shown(url), against.name));
        let right = match test.expect {
            Expect::Allow => verdict.is_allowed(),
            Expect::Disallow => verdict.is_disallowed(),
            Expect::Unchanged => change.is_none(),
        };
        let line = verdict.line().unwrap_or(0);
        if right && test.line.is_none_or(|expected| expected == line) {
            return Judged { failure: None, change };
        }
        let expected = match test.line {
            Some(line) => format!("{} by line {line}", test.expect.name()),
            None => test.expect.name().to_owned(),
        };
        let said = self.file.lines.get((line as usize).wrapping_sub(1));
        let said = said.map_or_else(String::new, |said| format!("\n{line:>4} | {}", said.trim()));
        Judged { failure: Some(format!("{}: expected {expected}, found {verdict}{said}", shown(url))), change }
    }
}

/// What is said of many URLs, as one text: the first few of them.
fn of_many(said: Vec<Option<String>>, what: &str) -> Option<String> {
    const MOST: usize = 5;
    let all = said.len();
    let said: Vec<String> = said.into_iter().flatten().collect();
    if said.is_empty() {
        return None;
    }
    let mut text = format!("{} of {all} URLs {what}:", said.len());
    for one in said.iter().take(MOST) {
        text += &format!("\n{one}");
    }
    Some(text)
}

fn shown(text: &str) -> String {
    Escaped(text.as_bytes()).to_string()
}
