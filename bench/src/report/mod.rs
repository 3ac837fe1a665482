//! The reports for people and for programs.

mod curves;
mod json;
mod markdown;
mod page;
mod plot;
mod ratios;

use std::path::Path;

use anyhow::{Context, Result};

use crate::definition::Section;
use crate::results::Results;

/// Writes the table, the data and the plots, and refreshes the page.
pub(crate) fn write(results: &Results, folder: &Path, page: Option<&Path>) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let save = |name: &str, text: String| {
        let path = folder.join(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    save("results.md", markdown::render(results))?;
    save("results.json", json::render(results)?)?;
    for workload in &results.workloads {
        let svg = match workload.definition.section {
            Section::Work => ratios::plot(workload)?,
            Section::Growth => curves::plot(workload)?,
            Section::Hostile => continue,
        };
        save(&format!("{}.svg", workload.definition.name), svg)?;
    }
    if let Some(path) = page {
        page::refresh(path, results)?;
    }
    eprintln!("wrote {}", folder.join("results.md").display());
    Ok(())
}
