use comity::{Content, Field};

use crate::diagnostic::Diagnostics;
use crate::file::File;
use crate::lint::lint;

lint! {
    /// A directive is heeded by some crawlers only.
    ///
    /// ## What it does
    ///
    /// Tells, once for each directive of a file, who heeds it: `Crawl-delay`, `Request-rate`, `Visit-time`, `Clean-param`,
    /// `Content-Signal`, `Content-Usage`, `DisallowAITraining`. Other unknown directives may mean something to
    /// somebody, and are not told of at all.
    ///
    /// ## Why is this bad?
    ///
    /// It is not, if the crawlers that matter to you are among those that heed it. Google, for one, heeds none of them.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Crawl-delay: 10
    /// Disallow: /cart/
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.4: other records
    /// - Google's open-source parser, `reporting_robots.cc`: directives that it does not support
    "L017" "unsupported-directive", Note, concerns: "the crawlers that the message names", opt_in
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let mut told: Vec<Field> = Vec::new();
    for line in &file.lines {
        let Content::Other { field, name, .. } = line.content else { continue };
        let Some(who) = who_heeds(field) else { continue };
        if !told.contains(&field) {
            told.push(field);
            out.add(line.number, file.span(name), format!("`{field}`: {who}"));
        }
    }
}

fn who_heeds(field: Field) -> Option<&'static str> {
    Some(match field {
        Field::CrawlDelay => {
            "Bing, Common Crawl, Anthropic and some SEO crawlers heed it; Google, Yandex, Apple and Amazon do not"
        }
        Field::RequestRate => "Seznam heeds it; hardly anybody else does",
        Field::VisitTime => "hardly any crawler heeds it",
        Field::CleanParam => "Yandex heeds it; others do not",
        Field::ContentSignal => "it states a wish about use, as Cloudflare proposed; it blocks nothing, and Google lists it as unsupported",
        Field::ContentUsage => "it states a wish about use, after a draft of the IETF; it blocks nothing",
        Field::DisallowAiTraining | Field::AllowAiTraining => "it comes from a draft that has expired",
        _ => return None,
    })
}
