//! All figures, for programs: each round of each participant, on one line.

use anyhow::Result;

use crate::results::Results;

pub(super) fn render(results: &Results) -> Result<String> {
    Ok(serde_json::to_string(results)? + "\n")
}
