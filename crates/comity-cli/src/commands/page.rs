//! `comity page`: prints what a crawler may do with a page, by its robots.txt, its header and its HTML.

mod headers;
mod human;
mod terms;

use std::collections::BTreeMap;
use std::time::SystemTime;

use anyhow::{Context, Result, bail};
use comity::{Answer, Escaped, Robots};
use comity_fetch::SiteRobots;
use comity_page::{Page, Stance, read_page};
use comity_report::{
    CrawlerQuery, MAX_PAGE_BYTES, MAX_RESOURCE_SITES, PageCheck, PageDocument, PageHop, PageResources, PageResponse,
    PageSources, Question, Questions, ResourceRow, read_answer,
};
use url::Url;

use crate::args::{self, Format};
use crate::input::{crawlers, file, live, question};
use crate::outcome::Outcome;
use crate::render::json;
use crate::render::provenance::REFUSED_BY_ADDRESS_RULES;

pub(crate) fn run(args: &args::Page) -> Result<Outcome> {
    let files = [args.robots.file.as_deref(), args.headers.as_deref(), args.html.as_deref(), args.tdmrep.as_deref()];
    file::read_stdin_once(files.into_iter().flatten())?;
    let dialect = args.crawler.dialect.dialect;
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
    let table = crawlers::known(&args.crawler.naming)?;
    let asker = crawlers::one(&args.crawler.agent, table.as_ref())?;
    crawlers::warn_of_misspelled(std::slice::from_ref(&asker), table.as_ref(), &[&body]);

    let mut page = match &table {
        Some(table) => Page::with_crawlers(table),
        None => Page::new(),
    }
    .at(SystemTime::now());
    let head = args.headers.as_deref().map(|path| headers::read(path, &mut page)).transpose()?.flatten();
    if let Some(head) = &head {
        refuse_failure(&args.url, head.status)?;
    }
    let mut found = match &args.html {
        Some(path) => {
            let html = file::open(path)?;
            Some(read_page(html, &mut page, &[asker.token()]).with_context(|| file::name(path))?)
        }
        None => None,
    };
    let mut answered = None;
    if let Some(fetcher) = fetcher.as_ref().filter(|_| args.headers.is_none() && args.html.is_none()) {
        let answer = fetcher.get(&args.url, MAX_PAGE_BYTES)?;
        refuse_failure(answer.url.as_str(), answer.status)?;
        found = Some(read_answer(&answer, &mut page, &[asker.token()])?);
        answered = Some(answer);
    }
    let robots = Robots::parse_with(&body, &dialect);
    let question = &questions.list[0];
    let response = fetcher.as_ref().zip(answered.as_ref()).map(|(fetcher, answered)| {
        let own = questions.site.as_ref().map(ToString::to_string);
        let sites = PageResponse::sites(answered).into_iter().filter(|site| Some(site) != own.as_ref());
        let sites = sites.take(MAX_RESOURCE_SITES).filter_map(|site| Some((site.clone(), fetcher.site(&site).ok()?)));
        let sites: BTreeMap<String, SiteRobots> = sites.collect();
        PageResponse::new(answered, &questions, &asker, &robots, |site| sites.get(site))
    });
    let saved = head.map(|head| saved(&head, question, &questions, &asker, &robots)).transpose()?;
    let response = response.or(saved);
    let url = question.asked_in(&dialect);
    if let Some(path) = &args.tdmrep {
        terms::read_tdmrep(path, url, &mut page)?;
    }
    let check = PageCheck::new(
        PageSources {
            file: &file,
            robots: &robots,
            questions: &questions,
            crawler: &asker,
            page: &page,
            found: found.as_ref(),
            has_header: answered.is_some() || args.headers.is_some(),
            response: response.as_ref(),
        },
        question,
    );
    if let (Some(path), Some(response)) = (&args.headers, &response) {
        refuse_redirect(&file::name(path), response, &check)?;
    }
    let base = match (&response, &questions.site) {
        (Some(PageResponse { url: Some(url), .. }), _) => url.to_string(),
        (_, Some(site)) if args.url.starts_with('/') => format!("{site}{}", args.url),
        _ => check.moved_to().unwrap_or(&args.url).to_owned(),
    };
    let is_page = response.as_ref().is_none_or(PageResponse::is_page);
    let resources = found
        .as_ref()
        .filter(|_| is_page)
        .and_then(|found| PageResources::new(found, &base, &dialect, asker.clone(), REFUSED_BY_ADDRESS_RULES));
    // A given file answers for its own site only, and a client finds the files of the others.
    let site = questions.site.as_ref().filter(|_| fetcher.is_none());
    let given = site.map(|site| SiteRobots::given(site, &*body, &dialect));
    let sites = resources.iter().flat_map(PageResources::sites);
    let files: BTreeMap<_, _> = match &fetcher {
        Some(fetcher) => sites.map(|site| (site.as_str(), fetcher.site(site))).collect(),
        None => BTreeMap::new(),
    };
    let file_of = |site: &str| given.as_ref().map(Ok).or_else(|| Some(files.get(site)?.as_ref()));
    let resources = resources.iter().flat_map(|resources| resources.rows(file_of)).collect();
    let report = Report { file: &file, question, questions: &questions, check, resources };
    match args.format.format {
        Format::Human => report.print(&mut anstream::stdout().lock())?,
        Format::Json => json::print(&report.document())?,
    }
    Ok(report.outcome())
}

/// Fails for a status by which nobody knows what the page is. Others, such as 404, are the answer about it.
fn refuse_failure(url: &str, status: u16) -> Result<()> {
    if status == 429 || status >= 500 {
        bail!("expected a page, {url} answered {status}");
    }
    Ok(())
}

/// Returns the response of a page whose header was saved, with the redirects that led to it.
fn saved(
    head: &headers::Head,
    question: &Question,
    questions: &Questions,
    asker: &CrawlerQuery,
    robots: &Robots,
) -> Result<PageResponse> {
    let mut targets: Vec<(Url, _)> = Vec::new();
    for (location, status) in &head.redirects {
        let target = match (targets.last(), question.sent.as_deref().map(Url::parse)) {
            (Some((url, _)), _) => url.join(location),
            (None, Some(Ok(url))) => url.join(location),
            (None, _) => {
                bail!("expected the whole URL of the page, since it redirects to {}", Escaped(location.as_bytes()))
            }
        };
        // A client does not follow others, so the redirect is the page.
        let Some(target) = target.ok().filter(|url| matches!(url.scheme(), "http" | "https")) else { break };
        targets.push((target, *status));
    }
    Ok(PageResponse::saved(head.status, &targets, questions, asker, robots))
}

/// Fails if a header was saved of a redirect, and not of the page that it leads to. If the crawler may not fetch the page
/// or a URL on the way, that is the answer all the same.
fn refuse_redirect(file: &str, response: &PageResponse, check: &PageCheck<'_>) -> Result<()> {
    let is_blocked = response.hops.iter().any(|hop| hop.allowed == Some(false));
    if response.url.is_some() || is_blocked || check.permissions.fetch.is_disallowed() {
        return Ok(());
    }
    let url = |hop: &PageHop| Escaped(hop.url.as_bytes()).to_string();
    if let Some(hop) = response.hops.iter().find(|hop| hop.allowed.is_none()) {
        bail!(
            "{file}: expected the header of the page, found that of a redirect to another site: ask about {}",
            url(hop)
        );
    }
    if let Some(hop) = response.hops.last().filter(|hop| hop.status.is_none()) {
        bail!(
            "{file}: expected the header of the page, found that of a redirect to {}: save both with `curl -sIL`",
            url(hop)
        );
    }
    Ok(())
}

struct Report<'a> {
    file: &'a str,
    question: &'a Question,
    questions: &'a Questions,
    check: PageCheck<'a>,
    resources: Vec<ResourceRow<'a>>,
}

impl Report<'_> {
    fn outcome(&self) -> Outcome {
        let permissions = &self.check.permissions;
        match permissions.fetch.answer() {
            Answer::Allowed => {}
            Answer::Disallowed => return Outcome::No,
            _ => return Outcome::Trouble,
        }
        let check = &self.check;
        let is_elsewhere = check.moved_to().is_some() || check.canonical().is_some() || check.error_status().is_some();
        let is_refused = permissions.index.stance == Stance::No || check.lost_at().is_some() || is_elsewhere;
        if is_refused || !permissions.conflicts.is_empty() {
            return Outcome::No;
        }
        // A part of the page was not read, and may refuse it.
        if permissions.index.stance == Stance::Hidden { Outcome::Trouble } else { Outcome::Yes }
    }

    /// Returns the notes of the check, and the assumption about the site.
    fn notes(&self) -> Vec<String> {
        let mut notes = self.check.notes();
        notes.extend(question::assumption(self.questions, self.file));
        notes
    }

    fn document(&self) -> PageDocument<'_> {
        let mut document = self.check.document(&self.question.typed);
        document.notes = self.notes();
        document.set_resources(self.resources.clone());
        document
    }
}
