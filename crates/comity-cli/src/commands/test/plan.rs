//! The tests of a suite as questions, checked by the same code as the arguments of `comity check`.

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use comity::{Crawlers, Escaped, Origin};
use comity_report::{CrawlerQuery, Question, Questions};

use super::suite::{Agents, Expect, Suite, Test};
use crate::input::file;

/// The maximum number of cases in a test file. Each is a line of the report: a crawler with a URL, or with all URLs of
/// a sitemap.
pub(super) const MAX_CASES: usize = 100_000;

/// All tests of a file, checked and ready to run.
pub(super) struct Plan<'s> {
    pub(super) tests: Vec<Planned<'s>>,
    /// The site whose robots.txt is tested; `None` if no URL of the tests has a host.
    pub(super) site: Option<Origin>,
}

/// A test with its crawlers and URLs.
pub(super) struct Planned<'s> {
    pub(super) test: &'s Test,
    /// The test in messages: `test 2 (the cart is closed) of robots.test.toml`.
    pub(super) place: String,
    /// The line of the test file where the test starts.
    pub(super) line: u64,
    pub(super) askers: Vec<CrawlerQuery>,
    pub(super) questions: Vec<Question>,
}

impl<'s> Plan<'s> {
    /// Checks all tests of a suite. `origin` is the site if it is known; otherwise the first URL with a host names it.
    pub(super) fn new(
        suite: &'s Suite,
        file: &Path,
        origin: Option<Origin>,
        has_against: bool,
        table: Option<&Crawlers>,
    ) -> Result<Self> {
        let mut plan = Self { tests: Vec::with_capacity(suite.test.len()), site: origin };
        let mut cases = 0_usize;
        for (index, spanned) in suite.test.iter().enumerate() {
            let (test, line) = (spanned.get_ref(), suite.line_of(spanned));
            let name = test.name.as_ref().map_or_else(String::new, |name| format!(" ({})", Escaped(name.as_bytes())));
            let place = format!("test {}{name} of {}", index + 1, file::name(file));
            test.check_keys(has_against).context(place.clone())?;
            let agents: Vec<&String> = test.agent.iter().chain(test.agents.named()).collect();
            let askers = comity_report::crawler_queries(&agents, table)
                .map_err(|error| anyhow!(error))
                .context(place.clone())?;
            // `check` removes white space that comes from a shell's quotes. In a test file it is a mistake.
            if let Some(padded) = agents.iter().find(|name| name.trim() != **name) {
                let (found, token) = (Escaped(padded.as_bytes()), Escaped(padded.trim().as_bytes()));
                bail!(
                    "{place}: expected a product token without white space around it, found `{found}`: write `{token}`"
                );
            }
            let questions = plan.questions(test).context(place.clone())?;
            let of_each = questions.len() + usize::from(test.sitemap.is_some());
            let own = if test.matching.is_some() { 1 } else { askers.len().saturating_mul(of_each) };
            cases = cases.saturating_add(own);
            if cases > MAX_CASES {
                bail!(
                    "{place}: expected at most {MAX_CASES} cases (crawlers × URLs) in a file, found {cases} so far: split it"
                );
            }
            plan.tests.push(Planned { test, place, line, askers, questions });
        }
        Ok(plan)
    }

    /// Returns the URLs of a test. Fails if they are not on the site of the tests before it.
    fn questions(&mut self, test: &Test) -> Result<Vec<Question>> {
        let urls = test.url.iter().chain(&test.urls);
        let list = urls.map(|url| Question::new(url, false)).collect::<Result<Vec<_>, _>>()?;
        if list.is_empty() {
            return Ok(list);
        }
        let site = self.site.as_ref().map(Origin::to_string);
        let questions = Questions::of_file(list, site.as_deref())?;
        if let (Some(site), Some(other)) =
            (&questions.site, questions.list.iter().find(|question| !questions.is_in_scope(question)))
        {
            bail!(
                "`{}` is not on {site}, and each site has its own robots.txt: name the site of this file with `origin`",
                Escaped(other.typed.as_bytes())
            );
        }
        self.site = questions.site;
        Ok(questions.list)
    }
}

impl Test {
    /// Checks that the keys of a test fit together.
    fn check_keys(&self, has_against: bool) -> Result<()> {
        if self.agent.is_none() && self.agents == Agents::default() {
            bail!("expected `agent` or `agents`, found neither");
        }
        let has_urls = self.url.is_some() || !self.urls.is_empty() || self.sitemap.is_some();
        if !has_urls && self.matching.is_none() {
            bail!("expected `url`, `urls`, `sitemap` or `matching`, found none");
        }
        if has_urls && self.matching.is_some() {
            bail!("`matching` is about all URLs of a pattern; give it without `url`, `urls` and `sitemap`");
        }
        if self.matching.is_none() && (self.agents.are_all() || !self.except.is_empty()) {
            bail!("`agents = \"all\"` and `except` go with `matching`, which is about all URLs of a pattern");
        }
        if self.agents.are_all() && self.agent.is_some() {
            bail!("expected `agent` or `agents = \"all\"`, found both");
        }
        if self.matching.is_some() && self.line.is_some() {
            bail!("`line` is the line that decides; use it with `url` and `urls`");
        }
        if self.matching.is_some() && !self.preferences().is_empty() {
            bail!("`ai-train`, `ai-input` and `search` go with `url`, `urls` and `sitemap`");
        }
        if self.expect.is_none() && (self.matching.is_some() || self.line.is_some() || self.preferences().is_empty()) {
            bail!("expected `expect`, or for URLs `ai-train`, `ai-input` or `search`, found none");
        }
        if self.expect == Some(Expect::Unchanged) && !has_against {
            bail!("`unchanged` needs --against FILE, or the URL of a site");
        }
        if self.expect == Some(Expect::Unchanged) && self.line.is_some() {
            bail!("`line` is the line that decides; use it with `allow` and `disallow`");
        }
        Ok(())
    }
}
