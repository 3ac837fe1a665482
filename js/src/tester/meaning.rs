//! `/v1/diff`: the effects of a change, for all URLs.

use comity::{Crawlers, Dialect};
use comity_meaning::Budget;
use comity_report::{CrawlerQuery, Diff, ProofScope, ungoverned};

use super::question::{Question, dialect};
use super::refusal::Refusal;
use super::{Answer, json};

/// The default budget of a comparison in steps, as in the service.
const DEFAULT_STEPS: u64 = 4_000_000;

/// The maximum budget of a comparison in steps, as in the service.
const MAX_STEPS: u64 = 8_000_000;

/// Compares two files.
pub(super) fn diff(question: &Question<'_>) -> Answer {
    let table = Crawlers::builtin();
    let (old, new) = (side(question, "old")?, side(question, "new")?);
    let dialects: Vec<Dialect> = unique(question.list("dialects"))?;
    let agents: Vec<CrawlerQuery> = if question.has("agents") { question.crawlers(&table)? } else { Vec::new() };
    if let Some(name) = ungoverned(&agents).next() {
        return Err(Refusal::unprocessable(format!(
            "expected crawlers that robots.txt governs in `agents`, found {name}, which it does not"
        )));
    }
    let steps = question.number("budget").unwrap_or(DEFAULT_STEPS);
    if !(1..=MAX_STEPS).contains(&steps) {
        let text = format!("expected 1 to {MAX_STEPS} steps in `budget`, found {steps}");
        return Err(Refusal::bad_request(text));
    }
    let scope = ProofScope::new(&table).dialects(&dialects).agents(&agents);
    let parts = scope.dialect_count() as u64;
    let scope = scope.budget(Budget::of_steps(steps.div_ceil(parts.max(1))));
    let mut diff = match question.text("under") {
        Some(pattern) => {
            Diff::under(old, new, pattern, &scope).map_err(|error| Refusal::unprocessable(error.to_string()))?
        }
        None => Diff::new(old, new, &scope),
    };
    if let Some(max) = question.number("max_changes") {
        diff.limit(usize::try_from(max).unwrap_or(usize::MAX));
    }
    Ok(json(&diff))
}

/// Returns the dialects of these names, each once.
fn unique(names: Vec<&str>) -> Result<Vec<Dialect>, Refusal> {
    let mut found: Vec<Dialect> = Vec::new();
    for name in names {
        let dialect = dialect(name)?;
        if !found.contains(&dialect) {
            found.push(dialect);
        }
    }
    Ok(found)
}

/// Returns one of the two files.
fn side<'a>(question: &Question<'a>, name: &str) -> Result<&'a [u8], Refusal> {
    let missing = || Refusal::bad_request(format!("expected a file in `{name}` or `{name}_b64`, found none"));
    question.bytes(name).ok_or_else(missing)
}
