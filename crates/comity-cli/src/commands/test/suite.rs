//! A test file: `robots.test.toml`.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use toml::Spanned;

use crate::input::file;

/// The tests of a robots.txt.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct Suite {
    /// The robots.txt to test: a path relative to this file, or a URL on its site.
    pub(super) robots: Option<PathBuf>,
    /// The robots.txt to compare it with, in the same form.
    pub(super) against: Option<PathBuf>,
    /// The site of the robots.txt, as any URL on it.
    pub(super) origin: Option<String>,
    /// The tests.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Vec<Test>"))]
    pub(super) test: Vec<Spanned<Test>>,
    /// The positions of the line ends of this file.
    #[serde(skip)]
    line_ends: Vec<usize>,
}

/// A test: the answer for some crawlers and some URLs.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct Test {
    /// The name in the report. Defaults to a sentence.
    pub(super) name: Option<String>,
    /// The product token of a crawler.
    pub(super) agent: Option<String>,
    /// The product tokens of several crawlers, or `all`.
    #[serde(default)]
    pub(super) agents: Agents,
    /// A path, or a URL of the site.
    pub(super) url: Option<String>,
    /// Several of them.
    #[serde(default)]
    pub(super) urls: Vec<String>,
    /// A sitemap, all of whose URLs are tested: a path relative to this file, or a URL.
    pub(super) sitemap: Option<PathBuf>,
    /// A pattern, as in a rule. The test applies to all URLs that match it.
    pub(super) matching: Option<String>,
    /// Patterns of URLs that `matching` leaves out.
    #[serde(default)]
    pub(super) except: Vec<String>,
    /// The expected answer.
    #[serde(default)]
    #[cfg_attr(test, schemars(schema_with = "tests::expect"))]
    pub(super) expect: Option<Expect>,
    /// The line that decides, from 1.
    pub(super) line: Option<u32>,
    /// The preference about AI training that the file must state for the crawler and the URL, in `Content-Signal` or
    /// `Content-Usage`.
    #[serde(rename = "ai-train")]
    ai_train: Option<Stated>,
    /// The same for `ai-input`.
    #[serde(rename = "ai-input")]
    ai_input: Option<Stated>,
    /// The same for `search`.
    search: Option<Stated>,
}

/// A preference about a use of content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "expected a list of crawlers, or \"all\"")]
pub(super) enum Agents {
    /// The crawlers with these names.
    Named(Vec<String>),
    /// Every crawler that the file names, every known one, and any other.
    All(AllAgents),
}

/// The word for all crawlers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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

#[cfg(test)]
mod tests {
    use schemars::{Schema, SchemaGenerator, json_schema};

    use super::*;
    use crate::schema;

    /// The words for expected answers. The generator does not know aliases of variants.
    const EXPECTED: [&str; 7] = ["allow", "disallow", "unchanged", "allowed", "disallowed", "blocked", "same"];

    pub(super) fn expect(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": EXPECTED })
    }

    #[test]
    fn the_schema_is_that_of_the_types() {
        schema::compare::<Suite>("robots.test.schema.json", "robots.test.toml");
        let fields = r#"
            robots = "public/robots.txt"
            against = "https://example.com"
            origin = "https://example.com"
            [[test]]
            name = "products"
            agents = ["Googlebot", "bingbot"]
            sitemap = "sitemap.xml"
            expect = "allow"
            line = 4
            [[test]]
            agents = "all"
            matching = "/private/"
            except = ["/private/press/"]
            expect = "disallow"
            [[test]]
            agent = "GPTBot"
            urls = ["/"]
            ai-train = "no"
            ai-input = "not-stated"
            search = "yes"
        "#;
        let words = EXPECTED.map(|word| format!("[[test]]\nagent = \"a\"\nurl = \"/\"\nexpect = \"{word}\""));
        let valid: Vec<&str> = words.iter().map(String::as_str).chain([fields]).collect();
        schema::agree::<Suite>(
            "robots.test.schema.json",
            &valid,
            &[
                "robot = \"robots.txt\"",
                "[[tests]]\nagent = \"a\"",
                "[[test]]\nagnet = \"a\"",
                "[[test]]\nagents = \"al\"",
                "[[test]]\nagents = [1]",
                "[[test]]\nexpect = \"alow\"",
                "[[test]]\nline = -1",
                "[[test]]\nai-train = \"maybe\"",
                "[[test]]\nai_train = \"no\"",
            ],
        );
    }
}
