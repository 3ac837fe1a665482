//! `/v1/origins`: the cached robots.txt of a site.

use std::collections::HashMap;
use std::sync::Arc;

use axum::response::Response;
use comity_fetch::store::{Archive, ContentHash, Version};
use comity_meaning::Budget;
use comity_report::{
    CopyFacts, Headline, ProofScope, SiteFacts, VersionChange, VersionFacts, history_headline, version_changes,
};
use http::Uri;
use serde::Serialize;

use crate::api::ask;
use crate::api::document::document;
use crate::api::extract::{Caller, query};
use crate::problem::Problem;

/// The maximum number of steps of all comparisons of a history.
const MAX_STEPS: u64 = 8_000_000;

#[derive(Serialize)]
struct Remembered<'a> {
    dialect: &'static str,
    copy: Option<CopyFacts<'a>>,
    #[serde(flatten)]
    site: SiteFacts,
    /// The earlier versions of its file, newest first; empty if the service keeps no history.
    history: Vec<VersionFacts>,
    /// When the file changed last and what that meant, in words, if `diff` is true.
    #[serde(skip_serializing_if = "Option::is_none")]
    headline: Option<Headline>,
    /// The changes from each version to the next, oldest first, if `diff` is true.
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<Vec<VersionChange>>,
}

/// The cached robots.txt of a site
///
/// Also states why it applies, and until when; with `diff`, what each version changed, too. Fetches nothing.
pub(crate) async fn origins(caller: Caller, uri: Uri) -> Result<Response, Problem> {
    let [origin, diff] = query::parse(&uri, ["origin", "diff"])?;
    let origin = ask::origin(&query::required("origin", origin)?)?;
    let is_diff = query::boolean("diff", diff.as_deref(), false)?;
    let site = caller.state.client.cached(&origin).await.map_err(|error| ask::not_known(&error))?;
    let Some(site) = site else {
        return Err(Problem::not_found(format!("no record of {origin} is stored: POST /v1/fetch fetches its file")));
    };
    let store = caller.state.client.store().cloned();
    let archive = store.as_ref().and_then(|store| store.archive());
    let versions = match archive {
        Some(archive) => archive.versions(&origin).await.map_err(|_| Problem::store_failed())?,
        None => Vec::new(),
    };
    let bodies = match archive.filter(|_| is_diff) {
        Some(archive) => bodies(archive, &versions).await,
        None => HashMap::new(),
    };
    document(&caller, !is_diff, move |state, budget| {
        let all = ProofScope::new(&state.crawlers);
        let comparisons = all.dialect_count() * versions.len();
        let keep_going = || budget.is_left();
        let scope = all.budget(Budget::of_steps(MAX_STEPS / comparisons.max(1) as u64)).keep_going(&keep_going);
        let found = version_changes(&versions, |hash| bodies.get(&hash).cloned(), &scope);
        let timed = found.map(|change| budget.check().map(|()| change));
        let changes: Option<Vec<VersionChange>> = is_diff.then(|| timed.collect::<Result<_, _>>()).transpose()?;
        budget.json(&Remembered {
            dialect: state.client.dialect().name,
            copy: CopyFacts::of(&site),
            site: SiteFacts::of(&site),
            headline: changes.as_deref().map(history_headline),
            history: versions.iter().map(VersionFacts::of).collect(),
            changes,
        })
    })
    .await
}

/// Returns the bytes of the versions that can be read.
async fn bodies(archive: &dyn Archive, versions: &[Version]) -> HashMap<ContentHash, Arc<[u8]>> {
    let mut bodies = HashMap::new();
    for hash in versions.iter().filter_map(|version| version.copy.as_ref()).map(|copy| copy.hash) {
        if !bodies.contains_key(&hash)
            && let Ok(Some(body)) = archive.body(hash).await
        {
            bodies.insert(hash, body);
        }
    }
    bodies
}
