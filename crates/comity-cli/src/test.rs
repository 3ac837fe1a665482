//! `comity test`: a site's own tests of its robots.txt.

mod junit;
mod suite;

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use comity::{Crawler, Crawlers, Escaped, Robots, Verdict};

use crate::style::{self, paint};
use crate::{Outcome, args, asker, input, sitemap};
use suite::{Expect, Suite, Test};

/// One question of a test, and what came of it.
struct Case {
    name: String,
    /// Why it fails.
    failure: Option<String>,
}

pub(crate) fn run(args: &args::Test) -> Result<Outcome> {
    let suite = Suite::read(&args.file)?;
    let folder = args.file.parent().unwrap_or(Path::new("."));
    let robots = match (&args.robots, &suite.robots) {
        (Some(path), _) => path.clone(),
        (None, Some(path)) => folder.join(path),
        (None, None) => bail!(
            "which robots.txt? Name it in {} with `robots = \"robots.txt\"`, or give --robots FILE",
            input::name(&args.file)
        ),
    };
    let name = input::name(&robots);
    let body = input::read_robots(&robots, &args.dialect.dialect)?;
    let lines: Vec<&[u8]> = body.split(|b| *b == b'\n').collect();
    let robots = Robots::parse_with(&body, &args.dialect.dialect);
    let table = asker::table(args.naming.crawlers.as_deref())?;

    let mut out = anstream::stdout().lock();
    let mut cases = Vec::new();
    for (index, test) in suite.test.iter().enumerate() {
        let asker = Asker { robots: &robots, lines: &lines, table: (!args.naming.literal).then_some(&table) };
        let of_test =
            asker.put(test, folder).with_context(|| format!("test {} of {}", index + 1, input::name(&args.file)))?;
        for case in of_test {
            let result =
                if case.failure.is_none() { paint(style::ALLOWED, "ok  ") } else { paint(style::DISALLOWED, "FAIL") };
            writeln!(out, "{result}  {}", case.name)?;
            for line in case.failure.iter().flat_map(|failure| failure.lines()) {
                writeln!(out, "      {line}")?;
            }
            cases.push(case);
        }
    }
    let failed = cases.iter().filter(|case| case.failure.is_some()).count();
    writeln!(out, "\n{} passed, {failed} failed against {name}", cases.len() - failed)?;
    if let Some(path) = &args.junit {
        let report = junit::report(&input::name(&args.file), &cases)?;
        std::fs::write(path, report).with_context(|| format!("{} could not be written", input::name(path)))?;
    }
    Ok(if failed == 0 { Outcome::Yes } else { Outcome::No })
}

struct Asker<'a> {
    robots: &'a Robots,
    lines: &'a [&'a [u8]],
    /// The known crawlers, unless tokens are taken literally.
    table: Option<&'a Crawlers>,
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
        let listed = test.sitemap.as_ref().map(|path| sitemap::read(&folder.join(path))).transpose()?;
        for agent in agents {
            for url in &urls {
                let verdict = self.ask(agent, url);
                let name = test.name.as_ref().map_or_else(
                    || format!("{} {} {}", shown(agent), test.expect.may(), shown(url)),
                    |name| format!("{} ({} {})", shown(name), shown(agent), shown(url)),
                );
                cases.push(Case { name, failure: self.judge(test, url, verdict) });
            }
            if let (Some(path), Some(listed)) = (&test.sitemap, &listed) {
                cases.push(self.all_of(test, agent, path, listed));
            }
        }
        Ok(cases)
    }

    /// One case for a whole sitemap: it may list fifty thousand pages.
    fn all_of(&self, test: &Test, agent: &str, path: &Path, urls: &[String]) -> Case {
        const MOST: usize = 5;
        let wrong: Vec<String> = urls.iter().filter_map(|url| self.judge(test, url, self.ask(agent, url))).collect();
        let every = format!("{} {} every URL of {}", shown(agent), test.expect.may(), input::name(path));
        let name = test.name.as_ref().map_or(every, |name| format!("{} ({})", shown(name), shown(agent)));
        let failure = if urls.is_empty() {
            Some(format!("{} lists no URLs", input::name(path)))
        } else if wrong.is_empty() {
            None
        } else {
            let mut failure = format!("{} of {} URLs are wrong:", wrong.len(), urls.len());
            for one in wrong.iter().take(MOST) {
                failure += &format!("\n{one}");
            }
            Some(failure)
        };
        Case { name, failure }
    }

    fn ask(&self, agent: &str, url: &str) -> Verdict {
        let crawler =
            self.table.and_then(|table| table.find(agent)).map_or_else(|| Crawler::from(agent), Crawler::from);
        // As it would be sent; a path stands for itself.
        let sent = url::Url::parse(url).ok().filter(url::Url::has_host);
        self.robots.check(crawler, sent.as_ref().map_or(url, url::Url::as_str))
    }

    /// Why a verdict is not what the test expects.
    fn judge(&self, test: &Test, url: &str, verdict: Verdict) -> Option<String> {
        let right = match test.expect {
            Expect::Allow => verdict.is_allowed(),
            Expect::Disallow => verdict.is_disallowed(),
        };
        let line = verdict.line().unwrap_or(0);
        if right && test.line.is_none_or(|expected| expected == line) {
            return None;
        }
        let expected = match test.line {
            Some(line) => format!("{} by line {line}", test.expect.name()),
            None => test.expect.name().to_owned(),
        };
        let said = self
            .lines
            .get((line as usize).wrapping_sub(1))
            .map_or_else(String::new, |text| format!("\n{line:>4} | {}", Escaped(text.trim_ascii())));
        Some(format!("{}: expected {expected}, found {verdict}{said}", shown(url)))
    }
}

fn shown(text: &str) -> String {
    Escaped(text.as_bytes()).to_string()
}
