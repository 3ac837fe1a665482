//! What a linter found in a file.

use std::ops::Range;

use comity::Dialect;
use comity_lint::{Changes, Fix, LeftOut, Mended, Reason, Report, Safety, Severity};
use serde::Serialize;

/// What a linter found in a file.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[must_use]
#[non_exhaustive]
pub struct Linted<'a> {
    /// The dialect of the messages and the fixes.
    pub dialect: &'static str,
    /// What to call the file.
    #[serde(rename = "file")]
    pub name: &'a str,
    /// In the order of the file.
    pub findings: Vec<Finding<'a>>,
    /// Findings that comments in the file asked to ignore.
    pub ignored: usize,
    /// Lints that did not look at everything.
    pub bounded: Vec<Bounded<'a>>,
}

/// Something that a lint found.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Finding<'a> {
    /// The lint's code.
    pub code: &'static str,
    /// The lint's name.
    pub name: &'static str,
    /// How bad it is here.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub severity: Severity,
    /// The line, from 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: usize,
    /// The first column behind it.
    pub end_column: usize,
    /// In bytes of the file; of its UTF-8 form, if it is UTF-16.
    pub span: Span,
    /// What is wrong, as a sentence without its full stop.
    pub message: &'a str,
    /// What to do about it, or what else there is to know.
    pub help: Option<&'a str>,
    /// Whom it concerns.
    pub concerns: &'static str,
    /// Other lines that have to do with it.
    pub related: Vec<Related>,
    /// What to type instead.
    pub fix: Option<Fixing<'a>>,
}

/// A range of bytes in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The first byte after the range.
    pub end: usize,
}

impl From<&Range<usize>> for Span {
    fn from(range: &Range<usize>) -> Self {
        Self { start: range.start, end: range.end }
    }
}

/// Another line that has to do with it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Related {
    /// Its number, from 1.
    pub line: u32,
    /// Why.
    pub because: &'static str,
}

/// What to type instead.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Fixing<'a> {
    /// What it does.
    pub title: &'a str,
    /// `safe` if it keeps every verdict in the dialects that fixes are checked in, else `unsafe`.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub safety: Safety,
    /// All of them, or none.
    pub edits: Vec<Edit>,
}

/// Text in the place of a span.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Edit {
    /// In bytes of the file.
    pub span: Span,
    /// What stands there then.
    pub text: String,
}

/// A lint that did not look at everything.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Bounded<'a> {
    /// The lint's code.
    pub code: &'static str,
    /// The bound that stopped it.
    pub bound: &'a str,
}

/// The fixes that were applied to a file, and those that were not.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct FixRun<'a> {
    /// The number of fixes that were applied.
    pub applied: usize,
    /// The fixes that were left out, in the order of the file.
    pub left_out: Vec<NotApplied<'a>>,
    /// The bound that ended the work, if one did before there was nothing left to fix.
    pub bound: Option<&'static str>,
    /// The dialects that fixes are checked in.
    pub checked_dialects: Vec<&'static str>,
    /// The verdicts that differ now; none of them if only safe fixes were asked for.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub changes: &'a Changes,
}

/// A fix that was left out.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct NotApplied<'a> {
    /// The lint's code.
    pub code: &'static str,
    /// The lint's name.
    pub name: &'static str,
    /// The line of the finding in the file after the other fixes, from 1.
    pub line: u32,
    /// What the fix would do.
    pub title: &'a str,
    /// The reason, with an example.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub reason: &'a Reason,
}

impl<'a> FixRun<'a> {
    /// Returns the document of a run of fixes.
    pub fn new(mended: &'a Mended) -> Self {
        let not_applied = |left: &'a LeftOut| NotApplied {
            code: left.lint.code,
            name: left.lint.name,
            line: left.line,
            title: &left.title,
            reason: &left.reason,
        };
        Self {
            applied: mended.applied,
            left_out: mended.left_out.iter().map(not_applied).collect(),
            bound: mended.bound,
            checked_dialects: comity_lint::CHECKED_DIALECTS.iter().map(|dialect| dialect.name).collect(),
            changes: &mended.changes,
        }
    }
}

impl<'a> Linted<'a> {
    /// The report of a linter about a file of this name.
    pub fn new(name: &'a str, report: &'a Report<'a>) -> Self {
        let source = report.source();
        let findings = report.diagnostics.iter().map(|found| {
            let (column, end_column) = columns(source, &found.span);
            Finding {
                code: found.lint.code,
                name: found.lint.name,
                severity: found.severity,
                line: found.line,
                column,
                end_column,
                span: (&found.span).into(),
                message: &found.message,
                help: found.help.as_deref(),
                concerns: found.lint.concerns,
                related: found.related.iter().map(|(line, because)| Related { line: *line, because }).collect(),
                fix: found.fix.as_ref().map(Fixing::new),
            }
        });
        Self {
            dialect: Dialect::STANDARD.name,
            name,
            findings: findings.collect(),
            ignored: report.ignored,
            bounded: report.bounded.iter().map(|(lint, bound)| Bounded { code: lint.code, bound }).collect(),
        }
    }
}

impl<'a> Fixing<'a> {
    fn new(fix: &'a Fix) -> Self {
        let edits = fix
            .edits
            .iter()
            .map(|edit| Edit { span: (&edit.span).into(), text: String::from_utf8_lossy(&edit.text).into_owned() });
        Self { title: &fix.title, safety: fix.safety, edits: edits.collect() }
    }
}

/// The columns of a span in its line: characters from 1, the end exclusive.
pub fn columns(source: &[u8], span: &Range<usize>) -> (usize, usize) {
    let line = line_start(source, span.start);
    let characters = |bytes: &[u8]| String::from_utf8_lossy(bytes).chars().count();
    let column = characters(&source[line..span.start]) + 1;
    (column, column + characters(&source[span.clone()]))
}

/// Where the line of a place starts.
pub fn line_start(source: &[u8], at: usize) -> usize {
    let start = source[..at].iter().rposition(|b| matches!(b, b'\r' | b'\n')).map_or(0, |at| at + 1);
    if start == 0 && source.starts_with(b"\xEF\xBB\xBF") && at >= 3 { 3 } else { start }
}
