//! What is known of a lint besides its check.

use crate::diagnostic::Diagnostics;
use crate::file::File;

/// A lint: a kind of mistake, and how it is found.
///
/// Each of them is one file of `src/lints`, whose documentation is what [`docs`](Self::docs) holds.
#[derive(Debug)]
#[non_exhaustive]
pub struct Lint {
    /// `L004`: stable, never used for anything else.
    pub code: &'static str,
    /// `prefix-overreach`
    pub name: &'static str,
    /// How bad it is, unless a finding or a configuration says otherwise.
    pub severity: Severity,
    /// Which crawlers it concerns, as words that fit behind "concerns".
    pub concerns: &'static str,
    /// Whether it only runs when it is selected, because it tells of what is often meant that way.
    pub opt_in: bool,
    /// Whether it finds nothing without URLs of the site in the evidence.
    pub needs_urls: bool,
    pub(crate) docs: &'static str,
    pub(crate) check: fn(&File<'_>, &mut Diagnostics),
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Severity {
    /// Good to know; often meant that way.
    Note,
    /// Probably not what was meant, or not what every crawler makes of it.
    Warning,
    /// It does something else than it says.
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
    /// What it finds, in a sentence.
    pub fn summary(&self) -> &'static str {
        self.docs.trim_start().lines().next().unwrap_or_default().trim()
    }

    /// Its documentation, as Markdown: a sentence, then *What it does*, *Why is this bad?*, *Example*, *Use instead*
    /// and *Sources*.
    pub fn docs(&self) -> String {
        // Doc comments keep the space behind their slashes.
        self.docs.lines().map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end()).collect::<Vec<_>>().join("\n")
    }

    /// Its reference page, as Markdown: a title, the facts, and the documentation.
    pub fn page(&self) -> String {
        let default = if self.opt_in { "only when it is selected" } else { "yes" };
        format!(
            "# {} {}\n\nSeverity: {}. Concerns: {}. Runs by default: {default}.\n\n{}\n",
            self.code,
            self.name,
            self.severity,
            self.concerns,
            self.docs()
        )
    }

    /// The code blocks of a section, which are robots.txt files, or evidence in the language `urls`.
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

/// Makes the lint of a file: its documentation, what is known of it, and its check.
macro_rules! lint {
    (
        $(#[doc = $docs:literal])*
        $code:literal $name:literal, $severity:ident, concerns: $concerns:literal $(, $word:ident)*
    ) => {
        $(#[doc = $docs])*
        pub(crate) static LINT: $crate::Lint = $crate::Lint {
            code: $code,
            name: $name,
            severity: $crate::Severity::$severity,
            concerns: $concerns,
            opt_in: $crate::lint::has_word(&[$(stringify!($word)),*], "opt_in"),
            needs_urls: $crate::lint::has_word(&[$(stringify!($word)),*], "needs_urls"),
            docs: concat!($($docs, "\n"),*),
            check,
        };
    };
}

pub(crate) use lint;

/// Returns whether a word is among the words after a lint's facts: `opt_in` and `needs_urls` may be.
pub(crate) const fn has_word(words: &[&str], word: &str) -> bool {
    let mut at = 0;
    while at < words.len() {
        // No two of the words have the same length.
        if words[at].len() == word.len() {
            return true;
        }
        at += 1;
    }
    false
}

#[cfg(feature = "serde")]
impl serde::Serialize for Lint {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut out = serializer.serialize_struct("Lint", 7)?;
        out.serialize_field("code", self.code)?;
        out.serialize_field("name", self.name)?;
        out.serialize_field("severity", &self.severity)?;
        out.serialize_field("concerns", self.concerns)?;
        out.serialize_field("opt_in", &self.opt_in)?;
        out.serialize_field("summary", self.summary())?;
        out.serialize_field("docs", &self.docs())?;
        out.end()
    }
}
