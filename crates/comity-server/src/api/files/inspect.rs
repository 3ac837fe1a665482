//! `/v1/inspect`: what a robots.txt says, as it was understood.

use axum::response::Response;
use comity::Dialect;
use comity_report::Inspection;
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
    OpenApiRouter::new().routes(routes!(inspect))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct InspectQuestion {
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
struct InspectAnswer {
    /// The policy that the file came by; none if the request brought it.
    policy: Option<&'static str>,
    copy: Option<Copy>,
    #[serde(flatten)]
    inspection: Inspection,
}

/// What a robots.txt says
///
/// As it was understood: groups, rules in their comparable form, other records, lines without effect and why.
#[utoipa::path(
    post, path = "/v1/inspect", tag = "Files", request_body = InspectQuestion,
    responses((status = 200, description = "What it says", body = InspectAnswer)),
)]
async fn inspect(
    state: State,
    permit: AdmissionPermit,
    Json(question): Json<InspectQuestion>,
) -> Result<Response, Problem> {
    let named = ask::dialect(question.dialect.as_deref())?;
    let given = ask::given(question.robots, question.robots_b64)?;
    let file = File::of(&state, &permit, given, question.url.as_deref()).await?;
    let own = if file.known.is_some() { *state.dialect() } else { Dialect::STANDARD };
    let dialect = named.unwrap_or(own);
    document(&state, permit.client(), is_little(file.body.len(), 1), move |budget| {
        let inspection = Inspection::new(file.name.clone(), &file.body, &dialect);
        budget.json(&InspectAnswer { policy: file.policy(), copy: file.copy(), inspection })
    })
    .await
}
