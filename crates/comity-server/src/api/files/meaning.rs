//! `/v1/diff` and `/v1/prove`: questions about all URLs.

use axum::response::Response;
use comity::{Dialect, Robots};
use comity_meaning::Budget;
use comity_report::{ClaimText, CrawlerQuery, Diff, Proof, ProofScope, looks_like, ungoverned};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::api::ask::{self, File};
use crate::api::document::document;
use crate::api::extract::{Caller, Json};
use crate::problem::Problem;
use crate::state::State;

/// The default budget of a request, in steps.
const DEFAULT_STEPS: u64 = 4_000_000;

/// The maximum budget of a request, in steps.
const MAX_STEPS: u64 = 8_000_000;

/// The maximum of `max_changes` in a request. A comparison never finds as many changes.
const MAX_CHANGES: u64 = 1_000_000;

/// The maximum number of claims in a request.
const MAX_CLAIMS: usize = 100;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DiffQuestion {
    /// The file before the change.
    old: Option<String>,
    /// Its bytes, as base64.
    old_b64: Option<String>,
    /// The file after the change.
    new: Option<String>,
    /// Its bytes, as base64.
    new_b64: Option<String>,
    /// The pattern of the URLs to compare, as in a rule. Defaults to all URLs.
    under: Option<String>,
    /// URLs to count: each change states how many of them it affects.
    #[serde(default)]
    urls: Vec<String>,
    /// The dialects in which the files are compared. Defaults to each crawler's operator's own.
    #[serde(default)]
    dialects: Vec<String>,
    /// The crawlers; `*` is any crawler that no file names. Defaults to all crawlers.
    agents: Option<Vec<String>>,
    /// The maximum number of changes of each direction in the answer, which counts the others, at most 1,000,000.
    /// Defaults to all.
    #[serde(default, deserialize_with = "integer")]
    max_changes: Option<u64>,
    /// The steps that the comparison may take, at most 8,000,000. Defaults to 4,000,000.
    #[serde(default, deserialize_with = "integer")]
    budget: Option<u64>,
}

/// Reads an integer, which JSON may also contain as `5.0`: the two are the same number.
fn integer<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let Some(number) = Option::<serde_json::Number>::deserialize(deserializer)? else { return Ok(None) };
    let whole =
        || number.as_f64().filter(|value| value.fract() == 0.0).and_then(|value| value.to_string().parse().ok());
    let integer = number.as_u64().or_else(whole);
    integer.map(Some).ok_or_else(|| D::Error::custom(format_args!("expected a positive integer, found {number}")))
}

/// The effects of a change
///
/// Lists the URLs that are newly blocked or newly allowed, with the deciding lines, for all URLs and all crawlers. Questions
/// that could not be decided within the budget are in `undecided`.
pub(crate) async fn diff(caller: Caller, Json(question): Json<DiffQuestion>) -> Result<Response, Problem> {
    let old = body(["old", "old_b64"], question.old, question.old_b64)?;
    let new = body(["new", "new_b64"], question.new, question.new_b64)?;
    let urls = question.urls;
    // Parses the URLs as other requests do, so that mistakes are reported.
    ask::questions(&caller, None, Some(urls.clone()), false).await?;
    let limits = Limits::new(&caller.state, &question.dialects, question.agents, question.budget, 1)?;
    if let Some(found) = question.max_changes.filter(|max| *max > MAX_CHANGES) {
        let text = format!("expected at most {MAX_CHANGES} in `max_changes`, found {found}");
        return Err(Problem::bad_request(text).with_max(MAX_CHANGES));
    }
    document(&caller, false, move |state, budget| {
        let keep_going = || budget.is_left();
        let scope = limits.scope(state).keep_going(&keep_going);
        let mut diff = match &question.under {
            Some(pattern) => Diff::under(&old, &new, pattern, &scope).map_err(|error| unusable(&error))?,
            None => Diff::new(&old, &new, &scope),
        };
        budget.check()?;
        if !urls.is_empty() {
            ask::bound(state, urls.len(), diff.changes.len())?;
            diff.count(&old, &new, &urls, &scope);
        }
        if let Some(max) = question.max_changes {
            diff.limit(usize::try_from(max).unwrap_or(usize::MAX));
        }
        budget.json(&diff)
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProveQuestion {
    /// The file.
    robots: Option<String>,
    /// The file's bytes, as base64.
    robots_b64: Option<String>,
    /// The site's URL, instead of a file.
    url: Option<String>,
    /// The claims, at most 100.
    claims: Vec<ClaimText>,
    /// The dialects in which they are checked. Defaults to each crawler's operator's own.
    #[serde(default)]
    dialects: Vec<String>,
    /// The crawlers; `*` is any crawler that the file does not name. Defaults to all crawlers.
    agents: Option<Vec<String>>,
    /// The steps that the claims may take together, at most 8,000,000. Defaults to 4,000,000.
    #[serde(default, deserialize_with = "integer")]
    budget: Option<u64>,
}

/// Proofs of claims about a robots.txt
///
/// A claim states that crawlers may fetch all URLs that match a pattern, or none of them. A claim that does not hold has
/// a counterexample.
pub(crate) async fn prove(caller: Caller, Json(question): Json<ProveQuestion>) -> Result<Response, Problem> {
    let claims = question.claims;
    if claims.is_empty() {
        return Err(Problem::bad_request("expected at least one claim in `claims`, found none"));
    }
    if claims.len() > MAX_CLAIMS {
        let found = claims.len();
        let text = format!("expected at most {MAX_CLAIMS} in `claims`, found {found}: ask in several requests");
        return Err(Problem::too_large(text).with_max(MAX_CLAIMS));
    }
    let limits = Limits::new(&caller.state, &question.dialects, question.agents, question.budget, claims.len())?;
    let given = ask::given(question.robots, question.robots_b64)?;
    let file = File::of(&caller, given, question.url.as_deref()).await?;
    document(&caller, false, move |state, budget| {
        let keep_going = || budget.is_left();
        let scope = limits.scope(state).keep_going(&keep_going);
        // It has no rules, so every claim that all is allowed would hold.
        if let Some(kind) = looks_like(&Robots::parse(&file.body), &file.body) {
            return Err(Problem::unprocessable(format!("expected a robots.txt, found what looks like {kind}")));
        }
        let proof = Proof::new(&file.body, &claims, &scope).map_err(|error| unusable(&error))?;
        budget.json(&file.document(proof))
    })
    .await
}

/// The dialects, the crawlers and the steps of a request.
struct Limits {
    dialects: Vec<Dialect>,
    agents: Vec<CrawlerQuery>,
    /// The steps for each claim in each dialect.
    budget: Budget,
}

impl Limits {
    fn new(
        state: &State,
        dialects: &[String],
        agents: Option<Vec<String>>,
        steps: Option<u64>,
        claims: usize,
    ) -> Result<Self, Problem> {
        let mut found = Vec::new();
        for name in dialects {
            found.extend(ask::dialect(Some(name))?.filter(|dialect| !found.contains(dialect)));
        }
        let agents = agents.map_or(Ok(Vec::new()), |agents| ask::who(state, None, Some(agents), false))?;
        if let Some(name) = ungoverned(&agents).next() {
            let text =
                format!("expected crawlers that robots.txt governs in `agents`, found {name}, which it does not");
            return Err(Problem::unprocessable(text));
        }
        let steps = steps.unwrap_or(DEFAULT_STEPS);
        if !(1..=MAX_STEPS).contains(&steps) {
            let text = format!("expected 1 to {MAX_STEPS} steps in `budget`, found {steps}");
            return Err(Problem::bad_request(text).with_max(MAX_STEPS));
        }
        let scope = ProofScope::new(&state.crawlers).dialects(&found).agents(&agents);
        let parts = scope.dialect_count() as u64 * claims as u64;
        Ok(Self { budget: Budget::of_steps(steps.div_ceil(parts.max(1))), dialects: found, agents })
    }

    fn scope<'a>(&'a self, state: &'a State) -> ProofScope<'a> {
        ProofScope::new(&state.crawlers).dialects(&self.dialects).agents(&self.agents).budget(self.budget)
    }
}

/// Returns one of the two files.
fn body(names: [&'static str; 2], text: Option<String>, encoded: Option<String>) -> Result<Vec<u8>, Problem> {
    let [name, name_b64] = names;
    ask::bytes(names, text, encoded)?
        .ok_or_else(|| Problem::bad_request(format!("expected a file in `{name}` or `{name_b64}`, found none")))
}

fn unusable(error: &comity_meaning::PatternError) -> Problem {
    Problem::unprocessable(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_an_integer_however_it_is_written() {
        let budget = |text: &str| {
            let question = serde_json::from_str::<DiffQuestion>(&format!(r#"{{"budget": {text}}}"#));
            question.map(|question| question.budget).map_err(|error| error.to_string())
        };
        for (text, steps) in [("5", Some(5)), ("5.0", Some(5)), ("5e3", Some(5_000)), ("null", None)] {
            assert_eq!(budget(text), Ok(steps), "{text}");
        }
        for text in ["5.5", "-1", "-1.0", "1e300", "\"5\""] {
            assert!(budget(text).is_err(), "{text}");
        }
        assert_eq!(serde_json::from_str::<DiffQuestion>("{}").unwrap().budget, None);
    }
}
