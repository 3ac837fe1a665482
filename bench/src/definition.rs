//! The workloads as data, from `definitions/*.toml`.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

/// The work that is done for each case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Model {
    /// Parses the file again for each question and answers it. The unit is a question.
    OneShot,
    /// Parses the file and drops the result. The unit is a file.
    Parse,
    /// Prepares the file once, then answers all questions. The unit is a question.
    Decide,
}

/// The section of the report that contains a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Section {
    Work,
    Growth,
    Hostile,
}

/// One file of `definitions/`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Definition {
    /// The name of the workload and of its plot.
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) section: Section,
    pub(crate) model: Model,
    /// The name of the work, which [`crate::work::Library::make`] knows.
    pub(crate) work: String,
    pub(crate) measures: String,
    pub(crate) why: String,
    /// The label of the horizontal axis, if the workload is a curve.
    #[serde(default)]
    pub(crate) x: Option<String>,
    pub(crate) participants: Vec<String>,
    /// The names of its limits: parts of the work, which are measured in turn with the participants.
    #[serde(default)]
    pub(crate) limits: Vec<String>,
}

/// Returns all definitions, in the order of the report.
pub(crate) fn load() -> Result<Vec<Definition>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("definitions");
    let entries = folder.read_dir().with_context(|| format!("cannot read {}", folder.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    let mut definitions = paths.iter().map(|path| read(path)).collect::<Result<Vec<_>>>()?;
    definitions.sort_by_key(|definition| definition.section); // stable: by name of the file within
    ensure!(!definitions.is_empty(), "no definitions in {}", folder.display());
    Ok(definitions)
}

fn read(path: &Path) -> Result<Definition> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    toml::from_str(&text).with_context(|| format!("{} is no definition", path.display()))
}
