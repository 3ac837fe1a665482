//! `/v1/fetch`: fetches a site's robots.txt and reports each request.

use axum::response::Response;
use comity::SIZE_LIMIT;
use comity_fetch::{Access, Rung};
use comity_report::{CopyFacts, FetchLog, Headline, if_it_lasts, looks_like_html, site_headline, stamp};
use serde::{Deserialize, Serialize};

use crate::api::ask;
use crate::api::document::document;
use crate::api::extract::{Caller, Json};
use crate::problem::Problem;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FetchQuestion {
    /// A URL of the site.
    url: String,
    /// The policy that decides what the result means. Defaults to the service's.
    policy: Option<String>,
    /// Includes the file.
    #[serde(default = "yes")]
    body: bool,
}

fn yes() -> bool {
    true
}

#[derive(Serialize)]
struct FetchAnswer<'a> {
    /// For whom the site is open, in words.
    headline: Headline,
    dialect: &'static str,
    copy: Option<CopyFacts<'a>>,
    /// True if the file in force is cut: crawlers read only its first 512,000 bytes.
    is_cut: bool,
    /// True if the file in force looks like a web page instead of a robots.txt.
    looks_like_html: bool,
    /// The effect if the site goes on failing, in words; `null` if the file is not unreachable, or has been for long.
    if_it_lasts: Option<String>,
    #[serde(flatten)]
    log: FetchLog,
}

/// Fetches a site's robots.txt
///
/// Fetches it even if it is cached. Reports each request with its status and timing, and the resulting access.
pub(crate) async fn fetch(caller: Caller, Json(question): Json<FetchQuestion>) -> Result<Response, Problem> {
    let policy = ask::policy(question.policy.as_deref())?;
    let origin = ask::origin(&question.url)?;
    if caller.state.client.is_offline() {
        return Err(Problem::unprocessable(
            "this service fetches nothing: GET /v1/origins lists the files that it has",
        ));
    }
    let Caller { state, permit, .. } = &caller;
    let site = permit.aside(&origin, state.fetch(permit.account(), &origin)).await?;
    let site = site.map_err(|error| ask::not_known(&error))?;
    let dialect = state.client.dialect().name;
    let lasting = *policy.as_ref().unwrap_or(state.client.policy());
    document(&caller, site.copy().is_none_or(|copy| copy.body.len() < 16 << 10), move |state, budget| {
        let judged = policy.and_then(|policy| site.under(&policy));
        let mut log = FetchLog::of(judged.as_ref().unwrap_or(&site), question.body);
        let is_first = log.site.rung == Some(Rung::First);
        let if_it_lasts = is_first.then(|| if_it_lasts(&lasting, judged.as_ref().unwrap_or(&site).ruling().event));
        // The policy in force decides when the file is fetched again.
        log.site.due = stamp(site.due());
        log.site.overdue = site.is_overdue();
        let body = site.copy().filter(|_| log.site.access == Access::Rules).map(|copy| &copy.body[..]);
        budget.json(&FetchAnswer {
            headline: site_headline(judged.as_ref().unwrap_or(&site), &state.crawlers),
            dialect,
            copy: CopyFacts::of(&site),
            is_cut: body.is_some_and(|body| body.len() > SIZE_LIMIT),
            looks_like_html: body.is_some_and(looks_like_html),
            if_it_lasts,
            log,
        })
    })
    .await
}
