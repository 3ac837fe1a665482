//! `/v1/ai`: what a robots.txt says to AI crawlers.

use axum::response::Response;
use comity::{Dialect, Robots};
use comity_report::AiReport;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::admission::AdmissionPermit;
use crate::api::ask::{self, File};
use crate::api::copy::Copy;
use crate::api::document::{document, is_little};
use crate::api::extract::Json;
use crate::problem::Problem;
use crate::state::State;

pub(crate) fn routes() -> OpenApiRouter<State> {
    OpenApiRouter::new().routes(routes!(ai))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct AiQuestion {
    /// The file.
    #[schema(example = "User-agent: *\nDisallow: /private/\n")]
    robots: Option<String>,
    /// The file's bytes, as base64.
    robots_b64: Option<String>,
    /// Or a URL of the site whose file it is about.
    url: Option<String>,
    /// The dialect that it is read in: standard if nothing is said, the service's for a site.
    dialect: Option<String>,
}

#[derive(Serialize, ToSchema)]
struct AiAnswer {
    /// The policy that the file came by; none if the request brought it.
    policy: Option<&'static str>,
    copy: Option<Copy>,
    #[serde(flatten)]
    report: AiReport,
}

/// What a robots.txt says to AI crawlers
///
/// To those that are known, by what they fetch for: training, search, or a person's question.
#[utoipa::path(
    post, path = "/v1/ai", tag = "Files", request_body = AiQuestion,
    responses((status = 200, description = "What it says", body = AiAnswer)),
)]
async fn ai(state: State, permit: AdmissionPermit, Json(question): Json<AiQuestion>) -> Result<Response, Problem> {
    let named = ask::dialect(question.dialect.as_deref())?;
    let given = ask::given(question.robots, question.robots_b64)?;
    let file = File::of(&state, &permit, given, question.url.as_deref()).await?;
    let own = if file.known.is_some() { *state.dialect() } else { Dialect::STANDARD };
    let dialect = named.unwrap_or(own);
    let table = state.clone();
    document(&state, permit.client(), is_little(file.body.len(), 1), move |budget| {
        let robots = Robots::parse_with(&file.body, &dialect);
        budget.check()?;
        let report = AiReport::new(file.name.clone(), &robots, table.crawlers().iter());
        budget.json(&AiAnswer { policy: file.policy(), copy: file.copy(), report })
    })
    .await
}
