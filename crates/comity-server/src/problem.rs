//! Problem documents, for programs and people (RFC 9457).

use std::time::Duration;

use axum::response::{IntoResponse, Response};
use http::header::{ACCEPT_ENCODING, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, StatusCode};
use serde::Serialize;
use serde_json::{Map, Value};

/// An error answer: an `application/problem+json` document (RFC 9457).
#[derive(Clone, Debug)]
pub(crate) struct Problem(Box<Details>);

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Details {
    /// The problem type: always `about:blank`, the `code` is more specific.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The status in words.
    title: &'static str,
    /// The status code of the answer.
    status: u16,
    /// The kind of problem, for programs.
    code: &'static str,
    /// The details: what was expected, what was found, and what to do.
    detail: String,
    /// Further members: for example `retry_after`, in seconds, and `max`, a limit that the request exceeds.
    #[serde(flatten)]
    more: Map<String, Value>,
}

const UNSUPPORTED_ENCODING: &str = "unsupported-encoding";

/// Marks an answer as a problem, for metrics.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Code(pub(crate) &'static str);

impl Problem {
    fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        Self(Box::new(Details {
            kind: "about:blank",
            title: status.canonical_reason().unwrap_or_default(),
            status: status.as_u16(),
            code,
            detail: detail.into(),
            more: Map::new(),
        }))
    }

    /// Returns the problem of a request that does not have the required form.
    pub(crate) fn bad_request(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad-request", detail)
    }

    /// Returns the problem of a missing or wrong token.
    pub(crate) fn unauthorized(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized", detail)
    }

    /// Returns the problem of a request from a web page of another origin.
    pub(crate) fn foreign_origin(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "foreign-origin", detail)
    }

    /// Returns the problem of a name that does not exist.
    pub(crate) fn not_found(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not-found", detail)
    }

    /// Returns the problem of a path that does not accept this method. Axum adds `Allow`.
    pub(crate) fn method_not_allowed(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "method-not-allowed", detail)
    }

    /// Returns the problem of a body that arrives too slowly.
    pub(crate) fn slow_body(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::REQUEST_TIMEOUT, "slow-body", detail)
    }

    /// Returns the problem of a body, or of its answer, that exceeds the limits.
    pub(crate) fn too_large(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", detail)
    }

    /// Returns the problem of a body of another content type.
    pub(crate) fn unsupported_type(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported-type", detail)
    }

    /// Returns the problem of a compressed body.
    pub(crate) fn unsupported_encoding(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, UNSUPPORTED_ENCODING, detail)
    }

    /// Returns the problem of a request for another host.
    pub(crate) fn misdirected(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::MISDIRECTED_REQUEST, "misdirected", detail)
    }

    /// Returns the problem of a well-formed request that has no answer, for example about an invalid URL.
    pub(crate) fn unprocessable(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "unprocessable", detail)
    }

    /// Returns the problem of a client that exceeds its rate limit, or a budget of requests to a site.
    pub(crate) fn rate_limited(detail: impl Into<String>, after: Duration) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, "rate-limited", detail).retry_after(after)
    }

    /// Returns the problem of a bug in the service.
    pub(crate) fn internal() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            "this is a bug in the service: its log has details under the x-request-id of this request",
        )
    }

    /// Returns the problem of an overloaded service.
    pub(crate) fn overloaded(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "overloaded", detail).retry_after(Duration::from_secs(1))
    }

    /// Returns the problem of a store that failed and that the answer needs.
    pub(crate) fn store_failed() -> Self {
        let detail =
            "the store of this service cannot be read or written, and there is no answer without it: ask again later";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "store-failed", detail).retry_after(Duration::from_secs(5))
    }

    /// Returns the problem of a service that cannot save what it finds about watched sites.
    pub(crate) fn watch_failed(problem: &str) -> Self {
        let detail = format!("watched sites can't be judged: {problem}");
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "watch-failed", detail).retry_after(Duration::from_secs(60))
    }

    /// Returns the problem of a service that shuts down.
    pub(crate) fn shutting_down() -> Self {
        let detail = "the service is shutting down: ask another instance, or ask again later";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "shutting-down", detail).retry_after(Duration::from_secs(5))
    }

    /// Returns the problem of a request that took too long.
    pub(crate) fn timed_out(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "timed-out", detail).retry_after(Duration::from_secs(1))
    }

    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.more.insert(name.to_owned(), value.into());
        self
    }

    /// Adds the limit that the request exceeds.
    pub(crate) fn with_max(self, max: impl Into<Value>) -> Self {
        self.with("max", max)
    }

    /// Adds the time after which to ask again, in whole seconds, at least one.
    pub(crate) fn retry_after(self, after: Duration) -> Self {
        let seconds = after.as_secs() + u64::from(after.subsec_nanos() > 0);
        self.with("retry_after", seconds.max(1))
    }

    pub(crate) fn detail(&self) -> &str {
        &self.0.detail
    }

    /// Returns the kind of problem.
    #[cfg(test)]
    pub(crate) fn code(&self) -> &'static str {
        self.0.code
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let json = serde_json::to_vec(&*self.0).unwrap_or_default();
        let status = StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, json).into_response();
        response.extensions_mut().insert(Code(self.0.code));
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = self.0.more.get("retry_after").and_then(Value::as_u64) {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.0.code == UNSUPPORTED_ENCODING {
            // RFC 9110 §15.5.16: the codings that would have been accepted.
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
