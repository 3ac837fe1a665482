//! `/v1/crawlers`: the crawlers that are known.

use axum::Json;
use comity::{Crawlers, Escaped, Profile};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::api::extract::Path;
use crate::problem::Problem;
use crate::state::State;

pub(crate) fn routes() -> OpenApiRouter<State> {
    OpenApiRouter::new().routes(routes!(all)).routes(routes!(one))
}

/// A crawler: how [`Profile`] looks as JSON.
#[derive(ToSchema)]
#[schema(as = Crawler, rename_all = "kebab-case")]
#[allow(dead_code, reason = "describes")]
struct Card {
    /// The product token, in the operator's spelling.
    #[schema(example = "Googlebot-Image")]
    token: String,
    /// Who runs it.
    operator: String,
    /// What it fetches for: search, ai-search, ai-training, user-triggered, ads, preview, seo, archive, security, tool
    /// or other.
    purpose: String,
    /// The tokens that are tried, in this order, when no group names its own; then `*`.
    fallback: Vec<String>,
    /// Whether the groups of `*` bind it when no group names it.
    obeys_star: bool,
    /// Whether robots.txt governs it: yes, may-bypass, no, control-token or unstated.
    governed: String,
    /// Whether it heeds `Crawl-delay`: heeded, ignored or unknown.
    crawl_delay: String,
    /// The dialect that it reads files in, as far as its operator documents one; standard otherwise.
    #[schema(example = "google")]
    dialect: String,
    /// Where its operator documents it, without the scheme; empty if nowhere.
    docs: String,
    /// Whether that was read in its operator's own documentation.
    confirmed: bool,
    /// Whether its operator has retired it.
    retired: bool,
    /// What else there is to know; often empty.
    note: String,
}

/// The crawlers that are known
#[utoipa::path(get, path = "/v1/crawlers", tag = "Crawlers", responses((status = 200, description = "All of them", body = [Card])))]
async fn all(state: State) -> Json<Crawlers> {
    Json(state.crawlers().clone())
}

/// One crawler
///
/// Its product token, whatever the case of its letters.
#[utoipa::path(
    get, path = "/v1/crawlers/{token}", tag = "Crawlers",
    params(("token" = String, Path, description = "The product token", example = "Googlebot")),
    responses((status = 200, description = "It is known", body = Card)),
)]
async fn one(state: State, Path(token): Path<String>) -> Result<Json<Profile>, Problem> {
    let profile = state.crawlers().find(&token);
    let unknown = || {
        let token = Escaped(token.as_bytes());
        Problem::not_found(format!("no crawler `{token}` is known: /v1/crawlers lists those that are"))
    };
    profile.cloned().map(Json).ok_or_else(unknown)
}
