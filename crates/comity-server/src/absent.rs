//! The answer to a browser whose user mistyped an address.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::HeaderValue;
use http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, VARY};

use crate::problem::Problem;

/// A page without style sheets. The empty icon keeps browsers from asking for one.
const PAGE: &str = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
    <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
    <meta name=\"color-scheme\" content=\"light dark\">\n<title>Not found – comity</title>\n\
    <link rel=\"icon\" href=\"data:,\">\n</head>\n\
    <body>\n<main><h1>There is nothing at this address</h1>\n\
    <p>It may be mistyped. <a href=\"/\">Open the tester</a>, or read <a href=\"/openapi.json\">the description of the \
    API</a>.</p></main>\n</body>\n</html>\n";

const POLICY: &str = "default-src 'none'; img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// Returns a problem as a small page that leads elsewhere.
pub(crate) fn page(problem: Problem) -> Response {
    let (mut parts, _) = problem.into_response().into_parts();
    parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    parts.headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    parts.headers.insert(VARY, HeaderValue::from_static("accept"));
    Response::from_parts(parts, Body::from(PAGE))
}
