//! `/v1/versions`: the fetched versions of a site's robots.txt, for http and https, with and without `www`.

use axum::response::Response;
use comity::Origin;
use comity_fetch::SiteRobots;
use comity_report::{SiteVersions, VersionFacts, site_variants};
use http::Uri;

use crate::api::ask;
use crate::api::document::document;
use crate::api::extract::{Caller, query};
use crate::problem::Problem;
use crate::state::State;

/// The fetched versions of a site's robots.txt
///
/// A site has a robots.txt for each of http and https, with and without `www`. Lists the versions of each that the
/// service has fetched, the newest first. Without a history, this is the last fetch alone. Fetches nothing.
pub(crate) async fn versions(caller: Caller, uri: Uri) -> Result<Response, Problem> {
    let [origin] = query::parse(&uri, ["origin"])?;
    let origin = ask::origin(&query::required("origin", origin)?)?;
    let mut found = Vec::new();
    for origin in site_variants(&origin) {
        let versions = known(&caller.state, &origin).await?;
        found.push(SiteVersions { origin: origin.to_string(), versions });
    }
    document(&caller, true, move |_, budget| budget.json(&found)).await
}

/// Returns the versions of a site that are stored; those of its last fetch if there is no history.
async fn known(state: &State, origin: &Origin) -> Result<Vec<VersionFacts>, Problem> {
    let site: Option<SiteRobots> = state.client.cached(origin).await.map_err(|error| ask::not_known(&error))?;
    let store = state.client.store().cloned();
    let stored = match store.as_ref().and_then(|store| store.archive()) {
        Some(archive) => archive.versions(origin).await.map_err(|_| Problem::store_failed())?,
        None => Vec::new(),
    };
    if stored.is_empty() {
        return Ok(site.iter().filter_map(VersionFacts::last).collect());
    }
    Ok(stored.iter().map(VersionFacts::of).collect())
}
