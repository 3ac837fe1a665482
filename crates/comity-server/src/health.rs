//! Whether the process lives, and whether it is any use to ask.

use crate::problem::Problem;
use crate::state::State;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(crate) fn routes() -> OpenApiRouter<State> {
    OpenApiRouter::new().routes(routes!(live)).routes(routes!(ready))
}

/// Whether the process lives
#[utoipa::path(get, path = "/healthz", tag = "Operation", responses((status = 200, description = "It does", body = String, content_type = "text/plain")))]
async fn live() -> &'static str {
    "ok\n"
}

/// Whether it is any use to ask
///
/// While the service shuts down, or has more to do than it takes on, it is not.
#[utoipa::path(get, path = "/readyz", tag = "Operation", responses((status = 200, description = "It is", body = String, content_type = "text/plain")))]
async fn ready(state: State) -> Result<&'static str, Problem> {
    if state.is_ending() {
        return Err(Problem::shutting_down());
    }
    if state.places().are_taken() {
        return Err(Problem::overloaded("too many requests are waiting: ask another instance"));
    }
    Ok("ready\n")
}
