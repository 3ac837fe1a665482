use std::collections::HashMap;

use comity::{Crawler, Robots, Rules};

use crate::prelude::*;

lint! {
    /// A rule does not block pages with paths that differ from it only in upper and lower case.
    ///
    /// Add a rule for the other spelling, or redirect these pages to the spelling of the rule.
    ///
    /// ## What it does
    ///
    /// With URLs of the site (`--sitemap`, `--urls`, `--log`), finds pages that are allowed, but that a `Disallow` rule
    /// would block if case did not matter. Without URLs, finds `Allow` rules that have no effect, but would be the exception
    /// to a `Disallow` rule if case did not matter; and names of WordPress and MediaWiki in another case, such as `/WP-Admin/`, and
    /// those of the folders of Joomla beside at least four others.
    ///
    /// ## Why is this bad?
    ///
    /// Paths are case-sensitive: `/Private/` is not `/private/`. Many servers answer requests for both, and crawlers
    /// fetch the one that has a link.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /private/
    /// ```
    ///
    /// ```urls
    /// https://example.com/Private/plans.html
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /private/
    /// Disallow: /Private/
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.2: paths are case-sensitive
    /// - Portent, The Complete Guide to Robots.txt: case matters
    "L007" "case-variant", Note, affects: "every crawler"
}

/// The minimum number of letters of a rule. `/a` is no word whose pages have it in another case.
const MIN_LETTERS: usize = 2;
/// The maximum number of pages that are examined for all rules together.
const MAX_PAGES: usize = 1_000_000;

fn check(file: &File<'_>, out: &mut Diagnostics) {
    if file.evidence.pages.is_empty() {
        check_known(file, out);
        return check_exceptions(file, out);
    }
    let mut pages: Vec<(Vec<u8>, &KnownPage)> =
        file.evidence.pages.iter().map(|page| (page.path().as_bytes().to_ascii_lowercase(), page)).collect();
    pages.sort_by(|a, b| a.0.cmp(&b.0));
    let mut looked_at = 0;
    for (line, value) in file.disallowed() {
        if value.iter().filter(|b| b.is_ascii_alphabetic()).count() < MIN_LETTERS {
            continue;
        }
        let literal = value.split(|b| *b == b'*').next().unwrap_or_default();
        let literal = literal.strip_suffix(b"$").filter(|_| literal.len() == value.len()).unwrap_or(literal);
        let start = literal.to_ascii_lowercase();
        let from = pages.partition_point(|(path, _)| *path < start);
        let alike = pages[from..].iter().take_while(|(path, _)| path.starts_with(&start));
        let alike: Vec<_> = alike.take(MAX_PAGES.saturating_sub(looked_at)).collect();
        looked_at += alike.len();
        if alike.is_empty() {
            continue;
        }
        let (of_value, of_lower) = (only(value), only(&value.to_ascii_lowercase()));
        let is_missed = |(path, page): &&&(Vec<u8>, &KnownPage)| {
            of_lower.check_bytes(path).is_disallowed()
                && of_value.check(page.path()).is_allowed()
                && file.verdict(line.number, page).is_some_and(|verdict| verdict.is_allowed())
        };
        let missed: Vec<&KnownPage> = alike.iter().filter(is_missed).map(|(_, page)| *page).collect();
        if let Some(page) = missed.first() {
            let variant = [&page.path().as_bytes()[..literal.len()], &value[literal.len()..]].concat();
            let message =
                format!("`{}` does not block {}, which differs in case", shown(value), evidence::describe(&missed));
            let found = out.add(file.span(value), message);
            if only(&variant).check(page.path()).is_disallowed() {
                let edits = file.with_values(line.number, &[value, &variant]);
                found.unsafe_fix(format!("block `{}` too", shown(&variant)), edits);
            }
        }
    }
    out.bound_if(looked_at >= MAX_PAGES, "1,000,000 pages");
}

/// Finds the names of WordPress, MediaWiki and Joomla in another case than theirs.
fn check_known(file: &File<'_>, out: &mut Diagnostics) {
    const NAMES: [&str; 6] = ["/wp-admin", "/wp-content", "/wp-includes", "/wp-login.php", "Special:", "MediaWiki:"];
    for (line, kind, value) in file.rules() {
        // The pages of a wiki are mostly in `/wiki/` or `/w/`.
        if !matches!(value, [b'/', b'w' | b'W', ..]) {
            continue;
        }
        let colon = value.iter().position(|byte| *byte == b':').map_or(0, |colon| colon + 1);
        let is_it = |name: &&&str| {
            let at = if name.ends_with(':') { colon.checked_sub(name.len()) } else { Some(0) };
            let part = at.and_then(|at| value[at..].get(..name.len())).unwrap_or_default();
            part.eq_ignore_ascii_case(name.as_bytes()) && part != name.as_bytes()
        };
        let Some(name) = NAMES.iter().find(is_it) else { continue };
        let at = if name.ends_with(':') { colon - name.len() } else { 0 };
        let right = [&value[..at], name.as_bytes(), &value[at + name.len()..]].concat();
        report(file, line.number, kind, &right, out);
    }
    let is_mixed = |rule: &Rule<'_>| rule.value().len() < 16 && rule.value().iter().any(u8::is_ascii_uppercase);
    let is_folder = |rule: &&Rule<'_>| is_listed(rule.value(), words::JOOMLA);
    for group in &file.groups {
        let mixed = group.rules.iter().filter(|rule| is_mixed(rule) && is_folder(rule));
        let mut mixed = mixed.peekable();
        if mixed.peek().is_some()
            && group.rules.iter().filter(is_folder).filter(|rule| !is_mixed(rule)).nth(3).is_some()
        {
            mixed.for_each(|rule| report(file, rule.line(), rule.kind(), &rule.value().to_ascii_lowercase(), out));
        }
    }
}

/// Reports a rule whose name has another case than the right one, unless its group has the right one, too.
fn report(file: &File<'_>, line: u32, kind: RuleKind, right: &[u8], out: &mut Diagnostics) {
    let value = file.value(line);
    if !file.is_stated(line, kind, right) && !file.is_covered(line, kind, right) {
        let (own, meant) = (shown(&file.source[value.clone()]), shown(right));
        let message = format!("`{own}` does not match `{meant}`: paths are case-sensitive");
        out.add(value, message).unsafe_fix(format!("write `{meant}`"), file.with_values(line, &[right]));
    }
}

/// Finds rules whose exception, another rule of the group, differs from them in case.
fn check_exceptions(file: &File<'_>, out: &mut Diagnostics) {
    for group in file.groups.iter().filter(|group| group.rules.len() > 1) {
        let is_mixed = |rule: &Rule<'_>| rule.pattern().iter().any(u8::is_ascii_uppercase);
        let has_allow =
            || group.rules.iter().any(|rule| rule.kind() == RuleKind::Allow && rule.pattern().len() > MIN_PREFIX);
        if !has_allow() || !group.rules.iter().any(is_mixed) {
            continue;
        }
        let disallow = |rule: &&Rule<'_>| rule.kind() == RuleKind::Disallow && rule.pattern().len() >= MIN_PREFIX;
        let disallowed: Vec<(Vec<u8>, &Rule<'_>)> =
            group.rules.iter().filter(disallow).map(|rule| (rule.pattern().to_ascii_lowercase(), rule)).collect();
        let by_lower: HashMap<&[u8], &Rule<'_>> = disallowed.iter().map(|(lower, rule)| (&lower[..], *rule)).collect();
        for allow in group.rules.iter().filter(|rule| rule.kind() == RuleKind::Allow) {
            let lower = allow.pattern().to_ascii_lowercase();
            let mut prefixes = (MIN_PREFIX..lower.len()).rev().filter(|end| lower[end - 1] == b'/');
            let Some(other) = prefixes.find_map(|end| by_lower.get(&lower[..end])) else { continue };
            let is_exception = || group.rules.iter().any(|rule| disallow(&rule) && rule.covers(allow));
            if allow.pattern().starts_with(other.pattern()) || is_exception() {
                continue;
            }
            let (own, variant) = (shown(other.value()), shown(&allow.pattern()[..other.pattern().len()]));
            let line = allow.line();
            let message = format!(
                "`{own}` does not block `{variant}`, to which line {line} seems to be an exception: paths are case-sensitive"
            );
            out.add(file.value(other.line()), message).related(line, "this rule has no effect");
        }
    }
}

/// The length of the shortest directory that is compared.
const MIN_PREFIX: usize = 4;

/// Returns the rules of a file that disallows nothing but this pattern.
fn only(pattern: &[u8]) -> Rules {
    Robots::parse([b"User-agent: *\nDisallow: ", pattern].concat()).rules_for(&Crawler::ANY)
}
