use crate::blocking::is_home_or_file;
use crate::prelude::*;
use crate::recognize::records::except_google;

lint! {
    /// The home page is blocked, although rules open other parts of the site.
    ///
    /// Add `Allow: /$`.
    ///
    /// ## What it does
    ///
    /// Finds groups for every crawler, Googlebot or bingbot that disallow everything and allow directories, but not the
    /// home page. Groups that allow only files, such as `/favicon.ico`, are not reported.
    ///
    /// ## Why is this bad?
    ///
    /// The home page is the page that most links lead to. If it is blocked, search engines show its address without a
    /// title and a description, and do not follow its links.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Allow: /en/
    /// Allow: /de/
    /// Disallow: /
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Allow: /$
    /// Allow: /en/
    /// Allow: /de/
    /// Disallow: /
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.2: the longest match
    "L071" "closed-home-page", Warning, affects: "search engines"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for group in &file.groups {
        let opens = |rule: &&Rule<'_>| rule.kind() == RuleKind::Allow && is_directory(rule.value());
        let Some(opening) = group.rules.iter().find(opens) else { continue };
        let Some(closing) = group.rules.iter().find(|rule| closes(rule)) else { continue };
        let Some(who) = ["*", "Googlebot", "bingbot"].into_iter().find(|name| group.names_token(name)) else {
            continue;
        };
        // Groups of one crawler are read as one.
        let allows_home = |rule: &Rule<'_>| {
            rule.kind() == RuleKind::Allow && (rule.value() == b"/$" || matches_everything(rule.value()))
        };
        if file.groups.iter().filter(|group| group.names_token(who)).flat_map(|group| &group.rules).any(allows_home) {
            continue;
        }
        // `hash-cuts-path` reports that the rule is longer.
        if file.line(closing.line()).text.windows(2).any(|part| part == b"/#") {
            continue;
        }
        let whom = if who == "*" { "every crawler" } else { who };
        let (line, at) = (closing.line(), file.whole_line(closing.line()).start);
        let found =
            out.add(file.record_span(line), format!("the home page is blocked for {whom}{}", except_google(file)));
        found.related(opening.line(), "this part of the site is open");
        found.unsafe_fix("allow the home page", vec![Edit::new(at..at, format!("Allow: /${}", file.line_end))]);
    }
}

/// Returns true if a pattern matches the pages of a directory, and not files of one kind.
fn is_directory(pattern: &[u8]) -> bool {
    !pattern.is_empty() && !is_home_or_file(pattern) && !pattern.iter().any(|byte| matches!(byte, b'.' | b'$' | b'?'))
}
