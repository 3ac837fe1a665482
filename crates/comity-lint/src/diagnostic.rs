//! A finding, and where the checks put theirs.

use std::ops::Range;

use crate::fix::{Edit, Fix, Safety};
use crate::lint::{Lint, Severity};

/// Something that a lint found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The lint.
    pub lint: &'static Lint,
    /// How bad it is here.
    pub severity: Severity,
    /// Where, as bytes of [`Report::source`](crate::Report::source). It lies within one line.
    pub span: Range<usize>,
    /// The line's number, from 1.
    pub line: u32,
    /// What is wrong, as a sentence without its full stop.
    pub message: String,
    /// What to do about it, or what else there is to know; often none.
    pub help: Option<String>,
    /// What to type instead.
    pub fix: Option<Fix>,
    /// Other lines that have to do with it, the line's number and why.
    pub related: Vec<(u32, &'static str)>,
    /// The line of the rule because of which the fix deletes this one.
    pub(crate) because_of: Option<u32>,
}

/// Written with the lint's code, name and whom it concerns. `related` lists objects with `line` and `because`.
#[cfg(feature = "serde")]
impl serde::Serialize for Diagnostic {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;

        #[derive(serde::Serialize)]
        struct Related {
            line: u32,
            because: &'static str,
        }

        let related: Vec<Related> = self.related.iter().map(|&(line, because)| Related { line, because }).collect();
        let mut out = serializer.serialize_struct("Diagnostic", 10)?;
        out.serialize_field("code", self.lint.code)?;
        out.serialize_field("name", self.lint.name)?;
        out.serialize_field("severity", &self.severity)?;
        out.serialize_field("line", &self.line)?;
        out.serialize_field("span", &self.span)?;
        out.serialize_field("message", &self.message)?;
        out.serialize_field("help", &self.help)?;
        out.serialize_field("concerns", self.lint.concerns)?;
        out.serialize_field("related", &related)?;
        out.serialize_field("fix", &self.fix)?;
        out.end()
    }
}

impl Diagnostic {
    pub(crate) fn help(&mut self, help: impl Into<String>) -> &mut Self {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn severity(&mut self, severity: Severity) -> &mut Self {
        self.severity = severity;
        self
    }

    pub(crate) fn related(&mut self, line: u32, why: &'static str) -> &mut Self {
        self.related.push((line, why));
        self
    }

    /// Offers to delete the line because of another rule, which must be sound itself.
    pub(crate) fn delete_because_of(&mut self, line: u32, edits: Vec<Edit>) -> &mut Self {
        self.because_of = Some(line);
        self.safe("delete the line", edits)
    }

    pub(crate) fn safe(&mut self, title: impl Into<String>, edits: Vec<Edit>) -> &mut Self {
        self.fix = Some(Fix { title: title.into(), edits, safety: Safety::Safe });
        self
    }

    pub(crate) fn unsafe_fix(&mut self, title: impl Into<String>, edits: Vec<Edit>) -> &mut Self {
        self.fix = Some(Fix { title: title.into(), edits, safety: Safety::Unsafe });
        self
    }
}

/// The most findings of one lint in one report: nobody reads more, and a hostile file could have half a million.
pub(crate) const MAX_FINDINGS: usize = 1_000;

/// What the checks find.
#[derive(Debug)]
pub(crate) struct Diagnostics {
    pub(crate) found: Vec<Diagnostic>,
    /// Lints that stopped at a bound, and what it was.
    pub(crate) bounded: Vec<(&'static Lint, &'static str)>,
    lint: &'static Lint,
    of_lint: usize,
    /// The most findings of one lint.
    most: usize,
    /// Lines that have findings; sorted when all lints have run.
    doubtful: Vec<u32>,
    /// Where findings beyond the bound go.
    spare: Option<Diagnostic>,
}

impl Diagnostics {
    pub(crate) fn new(lint: &'static Lint, most: usize) -> Self {
        let (found, bounded, doubtful) = (Vec::new(), Vec::new(), Vec::new());
        Self { found, bounded, lint, of_lint: 0, most, doubtful, spare: None }
    }

    pub(crate) fn start(&mut self, lint: &'static Lint) {
        self.lint = lint;
        self.of_lint = 0;
    }

    pub(crate) fn add(&mut self, line: u32, span: Range<usize>, message: impl Into<String>) -> &mut Diagnostic {
        let diagnostic = Diagnostic {
            lint: self.lint,
            severity: self.lint.severity,
            span,
            line,
            message: message.into(),
            help: None,
            fix: None,
            related: Vec::new(),
            because_of: None,
        };
        if self.of_lint == self.most {
            self.doubtful.push(line);
            self.bound("1,000 findings");
            return self.spare.insert(diagnostic);
        }
        self.of_lint += 1;
        self.found.push(diagnostic);
        self.found.last_mut().expect("one was just pushed")
    }

    /// Notes that this lint did not look at everything.
    pub(crate) fn bound(&mut self, bound: &'static str) {
        if !self.bounded.iter().any(|(lint, of)| lint.code == self.lint.code && *of == bound) {
            self.bounded.push((self.lint, bound));
        }
    }

    /// Notes the lines of the findings from this one on: their rules are no reason to delete others. Only rules that
    /// are redundant themselves may be.
    pub(crate) fn note_doubtful(&mut self, from: usize) {
        let found =
            self.found[from..].iter().filter(|found| !matches!(found.lint.name, "redundant-rule" | "duplicate-rule"));
        self.doubtful.extend(found.map(|found| found.line));
    }

    /// Takes back the offers to delete rules because of rules that have findings themselves: those may be about to go.
    pub(crate) fn keep_what_doubtful_rules_cover(&mut self) {
        self.doubtful.sort_unstable();
        for found in &mut self.found {
            if found.because_of.is_some_and(|line| self.doubtful.binary_search(&line).is_ok()) {
                found.fix = None;
            }
        }
    }
}
