//! Health checks and metrics.

use axum::response::Response;
use http::header::{CONTENT_TYPE, VARY};
use http::{HeaderMap, HeaderValue};

use crate::accept;
use crate::api::document::encode;
use crate::problem::Problem;
use crate::state::State;

/// Checks that the process is alive
pub(crate) async fn live() -> &'static str {
    "ok\n"
}

/// Checks that the service accepts requests
///
/// It does not while it shuts down, while it is overloaded, while it cannot use the store that it requires, or while it
/// cannot save what it finds about watched sites.
pub(crate) async fn ready(state: State) -> Result<&'static str, Problem> {
    if state.is_ending() {
        return Err(Problem::shutting_down());
    }
    if state.admission.is_full() {
        return Err(Problem::overloaded("too many requests are waiting: ask another instance"));
    }
    if !state.client.can_use_store() {
        return Err(Problem::store_failed());
    }
    if let Some(problem) = state.watch.as_ref().and_then(|watch| watch.facts().problem) {
        return Err(Problem::watch_failed(&problem));
    }
    Ok("ready\n")
}

/// Returns the metrics
///
/// In the format that `Accept` prefers: `OpenMetrics` 1.0, or Prometheus' text format 0.0.4, which is the default.
/// `comity_fail_open_total` stays 0.
pub(crate) async fn metrics(state: State, headers: HeaderMap) -> Result<Response, Problem> {
    const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";
    const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    let (kind, text) = if accept::prefers_openmetrics(&headers) {
        (OPENMETRICS, state.metrics.openmetrics())
    } else {
        (TEXT, state.metrics.text())
    };
    let text = text.map_err(|_| Problem::internal())?;
    let mut response = encode(text.into_bytes(), accept::prefers_gzip(&headers));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response.headers_mut().append(VARY, HeaderValue::from_static("accept"));
    Ok(response)
}
