//! `/v1/versions`: the fetched versions of a site's robots.txt, for http and https, with and without `www`.

use axum::response::Response;
use axum::routing::get;
use comity::Origin;
use comity_fetch::SiteRobots;
use comity_report::{SiteVersions, VersionFacts};
use serde::Deserialize;

use crate::api::Endpoints;
use crate::api::ask;
use crate::api::document::{Recipient, document};
use crate::api::extract::Query;
use crate::problem::Problem;
use crate::state::State;

pub(crate) fn endpoints() -> Endpoints {
    vec![("/v1/versions", get(versions))]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VersionsQuery {
    /// The site, or any URL of it.
    origin: String,
}

/// The fetched versions of a site's robots.txt
///
/// A site has a robots.txt for each of http and https, with and without `www`. Lists the versions of each that the
/// service has fetched, the newest first. Without a history, this is the last fetch alone. Fetches nothing.
async fn versions(state: State, recipient: Recipient, Query(asked): Query<VersionsQuery>) -> Result<Response, Problem> {
    let origin = ask::origin(&asked.origin)?;
    let mut found = Vec::new();
    for origin in variants(&origin) {
        let versions = known(&state, &origin).await?;
        found.push(SiteVersions { origin: origin.to_string(), versions });
    }
    document(&state, recipient, true, move |budget| budget.json(&found)).await
}

/// Returns the versions of a site that are stored; those of its last fetch if there is no history.
async fn known(state: &State, origin: &Origin) -> Result<Vec<VersionFacts>, Problem> {
    let site: Option<SiteRobots> = state.client().cached(origin).await.map_err(|error| ask::not_known(&error))?;
    let store = state.client().store().cloned();
    let stored = match store.as_ref().and_then(|store| store.archive()) {
        Some(archive) => archive.versions(origin).await.map_err(|_| Problem::store_failed())?,
        None => Vec::new(),
    };
    if stored.is_empty() {
        return Ok(site.iter().filter_map(VersionFacts::last).collect());
    }
    Ok(stored.iter().map(VersionFacts::of).collect())
}

/// Returns the site, and the other sites that people take for the same: another scheme, and with or without `www`. A
/// port of its own belongs to one scheme, and an address of numbers has no `www`.
fn variants(origin: &Origin) -> Vec<Origin> {
    let Some((scheme, authority)) = origin.as_str().split_once("://") else { return vec![origin.clone()] };
    let is_name =
        authority.contains('.') && authority.contains(|c: char| c.is_ascii_alphabetic()) && !authority.starts_with('[');
    let other = authority.strip_prefix("www.").map_or_else(|| format!("www.{authority}"), str::to_owned);
    let hosts = std::iter::once(authority).chain(is_name.then_some(other.as_str()));
    let has_port = authority.rsplit(':').next().is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()));
    let schemes = ["https", "http"].into_iter().filter(|other| !has_port || *other == scheme);
    let schemes: Vec<&str> = schemes.collect();
    let all = hosts.flat_map(|host| schemes.iter().map(move |scheme| format!("{scheme}://{host}")));
    let others = all.filter_map(|url| Origin::of(&url).ok()).filter(|other| other != origin);
    std::iter::once(origin.clone()).chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_has_variants() {
        for (site, others) in [
            ("https://a.test", &["http://a.test", "https://www.a.test", "http://www.a.test"][..]),
            ("http://www.a.test", &["https://www.a.test", "https://a.test", "http://a.test"]),
            ("http://a.test:8080", &["http://www.a.test:8080"]),
            ("https://localhost", &["http://localhost"]),
            ("http://192.0.2.1", &["https://192.0.2.1"]),
            ("https://[2001:db8::1]", &["http://[2001:db8::1]"]),
        ] {
            let found: Vec<String> = variants(&Origin::of(site).unwrap()).iter().map(ToString::to_string).collect();
            assert_eq!(found[0], site);
            assert_eq!(found[1..], *others);
        }
    }
}
