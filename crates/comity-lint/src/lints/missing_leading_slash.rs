use crate::diagnostic::Diagnostics;
use crate::file::{File, shown};
use crate::lint::lint;
use crate::lints::host_in_path::host_len;

lint! {
    /// A rule starts with neither a slash nor a star, so it matches nothing.
    ///
    /// ## What it does
    ///
    /// Finds `Allow` and `Disallow` values such as `private/`. Whole addresses are told of by `host-in-path`.
    ///
    /// ## Why is this bad?
    ///
    /// Every path starts with a slash, and a pattern is compared from the start. RFC 9309 has no such rules, and Google's
    /// parser lets them match nothing; a few crawlers add the slash, so what happens depends on who asks.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: private/
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
    /// - RFC 9309 §2.2: a path pattern starts with a slash
    /// - Portent, The Complete Guide to Robots.txt: always start with a slash
    "L010" "missing-leading-slash", Error, concerns: "every crawler"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for (line, _, value) in file.rules() {
        if matches!(value[0], b'/' | b'*') || host_len(value).is_some() {
            continue;
        }
        let fixed = [b"/", value].concat();
        out.add(line.number, file.span(value), format!("`{}` starts with neither `/` nor `*`: it matches nothing", shown(value)))
            .unsafe_fix("add the slash", file.with_values(line.number, &[&fixed]));
    }
}
