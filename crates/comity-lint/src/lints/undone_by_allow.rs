use crate::prelude::*;
use crate::shadows::is_literal;

lint! {
    /// An `Allow` rule undoes another rule, or is undone by one.
    ///
    /// Delete the `Allow` rule, or write the other rule once more with the directory: `/products/*?sort=`.
    ///
    /// ## What it does
    ///
    /// Finds `Allow` rules for a directory that no rule blocks, in a group with a shorter `Disallow` rule that starts with a
    /// star. Also finds two rules such as `Disallow: /members` and `Allow: /members/`, of which the second one opens the whole
    /// directory, and `Allow: /*.pdf$` directly below a `Disallow` rule for a directory, which is longer (warnings).
    ///
    /// ## Why is this bad?
    ///
    /// The longest pattern wins. Without rules, everything is allowed, so such a rule only has this side effect: below the
    /// directory, the shorter rule does not apply.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Allow: /products/
    /// Disallow: /*?sort=
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /*?sort=
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.2: the match with the most bytes
    "L073" "undone-by-allow", Note, affects: "crawlers that understand `*`"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for group in file.groups.iter().filter(|group| group.rules.len() > 1) {
        let of_kind = |kind| group.rules.iter().filter(move |rule: &&Rule<'_>| rule.kind() == kind);
        if of_kind(RuleKind::Allow).next().is_none() {
            continue;
        }
        check_neighbors(file, group, out);
        let is_anywhere = |rule: &&Rule<'_>| {
            let pattern = rule.pattern();
            let rest = pattern.strip_prefix(b"/*").or_else(|| pattern.strip_prefix(b"*"));
            rest.is_some_and(|rest| rest.iter().any(u8::is_ascii_alphanumeric))
        };
        // The shortest one is undone by the most rules.
        let Some(short) = of_kind(RuleKind::Disallow).filter(is_anywhere).min_by_key(|rule| rule.priority()) else {
            continue;
        };
        let is_directory = |rule: &&Rule<'_>| {
            let pattern = rule.pattern();
            (3..=MAX_DIRECTORY).contains(&pattern.len())
                && pattern.ends_with(b"/")
                && is_literal(pattern)
                && rule.priority() > short.priority()
        };
        // An exception to a rule for a part of the directory, for something in it, or for everything.
        let is_exception = |allow: &Rule<'_>, rule: &Rule<'_>| {
            let (own, other) = (allow.pattern(), rule.pattern());
            let literal = other.split(|byte| matches!(byte, b'*' | b'$')).next().unwrap_or_default();
            matches!(other, b"/" | b"/*" | b"*")
                || literal.starts_with(own)
                || literal.len() > 1 && own.starts_with(literal)
                || contains_word(other, own)
        };
        let opens_nothing = |allow: &&Rule<'_>| !of_kind(RuleKind::Disallow).any(|rule| is_exception(allow, rule));
        let Some(allow) = of_kind(RuleKind::Allow).filter(is_directory).take(MAX_TRIED).find(opens_nothing) else {
            continue;
        };
        let (own, other) = (shown(allow.value()), shown(short.value()));
        let message = format!(
            "`{own}` opens nothing that is blocked, but `{other}` in line {} is shorter and does not apply below it",
            short.line()
        );
        out.add(file.value(allow.line()), message).related(short.line(), "this rule is undone there");
        // Other groups of a file mostly repeat its rules.
        return;
    }
}

/// Reports an `Allow` rule directly below a `Disallow` rule that it undoes, or that undoes it.
fn check_neighbors(file: &File<'_>, group: &GroupOf<'_>, out: &mut Diagnostics) {
    for pair in group.rules.windows(2).filter(|pair| disallows(&pair[0]) && pair[1].kind() == RuleKind::Allow) {
        let (closed, open) = (pair[0].pattern(), pair[1].pattern());
        if !is_literal(closed) || closed.len() < 2 {
            continue;
        }
        let ending = open.strip_prefix(b"/*.").or_else(|| open.strip_prefix(b"*."));
        // `blocks-rendering-resources` reports directories with style sheets and scripts.
        let is_resource = ending.is_some_and(|name| is_in("css js css$ js$", name));
        let is_shorter = !is_resource && open.len() < closed.len() && closed.ends_with(b"/");
        let message = if open.strip_suffix(b"/") == Some(closed) {
            format!("`{}` opens everything in the directory that `{}` closes", shown(open), shown(closed))
        } else if is_shorter
            && ending.is_some_and(|name| name.strip_suffix(b"$").unwrap_or(name).iter().all(u8::is_ascii_alphanumeric))
        {
            format!("`{}` opens no file in `{}`, which is longer", shown(open), shown(closed))
        } else {
            continue;
        };
        out.add(file.value(pair[1].line()), message).severity(Severity::Warning).related(pair[0].line(), "this rule");
    }
}

/// The maximum length of a directory that is compared, in bytes.
const MAX_DIRECTORY: usize = 64;

/// The maximum number of `Allow` rules of a group that are compared with its other rules.
const MAX_TRIED: usize = 10;

/// Returns true if a pattern with a star names a part of a directory, to which the directory may be an exception.
fn contains_word(pattern: &[u8], directory: &[u8]) -> bool {
    let is_name = |part: &&[u8]| part.len() > 2;
    let mut names = pattern.split(|byte| matches!(byte, b'*' | b'/' | b'?' | b'=' | b'$')).filter(is_name);
    names.any(|name| directory.windows(name.len()).any(|part| part == name))
}
