//! A test file: `robots.test.toml`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::input::file;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Suite {
    /// The file to test, beside this one, or a URL of its site.
    pub(super) robots: Option<PathBuf>,
    /// The same of what to compare it with.
    pub(super) against: Option<PathBuf>,
    /// The site whose file it is, as any URL on it.
    pub(super) origin: Option<String>,
    #[serde(default)]
    pub(super) test: Vec<Test>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Test {
    pub(super) name: Option<String>,
    pub(super) agent: Option<String>,
    #[serde(default)]
    pub(super) agents: Vec<String>,
    pub(super) url: Option<String>,
    #[serde(default)]
    pub(super) urls: Vec<String>,
    pub(super) sitemap: Option<PathBuf>,
    pub(super) expect: Expect,
    pub(super) line: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Expect {
    #[serde(alias = "allowed")]
    Allow,
    #[serde(alias = "disallowed", alias = "blocked")]
    Disallow,
    /// Whatever the file says that it is compared with.
    #[serde(alias = "same")]
    Unchanged,
}

impl Expect {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Allow => "allowed",
            Self::Disallow => "disallowed",
            Self::Unchanged => "no change",
        }
    }

    pub(super) fn may(self) -> &'static str {
        match self {
            Self::Allow => "may fetch",
            Self::Disallow => "may not fetch",
            Self::Unchanged => "has the same answer for",
        }
    }
}

impl Suite {
    pub(super) fn read(path: &Path) -> Result<Self> {
        let name = file::name(path);
        let text = String::from_utf8(file::read(path)?).with_context(|| format!("{name} is no UTF-8 text"))?;
        let suite: Self = toml::from_str(&text).with_context(|| format!("{name} holds no tests"))?;
        if suite.test.is_empty() {
            bail!("{name} holds no tests; `comity test --help` shows some");
        }
        Ok(suite)
    }
}
