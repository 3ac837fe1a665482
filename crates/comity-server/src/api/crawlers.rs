//! `/v1/crawlers`: the known crawlers.

use axum::Json;
use axum::response::Response;
use comity::{Escaped, Profile};
use http::HeaderMap;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::api::extract::Path;
use crate::problem::Problem;
use crate::state::State;

pub(crate) fn routes() -> OpenApiRouter<State> {
    OpenApiRouter::new().routes(routes!(all)).routes(routes!(one))
}

/// All known crawlers
#[utoipa::path(get, path = "/v1/crawlers", operation_id = "listCrawlers", tag = "Crawlers", responses((status = 200, description = "All known crawlers", body = [Profile])))]
async fn all(state: State, headers: HeaderMap) -> Response {
    state.crawler_list().respond(&headers)
}

/// One crawler
///
/// Looked up by its product token, regardless of case.
#[utoipa::path(
    get, path = "/v1/crawlers/{token}", operation_id = "getCrawler", tag = "Crawlers",
    params(("token" = String, Path, description = "The product token", example = "Googlebot")),
    responses((status = 200, description = "The crawler", body = Profile)),
)]
async fn one(state: State, Path(token): Path<String>) -> Result<Json<Profile>, Problem> {
    let profile = state.crawlers().find(&token);
    let unknown = || {
        let token = Escaped(token.as_bytes());
        Problem::not_found(format!("no crawler `{token}` is known: /v1/crawlers lists those that are"))
    };
    profile.cloned().map(Json).ok_or_else(unknown)
}
