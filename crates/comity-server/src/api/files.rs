//! Questions about a robots.txt as a whole.

mod generate;
mod lint;
mod matrix;
mod meaning;
mod overview;

use utoipa_axum::router::OpenApiRouter;

use crate::state::State;

pub(super) fn routes() -> OpenApiRouter<State> {
    OpenApiRouter::new()
        .merge(overview::routes())
        .merge(generate::routes())
        .merge(lint::routes())
        .merge(matrix::routes())
        .merge(meaning::routes())
}
