//! `comity page`: prints what a crawler may do with a page, by its robots.txt, its header and its HTML.

mod headers;
mod human;
mod json;
mod terms;

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use comity::{Answer, Crawler, Crawlers, Escaped, Profile, Robots, Verdict};
use comity_page::{Found, Page, PageRules, Permissions, Stance, permissions_at, read_page};
use comity_report::{CrawlerQuery, Question, Questions};

use crate::args::{self, Format};
use crate::input::{crawlers, file, live, question};
use crate::outcome::Outcome;
use terms::Terms;

pub(crate) fn run(args: &args::Page) -> Result<Outcome> {
    let files = [args.robots.file.as_deref(), args.headers.as_deref(), args.html.as_deref(), args.tdmrep.as_deref()];
    if files.into_iter().flatten().filter(|path| file::is_stdin(path)).count() > 1 {
        bail!("only one of --robots, --headers, --html and --tdmrep can be standard input");
    }
    let dialect = args.dialect.dialect;
    let typed = [Some(args.url.as_str()), args.origin.as_deref()];
    let typed: Vec<&str> = typed.into_iter().flatten().collect();
    let fetcher = match &args.robots.file {
        Some(_) => None,
        None => Some(live::Fetcher::new(&args.fetching, &dialect, &typed)?),
    };
    let mut questions = question::typed(std::slice::from_ref(&args.url), args.origin.as_deref(), false)?;
    // A file that was fetched is the one of its site.
    questions.is_assumed &= fetcher.is_none();
    let (file, body) = match (&fetcher, &questions.site) {
        (None, _) => file::robots(args.robots.file.as_deref(), &dialect)?,
        (Some(fetcher), Some(site)) => fetcher.robots(site.as_str())?,
        (Some(_), None) => bail!("expected the whole URL of the page, or its robots.txt with --robots"),
    };
    let table = if args.naming.literal { None } else { Some(crawlers::table(args.naming.crawlers.as_deref())?) };
    let asker = crawlers::one(&args.agent, table.as_ref())?;

    let mut page = match &table {
        Some(table) => Page::with_crawlers(table),
        None => Page::new(),
    };
    if let Some(path) = &args.headers {
        headers::read(path, &mut page)?;
    }
    let found = match &args.html {
        Some(path) => {
            let html = file::open(path)?;
            Some(read_page(html, &mut page, &[asker.token()]).with_context(|| file::name(path))?)
        }
        None => None,
    };
    let mut is_fetched = false;
    let mut found = found;
    if let Some(fetcher) = fetcher.filter(|_| args.headers.is_none() && args.html.is_none()) {
        let answer = fetcher.page(&args.url, MAX_HTML_BYTES)?;
        for (name, value) in &answer.fields {
            page.header(name, value.as_bytes());
        }
        let mut read = read_page(&*answer.body, &mut page, &[asker.token()])?;
        read.is_cut |= answer.is_cut;
        found = Some(read);
        is_fetched = true;
    }
    let robots = Robots::parse_with(&body, &dialect);
    let question = &questions.list[0];
    let url = question.asked_in(&dialect);
    if let Some(path) = &args.tdmrep {
        terms::read_tdmrep(path, url, &mut page)?;
    }
    let is_in_scope = questions.is_in_scope(question);
    let now = now();
    let permissions = if is_in_scope {
        permissions_at(&robots, &asker.crawler(), url, &page, now)
    } else {
        // The file of another site does not apply to this page.
        let mut permissions = permissions_at(&Robots::parse_with(b"", &dialect), &asker.crawler(), url, &page, now);
        permissions.fetch = Verdict::out_of_scope();
        permissions
    };
    let rules = page.rules_for(&asker.crawler());
    let is_open = !permissions.fetch.is_disallowed();
    let report = Report {
        file: &file,
        question,
        questions: &questions,
        asker: &asker,
        is_seen: is_fetched || args.headers.is_some() || args.html.is_some(),
        is_whole: is_fetched || args.headers.is_some() && args.html.is_some(),
        now,
        why: robots.explain(&asker.crawler(), url).arithmetic(),
        terms: Terms::of(Some(&page).filter(|_| is_open), Some(&robots).filter(|_| is_in_scope)),
        control_tokens: control_tokens(&asker, page.crawlers(), &robots, url, is_in_scope),
        permissions,
        malformed_usage: page
            .content_usage_field()
            .filter(|_| page.content_usage().is_none())
            .map(|(field, _)| Escaped(field).to_string()),
        rules,
        found,
    };
    match args.format.format {
        Format::Human => report.print(&mut anstream::stdout().lock())?,
        Format::Json => report.print_json()?,
    }
    Ok(report.outcome())
}

/// Returns the control tokens of the crawler's operator that the file disallows the page for.
fn control_tokens<'t>(
    asker: &CrawlerQuery,
    table: &'t Crawlers,
    robots: &Robots,
    url: &str,
    is_in_scope: bool,
) -> Vec<&'t Profile> {
    let Some(profile) = asker.profile().filter(|_| is_in_scope) else { return Vec::new() };
    let is_refused = |row: &&Profile| robots.check(&Crawler::from(*row), url).is_disallowed();
    table.control_tokens(profile).filter(is_refused).collect()
}

/// The maximum number of bytes that are fetched of a page. Its tags are at its start.
const MAX_HTML_BYTES: usize = 4 << 20;

/// Returns the current time, in seconds since 1970.
fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs());
    i64::try_from(now).unwrap_or(i64::MAX)
}

struct Report<'a> {
    file: &'a str,
    question: &'a Question,
    questions: &'a Questions,
    asker: &'a CrawlerQuery,
    /// True if the header or the HTML was read.
    is_seen: bool,
    /// True if both were read.
    is_whole: bool,
    now: i64,
    /// An explanation of why this rule of the robots.txt decides.
    why: String,
    permissions: Permissions,
    rules: PageRules<'a>,
    found: Option<Found>,
    malformed_usage: Option<String>,
    terms: Terms,
    /// The control tokens by which the file denies the crawler's operator some uses of the page.
    control_tokens: Vec<&'a Profile>,
}

impl Report<'_> {
    fn outcome(&self) -> Outcome {
        match self.permissions.fetch.answer() {
            Answer::Allowed => {}
            Answer::Disallowed => return Outcome::No,
            _ => return Outcome::Trouble,
        }
        let is_refused = self.permissions.index.stance == Stance::No;
        if is_refused || !self.permissions.conflicts.is_empty() { Outcome::No } else { Outcome::Yes }
    }

    /// Returns true if robots.txt does not disallow the page, so that its rules can be read.
    fn is_open(&self) -> bool {
        !self.permissions.fetch.is_disallowed()
    }

    /// Returns true if the date of an `unavailable_after` has passed.
    fn is_past(&self) -> bool {
        self.rules.unavailable_after.is_some_and(|(moment, _)| moment.unix_seconds() <= self.now)
    }
}
