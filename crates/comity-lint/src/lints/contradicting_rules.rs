use crate::diagnostic::Diagnostics;
use crate::file::{File, shown};
use crate::lint::lint;
use crate::shadows::How;

lint! {
    /// The same pattern is allowed and disallowed in one group.
    ///
    /// ## What it does
    ///
    /// Finds `Disallow` rules for which an `Allow` of the same group has the same pattern.
    ///
    /// ## Why is this bad?
    ///
    /// Between equals, `Allow` wins by RFC 9309, for Google and for Yandex; older parsers take the first. One of the two
    /// lines is a mistake.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /news/
    /// Allow: /news/
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /news/
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.2: if equivalent, Allow should be used
    "L028" "contradicting-rules", Warning, concerns: "every crawler"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for shadow in file.shadows().0.iter().filter(|shadow| shadow.how == How::Contradicted) {
        let value = &file.source[file.value(shadow.line)];
        let message = format!("line {} allows `{}`, and between equals `Allow` wins: this rule forbids nothing", shadow.by, shown(value));
        out.add(shadow.line, file.said(shadow.line), message).related(shadow.by, "allowed here");
    }
}
