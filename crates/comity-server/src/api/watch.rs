//! `/v1/watch`: the watched sites, and the alerts about them.

use axum::Json;
use comity_fetch::store::StoreError;
use comity_watch::{Alert, WatchFacts, WatchStatus};
use serde::{Deserialize, Serialize};

use crate::api::extract::Query;
use crate::problem::Problem;
use crate::state::State;

/// The maximum number of alerts in an answer.
const MAX_ALERTS: usize = 1000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AlertsQuery {
    /// The number of the last alert that the client has.
    #[serde(default)]
    after: u64,
    /// The maximum number of alerts.
    #[serde(default = "default_limit")]
    limit: usize,
}

fn default_limit() -> usize {
    100
}

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
pub(crate) async fn alerts(state: State, Query(asked): Query<AlertsQuery>) -> Result<Json<Alerts>, Problem> {
    let status = status(&state)?;
    if asked.limit == 0 || asked.limit > MAX_ALERTS {
        let detail = format!("`limit`: expected a number from 1 to {MAX_ALERTS}, found {}", asked.limit);
        return Err(Problem::bad_request(detail));
    }
    let alerts = status.outbox().alerts(asked.after, asked.limit).await.map_err(|error| failed(&error))?;
    let after = alerts.last().map_or(asked.after, |alert| alert.number);
    Ok(Json(Alerts { alerts, after }))
}

fn status(state: &State) -> Result<&WatchStatus, Problem> {
    state.watch.as_ref().ok_or_else(|| Problem::not_found("this service does not watch sites: start it with --watch"))
}

fn failed(error: &StoreError) -> Problem {
    tracing::warn!(%error, "the alerts could not be read");
    Problem::internal()
}
