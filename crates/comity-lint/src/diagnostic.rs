//! A finding, and the list to which the checks add their findings.

use std::borrow::Cow;
use std::ops::Range;

use crate::file::File;
use crate::fix::{Edit, Fix, Safety};
use crate::lint::{Lint, Severity};

/// A finding: a place in a file where a lint found a mistake. With the feature `serde` it is serialized with the code and
/// name of its lint, and `related` as a list of objects with `line` and `because`.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Diagnostic {
    /// The lint.
    #[cfg_attr(feature = "serde", serde(flatten, serialize_with = "code_and_name"))]
    pub lint: &'static Lint,
    /// The severity of the finding.
    pub severity: Severity,
    /// The line, from 1.
    pub line: u32,
    /// The range of the finding in bytes of [`Report::source`](crate::Report::source). It is within one line.
    pub span: Range<usize>,
    /// The mistake, as a sentence without a period.
    pub message: String,
    /// Advice on how to fix the mistake, or further information; often `None`.
    pub help: Option<String>,
    /// The crawlers or people that the finding affects: those of the lint, or fewer if the line is in a group for some.
    pub affects: &'static str,
    /// Other lines that are related to the finding: the number of each, from 1, and the reason.
    #[cfg_attr(feature = "serde", serde(serialize_with = "as_objects"))]
    pub related: Vec<(u32, &'static str)>,
    /// A fix, if the lint offers one.
    pub fix: Option<Fix>,
    /// The line of the rule that makes this one useless, if the fix deletes this rule for that reason.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) because_of: Option<u32>,
}

#[cfg(feature = "serde")]
pub(crate) fn code_and_name<S: serde::Serializer>(lint: &Lint, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map([("code", lint.code), ("name", lint.name)])
}

#[cfg(feature = "serde")]
fn as_objects<S: serde::Serializer>(related: &[(u32, &'static str)], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(serde::Serialize)]
    struct Related {
        line: u32,
        because: &'static str,
    }
    serializer.collect_seq(related.iter().map(|&(line, because)| Related { line, because }))
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

    pub(crate) fn severity_if(&mut self, applies: bool, severity: Severity) -> &mut Self {
        if applies { self.severity(severity) } else { self }
    }

    pub(crate) fn related(&mut self, line: u32, why: &'static str) -> &mut Self {
        self.related.push((line, why));
        self
    }

    /// Offers to delete the line because of another rule. The fix is withdrawn if the line of that rule has findings
    /// itself.
    pub(crate) fn delete_because_of(&mut self, line: u32, edits: Vec<Edit>) -> &mut Self {
        self.because_of = Some(line);
        self.safe("delete the line", edits)
    }

    pub(crate) fn safe(&mut self, title: impl Into<String>, edits: Vec<Edit>) -> &mut Self {
        self.offer(title.into(), edits, Safety::Safe)
    }

    pub(crate) fn unsafe_fix(&mut self, title: impl Into<String>, edits: Vec<Edit>) -> &mut Self {
        self.offer(title.into(), edits, Safety::Unsafe)
    }

    pub(crate) fn offer(&mut self, title: String, edits: Vec<Edit>, safety: Safety) -> &mut Self {
        self.fix = Some(Fix { title, edits, safety, blocks_site: None });
        self
    }
}

/// The maximum number of findings of one lint in one report. Nobody reads more, and a hostile file could have half a
/// million.
pub(crate) const MAX_FINDINGS: usize = 1_000;
/// The maximum number of findings of one lint that are fixed in one round.
pub(crate) const MAX_FIXED_FINDINGS: usize = 20_000;

/// The findings of the checks so far.
#[derive(Debug)]
pub(crate) struct Diagnostics {
    pub(crate) found: Vec<Diagnostic>,
    /// The lints that stopped at a bound, and the bound.
    pub(crate) bounded: Vec<(&'static Lint, Cow<'static, str>)>,
    lint: &'static Lint,
    of_lint: usize,
    /// The maximum number of findings of one lint.
    most: usize,
    /// The lines that have findings. They are sorted after all lints have run.
    doubtful: Vec<u32>,
    /// The starts of the findings beyond the bound.
    beyond: Vec<usize>,
    /// The last finding beyond the bound. It is not reported, but callers need one to add details to.
    spare: Option<Diagnostic>,
}

impl Diagnostics {
    pub(crate) fn new(lint: &'static Lint, most: usize) -> Self {
        let (found, bounded) = (Vec::new(), Vec::new());
        Self { found, bounded, lint, of_lint: 0, most, doubtful: Vec::new(), beyond: Vec::new(), spare: None }
    }

    pub(crate) fn start(&mut self, lint: &'static Lint) {
        self.lint = lint;
        self.of_lint = 0;
    }

    /// Adds a finding. [`end`](Self::end) sets its line, which is that of its span.
    pub(crate) fn add(&mut self, span: Range<usize>, message: impl Into<String>) -> &mut Diagnostic {
        let diagnostic = Diagnostic {
            lint: self.lint,
            severity: self.lint.severity,
            span,
            line: 0,
            affects: self.lint.affects,
            message: message.into(),
            help: None,
            fix: None,
            related: Vec::new(),
            because_of: None,
        };
        if self.of_lint == self.most {
            self.beyond.push(diagnostic.span.start);
            self.bound("1,000 findings");
            return self.spare.insert(diagnostic);
        }
        self.of_lint += 1;
        self.found.push(diagnostic);
        self.found.last_mut().expect("one was just pushed")
    }

    /// Records a bound if this lint stopped at it before it had checked everything.
    pub(crate) fn bound_if(&mut self, is_reached: bool, bound: &'static str) {
        if is_reached {
            self.bound(bound);
        }
    }

    /// Records that this lint stopped at a bound before it had checked everything.
    pub(crate) fn bound(&mut self, bound: impl Into<Cow<'static, str>>) {
        let bound = bound.into();
        if !self.bounded.iter().any(|(lint, of)| lint.code == self.lint.code && *of == bound) {
            self.bounded.push((self.lint, bound));
        }
    }

    /// Ends a lint: sets the lines of the findings from index `from` on, and records them, except those of findings that a
    /// rule has no effect. A rule on a recorded line is no reason to delete another rule.
    pub(crate) fn end(&mut self, from: usize, file: &File<'_>) {
        let is_harmless = matches!(self.lint.name, "redundant-rule" | "duplicate-rule" | "rule-without-effect");
        let mut last = 0;
        for found in &mut self.found[from..] {
            found.line = file.line_at(found.span.start, last);
            last = found.line;
            if !is_harmless {
                self.doubtful.push(found.line);
            }
        }
        self.doubtful.extend(self.beyond.drain(..).map(|start| file.line_at(start, 0)));
    }

    /// Removes the fixes that delete a rule because another rule covers it, if the other rule is on a recorded line: it
    /// may be changed or deleted.
    pub(crate) fn drop_fixes_because_of_doubtful_rules(&mut self) {
        self.doubtful.sort_unstable();
        for found in &mut self.found {
            if found.because_of.is_some_and(|line| self.doubtful.binary_search(&line).is_ok()) {
                found.fix = None;
            }
        }
    }
}
