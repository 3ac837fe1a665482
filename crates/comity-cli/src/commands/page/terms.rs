//! Reservations of text and data mining, read from a file.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};
use comity_page::{Page, TdmRules};

use crate::input::file;

/// Adds the rule of a `tdmrep.json` that applies to the URL to the page.
pub(super) fn read_tdmrep(path: &Path, url: &str, page: &mut Page<'_>) -> Result<()> {
    /// The maximum size of the file, in bytes. Most contain only a few rules.
    const MAX_BYTES: u64 = 1 << 20;
    let mut json = Vec::new();
    let read = file::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut json);
    read.with_context(|| format!("{} could not be read", file::name(path)))?;
    if json.len() as u64 > MAX_BYTES {
        bail!("{}: expected a tdmrep.json, found more than 1 MiB", file::name(path));
    }
    let rules: TdmRules = serde_json::from_slice(&json).with_context(|| {
        let example = r#"[{"location": "/", "tdm-reservation": 1}]"#;
        format!("{}: expected a list of rules such as {example}", file::name(path))
    })?;
    rules.rule_for(url).into_iter().for_each(|rule| page.tdm_rule(rule));
    Ok(())
}
