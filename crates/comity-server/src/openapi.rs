//! The `OpenAPI` 3.1 description of the service.
//!
//! It is written by hand, as `openapi.json`, and served as it is. Once, macros made it from the types, when the program was
//! started: 133 derives in four crates for a file that was committed anyway. The tests in `tests/answers` compare each
//! answer with its schema, in which an unknown field is an error, and each endpoint with the paths. Viewers of `OpenAPI`
//! show it to people; the service made a page of it once, with 250 lines of its own.

use std::sync::LazyLock;

use axum::Router;
use axum::routing::get;
use http::HeaderMap;

use crate::fixed::FixedDocument;
use crate::state::State;

/// The `OpenAPI` 3.1 description of the service, as it is served at `/openapi.json`.
pub const OPENAPI: &str = include_str!("../openapi.json");

static DESCRIPTION: LazyLock<FixedDocument> = LazyLock::new(|| FixedDocument::new("application/json", OPENAPI));

pub(crate) fn routes() -> Router<State> {
    Router::new().route("/openapi.json", get(|headers: HeaderMap| async move { DESCRIPTION.respond(&headers) }))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::OPENAPI;
    use crate::api;

    #[test]
    fn each_endpoint_is_described() {
        let description: Value = serde_json::from_str(OPENAPI).unwrap();
        let described: BTreeSet<&str> = description["paths"].as_object().unwrap().keys().map(String::as_str).collect();
        let paths: BTreeSet<&str> = api::endpoints().into_iter().map(|(path, _)| path).collect();
        assert_eq!(described, paths);
        assert_eq!(description["info"]["version"], env!("CARGO_PKG_VERSION"));
    }
}
