use comity::{Content, Field};

use crate::diagnostic::Diagnostics;
use crate::file::File;
use crate::lint::lint;

lint! {
    /// A directive that no crawler heeds.
    ///
    /// ## What it does
    ///
    /// Finds `Noindex`, `Nofollow`, `Noarchive`, `Host`, `Domain`, `Revisit-after` and `Robot-version` lines, and tells of each
    /// directive once. New or private directives, such as `Content-Signal`, `License` or `LLM-Policy`, are none of these.
    ///
    /// ## Why is this bad?
    ///
    /// Who writes `Noindex: /drafts/` relies on it. Google dropped it on 1 September 2019, and nobody else ever had it; Yandex
    /// dropped `Host` in 2018. The pages are indexed all the same.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Noindex: /drafts/
    /// ```
    ///
    /// ## Use instead
    ///
    /// `noindex` in the pages themselves, or in an `X-Robots-Tag` header, and no rule that keeps crawlers from seeing it.
    ///
    /// ## Sources
    ///
    /// - Google Search Central Blog, A note on unsupported rules in robots.txt, July 2019
    /// - Google's open-source parser, `reporting_robots.cc`
    "L036" "dead-directive", Warning, concerns: "every crawler"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let mut told: Vec<Field> = Vec::new();
    for line in &file.lines {
        let Content::Other { field, name, .. } = line.content else { continue };
        let (why, help) = match field {
            Field::Noindex => ("nobody heeds `Noindex`; Google dropped it in 2019", "say `noindex` in the page or in an X-Robots-Tag header, and let the page be fetched"),
            Field::Nofollow | Field::Noarchive => ("this was never a directive of robots.txt", "say it in the page or in an X-Robots-Tag header"),
            Field::Host => ("nobody heeds `Host`; Yandex dropped it in 2018", "redirect from the other hosts"),
            Field::Domain | Field::RevisitAfter => ("no crawler heeds this", "delete it"),
            Field::RobotVersion => ("no crawler heeds `Robot-version` any more", "delete it"),
            _ => continue,
        };
        if !told.contains(&field) {
            told.push(field);
            out.add(line.number, file.span(name), why).help(help);
        }
    }
}
