//! The page at `/`.

use axum::response::Html;
use axum::routing::get;
use utoipa_axum::router::OpenApiRouter;

use crate::state::State;

pub(crate) fn routes() -> OpenApiRouter<State> {
    OpenApiRouter::new().route("/", get(index))
}

async fn index() -> Html<&'static str> {
    Html("<!doctype html><title>comity</title><p>See <a href=\"/openapi.json\">/openapi.json</a>.\n")
}
