use crate::prelude::*;

lint! {
    /// A rule that seems to be about dollar signs blocks the whole site.
    ///
    /// To block URLs that contain a dollar sign, write `/*$*`. To block the whole site, write `/`.
    ///
    /// ## What it does
    ///
    /// Finds `Disallow: /*$`.
    ///
    /// ## Why is this bad?
    ///
    /// A final `$` matches the end of a URL, and a star matches any text, so together they match every URL. A `$` is a
    /// dollar sign only if something follows it, as in `/*$*`.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /*$
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /*$*
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.3: the end of a pattern
    /// - Portent, The Complete Guide to Robots.txt: dollar signs
    "L013" "dollar-blocks-all", Error, affects: "crawlers that understand `*` and `$`"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for (line, value) in file.disallowed() {
        let Some(body) = value.strip_suffix(b"$") else { continue };
        let stars = body.strip_prefix(b"/").unwrap_or(body);
        if !stars.is_empty() && stars.iter().all(|b| *b == b'*') {
            out.add(
                file.span(value),
                format!("`{}` matches every URL: the `$` is the end of the URL, not a dollar sign", shown(value)),
            )
            .unsafe_fix("match literal dollar signs", file.with_values(line.number, &[b"/*$*"]));
        }
    }
}
