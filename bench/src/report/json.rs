//! All figures, for programs: each round of each participant.

use anyhow::Result;

use crate::results::Results;

pub(super) fn render(results: &Results) -> Result<String> {
    Ok(serde_json::to_string_pretty(results)? + "\n")
}
