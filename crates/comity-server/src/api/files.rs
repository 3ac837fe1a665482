//! Questions about a robots.txt as a whole.

mod ai;
mod inspect;
mod lint;
mod matrix;

use utoipa_axum::router::OpenApiRouter;

use crate::state::State;

pub(super) fn routes() -> OpenApiRouter<State> {
    OpenApiRouter::new().merge(inspect::routes()).merge(lint::routes()).merge(matrix::routes()).merge(ai::routes())
}
