use crate::prelude::*;
use crate::text::replaced;

lint! {
    /// A rule contains an HTML entity such as `&amp;`, so it matches no page.
    ///
    /// Write the character itself, for example `&` for `&amp;`.
    ///
    /// ## What it does
    ///
    /// Finds `&amp;`, `&lt;`, `&gt;` and `&quot;` in rules, unless the file also has a rule for the plain character or for
    /// a parameter named `amp;…`.
    ///
    /// ## Why is this bad?
    ///
    /// A robots.txt is plain text, so `&amp;` means these five characters. URLs contain a single `&` in their place.
    /// Usually, the rule was copied from the source of a page.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /list?sort=price&amp;page=
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /list?sort=price&page=
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.2
    "L044" "html-entity", Warning, affects: "every crawler"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    const ENTITIES: [(&[u8], &[u8]); 4] = [(b"&amp;", b"&"), (b"&lt;", b"%3C"), (b"&gt;", b"%3E"), (b"&quot;", b"%22")];
    let mut names_amp = None;
    for (line, _, value) in file.rules() {
        let Some(first) = value.iter().position(|b| *b == b'&') else { continue };
        if !value[first..].contains(&b';') {
            continue;
        }
        let entity = |rest: &[u8]| ENTITIES.iter().find(|(entity, _)| rest.starts_with(entity));
        let mut places = (first..value.len()).filter_map(|at| Some(at..at + entity(&value[at..])?.0.len()));
        let Some(at) = places.next() else { continue };
        let plain = replaced(value, |rest| entity(rest).map(|(entity, meant)| (entity.len(), *meant)));
        // `/*&gt;` blocks links with a part of the page's source, which are in the log of many sites.
        if at.start > 0 && value[at.start - 1] == b'*' && &value[at.clone()] != b"&amp;" {
            continue;
        }
        // Links with an escaped ampersand lead to URLs with a parameter `amp;ref`, which some files block on purpose.
        if file.has_rule(&plain)
            || *names_amp.get_or_insert_with(|| file.rules().any(|(_, _, value)| blocks_amp(value)))
        {
            continue;
        }
        let own = shown(&value[at.clone()]);
        let message = format!("`{own}` in a rule is not an entity: only URLs with these characters match");
        out.add(file.span(&value[at]), message).unsafe_fix(
            format!("add a line with `{}`", shown(&plain)),
            file.with_values(line.number, &[value, &plain]),
        );
    }
}

/// Returns true if a rule blocks URLs with a parameter such as `amp;ref`, which come from links that were escaped twice.
fn blocks_amp(value: &[u8]) -> bool {
    value.windows(5).any(|part| part == b"?amp;" || part == b"*amp;")
}
