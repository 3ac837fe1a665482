use crate::diagnostic::Diagnostics;
use crate::file::{File, shown};
use crate::lint::lint;
use crate::shadows::How;

lint! {
    /// A wider rule of the same group already says what this one says.
    ///
    /// ## What it does
    ///
    /// Finds rules that could be deleted without changing any verdict: a wider rule of the same kind covers them, and no
    /// opposing rule ranks between the two. Deleting them is safe.
    ///
    /// ## Why is this bad?
    ///
    /// It does no harm. But who deletes the narrow rule to open a page will wonder why it stays closed; and a rule below
    /// `Disallow: /` shows that somebody took it for more, or less, than it is.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /search
    /// Disallow: /search/advanced
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /search
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.2: the longest match wins
    "L029" "redundant-rule", Note, concerns: "whoever maintains the file"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let (shadows, complete) = file.shadows();
    let mut shadows: Vec<_> = shadows.iter().filter(|shadow| shadow.how == How::Redundant).collect();
    // A rule may have several that make it redundant; the first one will do.
    shadows.sort_by_key(|shadow| (shadow.line, shadow.by));
    shadows.dedup_by_key(|shadow| shadow.line);
    for shadow in shadows {
        let wider = &file.source[file.value(shadow.by)];
        let found = out.add(shadow.line, file.said(shadow.line), format!("`{}` in line {} covers this already", shown(wider), shadow.by));
        found.related(shadow.by, "this rule covers it");
        if let Some(edits) = file.without_line(shadow.line).filter(|_| shadow.certain) {
            found.safe("delete the line", edits);
        }
    }
    if !complete {
        out.bound("500,000 pairs of rules");
    }
}
