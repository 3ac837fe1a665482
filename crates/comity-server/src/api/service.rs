//! `/v1/service`: what this service is, and what it takes.

use axum::Json;
use comity::Dialect;
use comity_fetch::Policy;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::State;

pub(crate) fn routes() -> OpenApiRouter<State> {
    OpenApiRouter::new().routes(routes!(service))
}

#[derive(Serialize, ToSchema)]
struct Service {
    #[schema(example = "comity")]
    name: &'static str,
    #[schema(example = "0.1.0")]
    version: &'static str,
    /// The dialects that files can be read in.
    dialects: Vec<Named>,
    /// The policies that say what the results of fetches mean.
    policies: Vec<Named>,
    /// The one that files of live sites are read in.
    #[schema(example = "standard")]
    dialect: &'static str,
    /// The one in force.
    #[schema(example = "standard")]
    policy: &'static str,
    /// Whether sites are asked; else answers rest on what is remembered.
    fetches: bool,
    limits: Bounds,
}

#[derive(Serialize, ToSchema)]
struct Named {
    name: &'static str,
    about: &'static str,
}

/// What a request may have at most.
#[derive(Serialize, ToSchema)]
struct Bounds {
    /// Bytes of a body.
    body_bytes: usize,
    /// URLs.
    urls: usize,
    /// Crawlers.
    agents: usize,
    /// URLs times crawlers.
    questions: usize,
    /// Bytes of a line of `/v1/batch`.
    batch_line_bytes: usize,
}

/// What this service is, and what it takes
#[utoipa::path(get, path = "/v1/service", tag = "Operation", responses((status = 200, description = "So it is", body = Service)))]
async fn service(state: State) -> Json<Service> {
    let limits = state.limits();
    Json(Service {
        name: "comity",
        version: env!("CARGO_PKG_VERSION"),
        dialects: Dialect::ALL
            .iter()
            .map(|dialect| Named { name: dialect.name, about: about_dialect(dialect) })
            .collect(),
        policies: Policy::ALL.iter().map(|policy| Named { name: policy.name, about: about_policy(policy) }).collect(),
        dialect: state.dialect().name,
        policy: state.policy().name,
        fetches: state.fetches(),
        limits: Bounds {
            body_bytes: limits.body_bytes,
            urls: limits.urls,
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
