//! `/v1/variants`: the robots.txt of a site for http and https, with and without `www`.

use axum::response::Response;
use comity_report::{Variants, site_variants};
use futures_util::future::join_all;
use serde::Deserialize;

use crate::api::ask;
use crate::api::document::document;
use crate::api::extract::{Caller, Json};
use crate::problem::Problem;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct VariantsQuestion {
    /// Any URL of the site.
    url: String,
}

/// The addresses of a site
///
/// A site has a robots.txt for each of http and https, with and without `www`. Reads each of them, at most four, and
/// reports those that treat crawlers in another way than the site itself.
pub(crate) async fn variants(caller: Caller, Json(question): Json<VariantsQuestion>) -> Result<Response, Problem> {
    let origin = ask::origin(&question.url)?;
    let Caller { state, permit, .. } = &caller;
    if state.client.is_offline() {
        return Err(Problem::unprocessable("this service fetches nothing, so it cannot ask the addresses of a site"));
    }
    let addresses = site_variants(&origin);
    let asking = addresses.into_iter().map(async |address| {
        let site = state.robots(permit.account(), &address).await;
        (address, site.ok())
    });
    let found = permit.aside(&origin, join_all(asking)).await?;
    document(&caller, false, move |state, budget| budget.json(&Variants::new(found, &state.crawlers))).await
}
