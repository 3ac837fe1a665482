//! `/v1/crawlers`: the known crawlers.

use axum::Json;
use axum::response::Response;
use comity::{Escaped, Profile};
use http::HeaderMap;

use crate::api::extract::Path;
use crate::problem::Problem;
use crate::state::State;

/// All known crawlers
pub(crate) async fn all(state: State, headers: HeaderMap) -> Response {
    state.crawler_list.respond(&headers)
}

/// One crawler
///
/// Looked up by its product token, regardless of case.
pub(crate) async fn one(state: State, Path(token): Path<String>) -> Result<Json<Profile>, Problem> {
    let profile = state.crawlers.find(&token);
    let unknown = || {
        let token = Escaped(token.as_bytes());
        Problem::not_found(format!("no crawler `{token}` is known: /v1/crawlers lists those that are"))
    };
    profile.cloned().map(Json).ok_or_else(unknown)
}
