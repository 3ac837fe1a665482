//! `comity report`: a site on one page, the headline of each answer.

mod html;

use std::collections::BTreeMap;
use std::io::Write;
use std::time::SystemTime;

use anyhow::{Context, Result};
use comity::{Crawlers, Dialect, Origin, Robots};
use comity_fetch::SiteRobots;
use comity_lint::{Evidence, Linter};
use comity_page::Page;
use comity_report::{
    AiReport, CrawlerQuery, Headline, Linted, MAX_PAGE_BYTES, MAX_RESOURCE_SITES, Overview, OverviewTopic, PageCheck,
    PageResources, PageResponse, PageSources, Tone, Variants, history_headline, open_to, read_answer, site_headline,
    site_variants,
};

use super::{history, sitemaps};
use crate::args::{self, ReportFormat};
use crate::input::live::{self, Fetcher};
use crate::input::{crawlers, file, question};
use crate::outcome::Outcome;
use crate::render::error::message;
use crate::render::json;
use crate::render::provenance::REFUSED_BY_ADDRESS_RULES;
use crate::render::style::{self, paint};

/// The crawler whose view of the pages is reported.
const AGENT: &str = "Googlebot";

/// The reason why a part has no answer if only a file is known.
const NO_SITE: &str = "not asked: it needs the address of the site";

pub(crate) fn run(args: &args::Report) -> Result<Outcome> {
    let table = crawlers::table(args.crawlers.as_deref())?;
    let overview = if let Some(url) = args.file.to_str().filter(|_| live::is_url(&args.file)) {
        of_site(url, args, &table)?
    } else {
        let (name, body) = file::robots(Some(&args.file), &Dialect::GOOGLE)?;
        of_file(&name, &body, &table)
    };
    let out = &mut anstream::stdout().lock();
    match args.format {
        ReportFormat::Human => human(&overview, out)?,
        ReportFormat::Json => json::print(&overview)?,
        ReportFormat::Html => html::write(&overview, out)?,
    }
    Ok(match (overview.has_bad(), overview.is_complete() || overview.site.is_none()) {
        (true, _) => Outcome::No,
        (false, true) => Outcome::Yes,
        (false, false) => Outcome::Trouble,
    })
}

/// Returns what a file alone proves.
fn of_file(name: &str, body: &[u8], table: &Crawlers) -> Overview {
    Overview::new(name.to_owned(), None, |part| match part {
        OverviewTopic::Open => Ok(open_to(body, table)),
        OverviewTopic::Mistakes => Ok(mistakes(name, body, None, table)),
        OverviewTopic::Ai => Ok(ai(name, body, table)),
        _ => Err(NO_SITE.to_owned()),
    })
}

fn of_site(url: &str, args: &args::Report, table: &Crawlers) -> Result<Overview> {
    let origin = Origin::of(url).context("the address of the site")?;
    let variants = site_variants(&origin);
    // The user names the site, and so all of its addresses.
    let typed: Vec<&str> = variants.iter().map(Origin::as_str).collect();
    let fetcher = Fetcher::new(&args.fetching, &Dialect::STANDARD, &typed)?;
    let site = fetcher.site(origin.as_str())?;
    let known = fetcher.read_robots(origin.as_str());
    let page = known
        .as_ref()
        .map_err(message)
        .and_then(|(name, body)| front_page(&fetcher, &origin, name, body, table).map_err(|error| message(&error)));
    let mut others: Vec<(Origin, Option<SiteRobots>)> = Vec::new();
    for address in variants {
        let found = fetcher.site(address.as_str()).ok();
        others.push((address, found));
    }
    let name = known.as_ref().map_or_else(|_| origin.robots_url(), |(name, _)| name.clone());
    let overview = Overview::new(name, Some(origin.to_string()), |part| {
        let (name, body) = match (&known, part) {
            (Ok((name, body)), _) => (name.as_str(), body.as_slice()),
            // These need no file.
            (Err(_), OverviewTopic::Open | OverviewTopic::Addresses | OverviewTopic::Changes) => ("", &b""[..]),
            (Err(_), _) => return Err("there is no robots.txt to answer by".to_owned()),
        };
        match part {
            OverviewTopic::Open => Ok(site_headline(&site, table)),
            OverviewTopic::Mistakes => Ok(mistakes(name, body, Some(&origin), table)),
            OverviewTopic::Ai => Ok(ai(name, body, table)),
            OverviewTopic::Sitemaps => {
                sitemaps::headline(&fetcher, &origin, name, body, &query(table)).map_err(|e| message(&e))
            }
            OverviewTopic::FrontPage => page.clone().map(|(page, _)| page),
            OverviewTopic::Files => match page.clone()? {
                (_, Some(files)) => Ok(files),
                (_, None) => Ok(Headline::new(Tone::Neutral, "The front page loads no styles, scripts or images.")),
            },
            OverviewTopic::Addresses => Ok(Variants::new(others.clone(), table).headline),
            _ if args.fetching.keeping.no_cache => Err("not asked: nothing is stored with --no-cache".to_owned()),
            _ => {
                let changes = fetcher.in_store(async |archive| history::changes(archive, &origin, table).await);
                Ok(history_headline(&changes.map_err(|error| message(&error))?))
            }
        }
    });
    Ok(overview)
}

fn query(table: &Crawlers) -> CrawlerQuery {
    CrawlerQuery::new(AGENT, Some(table))
}

fn mistakes(name: &str, body: &[u8], origin: Option<&Origin>, table: &Crawlers) -> Headline {
    let mut evidence = Evidence::default();
    evidence.location = origin.map(Origin::robots_url);
    let mut linter = Linter::new();
    linter.set_crawlers(table.clone());
    Linted::new(name, &linter.lint(body, &evidence)).headline
}

fn ai(name: &str, body: &[u8], table: &Crawlers) -> Headline {
    AiReport::new(name.to_owned(), &Robots::parse(body), table.iter()).headline
}

/// Fetches the front page. Returns its answer, and that for the files that it loads.
fn front_page(
    fetcher: &Fetcher,
    origin: &Origin,
    name: &str,
    body: &[u8],
    table: &Crawlers,
) -> Result<(Headline, Option<Headline>)> {
    let url = format!("{origin}/");
    let answer = fetcher.get(&url, MAX_PAGE_BYTES)?;
    let crawler = query(table);
    let questions = question::typed(std::slice::from_ref(&url), None, false)?;
    let mut page = Page::with_crawlers(table).at(SystemTime::now());
    let found = read_answer(&answer, &mut page, &[crawler.token()])?;
    let resources =
        PageResources::new(&found, answer.url.as_str(), &Dialect::STANDARD, crawler.clone(), REFUSED_BY_ADDRESS_RULES);
    let mut sites = PageResponse::sites(&answer);
    sites.extend(resources.iter().flat_map(|resources| resources.sites().to_vec()));
    let mut files = BTreeMap::new();
    for site in sites.into_iter().take(2 * MAX_RESOURCE_SITES) {
        files.entry(site).or_insert_with_key(|site| fetcher.site(site));
    }
    let robots = Robots::parse(body);
    let site = |site: &str| files.get(site).and_then(|site| site.as_ref().ok());
    let response = PageResponse::new(&answer, &questions, &crawler, &robots, site);
    let check = PageCheck::new(
        PageSources {
            file: name,
            robots: &robots,
            questions: &questions,
            crawler: &crawler,
            page: &page,
            found: Some(&found),
            has_header: true,
            response: Some(&response),
        },
        &questions.list[0],
    );
    let mut document = check.document(&url);
    let rows = resources.iter().flat_map(|resources| resources.rows(|site| Some(files.get(site)?.as_ref())));
    document.set_resources(rows.collect());
    Ok((document.headline.clone(), document.resources_headline.clone()))
}

fn human(overview: &Overview, out: &mut impl Write) -> Result<()> {
    writeln!(out, "{}\n", paint(style::STRONG, overview.site.as_ref().unwrap_or(&overview.file)))?;
    for part in &overview.parts {
        let title = format!("{:<11}", part.part.title());
        match (&part.headline, &part.missing) {
            (Some(headline), _) => writeln!(out, "  {} {}", paint(style_of(headline.tone), title), headline.text)?,
            (None, missing) => {
                let missing = missing.as_deref().unwrap_or_default();
                writeln!(out, "  {title} {}", paint(style::FAINT, style::safe(missing)))?;
            }
        }
    }
    if let Some(site) = &overview.site {
        writeln!(
            out,
            "\n{}",
            paint(style::FAINT, format!("`comity report --format json {site}` names the command for each."))
        )?;
    }
    Ok(())
}

fn style_of(tone: Tone) -> anstyle::Style {
    match tone {
        Tone::Good => style::ALLOWED,
        Tone::Bad => style::DISALLOWED,
        Tone::Caution => style::NO_VERDICT,
        _ => anstyle::Style::new(),
    }
}
