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
use axum::routing::{MethodRouter, get, post};

use crate::state::State;

/// Returns the endpoints that `openapi.json` describes, by their paths.
pub(crate) fn endpoints() -> Vec<(&'static str, MethodRouter<State>)> {
    vec![
        ("/v1/check", get(questions::check_one::check_one).post(questions::check::check)),
        ("/v1/batch", post(questions::batch::batch)),
        ("/v1/inspect", post(files::overview::inspect)),
        ("/v1/ai", post(files::overview::ai)),
        ("/v1/generate", post(files::generate::write)),
        ("/v1/lint", post(files::lint::lint)),
        ("/v1/matrix", post(files::matrix::matrix)),
        ("/v1/diff", post(files::meaning::diff)),
        ("/v1/prove", post(files::meaning::prove)),
        ("/v1/fetch", post(sites::fetch::fetch)),
        ("/v1/origins", get(sites::origins::origins)),
        ("/v1/page", post(sites::page::page)),
        ("/v1/sitemaps", post(sites::sitemaps::sitemaps)),
        ("/v1/variants", post(sites::variants::variants)),
        ("/v1/versions", get(sites::versions::versions)),
        ("/v1/crawlers", get(crawlers::all)),
        ("/v1/crawlers/{token}", get(crawlers::one)),
        ("/v1/service", get(service::service)),
        ("/v1/watch", get(watch::watch)),
        ("/v1/watch/alerts", get(watch::alerts)),
        ("/healthz", get(health::live)),
        ("/readyz", get(health::ready)),
        ("/metrics", get(health::metrics)),
    ]
}

pub(crate) fn routes() -> Router<State> {
    endpoints().into_iter().fold(Router::new(), |router, (path, methods)| router.route(path, methods))
}
