//! The facts about a lint: its code, name, severity and documentation.

use crate::diagnostic::Diagnostics;
use crate::file::File;

/// A lint: a check for one kind of mistake.
///
/// Each lint is one file in `src/lints`. Its doc comment is the text that [`docs`](Self::docs) returns.
#[derive(Debug)]
#[non_exhaustive]
pub struct Lint {
    /// The code, such as `L004`. It is stable and never reused for another lint.
    pub code: &'static str,
    /// The name, such as `prefix-overreach`.
    pub name: &'static str,
    /// The severity, unless a finding or the configuration has another one.
    pub severity: Severity,
    /// The crawlers or people that the lint affects, in words that fit after "affects".
    pub affects: &'static str,
    /// True if the lint only runs when it is selected, because what it finds is often intended.
    pub opt_in: bool,
    /// True if the lint finds nothing without URLs of the site in the evidence.
    pub needs_urls: bool,
    pub(crate) docs: &'static str,
    pub(crate) check: fn(&File<'_>, &mut Diagnostics),
}

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Severity {
    /// Useful to know; often intended.
    Note,
    /// Probably not intended, or not understood alike by all crawlers.
    Warning,
    /// The line has another effect than it seems to have.
    Error,
}

comity::__names! {
    Severity is "a severity" {
        Note = "note",
        Warning = "warning",
        Error = "error",
    }, Display
}

impl Lint {
    /// Returns a summary of what the lint finds, in one sentence.
    pub fn summary(&self) -> &'static str {
        self.docs.trim_start().lines().next().unwrap_or_default().trim()
    }

    /// Returns the documentation as Markdown: the summary, then the sections *What it does*, *Why is this bad?*,
    /// *Example*, *Use instead* and *Sources*.
    pub fn docs(&self) -> String {
        // Doc comments keep the space after their slashes.
        self.docs.lines().map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end()).collect::<Vec<_>>().join("\n")
    }

    /// Returns the reference page as Markdown: a title, the facts, and the documentation.
    pub fn page(&self) -> String {
        let default = if self.opt_in { "only when it is selected" } else { "yes" };
        let Self { code, name, severity, affects, .. } = self;
        let facts = format!("Severity: {severity}. Affects: {affects}. Runs by default: {default}.");
        format!("# {code} {name}\n\n{facts}\n\n{}\n", self.docs())
    }

    /// Returns the code blocks of a section with their languages: robots.txt files, or evidence, for example in the
    /// language `urls`.
    pub fn examples(&self, section: &str) -> Vec<(String, String)> {
        let docs = self.docs();
        let mut blocks = Vec::new();
        let mut here = false;
        let mut open: Option<(String, String)> = None;
        for line in docs.lines() {
            match (&mut open, line.strip_prefix("```")) {
                (None, Some(language)) => open = Some((language.to_owned(), String::new())),
                (Some(_), Some(_)) => blocks.extend(open.take().filter(|_| here)),
                (Some((_, text)), None) => {
                    text.push_str(line);
                    text.push('\n');
                }
                (None, None) => {
                    if let Some(title) = line.strip_prefix("## ") {
                        here = title == section;
                    }
                }
            }
        }
        blocks
    }
}

/// Defines the lint of a source file from its documentation, its facts, and the function `check`. The word `opt_in` or
/// `needs_urls` can follow the facts.
macro_rules! lint {
    (
        $(#[doc = $docs:literal])*
        $code:literal $name:literal, $severity:ident, affects: $affects:literal $(, $word:ident)?
    ) => {
        $(#[doc = $docs])*
        pub(crate) static LINT: $crate::Lint = $crate::Lint {
            code: $code,
            name: $name,
            severity: $crate::Severity::$severity,
            affects: $affects,
            opt_in: matches!(concat!($(stringify!($word))?).as_bytes(), b"opt_in"),
            needs_urls: matches!(concat!($(stringify!($word))?).as_bytes(), b"needs_urls"),
            docs: concat!($($docs, "\n"),*),
            check,
        };
    };
}

pub(crate) use lint;

#[cfg(feature = "serde")]
impl serde::Serialize for Lint {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut out = serializer.serialize_struct("Lint", 7)?;
        out.serialize_field("code", self.code)?;
        out.serialize_field("name", self.name)?;
        out.serialize_field("severity", &self.severity)?;
        out.serialize_field("affects", self.affects)?;
        out.serialize_field("opt_in", &self.opt_in)?;
        out.serialize_field("summary", self.summary())?;
        out.serialize_field("docs", &self.docs())?;
        out.end()
    }
}
