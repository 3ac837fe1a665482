use comity::{Content, RuleEffect};

use crate::diagnostic::Diagnostics;
use crate::file::File;
use crate::fix::Edit;
use crate::lint::lint;

lint! {
    /// Rules stand before the first user-agent line, where nobody obeys them.
    ///
    /// ## What it does
    ///
    /// Finds `Allow` and `Disallow` lines outside any group.
    ///
    /// ## Why is this bad?
    ///
    /// A rule belongs to the user-agent lines above it. With none above, it belongs to nobody and is ignored.
    ///
    /// ## Example
    ///
    /// ```robots
    /// Disallow: /private/
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /private/
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.1: rules outside a group
    /// - Portent, The Complete Guide to Robots.txt: start with a user-agent
    "L008" "rule-before-agent", Error, concerns: "every crawler"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let outside = file.lines.iter().filter(|line| matches!(line.content, Content::Rule { effect: RuleEffect::NoGroup, .. }));
    let mut outside = outside.map(|line| line.number);
    let Some(first) = outside.next() else { return };
    let more = match outside.count() {
        0 => "this rule".to_owned(),
        1 => "this rule and 1 more".to_owned(),
        n => format!("this rule and {n} more"),
    };
    let at = file.whole_line(first).start;
    out.add(first, file.said(first), format!("no user-agent line stands before {more}: nobody obeys"))
        .unsafe_fix("make it a rule for every crawler", vec![Edit::new(at..at, format!("User-agent: *{}", file.line_end()))]);
}
