//! `comity.toml`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use comity_lint::{Linter, Severity};
use serde::Deserialize;

use crate::input::file;

/// The whole file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    #[serde(default)]
    lint: Section,
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
    /// The configuration of this name, or the `comity.toml` that lies here or in a folder above; the default without one.
    pub(crate) fn find(named: Option<&Path>) -> Result<Self> {
        let path = match named {
            Some(path) => path.to_owned(),
            None => match nearest(&std::env::current_dir().unwrap_or_default()) {
                Some(path) => path,
                None => return Ok(Self::default()),
            },
        };
        let text =
            String::from_utf8(file::read(&path)?).with_context(|| format!("{} is no UTF-8 text", file::name(&path)))?;
        let config: Self =
            toml::from_str(&text).with_context(|| format!("{} is no configuration of comity", file::name(&path)))?;
        config.linter().with_context(|| file::name(&path))?;
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

fn nearest(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().map(|folder| folder.join("comity.toml")).find(|path| path.is_file())
}
