//! What can be asked: one file for each question.

mod crawlers;
mod service;

use utoipa_axum::router::OpenApiRouter;

use crate::state::State;

pub(crate) fn routes() -> OpenApiRouter<State> {
    OpenApiRouter::new().merge(crawlers::routes()).merge(service::routes())
}
