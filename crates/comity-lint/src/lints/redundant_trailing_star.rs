use crate::prelude::*;

lint! {
    /// A star at the end of a pattern has no effect.
    ///
    /// Remove it: `/private/` matches the same paths as `/private/*`.
    ///
    /// ## What it does
    ///
    /// Finds patterns that end in `*`, if no verdict depends on the star. A pattern matches the same paths without it.
    /// But of several matching rules, the longest decides, and the star is part of the length. So it is not reported if
    /// it makes the pattern longer than an opposing rule, or as long as one. It is not reported after a `$` either,
    /// which would become an end anchor without it.
    ///
    /// ## Why is this bad?
    ///
    /// It suggests that without the star, only the exact path would match. Parsers without wildcards treat it as a
    /// character.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /private/*
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
    /// - RFC 9309 §2.2.2: matching is by prefix, and the longest match wins
    /// - Portent, The Complete Guide to Robots.txt: trailing wildcards
    "L015" "redundant-trailing-star", Note, affects: "every crawler", opt_in
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for group in &file.groups {
        let mut priorities = None;
        for rule in &group.rules {
            let pattern = rule.pattern();
            if pattern.last() != Some(&b'*') {
                continue;
            }
            let stars = pattern.iter().rev().take_while(|b| **b == b'*').count();
            let short = pattern.len() - stars;
            if short == 0 || !matches!(file.line(rule.line()).content, Content::Rule { cut: false, .. }) {
                continue;
            }
            let priorities = priorities.get_or_insert_with(|| file.priorities(group));
            let value = rule.value();
            let stars = value.iter().rev().take_while(|b| **b == b'*').count();
            if priorities.between(rule.kind(), short as u16, pattern.len() as u16).is_some()
                // In Google's parser, an `Allow` of an index page also allows its directory.
                || rule.kind() == RuleKind::Allow && value.windows(10).any(|part| part == b"/index.htm")
            {
                continue;
            }
            let span = file.value(rule.line());
            let kept = &value[..value.len() - stars];
            // At the end of the pattern, the `$` would become an end anchor.
            if kept.ends_with(b"$") {
                continue;
            }
            out.add(span.end - stars..span.end, format!("`{}` matches the same paths without the star", shown(value)))
                .safe("remove the star", file.with_values(rule.line(), &[kept]));
        }
    }
}
