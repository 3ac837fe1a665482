//! Extractors for handlers, with problems that state what was expected.

pub(crate) mod body;
pub(crate) mod query;

use std::convert::Infallible;

use axum::extract::{FromRequest, FromRequestParts, Request};
use comity::Escaped;
use http::HeaderValue;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use http::request::Parts;
use serde::de::DeserializeOwned;

use crate::accept::prefers_gzip;
use crate::admission::AdmissionPermit;
use crate::admission::scheduler::Waiting;
use crate::problem::Problem;
use crate::state::State;

/// A client that asks: the permit of its request, and the state that answers.
pub(crate) struct Caller {
    pub(crate) state: State,
    pub(crate) permit: AdmissionPermit,
    /// True if the client prefers an answer that is compressed by gzip.
    pub(crate) prefers_gzip: bool,
}

impl Caller {
    /// Runs work that takes milliseconds or more, like [`State::compute`]. A bounded number of it waits for each client.
    pub(crate) async fn compute<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        self.state.compute(self.permit.client(), Waiting::Bounded, work).await
    }
}

impl FromRequestParts<State> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &State) -> Result<Self, Infallible> {
        let permit = AdmissionPermit::from_request_parts(parts, state).await?;
        Ok(Self { state: state.clone(), permit, prefers_gzip: prefers_gzip(&parts.headers) })
    }
}

/// A part of the request's path.
pub(crate) struct Path<T>(pub(crate) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        axum::extract::Path::from_request_parts(parts, state)
            .await
            .map(|axum::extract::Path(value)| Self(value))
            .map_err(|error| Problem::bad_request(format!("the path: {}", Escaped(error.body_text().as_bytes()))))
    }
}

/// The body of the request, as a JSON document.
pub(crate) struct Json<T>(pub(crate) T);

/// Minimum size of a document that takes so long to parse that it would delay others.
pub(crate) const COSTLY_DOCUMENT_BYTES: usize = 256 << 10;

impl<T: DeserializeOwned + Send + 'static> FromRequest<State> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &State) -> Result<Self, Problem> {
        let (mut parts, body) = request.into_parts();
        expect_type(&parts, &["application/json"])?;
        let Ok(permit) = AdmissionPermit::from_request_parts(&mut parts, state).await;
        let bytes = body::read(body, state, &permit).await?;
        // Not earlier: a client that sends slowly must not occupy a slot.
        permit.take().await?;
        let parsed = if bytes.len() > COSTLY_DOCUMENT_BYTES {
            state.compute(permit.client(), Waiting::Bounded, move || serde_json::from_slice(&bytes)).await?
        } else {
            serde_json::from_slice(&bytes)
        };
        parsed.map(Self).map_err(|error| {
            Problem::bad_request(format!("the body is not as expected: {}", Escaped(error.to_string().as_bytes())))
        })
    }
}

/// Returns the content type of the body, and refuses other types. A web page can send forms to any host, but only with the content types of
/// forms. For the types that are expected here, the browser asks the host first.
///
/// Refuses a compressed body, too: its size would not be limited.
pub(crate) fn expect_type<'e>(parts: &Parts, expected: &[&'e str]) -> Result<&'e str, Problem> {
    let mut codings = parts.headers.get_all(CONTENT_ENCODING).iter().map(HeaderValue::as_bytes);
    if let Some(coding) = codings.find(|coding| !coding.trim_ascii().eq_ignore_ascii_case(b"identity")) {
        let coding = Escaped(coding);
        return Err(Problem::unsupported_encoding(format!(
            "expected a body without compression, found `Content-Encoding: {coding}`: send it as it is, without this header"
        )));
    }
    let found = parts.headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
    let essence = found.split(|&byte| byte == b';').next().unwrap_or_default().trim_ascii();
    if let Some(kind) = expected.iter().find(|expected| essence.eq_ignore_ascii_case(expected.as_bytes())) {
        return Ok(kind);
    }
    let found = if found.is_empty() { "none".to_owned() } else { format!("`{}`", Escaped(found)) };
    let expected = expected.join("` or `");
    Err(Problem::unsupported_type(format!("expected the header `Content-Type: {expected}`, found {found}")))
}
