use comity::Content;

use crate::diagnostic::Diagnostics;
use crate::file::{File, shown};
use crate::lint::lint;

lint! {
    /// A pattern has stars in a row, or ends in `*$`, which is as good as nothing.
    ///
    /// ## What it does
    ///
    /// Finds `**` in patterns, and `*$` at their ends where that does not close the whole site. Where the octets that could
    /// be saved decide between two rules, they are left alone.
    ///
    /// ## Why is this bad?
    ///
    /// Two stars match what one matches, and "anything, then the end" is what every pattern without `$` ends in. Some
    /// parsers slow down with every star.
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
    "L016" "redundant-operators", Note, concerns: "crawlers that understand `*` and `$`"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for group in &file.groups {
        let mut priorities = None;
        for rule in &group.rules {
            let value = rule.value();
            if !value.ends_with(b"*$") && !value.windows(2).any(|pair| pair == b"**") {
                continue;
            }
            let mut short: Vec<u8> = Vec::with_capacity(value.len());
            for byte in value {
                if *byte != b'*' || short.last() != Some(&b'*') {
                    short.push(*byte);
                }
            }
            // If these operators follow a `$`, they are kept: without them, that `$` would become an end anchor.
            if short.ends_with(b"*$") && short.len() > 3 && !short.ends_with(b"$*$") {
                short.truncate(short.len() - 2);
            }
            let saved = value.len() - short.len();
            if saved == 0 || !matches!(file.line(rule.line()).content, Content::Rule { cut: false, .. }) {
                continue;
            }
            let priorities = priorities.get_or_insert_with(|| file.priorities(group));
            if priorities.between(rule.kind(), rule.priority().saturating_sub(saved as u16), rule.priority()) {
                continue;
            }
            out.add(rule.line(), file.value(rule.line()), format!("`{}` matches what `{}` matches", shown(value), shown(&short)))
                .safe(format!("write `{}`", shown(&short)), file.with_values(rule.line(), &[&short]));
        }
    }
}
