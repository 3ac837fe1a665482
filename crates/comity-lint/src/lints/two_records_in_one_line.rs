use comity::{Content, Field};

use crate::diagnostic::Diagnostics;
use crate::file::{File, shown};
use crate::fix::Edit;
use crate::lint::lint;

lint! {
    /// A line contains two records, so crawlers read the second one as part of the first one's value.
    ///
    /// Write each record on its own line.
    ///
    /// ## What it does
    ///
    /// Finds values that contain a field name and its colon: `Disallow: /a Disallow: /b`.
    ///
    /// ## Why is this bad?
    ///
    /// A line is one record. The path of the first rule becomes one that no URL has, and the second rule does not
    /// exist. Usually, a tool that wrote the file lost a line end.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/ Disallow: /login
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    /// Disallow: /login
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2: one record per line
    "L043" "two-records-in-one-line", Error, concerns: "every crawler"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for line in &file.lines {
        let (Content::UserAgent { value, .. }
        | Content::Rule { value, .. }
        | Content::Other { field: Field::Sitemap | Field::CrawlDelay, value, .. }) = line.content
        else {
            continue;
        };
        let Some(at) = second_record(value) else { continue };
        let span = file.span(&value[at..]);
        let gap = value[..at].trim_ascii_end().len();
        let edit = Edit::new(file.span(&value[gap..at]), file.line_end());
        out.add(line.number, span, format!("`{}` is part of the value before it: a line contains one record", shown(&value[at..])))
            .unsafe_fix("move it to its own line", vec![edit]);
    }
}

/// Returns the position at which another record starts.
pub(crate) fn second_record(value: &[u8]) -> Option<usize> {
    const NAMES: [&str; 4] = ["user-agent", "disallow", "allow", "sitemap"];
    // Each colon is examined. Other colons are only those of URLs, which are few.
    let mut from = 0;
    while let Some(colon) = value[from..].iter().position(|b| *b == b':').map(|at| from + at) {
        for name in NAMES {
            if let Some(start) = colon.checked_sub(name.len())
                && value[start..colon].eq_ignore_ascii_case(name.as_bytes())
            {
                return Some(start);
            }
        }
        from = colon + 1;
    }
    None
}
