//! A test file: `robots.test.toml`.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use toml::Spanned;

use crate::input::file;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Suite {
    /// The robots.txt to test: a path relative to this file, or a URL on its site.
    pub(super) robots: Option<PathBuf>,
    /// The robots.txt to compare it with, in the same form.
    pub(super) against: Option<PathBuf>,
    /// The site of the robots.txt, as any URL on it.
    pub(super) origin: Option<String>,
    #[serde(default)]
    pub(super) test: Vec<Spanned<Test>>,
    /// The positions of the line ends of this file.
    #[serde(skip)]
    line_ends: Vec<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Test {
    pub(super) name: Option<String>,
    pub(super) agent: Option<String>,
    #[serde(default)]
    pub(super) agents: Agents,
    pub(super) url: Option<String>,
    #[serde(default)]
    pub(super) urls: Vec<String>,
    pub(super) sitemap: Option<PathBuf>,
    /// A pattern, as in a rule. The test applies to all URLs that match it.
    pub(super) matching: Option<String>,
    /// Patterns of URLs that `matching` leaves out.
    #[serde(default)]
    pub(super) except: Vec<String>,
    pub(super) expect: Option<Expect>,
    pub(super) line: Option<u32>,
    /// The preferences about uses of content that the file must state for the crawler and the URL.
    #[serde(rename = "ai-train")]
    ai_train: Option<Stated>,
    #[serde(rename = "ai-input")]
    ai_input: Option<Stated>,
    search: Option<Stated>,
}

/// A preference about a use of content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Stated {
    Yes,
    No,
    #[serde(rename = "not-stated")]
    Missing,
}

impl fmt::Display for Stated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Missing => "not-stated",
        })
    }
}

impl Test {
    /// Returns the uses with expected preferences.
    pub(super) fn preferences(&self) -> Vec<(&'static str, Stated)> {
        let uses = [("ai-train", self.ai_train), ("ai-input", self.ai_input), ("search", self.search)];
        uses.into_iter().filter_map(|(key, expected)| Some((key, expected?))).collect()
    }

    /// Returns the expectation in words between a crawler and a URL.
    pub(super) fn says(&self) -> String {
        let preferences: Vec<String> =
            self.preferences().iter().map(|(key, expected)| format!("{key} = {expected}")).collect();
        match (self.expect, preferences.as_slice()) {
            (Some(expect), []) => expect.may().to_owned(),
            (Some(expect), some) => format!("{} ({})", expect.may(), some.join(", ")),
            (None, some) => format!("is told {} for", some.join(", ")),
        }
    }
}

/// Several crawlers.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "expected a list of crawlers, or \"all\"")]
pub(super) enum Agents {
    /// The crawlers with these names.
    Named(Vec<String>),
    /// Every crawler that the file names, every known one, and any other.
    All(AllAgents),
}

/// The word for all crawlers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum AllAgents {
    All,
}

impl Agents {
    pub(super) fn named(&self) -> &[String] {
        match self {
            Self::Named(names) => names,
            Self::All(AllAgents::All) => &[],
        }
    }

    pub(super) fn are_all(&self) -> bool {
        *self == Self::All(AllAgents::All)
    }
}

impl Default for Agents {
    fn default() -> Self {
        Self::Named(Vec::new())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Expect {
    #[serde(alias = "allowed")]
    Allow,
    #[serde(alias = "disallowed", alias = "blocked")]
    Disallow,
    /// The answer of the file that it is compared with.
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
    /// Returns the line where a test starts.
    pub(super) fn line_of(&self, test: &Spanned<Test>) -> u64 {
        1 + self.line_ends.partition_point(|end| *end < test.span().start) as u64
    }

    pub(super) fn read(path: &Path) -> Result<Self> {
        let name = file::name(path);
        file::refuse_link_out(path)?;
        let text = String::from_utf8(file::read(path)?).with_context(|| format!("{name} is not UTF-8"))?;
        let mut suite: Self = toml::from_str(&text).with_context(|| format!("{name} is not a valid test file"))?;
        if suite.test.is_empty() {
            bail!("{name} contains no tests; `comity test --help` shows some");
        }
        suite.line_ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect();
        Ok(suite)
    }
}
