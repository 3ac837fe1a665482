use crate::prelude::*;
use crate::recognize::records::only_read_by_google;

lint! {
    /// Rules before the first user-agent line apply to no crawler.
    ///
    /// Add the line `User-agent: *` before them, or move them into a group.
    ///
    /// ## What it does
    ///
    /// Finds `Allow` and `Disallow` lines outside any group.
    ///
    /// ## Why is this bad?
    ///
    /// A rule belongs to the user-agent lines before it. If there are none, crawlers ignore the rule.
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
    "L008" "rule-before-agent", Error, affects: "every crawler"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let outside =
        file.lines.iter().filter(|line| matches!(line.content, Content::Rule { effect: RuleEffect::NoGroup, .. }));
    let mut outside = outside.map(|line| line.number);
    let Some(first) = outside.next() else { return };
    let rules = match outside.count() {
        0 => "this rule: most crawlers ignore it".to_owned(),
        n => format!("this rule and {n} more: most crawlers ignore them"),
    };
    // The finding about that line repairs it. A second user-agent line would open another group for Google.
    if let Some(line) = only_read_by_google(file, &[Field::UserAgent]).filter(|line| *line < first) {
        let message = format!("no user-agent line precedes {rules}, but Google's parser reads line {line} as one");
        out.add(file.record_span(first), message);
        return;
    }
    let at = file.whole_line(first).start;
    out.add(file.record_span(first), format!("no user-agent line precedes {rules}")).unsafe_fix(
        "add `User-agent: *` before it",
        vec![Edit::new(at..at, format!("User-agent: *{}", file.line_end))],
    );
}
