//! `POST /v1/check`: may these crawlers fetch these URLs?

use std::collections::BTreeMap;

use axum::response::Response;
use comity::{Dialect, Origin};
use comity_fetch::{Access, CheckError, SiteRobots};
use comity_report::{Check, CheckDocument, CrawlerQuery, Explain, Question, Questions};
use futures_util::{StreamExt, TryStreamExt, stream};
use serde::Deserialize;

use crate::api::ask;
use crate::api::document::{Rows, document, is_little};
use crate::api::extract::{Caller, Json};
use crate::problem::Problem;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckQuestion {
    /// The URL, or a path that starts with `/` if a file or an origin is given.
    url: Option<String>,
    /// Many URLs, instead of `url`.
    urls: Option<Vec<String>>,
    /// The crawler. Defaults to one that no group names.
    agent: Option<String>,
    /// Many crawlers, instead of `agent`.
    agents: Option<Vec<String>>,
    /// The file that decides. Without it, the file of each URL's site decides.
    robots: Option<String>,
    /// The file's bytes, as base64.
    robots_b64: Option<String>,
    /// The access that applies instead of a file, as `/v1/fetch` returns it for a site without one: `allow-all` or
    /// `disallow-all`.
    access: Option<String>,
    /// The origin that serves the file.
    origin: Option<String>,
    /// The dialect. Defaults to standard; for sites, to the service's.
    dialect: Option<String>,
    /// Takes URLs as they are, without parsing them as a browser does.
    #[serde(default)]
    raw: bool,
    /// Takes names as literal product tokens, without looking them up.
    #[serde(default)]
    literal: bool,
    /// Adds the reasons: the groups, each rule that was considered, and sentences.
    #[serde(default)]
    explain: bool,
}

/// May these crawlers fetch these URLs?
///
/// Decided by the file in the request, by the access that applies instead of one, or by the sites' own files, fetched
/// or cached.
pub(crate) async fn check(caller: Caller, Json(question): Json<CheckQuestion>) -> Result<Response, Problem> {
    let explain = if question.explain { Explain::InWords } else { Explain::Not };
    let dialect = ask::dialect(question.dialect.as_deref())?;
    let list = ask::questions(&caller, question.url, question.urls, question.raw).await?;
    let crawlers = ask::who(&caller.state, question.agent, question.agents, question.literal)?;
    ask::bound(&caller.state, list.len(), crawlers.len())?;
    let whole = [Access::AllowAll, Access::DisallowAll];
    let access = ask::named("access", &whole, |access| access.name(), question.access.as_deref())?;
    let given = match (access, question.robots, question.robots_b64) {
        (Some(access), None, None) => Some(Given::Access(access)),
        (Some(_), ..) => return Err(Problem::bad_request("expected a file or `access`, found both")),
        (None, robots, encoded) => ask::given(robots, encoded)?.map(Given::File),
    };
    let origin = question.origin.as_deref();
    let questions = if given.is_some() { Questions::of_file(list, origin) } else { Questions::live(list, origin) };
    let questions = questions.map_err(|error| ask::unanswerable(&error))?;
    let Some(given) = given else {
        return by_sites(&caller, dialect, crawlers, questions, explain).await;
    };
    let is_little = is_little(given.bytes(), questions.list.len() * crawlers.len());
    document(&caller, is_little, move |_, budget| {
        let check = Check::new(&dialect.unwrap_or(Dialect::STANDARD), crawlers, questions);
        let site = match given {
            Given::File(body) => check.given(body),
            Given::Access(access) => check.without_file(access),
        };
        budget.check()?;
        let rows = check.answers(Ok(&site)).map(|answer| answer.row(explain));
        budget.json(&CheckDocument::new(&check, None, [Some(&site)], Rows::new(budget, rows)))
    })
    .await
}

/// The robots.txt in a request, or the access that applies instead of one.
enum Given {
    File(Vec<u8>),
    Access(Access),
}

impl Given {
    fn bytes(&self) -> usize {
        if let Self::File(body) = self { body.len() } else { 0 }
    }
}

async fn by_sites(
    caller: &Caller,
    dialect: Option<Dialect>,
    crawlers: Vec<CrawlerQuery>,
    questions: Questions,
    explain: Explain,
) -> Result<Response, Problem> {
    let mut found = find(caller, &questions).await?;
    let number = questions.list.len() * crawlers.len();
    let bytes = found.values().flatten().filter_map(SiteRobots::copy).map(|copy| copy.body.len()).sum();
    let (policy, own) = (caller.state.client.policy().name, *caller.state.client.dialect());
    document(caller, explain == Explain::Not && is_little(bytes, number), move |_, budget| {
        let dialect = dialect.unwrap_or(own);
        if dialect != own {
            for site in found.values_mut().flatten() {
                *site = site.read_in(&dialect);
                budget.check()?;
            }
        }
        let check = Check::new(&dialect, crawlers, questions).with_refusal(ask::REFUSED);
        let (check, found) = (&check, &found);
        let answers = check.questions().list.iter().flat_map(|question| {
            let site = found[&site_of(question, check.questions())].as_ref();
            check.answers_to(question, site).map(move |answer| answer.row(explain))
        });
        let sites = found.values().map(|site| site.as_ref().ok());
        budget.json(&CheckDocument::new(check, Some(policy), sites, Rows::new(budget, answers)))
    })
    .await
}

/// Returns a URL of the site that a question is about. For a path without a site, returns the path as the client sent it.
fn site_of(question: &Question, questions: &Questions) -> String {
    question.on_site(questions.site.as_ref()).unwrap_or_else(|| question.typed.clone())
}

/// Returns the robots.txt of each question's site. While they are fetched, the request's slot is free.
/// Memory for large ones is reserved as they arrive.
async fn find(
    Caller { state, permit, .. }: &Caller,
    questions: &Questions,
) -> Result<BTreeMap<String, Result<SiteRobots, CheckError>>, Problem> {
    /// The maximum number of sites that one request waits for at the same time. The client limits its fetches
    /// separately.
    const MAX_CONCURRENT_SITES: usize = 256;
    /// The maximum number of sites in one request, because their files are held until all of them have arrived.
    const MAX_SITES: usize = 256;
    /// The maximum size of a copy for which no memory is reserved, so that usual requests do not take this time.
    const MAX_SMALL_BYTES: usize = 16 << 10;
    let mut sites: Vec<String> = questions.list.iter().map(|question| site_of(question, questions)).collect();
    sites.sort_unstable();
    sites.dedup();
    if sites.len() > MAX_SITES {
        let found = sites.len();
        return Err(Problem::too_large(format!(
            "expected URLs of at most {MAX_SITES} sites, found {found}: ask about fewer at once, or use /v1/batch"
        ))
        .with_max(MAX_SITES));
    }
    let first = sites.iter().find_map(|site| Origin::of(site).ok());
    let asked = stream::iter(sites)
        .map(async |url| {
            let site = state.robots_of_url(permit.account(), &url).await;
            let bytes = site.as_ref().ok().and_then(SiteRobots::copy).map_or(0, |copy| copy.body.len());
            if bytes > MAX_SMALL_BYTES {
                // For the copy, and for the rules in it.
                permit.hold(&state.bodies, 2 * bytes).await?;
            }
            Ok::<_, Problem>((url, site))
        })
        .buffer_unordered(MAX_CONCURRENT_SITES)
        .try_collect();
    match first {
        Some(first) => permit.aside(&first, asked).await?,
        None => asked.await,
    }
}
