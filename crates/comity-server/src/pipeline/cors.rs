//! Answers to pages of other origins, which browsers show them only if it is said (the Fetch standard's CORS protocol).

use axum::response::{IntoResponse, Response};
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, ORIGIN, VARY,
};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode};

use crate::pipeline::access::{Access, Kind};

/// What is told to the page that a request came from.
#[derive(Clone, Debug)]
pub(crate) enum Cors {
    /// Nothing: no page of another origin may ask.
    Off,
    /// The answer depends on the origin, and this one is not among those that may ask.
    Other,
    /// A page of this origin may see the answer.
    Allowed(HeaderValue),
}

impl Cors {
    /// Finds out what a page may see, by the origins that may ask.
    pub(crate) fn of<B>(access: &Access, request: &Request<B>) -> Self {
        if access.origins.is_empty() || Kind::of(request.uri().path()) != Kind::Api {
            return Self::Off;
        }
        let origin = request.headers().get(ORIGIN).filter(|origin| access.names_origin(origin.as_bytes()));
        origin.map_or(Self::Other, |origin| Self::Allowed(origin.clone()))
    }

    /// Whether a browser asks for leave to send another request. It never sends a token with that.
    pub(crate) fn is_preflight<B>(&self, request: &Request<B>) -> bool {
        matches!(self, Self::Allowed(_))
            && request.method() == Method::OPTIONS
            && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD)
    }

    /// Adds what the browser has to know to an answer.
    pub(crate) fn add_to(self, headers: &mut HeaderMap) {
        if matches!(self, Self::Off) {
            return;
        }
        headers.append(VARY, HeaderValue::from_static("origin"));
        if let Self::Allowed(origin) = self {
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("retry-after, x-request-id"));
        }
    }
}

/// Returns the answer to a preflight: which requests the page may send.
pub(crate) fn preflight() -> Response {
    const SAID: [(HeaderName, &str); 3] = [
        (ACCESS_CONTROL_ALLOW_METHODS, "GET, HEAD, POST"),
        (ACCESS_CONTROL_ALLOW_HEADERS, "authorization, content-type, x-request-id"),
        // Seconds: longer than browsers heed.
        (ACCESS_CONTROL_MAX_AGE, "86400"),
    ];
    (StatusCode::NO_CONTENT, SAID).into_response()
}
