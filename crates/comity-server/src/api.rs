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
mod watch;

use axum::Router;
use axum::routing::MethodRouter;

use crate::state::State;

/// Endpoints by their paths. A path may be there twice, with different methods.
pub(crate) type Endpoints = Vec<(&'static str, MethodRouter<State>)>;

/// Returns the endpoints that `openapi.json` describes.
pub(crate) fn endpoints() -> Endpoints {
    [
        questions::endpoints(),
        files::endpoints(),
        sites::endpoints(),
        crawlers::endpoints(),
        service::endpoints(),
        watch::endpoints(),
        health::endpoints(),
    ]
    .concat()
}

pub(crate) fn routes() -> Router<State> {
    endpoints().into_iter().fold(Router::new(), |router, (path, methods)| router.route(path, methods))
}
