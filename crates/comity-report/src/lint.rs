//! The findings of a linter in a file.

use std::ops::Range;

use comity::{Dialect, Escaped};
use comity_lint::{Edit, Fix, FixedFile, LeftOut, LeftOutReason, Report, Safety, Severity, VerdictChanges};
use serde::Serialize;

use crate::headline::{Headline, Tone, counted};
use crate::lines::shorten;

/// The findings of a linter in a file.
#[derive(Clone, Debug, Serialize)]
#[must_use]
#[non_exhaustive]
pub struct Linted<'a> {
    /// The result in words: the number of mistakes, and the worst one.
    pub headline: Headline,
    /// The dialect of the messages and the fixes.
    pub dialect: &'static str,
    /// The name of the file.
    #[serde(rename = "file")]
    pub name: &'a str,
    /// The findings, in the order of the file.
    pub findings: Vec<Finding<'a>>,
    /// The number of findings that comments in the file suppressed.
    pub ignored: usize,
    /// The lints that stopped at a bound before they had checked everything.
    pub bounded: Vec<Bounded<'a>>,
}

/// A finding: a place in a file where a lint found a mistake.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Finding<'a> {
    /// The lint's code.
    pub code: &'static str,
    /// The lint's name.
    pub name: &'static str,
    /// The severity of the finding.
    pub severity: Severity,
    /// The line, from 1.
    pub line: u32,
    /// The first column, in characters from 1.
    pub column: usize,
    /// The column after the last one.
    pub end_column: usize,
    /// The range in bytes of the file, or of its UTF-8 form if it is UTF-16.
    pub span: Range<usize>,
    /// The mistake, as a sentence without a period.
    pub message: &'a str,
    /// Advice on how to fix the mistake, or further information.
    pub help: Option<&'a str>,
    /// The crawlers or people that the finding affects.
    pub affects: &'static str,
    /// Other lines that are related to the finding.
    pub related: Vec<Related>,
    /// A fix, if the lint offers one.
    pub fix: Option<Fixing<'a>>,
}

/// Another line that is related to a finding.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Related {
    /// The line, from 1.
    pub line: u32,
    /// The reason why the line is related.
    pub because: &'static str,
}

/// A fix of a finding.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Fixing<'a> {
    /// The effect of the fix, in words.
    pub title: &'a str,
    /// `safe` if it keeps every verdict, which is proven before it is applied, else `unsafe`.
    pub safety: Safety,
    /// True if the fix newly blocks `/`, or a path that no rule names, for any crawler, or if that takes too long to check.
    /// Such a fix should not be applied without a person who has read it.
    pub blocks_site: bool,
    /// The edits. Apply all of them, or none.
    pub edits: &'a [Edit],
}

/// A lint that stopped at a bound before it had checked everything.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Bounded<'a> {
    /// The lint's code.
    pub code: &'static str,
    /// The bound that stopped it.
    pub bound: &'a str,
}

/// The fixes that were applied to a file, and those that were not.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct FixRun<'a> {
    /// The number of fixes that were applied.
    pub applied: usize,
    /// The fixes that were left out, in the order of the file.
    pub left_out: &'a [LeftOut],
    /// The numbers of the fixes that were left out, by reason.
    pub left_out_counts: LeftOutCounts,
    /// The bound that stopped the run, if one did before everything was fixed.
    pub bound: Option<&'static str>,
    /// The dialects in which fixes are proven.
    pub checked_dialects: Vec<&'static str>,
    /// The verdicts that the fixes changed. There are none if only safe fixes were requested.
    pub changes: &'a VerdictChanges,
}

/// The numbers of fixes that were left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LeftOutCounts {
    /// The fixes that would change a verdict although they are marked as safe.
    pub changes_verdict: usize,
    /// The fixes that would change a sitemap, a delay or a signal although they are marked as safe.
    pub changes_record: usize,
    /// The unsafe fixes that would newly block `/` or paths that no rule names.
    pub blocks_site: usize,
    /// The fixes for which nothing was proven before a bound on work was reached.
    pub unchecked: usize,
}

impl LeftOutCounts {
    fn of(left_out: &[LeftOut]) -> Self {
        let mut counts = Self::default();
        for left in left_out {
            *match left.reason {
                LeftOutReason::ChangesVerdict(_) => &mut counts.changes_verdict,
                LeftOutReason::ChangesRecord { .. } => &mut counts.changes_record,
                LeftOutReason::BlocksSite(_) => &mut counts.blocks_site,
                _ => &mut counts.unchecked,
            } += 1;
        }
        counts
    }
}

impl<'a> FixRun<'a> {
    /// Returns the document of a run of fixes.
    pub fn new(fixed: &'a FixedFile) -> Self {
        Self {
            applied: fixed.applied,
            left_out: &fixed.left_out,
            left_out_counts: LeftOutCounts::of(&fixed.left_out),
            bound: fixed.bound,
            checked_dialects: comity_lint::CHECKED_DIALECTS.iter().map(|dialect| dialect.name).collect(),
            changes: &fixed.changes,
        }
    }
}

impl<'a> Linted<'a> {
    /// Returns the document of a linter's report on a file of this name. Unsafe fixes that
    /// [`Linter::check_blocking`](comity_lint::Linter::check_blocking) has not checked count as fixes that close the site.
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
                span: found.span.clone(),
                message: &found.message,
                help: found.help.as_deref(),
                affects: found.affects,
                related: found.related.iter().map(|(line, because)| Related { line: *line, because }).collect(),
                fix: found.fix.as_ref().map(Fixing::new),
            }
        });
        Self {
            headline: headline(report),
            dialect: Dialect::STANDARD.name,
            name,
            findings: findings.collect(),
            ignored: report.ignored,
            bounded: report.bounded.iter().map(|(lint, bound)| Bounded { code: lint.code, bound }).collect(),
        }
    }
}

/// The maximum number of characters of a message in a headline. It quotes text of the file.
const MAX_MESSAGE: usize = 250;

/// Returns the number of mistakes, and the first of the worst ones. Notes are no mistakes.
fn headline(report: &Report<'_>) -> Headline {
    let of = |severity| report.diagnostics.iter().filter(move |found| found.severity == severity);
    let [errors, warnings, notes] = [Severity::Error, Severity::Warning, Severity::Note].map(|kind| of(kind).count());
    let notes = if notes == 0 { String::new() } else { format!(" {} to tidy up.", counted(notes as u64, "note")) };
    let bounded = if report.bounded.is_empty() { "" } else { " Not everything was checked." };
    let Some(first) = of(Severity::Error).chain(of(Severity::Warning)).next() else {
        let tone = if report.bounded.is_empty() { Tone::Good } else { Tone::Caution };
        return Headline::new(tone, format!("No mistakes in the file.{notes}{bounded}"));
    };
    let tone = if errors > 0 { Tone::Bad } else { Tone::Caution };
    let (mistakes, message) = (
        counted((errors + warnings) as u64, "mistake"),
        shorten(&Escaped(first.message.as_bytes()).to_string(), MAX_MESSAGE).into_owned(),
    );
    Headline::new(tone, format!("{mistakes} in the file. Line {}: {message}.{notes}{bounded}", first.line))
}

impl<'a> Fixing<'a> {
    fn new(fix: &'a Fix) -> Self {
        Self { title: &fix.title, safety: fix.safety, blocks_site: fix.may_block_site(), edits: &fix.edits }
    }
}

/// Returns the first column of a span in its line, and the column after its last one. Columns are characters, counted
/// from 1.
pub fn columns(source: &[u8], span: &Range<usize>) -> (usize, usize) {
    let line = line_start(source, span.start);
    let characters = |bytes: &[u8]| String::from_utf8_lossy(bytes).chars().count();
    let column = characters(&source[line..span.start]) + 1;
    (column, column + characters(&source[span.clone()]))
}

/// Returns the start of the line that contains the byte `at`. A byte order mark is not part of the first line.
pub fn line_start(source: &[u8], at: usize) -> usize {
    let start = source[..at].iter().rposition(|b| matches!(b, b'\r' | b'\n')).map_or(0, |at| at + 1);
    if start == 0 && source.starts_with(b"\xEF\xBB\xBF") && at >= 3 { 3 } else { start }
}
