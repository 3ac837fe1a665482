//! `GET /v1/check`: may this crawler fetch this URL? This is the most frequent request of a fleet, so its cost is kept
//! low.

use std::borrow::Cow;

use axum::response::Response;
use comity::{Crawler, Dialect, Origin};
use comity_fetch::{CheckOutcome, Policy, SiteRobots, SiteRules};
use comity_report::{CheckRow, CrawlerQuery, OperatorAnswer, OperatorQuestion, SingleAnswer, accepts_raw_urls};
use http::Uri;

use crate::admission::AdmissionPermit;
use crate::api::ask;
use crate::api::document::{is_little_in_depth, respond};
use crate::api::extract::{Caller, query};
use crate::problem::Problem;
use crate::state::State;

/// The initial capacity for an answer, in bytes. Nearly all answers are shorter.
const USUAL_LEN: usize = 1024;

/// May this crawler fetch this URL?
///
/// Decided by the robots.txt of the URL's site, fetched or cached.
pub(crate) async fn check_one(state: State, permit: AdmissionPermit, uri: Uri) -> Result<Response, Problem> {
    // `Accept-Encoding` is not read: nearly all answers are too short to be compressed.
    let caller = Caller { state, permit, prefers_gzip: false };
    let state = &caller.state;
    let names = ["url", "agent", "dialect", "policy", "literal"];
    let [url, agent, dialect, policy, literal] = query::parse(&uri, names)?;
    let is_literal = query::boolean("literal", literal.as_deref(), false)?;
    let dialect = ask::dialect(dialect.as_deref())?.unwrap_or(*state.client.dialect());
    let policy = ask::policy(policy.as_deref())?;
    let url = query::required("url", url)?;
    let typed = comity::url::without_userinfo(&url);
    let name = agent.as_deref().unwrap_or("*");
    let profile = if is_literal { None } else { state.crawlers.find(name) };
    let other;
    let (token, crawler) = if let Some(profile) = profile {
        (&*profile.token, Crawler::from(profile))
    } else {
        // It may be something that people mistake for a product token.
        let table = (!is_literal).then(|| &state.crawlers);
        other = CrawlerQuery::typed(name, table).map_err(|error| ask::unanswerable(&error))?;
        (other.token(), other.as_crawler())
    };

    let (sent, origin) = ask::sent(&typed)?;
    let url = UrlForms { typed: Cow::Borrowed(&*typed), sent };
    let site = site_for(&caller, &origin, dialect, policy).await?;
    let asked = url.asked_in(&dialect);
    let (rules, outcome) = if is_slow(&site, &crawler, asked) {
        let crawler = CrawlerQuery::new(token, (!is_literal).then(|| &state.crawlers));
        let (site, asked) = (site.clone(), asked.to_owned());
        let work = move || decide(&site, &crawler.as_crawler(), &asked);
        caller.compute(work).await?
    } else {
        decide(&site, &crawler, asked)
    };
    let verdict = outcome.verdict();
    let delay = rules.rules().filter(|_| verdict.is_some()).and_then(comity::Rules::crawl_delay);
    let differing =
        profile.zip(verdict).and_then(|(profile, verdict)| OperatorQuestion::new(profile, &dialect, verdict));
    let mut row = CheckRow::of_site(&url.typed, asked, token, &site, &outcome, ask::REFUSED);
    row.known = profile.is_some();
    row.crawl_delay = delay.map(|delay| delay.delay.as_secs_f64());
    if let Some(question) = differing {
        row.operator_answer = operator_answer(&caller, &site, question, &url).await?;
    }
    let mut json = Vec::with_capacity(USUAL_LEN);
    serde_json::to_writer(&mut json, &SingleAnswer::new(row, &dialect, &site)).map_err(|_| Problem::internal())?;
    Ok(respond(json))
}

/// Returns true if the answer may take long: the file is large, and its rules are not compiled yet or the URL is long.
fn is_slow(site: &SiteRobots, crawler: &Crawler<'_>, url: &str) -> bool {
    const MAX_QUICK_FILE_BYTES: usize = 16 << 10;
    const MAX_QUICK_URL_BYTES: usize = 1 << 10;
    site.copy().is_some_and(|copy| copy.body.len() > MAX_QUICK_FILE_BYTES)
        && (url.len() > MAX_QUICK_URL_BYTES || !site.has_compiled(crawler))
}

/// Returns the rules of a site for a crawler, and the answer about a URL in the form that is checked.
fn decide(site: &SiteRobots, crawler: &Crawler<'_>, url: &str) -> (SiteRules, CheckOutcome) {
    let rules = site.rules_for(crawler);
    let outcome = rules.check_as_is(url);
    (rules, outcome)
}

/// The forms of a URL: as it was typed, and as a browser would send it.
#[derive(Clone)]
struct UrlForms<'u> {
    typed: Cow<'u, str>,
    sent: Cow<'u, str>,
}

impl UrlForms<'_> {
    /// Returns the form that is checked in a dialect.
    fn asked_in(&self, dialect: &Dialect) -> &str {
        if accepts_raw_urls(dialect) { &self.typed } else { &self.sent }
    }

    fn into_owned(self) -> UrlForms<'static> {
        UrlForms { typed: Cow::Owned(self.typed.into_owned()), sent: Cow::Owned(self.sent.into_owned()) }
    }
}

/// Returns the robots.txt of a site, read in this dialect, with the ruling of this policy. The policy defaults to that of
/// the service.
async fn site_for(
    caller: &Caller,
    origin: &Origin,
    dialect: Dialect,
    policy: Option<Policy>,
) -> Result<SiteRobots, Problem> {
    let site = ask::robots(caller, origin).await?;
    let client = &caller.state.client;
    let other_dialect = Some(dialect).filter(|dialect| dialect != client.dialect());
    let other_policy = policy.filter(|policy| policy.name != client.policy().name);
    if other_dialect.is_none() && other_policy.is_none() {
        return Ok(site);
    }
    // Both read the file again, which may take long.
    let read = move || {
        let site = match other_policy {
            Some(policy) => site.under(&policy)?,
            None => site,
        };
        Some(match other_dialect {
            Some(dialect) => site.read_in(&dialect),
            None => site,
        })
    };
    let found = caller.compute(read).await?;
    found.ok_or_else(|| Problem::unprocessable(format!("{origin} has not been asked for its file yet")))
}

/// Returns the answer in the dialect of the crawler's operator, if it is a different one. A large file is read on another
/// thread.
async fn operator_answer(
    caller: &Caller,
    site: &SiteRobots,
    question: OperatorQuestion<'_>,
    url: &UrlForms<'_>,
) -> Result<Option<OperatorAnswer>, Problem> {
    let operators = &caller.state.operators;
    let length = site.copy().map_or(0, |copy| copy.body.len());
    if !operators.needs_file(site) || is_little_in_depth(length, 1) {
        return Ok(operators.answer(site, &question, |dialect| url.asked_in(dialect)));
    }
    let (shared, site, question, url) =
        (caller.state.clone(), site.clone(), question.into_owned(), url.clone().into_owned());
    let read = move || shared.operators.answer(&site, &question, |dialect| url.asked_in(dialect));
    caller.compute(read).await
}
