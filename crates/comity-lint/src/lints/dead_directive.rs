use crate::prelude::*;

lint! {
    /// The file contains a directive that no crawler supports.
    ///
    /// Remove it. To keep pages out of search results, use `noindex` in the pages or in an `X-Robots-Tag` header.
    ///
    /// ## What it does
    ///
    /// Finds `Noindex`, `Nofollow`, `Noarchive`, `Host`, `Domain`, `Revisit-after` and `Robot-version` lines, and
    /// reports each directive once, and `Clean-param` lines with the path before the parameters, with commas, or with a parameter
    /// that selects the content of a page. `Request-rate` and `Visit-time`, which hardly any crawler reads, are notes. New or private directives, such as `Content-Signal`, `License` or `LLM-Policy`, are
    /// not reported.
    ///
    /// ## Why is this bad?
    ///
    /// A site with `Noindex: /drafts/` relies on it, but its pages are indexed anyway. Google ended its support on 1
    /// September 2019, and no other crawler ever had any. Yandex ended its support of `Host` in 2018.
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
    /// `noindex` in the pages themselves, or in an `X-Robots-Tag` header, and no rule that blocks these pages.
    ///
    /// ## Sources
    ///
    /// - Google Search Central Blog, A note on unsupported rules in robots.txt, July 2019
    /// - Google's open-source parser, `reporting_robots.cc`
    "L036" "dead-directive", Warning, affects: "every crawler"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let mut told: Vec<Field> = Vec::new();
    for line in file.others() {
        let Content::Other { field, name, value, .. } = line.content else { continue };
        let mut names = value.split(|byte| matches!(byte, b'&' | b' ')).take_while(|name| !name.starts_with(b"/"));
        let agents = || file.group_of(line.number).map_or(&[][..], |group| &group.agents);
        let is_of_seznam = || agents().iter().any(|agent| agent.is_of("Seznam"));
        let (why, help) = match field {
            // In the group of a crawler that obeys it, it is right.
            Field::RequestRate if is_of_seznam() => continue,
            Field::RequestRate => {
                ("all large crawlers ignore `Request-rate`; Seznam obeys it", "`Crawl-delay` is read by more crawlers")
            }
            Field::VisitTime => ("all large crawlers ignore `Visit-time`", "limit crawlers on the server"),
            Field::Noindex => (
                "no crawler supports `Noindex`; Google ended its support in 2019",
                "put `noindex` into the page or an X-Robots-Tag header, and do not block the page: crawlers have to open it to see that",
            ),
            Field::Nofollow | Field::Noarchive => {
                ("this was never a directive of robots.txt", "use it in the page or in an X-Robots-Tag header")
            }
            Field::Host => (
                "no crawler supports `Host`; Yandex ended its support in 2018",
                "redirect the other hosts to the main one",
            ),
            Field::Domain | Field::RevisitAfter => ("no crawler supports this directive", "delete it"),
            Field::CleanParam if value.starts_with(b"/") => (
                "Yandex expects the parameters first, and the path after them",
                "write it as `Clean-param: sid&ref /catalog/`",
            ),
            Field::CleanParam if names.clone().any(|name| name.iter().any(|byte| matches!(byte, b',' | b';'))) => (
                "Yandex does not understand this list: parameters are joined with `&`",
                "write it as `Clean-param: sid&ref`",
            ),
            Field::CleanParam if names.any(|name| is_in(CONTENT, name)) => (
                "this parameter selects the content of a page: Yandex reads all pages that differ in it as one",
                "only name parameters without which the page is the same",
            ),
            Field::RobotVersion => ("no crawler supports `Robot-version` any more", "delete it"),
            _ => continue,
        };
        if !told.contains(&field) {
            told.push(field);
            let found = out.add(file.span(name), why).help(help);
            found.severity_if(matches!(field, Field::RequestRate | Field::VisitTime), Severity::Note);
        }
    }
}

/// Names of parameters that select what a page shows.
const CONTENT: &str = "product_id productid product goods_id item_id article_id post_id route";
