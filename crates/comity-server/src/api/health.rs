//! Health checks and metrics.

use axum::response::IntoResponse;
use http::header::CONTENT_TYPE;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::problem::Problem;
use crate::state::State;

pub(crate) fn routes() -> OpenApiRouter<State> {
    OpenApiRouter::new().routes(routes!(live)).routes(routes!(ready)).routes(routes!(metrics))
}

/// Checks that the process is alive
#[utoipa::path(get, path = "/healthz", tag = "Operation", responses((status = 200, description = "The process is alive", body = String, content_type = "text/plain")))]
async fn live() -> &'static str {
    "ok\n"
}

/// Checks that the service accepts requests
///
/// It does not while it shuts down, or while it is overloaded.
#[utoipa::path(get, path = "/readyz", tag = "Operation", responses((status = 200, description = "The service accepts requests", body = String, content_type = "text/plain")))]
async fn ready(state: State) -> Result<&'static str, Problem> {
    if state.is_ending() {
        return Err(Problem::shutting_down());
    }
    if state.admission().is_full() {
        return Err(Problem::overloaded("too many requests are waiting: ask another instance"));
    }
    Ok("ready\n")
}

/// Returns the metrics
///
/// In the text format of `OpenMetrics`, which Prometheus reads. `comity_fail_open_total` stays 0.
#[utoipa::path(get, path = "/metrics", tag = "Operation", responses((status = 200, description = "The metrics", body = String, content_type = "application/openmetrics-text")))]
async fn metrics(state: State) -> Result<impl IntoResponse, Problem> {
    const TEXT: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    let text = state.metrics().text().map_err(|_| Problem::internal())?;
    Ok(([(CONTENT_TYPE, TEXT)], text))
}
