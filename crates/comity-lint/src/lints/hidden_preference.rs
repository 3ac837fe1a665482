use crate::prelude::*;
use crate::recognize::groups::added;
use crate::recognize::opened::welcomed;
use crate::recognize::standing::Standing;

lint! {
    /// A preference about the use of content is in the group for `*`, and a crawler with its own group does not read it.
    ///
    /// Repeat the preference in the group of the crawler.
    ///
    /// ## What it does
    ///
    /// Finds groups of known crawlers without `Content-Signal` and `Content-Usage`, if the group for `*` has one of them.
    /// Groups that disallow everything are not reported, and neither are those of crawlers for ads, link previews,
    /// archives, and reports or checks that a site asks for. Also finds a preference that only crawlers read which may fetch
    /// nothing, because it is below their group.
    ///
    /// ## Why is this bad?
    ///
    /// Groups do not add up: a crawler obeys only the group that names it, and reads only the preferences in that group.
    /// For this crawler, the site states nothing.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Content-Signal: ai-train=no
    /// Allow: /
    ///
    /// User-agent: GPTBot
    /// Disallow: /drafts/
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Content-Signal: ai-train=no
    /// Allow: /
    ///
    /// User-agent: GPTBot
    /// Content-Signal: ai-train=no
    /// Disallow: /drafts/
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.1: the most specific group, and no other
    /// - Cloudflare, Content Signals Policy: a signal is part of a group
    /// - IETF, draft-ietf-aipref-attach: `Content-Usage` is part of a group
    "L065" "hidden-preference", Warning, affects: "the crawlers that the group names"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    check_closed(file, out);
    for (index, standing) in &file.standings().of_groups {
        let (Standing::HidesPreference(stated), group) = (standing, &file.groups[*index]) else { continue };
        let Content::Other { name, .. } = file.line(*stated).content else { continue };
        let agents = welcomed(file, group);
        let verb = if agents.len() == 1 { "does" } else { "do" };
        let names = names_of(agents.into_iter());
        let message = format!("{names} {verb} not read the `{}` for `*`: this group replaces it", shown(name));
        let line = group.agents.last().map_or(1, |agent| agent.line);
        let record = &file.source[file.record_span(*stated)];
        let copied = [file.line_end.as_bytes(), record].concat();
        out.add(file.value(line), message)
            .related(*stated, "this preference is not stated for it")
            .unsafe_fix("copy the preference", vec![added(file, group, &copied)]);
    }
}

/// Reports the only preference of a file, if it is in a group that closes the site.
fn check_closed(file: &File<'_>, out: &mut Diagnostics) {
    let is_preference = |line: &&Line<'_>| {
        matches!(line.content, Content::Other { field: Field::ContentSignal | Field::ContentUsage, .. })
    };
    let mut stated = file.others().filter(is_preference);
    let (Some(line), None) = (stated.next(), stated.next()) else { return };
    // Directly below the rules, it is meant for this group.
    if line.number == 1 || !matches!(file.line(line.number - 1).content, Content::Blank | Content::Comment) {
        return;
    }
    let Some(group) = file.group_of(line.number).filter(|group| group.closes() && !group.is_for_any()) else { return };
    if file.groups.iter().any(|group| group.is_for_any() && !group.closes()) {
        let verb = if group.agents.len() == 1 { "reads" } else { "read" };
        let names = group.names();
        let message =
            format!("only {names} {verb} this preference, and may fetch nothing anyway: it is in the group above it");
        out.add(file.record_span(line.number), message).help("move it below `User-agent: *`");
    }
}
