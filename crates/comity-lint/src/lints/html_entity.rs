use crate::diagnostic::Diagnostics;
use crate::file::{File, shown};
use crate::lint::lint;

lint! {
    /// A rule contains an HTML entity such as `&amp;`, so it matches no page.
    ///
    /// Write the character itself, for example `&` for `&amp;`.
    ///
    /// ## What it does
    ///
    /// Finds `&amp;`, `&lt;`, `&gt;` and `&quot;` in rules.
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
    "L044" "html-entity", Warning, concerns: "every crawler"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    const ENTITIES: [(&[u8], &[u8]); 4] = [(b"&amp;", b"&"), (b"&lt;", b"%3C"), (b"&gt;", b"%3E"), (b"&quot;", b"%22")];
    for (line, _, value) in file.rules() {
        let Some(first) = value.iter().position(|b| *b == b'&') else { continue };
        if !value[first..].contains(&b';') {
            continue;
        }
        let mut plain = Vec::with_capacity(value.len());
        let mut rest = value;
        let mut found = None;
        while let Some((&byte, tail)) = rest.split_first() {
            if let Some((entity, meant)) = ENTITIES.iter().find(|(entity, _)| rest.starts_with(entity)) {
                let at = value.len() - rest.len();
                found = found.or(Some(at..at + entity.len()));
                plain.extend_from_slice(meant);
                rest = &rest[entity.len()..];
            } else {
                plain.push(byte);
                rest = tail;
            }
        }
        let Some(at) = found else { continue };
        out.add(line.number, file.span(&value[at.clone()]), format!("`{}` is not decoded in robots.txt, and URLs do not contain it", shown(&value[at])))
            .unsafe_fix(format!("write `{}`", shown(&plain)), file.with_values(line.number, &[&plain]));
    }
}
