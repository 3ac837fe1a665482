//! The endpoints, one file each.

mod ask;
mod crawlers;
pub(crate) mod document;
pub(crate) mod extract;
mod files;
mod health;
mod questions;
mod service;
mod sites;

use utoipa_axum::router::OpenApiRouter;

use crate::state::State;

pub(crate) fn routes() -> OpenApiRouter<State> {
    OpenApiRouter::new()
        .merge(questions::routes())
        .merge(files::routes())
        .merge(sites::routes())
        .merge(crawlers::routes())
        .merge(service::routes())
        .merge(health::routes())
}
