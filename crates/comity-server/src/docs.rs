//! The description of the service, for programs, and pages for people that are made here: no scripts, and one style sheet.

mod reference;

use std::sync::LazyLock;

use axum::Router;
use axum::response::Response;
use axum::routing::get;
use http::header::CONTENT_SECURITY_POLICY;
use http::{HeaderMap, HeaderValue};

use crate::fixed::FixedDocument;
use crate::openapi::OPENAPI;
use crate::page;
use crate::state::State;

static DESCRIPTION: LazyLock<FixedDocument> = LazyLock::new(|| FixedDocument::new("application/json", OPENAPI));

static STYLE: LazyLock<FixedDocument> =
    LazyLock::new(|| FixedDocument::new("text/css; charset=utf-8", include_str!("docs/style.css")));

/// Allows a style sheet and an icon of this service, and nothing else.
pub(crate) const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; \
                                 base-uri 'none'; form-action 'none'";

pub(crate) fn routes() -> Router<State> {
    Router::new()
        .route("/openapi.json", get(|headers: HeaderMap| async move { DESCRIPTION.respond(&headers) }))
        .route("/docs", get(serve))
        .route("/docs.css", get(|headers: HeaderMap| async move { STYLE.respond(&headers) }))
}

async fn serve(headers: HeaderMap) -> Response {
    let mut response = REFERENCE.respond(&headers);
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    response
}

/// The reference of the API, made of its `OpenAPI` description.
static REFERENCE: LazyLock<FixedDocument> = LazyLock::new(|| {
    let description = serde_json::from_str(OPENAPI).unwrap_or_default();
    FixedDocument::new("text/html; charset=utf-8", page("The API", "", &reference::render(&description)))
});

/// Returns a page with this title and content, which must be HTML. `root` leads from the page to the root of the service.
pub(crate) fn page(title: &str, root: &str, body: &str) -> String {
    let icon = page::icon();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title} – comity</title>\n\
         <link rel=\"icon\" href=\"{root}{icon}\">\n<link rel=\"stylesheet\" href=\"{root}docs.css\">\n</head>\n\
         <body>\n{body}\n</body>\n</html>\n"
    )
}
