//! Questions of the form "May this crawler fetch this URL?".

mod batch;
mod check;
mod check_one;

use utoipa_axum::router::OpenApiRouter;

use crate::state::State;

pub(super) fn routes() -> OpenApiRouter<State> {
    OpenApiRouter::new().merge(check::routes()).merge(check_one::routes()).merge(batch::routes())
}
