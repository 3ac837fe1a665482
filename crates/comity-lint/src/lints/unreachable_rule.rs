use crate::prelude::*;
use crate::shadows::ShadowKind;

lint! {
    /// A rule can never decide: another one matches all it matches, and ranks higher.
    ///
    /// ## What it does
    ///
    /// Finds rules that a longer pattern of the other kind covers, which takes a star: `Allow: /a` beside `Disallow: /a*`. Also
    /// finds rules such as `Allow: /*.jpg$` that open no file, since each rule that blocks one is longer, and rules such as
    /// `Allow: /*?page=` that open no page, beside `Disallow: /category/*?`.
    ///
    /// ## Why is this bad?
    ///
    /// The longer pattern wins, whatever it matches, and a star counts as one byte. The rule looks as if it opened or
    /// closed something, and it does nothing.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Allow: /news
    /// Disallow: /news*
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /news
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.2: the match with the most bytes
    "L030" "unreachable-rule", Warning, affects: "crawlers that understand `*`"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let (shadows, complete) = file.shadows();
    let mut shadows: Vec<_> = shadows.iter().filter(|shadow| shadow.kind == ShadowKind::Unreachable).collect();
    shadows.sort_by_key(|shadow| (shadow.line, shadow.by));
    shadows.dedup_by_key(|shadow| shadow.line);
    for shadow in shadows {
        let wider = &file.source[file.value(shadow.by)];
        let reason = if shadow.is_tie { "is as long, and then `Allow` wins" } else { "is longer" };
        let (wider, line) = (shown(wider), shadow.by);
        let message = format!("this rule has no effect: `{wider}` in line {line} matches all of its URLs and {reason}");
        out.add(file.record_span(shadow.line), message).related(shadow.by, "this rule always wins");
    }
    out.bound_if(!complete, "500,000 pairs of rules");
    check_extensions(file, out);
    check_parameters(file, out);
}

/// Finds rules that allow a parameter in groups that block queries, all of which have longer rules.
fn check_parameters(file: &File<'_>, out: &mut Diagnostics) {
    let is_dead = |rule: &Rule<'_>| {
        let dead = &file.dead().rules;
        dead.binary_search_by_key(&rule.line(), |dead| dead.line).is_ok_and(|at| dead[at].because.is_empty())
    };
    let blocks_queries = |rule: &&Rule<'_>| disallows(rule) && matches!(rule.pattern(), [.., b'?'] | [.., b'?', b'*']);
    for group in &file.groups {
        let longest = group.rules.iter().filter(blocks_queries).max_by_key(|rule| rule.priority());
        let Some(winner) = longest else { continue };
        let start = winner.pattern().rsplitn(2, |byte| *byte == b'?').last().unwrap_or_default();
        for rule in
            group.rules.iter().filter(|rule| rule.kind() == RuleKind::Allow && rule.priority() < winner.priority())
        {
            let ([b'/', b'*', parameter @ ..] | [b'*', parameter @ ..]) = rule.pattern() else { continue };
            let whole = [start, parameter].concat();
            let is_parameter = matches!(parameter, [b'?', letter, ..] if letter.is_ascii_alphabetic());
            if is_parameter && !file.is_stated(rule.line(), RuleKind::Allow, &whole) && is_dead(rule) {
                let (longer, line, own) = (shown(winner.value()), winner.line(), shown(rule.value()));
                let message = format!("this rule opens no page: `{longer}` in line {line} is longer than `{own}`");
                out.add(file.record_span(rule.line()), message)
                    .related(line, "this rule wins")
                    .help(format!("to open these pages, write `{}`", shown(&whole)));
            }
        }
    }
}

/// Finds rules that allow files of one kind in blocked directories, all of which have longer rules.
fn check_extensions(file: &File<'_>, out: &mut Diagnostics) {
    let is_of_kind = |pattern: &[u8]| {
        let name = pattern.strip_prefix(b"/*.").or_else(|| pattern.strip_prefix(b"*.")).unwrap_or_default();
        let name = name.strip_suffix(b"$").unwrap_or(name);
        !name.is_empty() && name.iter().all(u8::is_ascii_alphanumeric)
    };
    for group in &file.groups {
        let is_directory = |rule: &&Rule<'_>| rule.kind() == RuleKind::Disallow && rule.pattern().ends_with(b"/");
        let is_allowed = |rule: &Rule<'_>| rule.kind() == RuleKind::Allow && is_of_kind(rule.pattern());
        let Some(allowed) = group.rules.iter().find(|rule| is_allowed(rule)) else { continue };
        let Some(longest) = group.rules.iter().filter(is_directory).max_by_key(|rule| rule.priority()) else {
            continue;
        };
        // The exception is probably from the directory above it.
        let is_above = |rule: &&Rule<'_>| rule.line() < allowed.line() && rule.priority() > allowed.priority();
        let longest = group.rules.iter().filter(is_directory).rfind(is_above).unwrap_or(longest);
        let of_files = group.rules.iter().filter(is_directory).find(|rule| holds_files(rule.pattern()));
        let winner = of_files.unwrap_or(longest);
        let has_no_effect = |rule: &&Rule<'_>| {
            let is_dead = || file.dead().contains(rule.line());
            is_allowed(rule) && rule.priority() < winner.priority() && (of_files.is_some() || is_dead())
        };
        let mut dead = group.rules.iter().filter(has_no_effect);
        let Some(first) = dead.next() else { continue };
        let more: Vec<u32> = dead.map(Rule::line).collect();
        let (own, other, line, more) = (shown(first.value()), shown(winner.value()), winner.line(), also(&more));
        let message = if of_files.is_some() {
            format!("this rule has no effect below `{other}`: line {line} is longer than `{own}`{more}")
        } else {
            format!("this rule has no effect: `{other}` in line {line} is longer than `{own}`{more}")
        };
        let from = first.value().iter().position(|byte| *byte == b'.').unwrap_or(0);
        let whole = [winner.value(), b"*", &first.value()[from..]].concat();
        out.add(file.record_span(first.line()), message)
            .related(line, "this rule wins")
            .help(format!("to open these files there, write `{}`", shown(&whole)));
    }
}

/// Returns true for a directory of files that people download.
fn holds_files(pattern: &[u8]) -> bool {
    const NAMES: &str = "docs documents download downloads files fileadmin media pdf pdfs uploads";
    pattern.split(|byte| *byte == b'/').any(|name| is_in(NAMES, name))
}
