//! Remarks about lines of files, which the pages of merge requests show next to the lines.

use std::borrow::Cow;

use comity_lint::Severity;

/// A remark about a file, or about a line of it.
pub(crate) struct Annotation<'a> {
    pub(crate) severity: Severity,
    pub(crate) file: &'a str,
    /// The line, from 1; `None` if the remark is about the file.
    pub(crate) line: Option<u64>,
    /// The first column and the one after the last.
    pub(crate) columns: Option<(usize, usize)>,
    pub(crate) title: Cow<'a, str>,
    pub(crate) message: Cow<'a, str>,
}
