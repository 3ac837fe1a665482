//! What can be asked: one file for each question.

mod ai;
mod ask;
mod batch;
mod check;
mod check_one;
mod copy;
mod crawlers;
mod document;
mod fetch;
mod inspect;
mod lint;
mod matrix;
mod origins;
mod service;

use utoipa_axum::router::OpenApiRouter;

use crate::state::State;

pub(crate) fn routes() -> OpenApiRouter<State> {
    OpenApiRouter::new()
        .merge(check::routes())
        .merge(check_one::routes())
        .merge(batch::routes())
        .merge(inspect::routes())
        .merge(lint::routes())
        .merge(matrix::routes())
        .merge(ai::routes())
        .merge(fetch::routes())
        .merge(origins::routes())
        .merge(crawlers::routes())
        .merge(service::routes())
}
