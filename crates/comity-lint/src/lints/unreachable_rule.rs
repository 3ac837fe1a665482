use crate::diagnostic::Diagnostics;
use crate::file::File;
use crate::text::shown;
use crate::lint::lint;
use crate::shadows::ShadowKind;

lint! {
    /// A rule can never decide: another one matches all it matches, and ranks higher.
    ///
    /// ## What it does
    ///
    /// Finds rules that a longer pattern of the other kind covers, which takes a star: `Allow: /a` beside `Disallow: /a*`.
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
    /// - RFC 9309 §2.2.2: the match with the most octets
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
        let message = format!("this rule has no effect: `{}` in line {} matches all of its URLs and {reason}", shown(wider), shadow.by);
        out.add(shadow.line, file.record_span(shadow.line), message).related(shadow.by, "this rule always wins");
    }
    if !complete {
        out.bound("500,000 pairs of rules");
    }
}
