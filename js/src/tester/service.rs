//! `/v1/crawlers` and `/v1/service`: what is known without a question.

use comity::{Crawlers, Dialect, Profile};
use serde::Serialize;

use super::json;
use super::question::{MAX_AGENTS, MAX_QUESTIONS, MAX_URLS};

/// Returns all known crawlers.
pub(super) fn crawlers() -> Vec<u8> {
    let table = Crawlers::builtin();
    json(&table.iter().collect::<Vec<&Profile>>())
}

/// The settings and limits, with the fields of the service's document that the page uses.
#[derive(Serialize)]
struct Service {
    name: &'static str,
    version: &'static str,
    dialects: Vec<Named>,
    policies: Vec<Named>,
    dialect: &'static str,
    policy: &'static str,
    fetches: bool,
    limits: Limits,
}

#[derive(Serialize)]
struct Named {
    name: &'static str,
}

#[derive(Serialize)]
struct Limits {
    body_bytes: usize,
    urls: usize,
    agents: usize,
    questions: usize,
}

/// The maximum size of a file is the service's limit for a body.
const BODY_BYTES: usize = 4 << 20;

/// Returns the settings and limits.
pub(super) fn service() -> Vec<u8> {
    json(&Service {
        name: "comity",
        version: env!("CARGO_PKG_VERSION"),
        dialects: Dialect::ALL.iter().map(|dialect| Named { name: dialect.name }).collect(),
        policies: Vec::new(),
        dialect: Dialect::STANDARD.name,
        policy: "standard",
        fetches: false,
        limits: Limits { body_bytes: BODY_BYTES, urls: MAX_URLS, agents: MAX_AGENTS, questions: MAX_QUESTIONS },
    })
}
