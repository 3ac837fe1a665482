//! Answers to pages of other origins, by the CORS protocol of the Fetch standard.

use axum::response::{IntoResponse, Response};
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, ORIGIN, VARY,
};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode};

use crate::pipeline::access::Access;

/// The CORS headers for the page that sent a request.
#[derive(Clone, Debug)]
pub(crate) enum Cors {
    /// No headers: no page of another origin has access.
    Off,
    /// Pages of some origins may read answers, but this request is from no such page. Caches must not pass the answer on
    /// to such pages.
    Other,
    /// A page of this origin may read the answer.
    Allowed(HeaderValue),
}

impl Cors {
    /// Returns the headers for a request, by the origins that have access.
    pub(crate) fn of<B>(access: &Access, request: &Request<B>) -> Self {
        if access.origins.is_empty() {
            return Self::Off;
        }
        let origin = request.headers().get(ORIGIN).filter(|origin| access.names_origin(origin.as_bytes()));
        origin.map_or(Self::Other, |origin| Self::Allowed(origin.clone()))
    }

    /// Returns true if the request is a preflight, which asks for permission to send another one. It never carries a
    /// token.
    pub(crate) fn is_preflight<B>(&self, request: &Request<B>) -> bool {
        matches!(self, Self::Allowed(_))
            && request.method() == Method::OPTIONS
            && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD)
    }

    /// Adds the CORS headers to an answer.
    pub(crate) fn add_to(self, headers: &mut HeaderMap) {
        if matches!(self, Self::Off) {
            return;
        }
        headers.append(VARY, HeaderValue::from_static("origin"));
        if let Self::Allowed(origin) = self {
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
        }
    }
}

/// The headers of answers that pages may read, in addition to those that browsers always show.
const EXPOSED: &str = "comity-dialect, comity-policy, comity-site-dialect, ratelimit, ratelimit-policy, retry-after, \
                       x-request-id";

/// Returns the answer to a preflight, with the requests that the page may send.
pub(crate) fn preflight() -> Response {
    const PREFLIGHT_HEADERS: [(HeaderName, &str); 3] = [
        (ACCESS_CONTROL_ALLOW_METHODS, "GET, HEAD, POST"),
        (ACCESS_CONTROL_ALLOW_HEADERS, "authorization, content-type, x-request-id"),
        // Seconds: longer than browsers respect.
        (ACCESS_CONTROL_MAX_AGE, "86400"),
    ];
    (StatusCode::NO_CONTENT, PREFLIGHT_HEADERS).into_response()
}
