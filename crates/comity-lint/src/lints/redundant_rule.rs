use crate::prelude::*;
use crate::recognize::records::except_google;
use crate::shadows::ShadowKind;

lint! {
    /// A wider rule of the same group already says what this one says.
    ///
    /// ## What it does
    ///
    /// Finds rules that could be deleted without changing any verdict, because a wider rule of the same kind covers
    /// them. This is proven for all URLs and all crawlers. The fix deletes the rule. There is no fix if the wider rule
    /// matches everything, or if another lint has a finding about it: then the wider rule may be the mistake. A rule is
    /// not reported if a blank line separates only the wider one from its group, since Yandex then reads only the
    /// narrow one.
    ///
    /// ## Why is this bad?
    ///
    /// The rule changes nothing, but it misleads. If you delete it to open a page, the page stays blocked by the wider
    /// rule. A narrow rule beside `Disallow: /` shows that its author expected `Disallow: /` to do something else.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /search
    /// Disallow: /search/advanced
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /search
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.2: the longest match wins
    "L029" "redundant-rule", Note, affects: "whoever maintains the file"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let (shadows, complete) = file.shadows();
    let mut shadows: Vec<_> = shadows.iter().filter(|shadow| shadow.kind == ShadowKind::Redundant).collect();
    // Several rules may make a rule redundant. Only the first of them is reported.
    shadows.sort_by_key(|shadow| (shadow.line, shadow.by));
    shadows.dedup_by_key(|shadow| shadow.line);
    let except = if shadows.is_empty() { String::new() } else { except_google(file) };
    for shadow in shadows {
        // For Yandex, a blank line ends a group. And `missing-leading-slash` reports rules that match nothing.
        let matches_nothing = !matches!(file.source[file.value(shadow.line)].first(), Some(b'/' | b'*'));
        // If a `#` cuts the rule that covers it, that rule is the mistake: `hash-cuts-path` reports it.
        let is_cut = file.source.get(file.value(shadow.by).end) == Some(&b'#');
        if shadow.parted || matches_nothing || is_cut {
            continue;
        }
        let wider = &file.source[file.value(shadow.by)];
        let message = format!("`{}` in line {} covers this already{except}", shown(wider), shadow.by);
        let found = out.add(file.record_span(shadow.line), message);
        found.related(shadow.by, "this rule covers it");
        // `/en` covers `/entertainment/`, which may be a mistake of the first rule, and this one shows it.
        let own = &file.source[file.value(shadow.line)];
        let rest = own.strip_prefix(wider).unwrap_or_default();
        let letters = rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        if letters >= MIN_LETTERS && wider.last().is_some_and(u8::is_ascii_alphabetic) {
            let (wider, line) = (shown(wider), shadow.by);
            found.help(format!(
                "it also matches longer names: if only a directory is meant, write `{wider}/` in line {line}"
            ));
        } else if matches_everything(wider) {
            // A person takes a blank line for the end of a group.
            let between = file.lines.get(shadow.by as usize..shadow.line as usize - 1).unwrap_or_default();
            let group = file
                .group_of(shadow.line)
                .filter(|_| between.iter().any(|line| matches!(line.content, Content::Blank)));
            if let Some(agent) = group.and_then(|group| group.agents.first()) {
                found.related(agent.line, "the rule is for this group only: a blank line ends no group");
            }
            found.help(format!("no fix deletes it: if line {} is deleted later, this rule takes effect", shadow.by));
        } else if let Some(edits) = file.without_line(shadow.line).filter(|_| shadow.certain && except.is_empty()) {
            found.delete_because_of(shadow.by, edits);
        }
    }
    out.bound_if(!complete, "500,000 pairs of rules");
}

/// The number of further letters with which a word is another one, and not its plural.
const MIN_LETTERS: usize = 4;
