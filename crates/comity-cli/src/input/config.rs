//! The configuration of lints and of the watcher, `comity.toml`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use comity::spelling::edit_distance;
use comity_lint::{Linter, Severity};
use comity_watch::WatchConfig;
use serde::Deserialize;

use crate::input::file;

/// The content of a configuration file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    #[serde(default)]
    lint: Section,
    watch: Option<WatchConfig>,
    /// The folder of the file.
    #[serde(skip)]
    folder: PathBuf,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Section {
    select: Option<Vec<String>>,
    #[serde(default)]
    ignore: Vec<String>,
    #[serde(default)]
    severity: BTreeMap<String, Severity>,
    fail_on: Option<Severity>,
}

impl Config {
    /// Reads the file with this name, or else the `comity.toml` in the current folder or the nearest one above. Returns
    /// the default if there is no such file.
    pub(crate) fn find(named: Option<&Path>) -> Result<Self> {
        let nearest = || nearest(&std::env::current_dir().unwrap_or_default());
        let Some(path) = named.map(Path::to_owned).or_else(nearest) else { return Ok(Self::default()) };
        let name = file::name(&path);
        file::refuse_link_out(&path)?;
        let text = String::from_utf8(file::read(&path)?).with_context(|| format!("{name} is not UTF-8"))?;
        let config = Self::parse(&text).with_context(|| format!("{name} is not a valid configuration"))?;
        Ok(Self { folder: path.parent().map(Path::to_owned).unwrap_or_default(), ..config })
    }

    fn parse(text: &str) -> Result<Self> {
        let config: Self = toml::from_str(text).map_err(|error| match meant(error.message()) {
            Some(meant) => anyhow!("{}; did you mean `{meant}`?", error.to_string().trim_end()),
            None => anyhow!(error),
        })?;
        config.linter()?;
        Ok(config)
    }

    pub(crate) fn linter(&self) -> Result<Linter> {
        let mut linter = Linter::new();
        if let Some(select) = &self.lint.select {
            linter = Linter::none();
            for name in select {
                linter.select(name)?;
            }
        }
        for name in &self.lint.ignore {
            linter.ignore(name)?;
        }
        self.set_severities(&mut linter)?;
        Ok(linter)
    }

    /// Returns the configuration of the watcher, and the folder that its paths are relative to.
    pub(crate) fn into_watch(self) -> Result<(WatchConfig, PathBuf)> {
        let Some(watch) = self.watch else {
            bail!("expected a comity.toml with the section [watch], found none: `comity watch --help` shows one")
        };
        Ok((watch, self.folder))
    }

    pub(crate) fn set_severities(&self, linter: &mut Linter) -> Result<()> {
        for (lint, severity) in &self.lint.severity {
            linter.set_severity(lint, *severity)?;
        }
        Ok(())
    }

    pub(crate) fn fail_on(&self) -> Option<Severity> {
        self.lint.fail_on
    }
}

/// Returns the field that an unknown one is probably a misspelling of. The error message lists all fields.
fn meant(message: &str) -> Option<String> {
    let mut names = message.strip_prefix("unknown field `")?.split('`').step_by(2);
    let unknown = names.next()?;
    let distance = |name: &str| edit_distance(unknown.as_bytes(), name.as_bytes(), (name.len() / 3).max(1));
    let (_, name) = names.filter_map(|name| Some((distance(name)?, name))).min()?;
    Some(name.to_owned())
}

fn nearest(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().map(|folder| folder.join("comity.toml")).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_state_the_line_and_what_was_expected() {
        for (text, parts) in [
            ("[lint]\nfail_on = \"error\"", ["line 2", "unknown field `fail_on`", "did you mean `fail-on`?"]),
            ("[lints]\nselect = [\"all\"]", ["line 1", "`lints`", "did you mean `lint`?"]),
            ("[lint.severity]\nL004 = \"fatal\"", ["line 2", "unknown variant `fatal`", "`note`"]),
        ] {
            let error = format!("{:#}", Config::parse(text).unwrap_err());
            assert!(parts.iter().all(|part| error.contains(part)), "{text}\n{error}");
        }
    }
}
