//! Questions about sites: fetching them, and what is stored of them.

mod fetch;
mod origins;

use utoipa_axum::router::OpenApiRouter;

use crate::state::State;

pub(super) fn routes() -> OpenApiRouter<State> {
    OpenApiRouter::new().merge(fetch::routes()).merge(origins::routes())
}
