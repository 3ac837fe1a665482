//! Pages for people that are made here: no scripts, and one style sheet.

mod reference;

use std::sync::LazyLock;

use axum::response::Response;
use axum::routing::get;
use http::header::CONTENT_SECURITY_POLICY;
use http::{HeaderMap, HeaderValue};
use utoipa_axum::router::OpenApiRouter;

use crate::fixed::FixedDocument;
use crate::page;
use crate::state::State;

static STYLE: LazyLock<FixedDocument> =
    LazyLock::new(|| FixedDocument::new("text/css; charset=utf-8", include_str!("docs/style.css")));

/// Allows a style sheet and an icon of this service, and nothing else.
pub(crate) const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; \
                                 base-uri 'none'; form-action 'none'";

pub(crate) fn routes() -> OpenApiRouter<State> {
    OpenApiRouter::new()
        .route("/docs", get(serve))
        .route("/docs.css", get(|headers: HeaderMap| async move { STYLE.respond(&headers) }))
}

async fn serve(state: State, headers: HeaderMap) -> Response {
    let mut response = state.docs().respond(&headers);
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    response
}

/// Returns the reference of the API as a page, made of its `OpenAPI` description.
pub(crate) fn document(description: &str) -> FixedDocument {
    let description = serde_json::from_str(description).unwrap_or_default();
    FixedDocument::new("text/html; charset=utf-8", page("The API", "", &reference::render(&description)))
}

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
