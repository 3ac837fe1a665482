use std::collections::BTreeSet;

use crate::prelude::*;

lint! {
    /// A rule matches fewer URLs than it seems to.
    ///
    /// Write `/*?sort=` and `/*&sort=`, without a `$` after the equals sign, and `/checkout` without a `$`.
    ///
    /// ## What it does
    ///
    /// Finds `Disallow` rules that end in `=$`, and so only match a parameter without a value; `/?` alone and `/?sort=`, which
    /// only match the home page; groups with two or more rules such as `/*?sort=`, none of which also matches the parameter
    /// after `&`; groups with rules such as `/*&sort=`, none of which matches the parameter after `?`; and the name of a part of a shop, or a directory, with a `$`, such as `/checkout$` and `/portal/$`, without a rule for the pages below it. All
    /// of these but the first are notes. Also finds endings of files without a star, such as `/.pdf$`, and `/$`, which only
    /// matches the home page, as the only `Disallow` rule of a group: a note if the group is for `*`.
    ///
    /// ## Why is this bad?
    ///
    /// Of several parameters, only the first follows a `?`. So `/*?sort=` does not block `/shoes?color=red&sort=price`, and
    /// crawlers find all combinations.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /*?sort=$
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /*?sort=
    /// Disallow: /*&sort=
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.3: the end of a pattern
    "L070" "narrow-pattern", Warning, affects: "crawlers that understand `*` and `$`"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for (line, kind, value) in file.rules() {
        let span = file.span(value);
        if let Some(open) = value.strip_suffix(b"$").filter(|open| open.ends_with(b"=") && is_query(open)) {
            let message = format!("`{}` only matches a parameter without a value", shown(value));
            let edits = vec![Edit::new(span.clone(), open)];
            out.add(span, message).unsafe_fix("match every value", edits);
        } else if let Some(ending) =
            value.strip_prefix(b"/.").map(|rest| rest.strip_suffix(b"$").unwrap_or(rest)).filter(|rest| is_ending(rest))
        {
            let all = [b"/*", &value[1..]].concat();
            let message = format!("`{}` only matches a file whose whole name is `.{}`", shown(value), shown(ending));
            out.add(span.clone(), message).unsafe_fix("match all files of this kind", vec![Edit::new(span, all)]);
        } else if kind == RuleKind::Allow {
            continue;
        } else if matches!(value, b"/?" | b"/?*")
            && !has_longer(file, line.number, b"/?")
            && !file.is_covered(line.number, kind, b"/*?")
        {
            let message = format!("`{}` only matches the home page with parameters", shown(value));
            out.add(span, message).severity(Severity::Note).help("for every page with parameters, write `/*?`");
        } else if let Some(rest) = value.strip_prefix(b"/?").filter(|rest| is_facet(rest)) {
            let message = format!("`{}` only matches the home page with this parameter", shown(value));
            let all = [b"/*?", rest].concat();
            out.add(span.clone(), message)
                .severity(Severity::Note)
                .unsafe_fix("match every page", vec![Edit::new(span, all)]);
        }
        check_end(file, line.number, value, out);
    }
    check_parameters(file, b'?', b'&', out);
    check_parameters(file, b'&', b'?', out);
    for group in file.groups.iter().filter(|group| group.alone) {
        let mut closed = group.rules.iter().filter(|rule| disallows(rule));
        if let (Some(rule), None) = (closed.next().filter(|rule| rule.value() == b"/$"), closed.next()) {
            out.add(file.value(rule.line()), "only the home page is blocked: everything else is open")
                .severity(if group.is_for_any() { Severity::Note } else { Severity::Warning })
                .help("to block the whole site, write `/`");
        }
    }
}

/// Returns true for the ending of files that sites publish.
fn is_ending(name: &[u8]) -> bool {
    is_in("asp aspx css doc docx gif htm html jpeg jpg js pdf php png xls xlsx", name)
}

/// Returns true if a parameter, with its value, sorts or filters the products of a list. The home page has none.
fn is_facet(parameter: &[u8]) -> bool {
    let name = parameter.split(|byte| *byte == b'=').next().unwrap_or_default();
    name.len() < parameter.len() && is_listed(name, words::FACET)
}

/// Reports the name of a part of the site that ends in `$`.
fn check_end(file: &File<'_>, line: u32, value: &[u8], out: &mut Diagnostics) {
    let Some(open) = value.strip_suffix(b"$") else { return };
    let is_directory = matches!(open, [b'/', _, .., b'/']) && !open.contains(&b'*');
    let is_name = is_directory || open.strip_prefix(b"/").is_some_and(|name| is_listed(name, words::AREA));
    if is_name && !has_longer(file, line, open) {
        let (span, open) = (file.span(value), shown(open));
        let (what, more) = if is_directory {
            ("the pages below it".to_owned(), format!("write `{open}`"))
        } else {
            (
                format!("`{open}?…`, `{open}/` and the pages below it"),
                format!("write `{open}`, or add `{open}?` and `{open}/`"),
            )
        };
        let message = format!("`{}` only matches this one URL: {what} are not blocked", shown(value));
        out.add(span, message).severity(Severity::Note).help(format!("to block them, too, {more}"));
    }
}

/// Returns true if the group of a line has another rule whose pattern starts with this one.
fn has_longer(file: &File<'_>, line: u32, start: &[u8]) -> bool {
    let is_other = |rule: &Rule<'_>| rule.line() != line && rule.pattern().starts_with(start);
    file.group_of(line).is_some_and(|group| group.rules.iter().any(is_other))
}

/// Reports the first group whose rules only match a parameter after one of the marks `?` and `&`. Other groups of a file
/// mostly repeat its rules. A single rule for a first parameter is often meant.
fn check_parameters(file: &File<'_>, mark: u8, other: u8, out: &mut Diagnostics) {
    let (least, which) = if mark == b'?' { (2, "the first parameter") } else { (1, "parameters after the first") };
    let after = |name: &[u8]| [b"/*", &[other][..], name].concat();
    let of_group = |group: &GroupOf<'_>| -> Vec<(u32, Vec<u8>)> {
        let of_mark = |mark| {
            let rules = group.rules.iter().filter(|rule| rule.kind() == RuleKind::Disallow);
            rules.filter_map(move |rule| Some((rule.line(), parameter(rule.pattern(), mark)?)))
        };
        if of_mark(mark).nth(least - 1).is_none() {
            return Vec::new();
        }
        let named: BTreeSet<&[u8]> = of_mark(other).map(|(_, name)| name).collect();
        let is_missed = |(line, name): &(u32, &[u8])| {
            !named.contains(name) && !file.is_covered(*line, RuleKind::Disallow, &after(name))
        };
        // Whoever matches some parameters after both marks probably means it.
        let are_missed = of_mark(mark).all(|rule| is_missed(&rule));
        of_mark(mark).filter(|_| are_missed).map(|(line, name)| (line, name.to_vec())).collect()
    };
    let mut groups = file.groups.iter().map(of_group).filter(|rules| !rules.is_empty());
    let Some(rules) = groups.next() else { return };
    let (line, name) = &rules[0];
    let missed = if mark == b'?' { "?x=1&" } else { "?" };
    let message = match rules.len() {
        1 => format!("this rule only matches {which} of a URL: it does not block `{missed}{}1`", shown(name)),
        count => format!(
            "{count} rules of this group only match {which} of a URL: line {line} does not block `{missed}{}1`",
            shown(name)
        ),
    };
    let edits = rules.iter().flat_map(|(line, name)| {
        let value = &file.source[file.value(*line)];
        file.with_values(*line, &[value, &after(name)])
    });
    out.add(file.value(*line), message)
        .severity(Severity::Note)
        .unsafe_fix(format!("match the parameters after `{}`, too", char::from(other)), edits.collect());
}

/// Returns the name of a parameter and its equals sign, if a pattern is that after a mark on any page.
fn parameter(pattern: &[u8], mark: u8) -> Option<&[u8]> {
    let rest = pattern.strip_prefix(b"/*").or_else(|| pattern.strip_prefix(b"*"))?.strip_prefix(&[mark])?;
    let name = rest.strip_suffix(b"*").unwrap_or(rest);
    let (last, letters) = name.split_last()?;
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (*last == b'=' && !letters.is_empty() && letters.iter().all(is_name)).then_some(name)
}

/// Returns true if a pattern names a parameter of a query.
fn is_query(pattern: &[u8]) -> bool {
    pattern.iter().any(|byte| matches!(byte, b'?' | b'&' | b'*'))
}
