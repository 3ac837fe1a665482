//! What went wrong, for programs and people (RFC 9457).

use std::time::Duration;

use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, StatusCode};
use serde::Serialize;
use serde_json::{Map, Value};

/// An answer that is none: an `application/problem+json` document (RFC 9457).
#[derive(Clone, Debug)]
pub(crate) struct Problem(Box<Details>);

#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Problem)]
pub(crate) struct Details {
    /// What the problem is, beyond the status: nothing, the `code` says it.
    #[serde(rename = "type")]
    #[schema(rename = "type", example = "about:blank")]
    kind: &'static str,
    /// The status in words.
    #[schema(example = "Bad Request")]
    title: &'static str,
    /// The status of the answer.
    #[schema(example = 400)]
    status: u16,
    /// The kind of problem, for programs.
    #[schema(example = "bad-request")]
    code: &'static str,
    /// What was expected, what was found, what to do.
    detail: String,
    /// What else there is to say: `retry_after` (seconds), for instance.
    #[serde(flatten)]
    #[schema(additional_properties)]
    more: Map<String, Value>,
}

/// Marks an answer that is a problem, for those who count them.
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

    /// The request has not the shape it must have.
    pub(crate) fn bad_request(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad-request", detail)
    }

    /// The token is missing, or wrong.
    pub(crate) fn unauthorized(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized", detail)
    }

    /// A web page from elsewhere asks.
    pub(crate) fn foreign_origin(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "foreign-origin", detail)
    }

    /// There is nothing of that name.
    pub(crate) fn not_found(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not-found", detail)
    }

    /// There is something of that name, but not for this method. `Allow` is axum's to say.
    pub(crate) fn method_not_allowed(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "method-not-allowed", detail)
    }

    /// The body came too slowly.
    pub(crate) fn slow_body(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::REQUEST_TIMEOUT, "slow-body", detail)
    }

    /// The body, or what it asks for, is more than is taken at once.
    pub(crate) fn too_large(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", detail)
    }

    /// The body is of another type.
    pub(crate) fn unsupported_type(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported-type", detail)
    }

    /// It is for a host that this is not.
    pub(crate) fn misdirected(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::MISDIRECTED_REQUEST, "misdirected", detail)
    }

    /// The request is understood, but there can be no answer: a URL that is none, say.
    pub(crate) fn unprocessable(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "unprocessable", detail)
    }

    /// The client asks too often.
    pub(crate) fn rate_limited(after: Duration) -> Self {
        Self::new(
            StatusCode::TOO_MANY_REQUESTS,
            "rate-limited",
            "this client asks more often than it may: ask again later, or many things in one request",
        )
        .retry_after(after)
    }

    /// A bug of ours.
    pub(crate) fn internal() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            "something went wrong here, which is a bug: the service's log has more under this request's x-request-id",
        )
    }

    /// There is too much to do.
    pub(crate) fn overloaded(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "overloaded", detail).retry_after(Duration::from_secs(1))
    }

    /// The store failed, and the client requires it.
    pub(crate) fn store_failed() -> Self {
        let detail = "the service's cache cannot be read or written, and it was told to fetch nothing without it: ask again later";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "store-failed", detail).retry_after(Duration::from_secs(5))
    }

    /// The service is about to end.
    pub(crate) fn shutting_down() -> Self {
        let detail = "the service is shutting down: ask another instance, or again in a while";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "shutting-down", detail).retry_after(Duration::from_secs(5))
    }

    /// It took too long.
    pub(crate) fn timed_out(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "timed-out", detail).retry_after(Duration::from_secs(1))
    }

    /// With a member more.
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.more.insert(name.to_owned(), value.into());
        self
    }

    /// With the time after which to ask again, in whole seconds, one at least.
    pub(crate) fn retry_after(self, after: Duration) -> Self {
        let seconds = after.as_secs() + u64::from(after.subsec_nanos() > 0);
        self.with("retry_after", seconds.max(1))
    }

    /// What was expected, what was found, what to do.
    pub(crate) fn detail(&self) -> &str {
        &self.0.detail
    }

    /// The kind of problem.
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
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
