//! `/v1/service`: the settings and limits of this service.

use axum::Json;
use comity::Dialect;
use comity_fetch::Policy;
use comity_report::MAX_URL_BYTES;
use serde::Serialize;

use crate::state::State;

#[derive(Serialize)]
pub(crate) struct Service {
    name: &'static str,
    version: &'static str,
    /// The available dialects.
    dialects: Vec<Named>,
    /// The available policies.
    policies: Vec<Named>,
    /// The dialect for files of live sites.
    dialect: &'static str,
    /// The policy for statuses and errors of live sites.
    policy: &'static str,
    /// True if sites are fetched; otherwise answers rest on what is stored.
    fetches: bool,
    limits: Bounds,
}

#[derive(Serialize)]
struct Named {
    name: &'static str,
    about: &'static str,
}

/// The limits of a request.
#[derive(Serialize)]
struct Bounds {
    /// Maximum size of a body, in bytes.
    body_bytes: usize,
    /// Maximum number of URLs.
    urls: usize,
    /// Maximum size of a URL, in bytes.
    url_bytes: usize,
    /// Maximum number of crawlers.
    agents: usize,
    /// Maximum number of questions: URLs times crawlers.
    questions: usize,
    /// Maximum size of a line of `/v1/batch`, in bytes.
    batch_line_bytes: usize,
}

/// The settings and limits of this service
pub(crate) async fn service(state: State) -> Json<Service> {
    let limits = &state.limits;
    Json(Service {
        name: "comity",
        version: env!("CARGO_PKG_VERSION"),
        dialects: Dialect::ALL
            .iter()
            .map(|dialect| Named { name: dialect.name, about: about_dialect(dialect) })
            .collect(),
        policies: Policy::ALL.iter().map(|policy| Named { name: policy.name, about: about_policy(policy) }).collect(),
        dialect: state.client.dialect().name,
        policy: state.client.policy().name,
        fetches: !state.client.is_offline(),
        limits: Bounds {
            body_bytes: limits.body_bytes,
            urls: limits.urls,
            url_bytes: MAX_URL_BYTES,
            agents: limits.agents,
            questions: limits.questions,
            batch_line_bytes: limits.batch_line_bytes,
        },
    })
}

fn about_dialect(dialect: &Dialect) -> &'static str {
    match dialect.name {
        "standard" => "RFC 9309, read generously",
        "google" => "what Google documents of Googlebot",
        "google-parser" => "Google's own parser, to the line",
        "bing" => "what Bing documents",
        "yandex" => "what Yandex documents",
        "norobots-1996" => "the Internet-Draft of December 1996",
        _ => "",
    }
}

fn about_policy(policy: &Policy) -> &'static str {
    match policy.name {
        "standard" => "RFC 9309, and careful where it leaves a choice",
        "google" => "what Google documents today",
        "google-2019" => "what Google documented in 2019",
        "rfc9309" => "RFC 9309 to the letter",
        "strict" => "nothing is allowed while a file can't be had",
        "archive" => "the site's wishes, once it has been unreachable for long, no longer count",
        _ => "",
    }
}
