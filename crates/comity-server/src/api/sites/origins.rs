//! `/v1/origins`: the cached robots.txt of a site.

use axum::response::Response;
use comity_report::{CopyFacts, SiteFacts, VersionFacts};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::api::ask;
use crate::api::document::respond;
use crate::api::extract::Query;
use crate::problem::Problem;
use crate::state::State;

pub(crate) fn routes() -> OpenApiRouter<State> {
    OpenApiRouter::new().routes(routes!(origins))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct SiteQuery {
    /// The site, or any URL of it.
    #[param(example = "https://example.com")]
    origin: String,
}

#[derive(Serialize, ToSchema)]
struct Remembered<'a> {
    dialect: &'static str,
    copy: Option<CopyFacts<'a>>,
    #[serde(flatten)]
    site: SiteFacts,
    /// The earlier versions of its file, newest first; empty if the service keeps no history.
    history: Vec<VersionFacts>,
}

/// The cached robots.txt of a site
///
/// Also states why it applies, and until when. Fetches nothing.
#[utoipa::path(
    get, path = "/v1/origins", tag = "Sites", params(SiteQuery),
    responses((status = 200, description = "The cached robots.txt", body = Remembered<'static>)),
)]
async fn origins(state: State, Query(whose): Query<SiteQuery>) -> Result<Response, Problem> {
    let origin = ask::origin(&whose.origin)?;
    let site = state.client().cached(&origin).await;
    let site = site.map_err(|error| {
        tracing::warn!(%origin, %error, "what is remembered could not be read");
        Problem::internal()
    })?;
    let Some(site) = site else {
        return Err(Problem::not_found(format!("nothing is remembered of {origin}: POST /v1/fetch asks it")));
    };
    let history = match state.client().store().and_then(|store| store.archive()) {
        Some(archive) => archive.versions(&origin).await.unwrap_or_default(),
        None => Vec::new(),
    };
    let answer = Remembered {
        dialect: state.dialect().name,
        copy: CopyFacts::of(&site),
        site: SiteFacts::of(&site),
        history: history.iter().map(VersionFacts::of).collect(),
    };
    serde_json::to_vec(&answer).map(respond).map_err(|_| Problem::internal())
}
