//! `/v1/watch`: the watched sites, and the alerts about them.

use axum::Json;
use comity_fetch::store::StoreError;
use comity_watch::{Alert, WatchFacts, WatchStatus};
use http::Uri;
use serde::Serialize;

use crate::api::extract::query;
use crate::problem::Problem;
use crate::state::State;

/// The maximum number of alerts in an answer.
const MAX_ALERTS: u64 = 1000;

#[derive(Serialize)]
pub(crate) struct Watched {
    #[serde(flatten)]
    facts: WatchFacts,
    /// The number of the newest alert.
    newest: u64,
}

#[derive(Serialize)]
pub(crate) struct Alerts {
    alerts: Vec<Alert>,
    /// The number to continue after.
    after: u64,
}

/// The watched sites
///
/// Counts the sites, those that are late, and those for which a condition holds, such as an outage.
pub(crate) async fn watch(state: State) -> Result<Json<Watched>, Problem> {
    let status = status(&state)?;
    let newest = status.outbox().newest().await.map_err(|error| failed(&error))?;
    Ok(Json(Watched { facts: status.facts(), newest }))
}

/// The alerts about watched sites
///
/// In the order of their numbers. To get new ones, continue after the last number.
pub(crate) async fn alerts(state: State, uri: Uri) -> Result<Json<Alerts>, Problem> {
    let [after, limit] = query::parse(&uri, ["after", "limit"])?;
    // The number of the last alert that the client has.
    let after = query::number("after", after.as_deref(), 0..=u64::MAX, 0)?;
    let limit = query::number("limit", limit.as_deref(), 1..=MAX_ALERTS, 100)?;
    let status = status(&state)?;
    let alerts = status.outbox().alerts(after, limit as usize).await.map_err(|error| failed(&error))?;
    let after = alerts.last().map_or(after, |alert| alert.number);
    Ok(Json(Alerts { alerts, after }))
}

fn status(state: &State) -> Result<&WatchStatus, Problem> {
    state.watch.as_ref().ok_or_else(|| Problem::not_found("this service does not watch sites: start it with --watch"))
}

fn failed(error: &StoreError) -> Problem {
    tracing::warn!(%error, "the alerts could not be read");
    Problem::internal()
}
