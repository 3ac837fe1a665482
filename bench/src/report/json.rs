//! All figures for programs, on one line: each round of each participant.

use anyhow::Result;

use crate::results::Results;

pub(super) fn render(results: &Results) -> Result<String> {
    Ok(serde_json::to_string(results)? + "\n")
}
