use crate::prelude::*;
use crate::shadows::{Shadow, ShadowKind};

lint! {
    /// A group contains the same rule twice.
    ///
    /// ## What it does
    ///
    /// Finds rules with the same kind and pattern as another rule of their group. Deleting the second one is safe. Rules
    /// that are more than 50 lines apart are not reported if there are comments between them: long files have sections
    /// that are maintained separately.
    ///
    /// ## Why is this bad?
    ///
    /// It does no harm until somebody changes one of them and wonders why nothing happens.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    /// Disallow: /cart/
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.2
    "L025" "duplicate-rule", Note, affects: "whoever maintains the file"
}

/// The distance of two lines that are in one section of a file, whatever is between them.
const MAX_SECTION_LINES: u32 = 50;

fn check(file: &File<'_>, out: &mut Diagnostics) {
    // Google's parser compares `/%7Ea` and `/~a` as they are, so only rules with the same octets are the same for all.
    let is_same = |shadow: &&Shadow| file.source[file.value(shadow.line)] == file.source[file.value(shadow.by)];
    let duplicates = file.shadows().0.iter().filter(|shadow| shadow.kind == ShadowKind::Duplicate);
    let comments = file.lines.iter().filter(|line| matches!(line.content, Content::Comment));
    let comments: Vec<u32> = comments.map(|line| line.number).collect();
    let is_in_other_section = |shadow: &&Shadow| {
        let (first, last) = (shadow.by.min(shadow.line), shadow.by.max(shadow.line));
        let next_comment = comments.get(comments.partition_point(|number| *number < first));
        last - first > MAX_SECTION_LINES && next_comment.is_some_and(|number| *number < last)
    };
    for shadow in duplicates.filter(is_same).filter(|shadow| !is_in_other_section(shadow)) {
        let found = out.add(file.record_span(shadow.line), format!("line {} says the same", shadow.by));
        found.related(shadow.by, "it is here already");
        if let Some(edits) = file.without_line(shadow.line).filter(|_| shadow.certain) {
            found.delete_because_of(shadow.by, edits);
        }
    }
}
