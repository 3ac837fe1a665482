//! `GET /v1/check`: may this crawler fetch this URL? This is the most frequent request of a fleet, so its cost is kept
//! low.

use std::borrow::Cow;

use axum::response::Response;
use comity::{Crawler, Dialect};
use comity_report::{
    CheckRow, CopyFacts, CrawlerQuery, OperatorQuestion, SingleAnswer, SiteRef, accepts_raw_urls, deciding_line,
    is_unanswered, verdict_or_policy,
};
use http::Uri;
use url::form_urlencoded;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::admission::AdmissionPermit;
use crate::admission::scheduler::Waiting;
use crate::api::ask;
use crate::api::document::{is_little_in_depth, respond};
use crate::problem::Problem;
use crate::state::State;

pub(crate) fn routes() -> OpenApiRouter<State> {
    OpenApiRouter::new().routes(routes!(check_one))
}

/// The parameters of the query.
#[derive(Debug, Default, PartialEq, Eq)]
struct Asked<'q> {
    url: Option<Cow<'q, str>>,
    agent: Option<Cow<'q, str>>,
    dialect: Option<Cow<'q, str>>,
    policy: Option<Cow<'q, str>>,
    literal: Option<Cow<'q, str>>,
}

impl<'q> Asked<'q> {
    fn parse(query: &'q str) -> Result<Self, Problem> {
        let mut asked = Self::default();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let place = match &*name {
                "url" => &mut asked.url,
                "agent" => &mut asked.agent,
                "dialect" => &mut asked.dialect,
                "policy" => &mut asked.policy,
                "literal" => &mut asked.literal,
                _ => {
                    let name = comity::Escaped(name.as_bytes());
                    let expected = "expected `url`, `agent`, `dialect`, `policy` or `literal` in the query";
                    return Err(Problem::bad_request(format!("{expected}, found `{name}`")));
                }
            };
            if place.replace(value).is_some() {
                return Err(Problem::bad_request(format!(
                    "expected `{name}` once in the query, found it several times"
                )));
            }
        }
        Ok(asked)
    }

    fn is_literal(&self) -> Result<bool, Problem> {
        match self.literal.as_deref() {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(_) => Err(Problem::bad_request("expected true or false in `literal`")),
        }
    }
}

/// The initial capacity for an answer, in bytes. Nearly all answers are shorter.
const USUAL_LEN: usize = 1024;

/// May this crawler fetch this URL?
///
/// Decided by the robots.txt of the URL's site, fetched or cached.
#[utoipa::path(
    get, path = "/v1/check", operation_id = "checkUrl", tag = "Questions",
    params(
        ("url" = String, Query, description = "The URL", example = "https://example.com/private/"),
        ("agent" = Option<String>, Query, description = "The crawler. Defaults to one that no group names", example = "Googlebot"),
        ("dialect" = Option<String>, Query, description = "The dialect in which the file is read. Defaults to the service's"),
        ("policy" = Option<String>, Query, description = "The policy that decides what errors of the site mean. Defaults to the service's"),
        ("literal" = Option<bool>, Query, description = "Takes the name as a literal product token, without looking it up"),
    ),
    responses((status = 200, description = "The answer", body = SingleAnswer<'static>)),
)]
async fn check_one(state: State, permit: AdmissionPermit, uri: Uri) -> Result<Response, Problem> {
    let asked = Asked::parse(uri.query().unwrap_or_default())?;
    let is_literal = asked.is_literal()?;
    let dialect = ask::dialect(asked.dialect.as_deref())?;
    let policy = ask::policy(asked.policy.as_deref())?;
    let Some(typed) = asked.url.as_deref() else {
        return Err(Problem::bad_request("expected `url` in the query, found none"));
    };
    let typed = &*comity::without_userinfo(typed);
    let name = asked.agent.as_deref().unwrap_or("*");
    let profile = if is_literal { None } else { state.crawlers().find(name) };
    let literal;
    let (agent, crawler) = if let Some(profile) = profile {
        (&*profile.token, Crawler::from(profile))
    } else {
        // It may be something that people mistake for a product token.
        let table = (!is_literal).then(|| state.crawlers());
        literal = CrawlerQuery::typed(name, table).map_err(|error| ask::unanswerable(&error))?;
        (literal.token(), literal.as_crawler())
    };

    let (sent, origin) = ask::sent(typed)?;
    let mut site = ask::robots(&state, &permit, &origin).await?;
    let own = *state.dialect();
    let dialect = dialect.unwrap_or(own);
    let other_policy = policy.filter(|policy| policy.name != state.policy().name);
    // Both read the file again, which may take long.
    if other_policy.is_some() || dialect.name != own.name {
        let read = move || {
            let site = match other_policy {
                Some(policy) => site.under(&policy)?,
                None => site,
            };
            Some(if dialect.name == own.name { site } else { site.read_in(&dialect) })
        };
        let found = state.compute(permit.client(), Waiting::Bounded, read).await?;
        let asked_by_nobody = || Problem::unprocessable(format!("{origin} has not been asked for its file yet"));
        site = found.ok_or_else(asked_by_nobody)?;
    }
    let asked_in = |dialect: &Dialect| if accepts_raw_urls(dialect) { typed } else { &*sent };
    let asked = asked_in(&dialect);
    let rules = site.rules_for(&crawler);
    let outcome = rules.check_as_is(asked);
    let verdict = outcome.verdict();
    let differing =
        profile.zip(verdict).and_then(|(profile, verdict)| OperatorQuestion::new(profile, &dialect, verdict));
    let operator_answer = if let Some(question) = differing {
        let operators = state.operators();
        let length = site.copy().map_or(0, |copy| copy.body.len());
        if operators.needs_file(&site) && !is_little_in_depth(length, 1) {
            let (shared, site, question) = (state.clone(), site.clone(), question.into_owned());
            let (typed, sent) = (typed.to_owned(), sent.clone().into_owned());
            let read = move || {
                let asked_in = |dialect: &Dialect| if accepts_raw_urls(dialect) { &*typed } else { &*sent };
                shared.operators().answer(&site, &question, asked_in)
            };
            state.compute(permit.client(), Waiting::Bounded, read).await?
        } else {
            operators.answer(&site, &question, asked_in)
        }
    } else {
        None
    };
    let delay = rules.rules().filter(|_| verdict.is_some()).and_then(comity::Rules::crawl_delay);
    let ruling = site.ruling();
    // A refusal of this service is not an answer of the site.
    let is_unanswered = is_unanswered(&site, &outcome);
    let mut row = CheckRow::new(typed, asked, agent, verdict_or_policy(Some(&outcome).filter(|_| !is_unanswered)));
    row.error = is_unanswered.then(|| ask::REFUSED.to_owned());
    row.known = profile.is_some();
    row.site = Some(SiteRef::of(&origin));
    row.text = deciding_line(&site, &outcome);
    row.crawl_delay = delay.map(|delay| delay.delay.as_secs_f64());
    row.operator_answer = operator_answer;
    let answer = SingleAnswer {
        row,
        dialect: dialect.name,
        policy: ruling.policy,
        access: ruling.access,
        event: ruling.event,
        policy_row: ruling.row,
        rung: ruling.rung,
        copy: CopyFacts::of(&site),
    };
    let mut json = Vec::with_capacity(USUAL_LEN);
    serde_json::to_writer(&mut json, &answer).map_err(|_| Problem::internal())?;
    Ok(respond(json))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_taken_apart() {
        let asked = Asked::parse("url=https%3A%2F%2Fa.test%2Fx%3Fa%3Db&agent=Googlebot").unwrap();
        assert_eq!(asked.url.as_deref(), Some("https://a.test/x?a=b"));
        assert!(matches!(asked.agent, Some(Cow::Borrowed("Googlebot"))));
        assert_eq!(Asked::parse("url=a&url=b").unwrap_err().code(), "bad-request");
        assert_eq!(Asked::parse("uri=a").unwrap_err().code(), "bad-request");
        assert_eq!(Asked::parse("").unwrap(), Asked::default());
    }
}
