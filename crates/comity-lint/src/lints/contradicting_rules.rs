use crate::prelude::*;
use crate::shadows::ShadowKind;

lint! {
    /// A group both allows and disallows the same pattern, so most crawlers ignore the `Disallow` rule.
    ///
    /// Remove the rule that is wrong.
    ///
    /// ## What it does
    ///
    /// Finds `Disallow` rules with the same pattern as an `Allow` rule of the same group. If the `Allow` rule is the later
    /// one, it may be meant to override the other, and the finding is a note. It is not reported if a comment between
    /// the two announces the overriding rules.
    ///
    /// ## Why is this bad?
    ///
    /// If two rules have the same length, `Allow` wins by RFC 9309, for Google and for Yandex. Older parsers use the
    /// first rule. One of the two lines is a mistake.
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
    "L028" "contradicting-rules", Warning, affects: "every crawler"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for shadow in file.shadows().0.iter().filter(|shadow| shadow.kind == ShadowKind::Contradicted) {
        if is_announced(file, shadow.line, shadow.by) {
            continue;
        }
        let value = &file.source[file.value(shadow.line)];
        let (line, value) = (shadow.by, shown(value));
        let message =
            format!("line {line} allows the same pattern, `{value}`, and `Allow` wins: this rule blocks nothing");
        let found = out.add(file.record_span(shadow.line), message);
        found.related(shadow.by, "allowed here");
        if shadow.by > shadow.line {
            found.severity(Severity::Note).help("if that is meant, delete this rule");
        }
    }
}

/// The maximum number of lines between a comment and a rule that it announces.
const MAX_ANNOUNCED: usize = 50;

/// Returns true if a comment is above the rules to which an overriding rule belongs, and below the rule that it
/// overrides. Such rules are added to a file that someone else maintains.
fn is_announced(file: &File<'_>, overridden: u32, by: u32) -> bool {
    let between = overridden as usize..(by as usize).saturating_sub(1);
    let between = file.lines.get(between).unwrap_or_default();
    between.iter().rev().take(MAX_ANNOUNCED).any(|line| matches!(line.content, Content::Comment))
}
