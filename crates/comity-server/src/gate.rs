//! What every request passes on its way in, and every answer on its way out.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;

use axum::Router;
use axum::body::Body;
use axum::response::IntoResponse;
use http::header::{HeaderName, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderValue, Request, Response};
use hyper::body::{Body as _, Incoming};
use tower_service::Service as _;

use crate::place::Place;
use crate::problem::Problem;
use crate::state::State;

/// What every request passes, one for each connection.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    state: State,
    router: Router,
    peer: SocketAddr,
}

/// Who asks, as far as that is known.
#[derive(Clone, Copy, Debug)]
#[allow(dead_code, reason = "for handlers")]
pub(crate) struct Asker(pub(crate) SocketAddr);

impl Gate {
    pub(crate) fn new(state: State, router: Router, peer: SocketAddr) -> Self {
        Self { state, router, peer }
    }

    async fn answer(mut self, request: Request<Incoming>) -> Response<Body> {
        let mut request = request.map(Body::new);
        let place = Place::new(self.state.places());
        let has_body = !request.body().is_end_stream();
        request.extensions_mut().insert(Asker(self.peer));
        request.extensions_mut().insert(place.clone());
        let taken = if has_body { Ok(()) } else { place.take().await };
        let mut response = match taken {
            Ok(()) => self.router.call(request).await.unwrap_or_else(|never: Infallible| match never {}),
            Err(problem) => problem.into_response(),
        };
        let headers = response.headers_mut();
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        headers
            .insert(HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin"));
        response
    }
}

impl hyper::service::Service<Request<Incoming>> for Gate {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let gate = self.clone();
        Box::pin(async move { Ok(gate.answer(request).await) })
    }
}

/// What is not there.
pub(crate) async fn not_found() -> Problem {
    Problem::not_found("there is nothing of this name: /openapi.json says what there is")
}

/// What is there, but not for this method.
pub(crate) async fn method_not_allowed() -> Problem {
    Problem::method_not_allowed("this takes another method: the header `Allow` says which")
}
