//! Pages for people that are made here: no scripts, and one style sheet.

use std::sync::LazyLock;

use axum::routing::get;
use http::HeaderMap;
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
    OpenApiRouter::new().route("/docs.css", get(|headers: HeaderMap| async move { STYLE.respond(&headers) }))
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
