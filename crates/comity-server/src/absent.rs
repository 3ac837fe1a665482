//! The answer to a browser whose user mistyped an address.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::HeaderValue;
use http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, VARY};

use crate::docs;
use crate::problem::Problem;

/// Returns a problem as a small page that leads elsewhere.
pub(crate) fn page(problem: Problem) -> Response {
    let (mut parts, _) = problem.into_response().into_parts();
    parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    parts.headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(docs::POLICY));
    parts.headers.insert(VARY, HeaderValue::from_static("accept"));
    let page = docs::page(
        "Not found",
        "/",
        "<main><h1>There is nothing at this address</h1>\n\
         <p>It may be mistyped. <a href=\"/\">Open the tester</a>, or read about <a href=\"/docs\">the API</a>.</p></main>",
    );
    Response::from_parts(parts, Body::from(page))
}
