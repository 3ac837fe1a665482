use crate::prelude::*;
use crate::text::replaced;

lint! {
    /// A pattern contains consecutive stars or ends in `*$`, which has no effect.
    ///
    /// Write one star instead of several, and remove the `*$`.
    ///
    /// ## What it does
    ///
    /// Finds `**` in patterns, and `*$` at the end of patterns that do not match the whole site. Operators are not
    /// reported if their length decides between two rules.
    ///
    /// ## Why is this bad?
    ///
    /// Two stars match the same as one. A final `*$` means "any text, then the end", which every pattern without a `$`
    /// means, too. Some parsers become slow with many stars.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /a/**/b
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /a/*/b
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.3: the operators
    /// - Portent, The Complete Guide to Robots.txt: redundant wildcards
    "L016" "redundant-operators", Note, affects: "crawlers that understand `*` and `$`"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for group in &file.groups {
        let mut priorities = None;
        for rule in &group.rules {
            let value = rule.value();
            if !value.ends_with(b"*$") && !value.windows(2).any(|pair| pair == b"**") {
                continue;
            }
            let mut short = replaced(value, |rest| rest.starts_with(b"**").then_some((1, b"")));
            // If these operators follow a `$`, they are kept: without them, that `$` would become an end anchor.
            if short.ends_with(b"*$") && short.len() > 3 && !short.ends_with(b"$*$") {
                short.truncate(short.len() - 2);
            }
            let saved = value.len() - short.len();
            if saved == 0 || !matches!(file.line(rule.line()).content, Content::Rule { cut: false, .. }) {
                continue;
            }
            let priorities = priorities.get_or_insert_with(|| file.priorities(group));
            if priorities.between(rule.kind(), rule.priority().saturating_sub(saved as u16), rule.priority()).is_some()
            {
                continue;
            }
            let ending = if value.ends_with(b"*$") && !short.ends_with(b"*$") {
                "the ending `*$` has no effect"
            } else {
                "`**` has the effect of `*`"
            };
            out.add(file.value(rule.line()), format!("{ending}: `{}` is the same", shown(&short)))
                .safe(format!("write `{}`", shown(&short)), file.with_values(rule.line(), &[&short]));
        }
    }
}
