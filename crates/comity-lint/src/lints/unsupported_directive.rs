use crate::prelude::*;

lint! {
    /// The file contains a directive that only some crawlers support.
    ///
    /// Check that the crawlers that matter to you support it. If none of them does, remove it.
    ///
    /// ## What it does
    ///
    /// Reports, once for each directive of a file, the crawlers that support it. The directives are `Crawl-delay`,
    /// `Request-rate`, `Visit-time`, `Clean-param`, `Content-Signal`, `Content-Usage` and `DisallowAITraining`. Other
    /// unknown directives are not reported, since some crawler may support them.
    ///
    /// ## Why is this bad?
    ///
    /// It is no mistake if the crawlers that matter to you support the directive. Google supports none of these.
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
    "L017" "unsupported-directive", Note, affects: "the crawlers that the message names", opt_in
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let mut told: Vec<Field> = Vec::new();
    for line in &file.lines {
        let Content::Other { field, name, .. } = line.content else { continue };
        let Some(support) = supporters(field) else { continue };
        if !told.contains(&field) {
            told.push(field);
            out.add(file.span(name), format!("`{field}`: {support}"));
        }
    }
}

fn supporters(field: Field) -> Option<&'static str> {
    Some(match field {
        Field::CrawlDelay => {
            "Bing, Common Crawl, Anthropic and some SEO crawlers support it; Google, Yandex, Apple and Amazon do not"
        }
        Field::RequestRate => "Seznam supports it; hardly any other crawler does",
        Field::VisitTime => "hardly any crawler supports it",
        Field::CleanParam => "Yandex supports it; others do not",
        Field::ContentSignal => {
            "it states a preference about the use of content, as Cloudflare proposed; it blocks nothing, and Google lists it as unsupported"
        }
        Field::ContentUsage => {
            "it states a preference about the use of content, by a draft of the IETF; it blocks nothing"
        }
        Field::DisallowAiTraining | Field::AllowAiTraining => "it is from a draft that has expired",
        _ => return None,
    })
}
