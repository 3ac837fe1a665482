//! `/v1/crawlers`: the known crawlers.

use axum::Json;
use axum::response::Response;
use axum::routing::get;
use comity::{Escaped, Profile};
use http::HeaderMap;

use crate::api::Endpoints;
use crate::api::extract::Path;
use crate::problem::Problem;
use crate::state::State;

pub(crate) fn endpoints() -> Endpoints {
    vec![("/v1/crawlers", get(all)), ("/v1/crawlers/{token}", get(one))]
}

/// All known crawlers
async fn all(state: State, headers: HeaderMap) -> Response {
    state.crawler_list().respond(&headers)
}

/// One crawler
///
/// Looked up by its product token, regardless of case.
async fn one(state: State, Path(token): Path<String>) -> Result<Json<Profile>, Problem> {
    let profile = state.crawlers().find(&token);
    let unknown = || {
        let token = Escaped(token.as_bytes());
        Problem::not_found(format!("no crawler `{token}` is known: /v1/crawlers lists those that are"))
    };
    profile.cloned().map(Json).ok_or_else(unknown)
}
