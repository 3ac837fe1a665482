//! The patterns that name paths, and those that match every path. Fixes must not newly block a path that no rule names.

use comity::dialect::SIZE_LIMIT;
use comity::{Content, Crawlers, RuleKind, SourceText};

use crate::budget::{Budget, Halt, unless_stopped};
use crate::diagnostic::Diagnostic;
use crate::fix::{self, Fix, Safety};
use crate::proof;
use crate::readings::{self, Readings};
use crate::stop::{Stopped, Watch};
use crate::text::is_in;

/// The maximum number of steps to check the fixes of a file: about a tenth of a second.
const MAX_STEPS: usize = 1_000_000;

/// Patterns from this length on may be cut, so they are treated as if they named nothing.
const MAX_WHOLE_OCTETS: usize = 1_000;

/// Returns true if a pattern contains a letter or a digit, escaped or not. A pattern without any, such as `/*?`, names
/// no path.
pub(crate) fn names_something(pattern: &[u8]) -> bool {
    let mut rest = pattern;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        let escaped = tail.get(..2).and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        let octet = match escaped {
            Some(octet) if byte == b'%' => {
                rest = &tail[2..];
                octet
            }
            _ => byte,
        };
        if octet.is_ascii_alphanumeric() || !octet.is_ascii() {
            return true;
        }
    }
    false
}

/// Returns true if a pattern matches every path.
pub(crate) fn matches_everything(pattern: &[u8]) -> bool {
    // Nearly all patterns name something, and start with it.
    if pattern.get(1).is_some_and(|byte| !matches!(byte, b'*' | b'$' | b'/')) {
        return false;
    }
    let body = pattern.strip_suffix(b"$").filter(|body| body.ends_with(b"*")).unwrap_or(pattern);
    body.iter().filter(|byte| **byte != b'*').eq(b"/") || !body.is_empty() && body.iter().all(|byte| *byte == b'*')
}

/// Returns true if a pattern matches only the home page, or files that are not pages.
pub(crate) fn is_home_or_file(pattern: &[u8]) -> bool {
    // WordPress allows the last one in every file that it writes.
    const FILES: &str = "/favicon.ico /ads.txt /app-ads.txt /sellers.json /robots.txt /humans.txt /security.txt \
        /.well-known/ /sitemap.xml /sitemap_index.xml /wp-admin/admin-ajax.php";
    let bare = pattern.strip_suffix(b"$").filter(|bare| bare.len() > 1).unwrap_or(pattern);
    bare == b"/$" || bare.contains(&b'.') && is_in(FILES, bare)
}

/// Sets [`Fix::blocks_site`] of the unsafe fixes among the findings in a file.
pub(crate) fn check(
    source: &[u8],
    found: &mut [Diagnostic],
    table: &Crawlers,
    watch: &Watch<'_>,
) -> Result<(), Stopped> {
    watch.ask()?;
    let before = Readings::new(source, table);
    let mut check = Check { source, table, before, is_wide: None, budget: Budget::new(MAX_STEPS, watch) };
    for fix in found.iter_mut().filter_map(|found| found.fix.as_mut()).filter(|fix| fix.safety == Safety::Unsafe) {
        fix.blocks_site = Some(unless_stopped(check.blocks_site(fix), true)?);
    }
    Ok(())
}

/// A check of the fixes of one file.
struct Check<'c> {
    source: &'c [u8],
    table: &'c Crawlers,
    before: Readings<'c>,
    /// True if the file has a line that may disallow paths that no rule names. `None` if it is not known yet.
    is_wide: Option<bool>,
    budget: Budget<'c>,
}

impl Check<'_> {
    /// Returns true if a fix newly blocks a path that no rule names. Only a file that may disallow such paths after the fix
    /// can do that.
    fn blocks_site(&mut self, fix: &Fix) -> Result<bool, Halt> {
        let lines = changed_lines(self.source, fix);
        self.budget.spend(1 + lines.len() / 4)?;
        // At the size limit, the last rule may be cut.
        let is_narrow = self.source.len() + lines.len() <= SIZE_LIMIT && !has_wide_rule(&lines);
        if is_narrow && self.is_wide.is_none() {
            self.budget.spend(self.source.len() / 4)?;
            self.is_wide = Some(has_wide_rule(self.source));
        }
        if is_narrow && self.is_wide == Some(false) {
            return Ok(false);
        }
        self.budget.spend(Readings::steps(2 * self.source.len()))?;
        let fixed = fix::apply(self.source, [fix]).body;
        let after = Readings::new(&fixed, self.table);
        Ok(proof::first_closed(&self.before, &after, &mut self.budget)?.is_some())
    }
}

/// Returns the lines that a fix changes, as they are after the fix.
fn changed_lines(source: &[u8], fix: &Fix) -> Vec<u8> {
    let (Some(first), Some(last)) = (fix.edits.first(), fix.edits.last()) else { return Vec::new() };
    let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let mut at = source[..first.span.start].iter().rposition(is_end).map_or(0, |end| end + 1);
    let end = source[last.span.end..].iter().position(is_end).map_or(source.len(), |end| last.span.end + end);
    let mut lines = Vec::new();
    for edit in &fix.edits {
        lines.extend_from_slice(&source[at..edit.span.start]);
        lines.extend_from_slice(&edit.text);
        at = edit.span.end;
    }
    lines.extend_from_slice(&source[at..end]);
    lines
}

/// Returns true if a line disallows something and names nothing, in any of the checked dialects.
fn has_wide_rule(text: &[u8]) -> bool {
    let is_wide = |value: &[u8]| !value.is_empty() && (value.len() >= MAX_WHOLE_OCTETS || !names_something(value));
    readings::distinct().any(|dialect| {
        SourceText::new(text, &dialect).lines().any(|line| match line.content {
            Content::Rule { kind: RuleKind::Disallow, value, .. } => is_wide(value),
            _ => false,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_digits_name_something() {
        for pattern in ["/a", "*9", "/%C3%A9", "/é", "/%61", "/*?id="] {
            assert!(names_something(pattern.as_bytes()), "{pattern}");
        }
        for pattern in ["", "/", "/*", "*/", "/*$", "/*?", "/%20", "//*/", "/%", "/&=%2F"] {
            assert!(!names_something(pattern.as_bytes()), "{pattern}");
        }
    }
}
