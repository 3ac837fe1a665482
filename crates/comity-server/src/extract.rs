//! What handlers take out of requests, with problems that say what was expected.

use axum::body::Body;
use axum::extract::{FromRequest, FromRequestParts, Request};
use bytes::Bytes;
use comity::Escaped;
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http_body_util::{BodyExt, Limited};
use serde::de::DeserializeOwned;

use crate::place::Place;
use crate::problem::Problem;
use crate::state::State;

/// The query of the request's address.
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        axum::extract::Query::try_from_uri(&parts.uri)
            .map(|axum::extract::Query(value)| Self(value))
            .map_err(|error| Problem::bad_request(format!("the query: {}", Escaped(error.body_text().as_bytes()))))
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

/// The request's body, a JSON document.
pub(crate) struct Json<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<State> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &State) -> Result<Self, Problem> {
        let (mut parts, body) = request.into_parts();
        expect_type(&parts, "application/json")?;
        let Ok(place) = Place::from_request_parts(&mut parts, state).await;
        let bytes = read(body, state).await?;
        // Not before: who sends slowly must not hold a place.
        place.take().await?;
        serde_json::from_slice(&bytes).map(Self).map_err(|error| {
            Problem::bad_request(format!("the body is not as expected: {}", Escaped(error.to_string().as_bytes())))
        })
    }
}

/// Refuses a body of another type. A web page can send those that forms have to any host; this one, it has to ask for.
pub(crate) fn expect_type(parts: &Parts, expected: &'static str) -> Result<(), Problem> {
    let found = parts.headers.get(CONTENT_TYPE).map(http::HeaderValue::as_bytes).unwrap_or_default();
    let essence = found.split(|&byte| byte == b';').next().unwrap_or_default().trim_ascii();
    if essence.eq_ignore_ascii_case(expected.as_bytes()) {
        return Ok(());
    }
    let found = if found.is_empty() { "none".to_owned() } else { format!("`{}`", Escaped(found)) };
    Err(Problem::unsupported_type(format!("expected the header `Content-Type: {expected}`, found {found}")))
}

/// The whole body.
async fn read(body: Body, state: &State) -> Result<Bytes, Problem> {
    let most = state.limits().body_bytes;
    match Limited::new(body, most).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(_) => Err(Problem::too_large(format!("expected a body of at most {most} bytes"))),
    }
}
