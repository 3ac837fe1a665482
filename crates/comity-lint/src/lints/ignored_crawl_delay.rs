use comity::crawlers::DelaySupport;

use crate::prelude::*;

lint! {
    /// A group has a `Crawl-delay` for crawlers that ignore it.
    ///
    /// Remove it. It has an effect only for crawlers that support it.
    ///
    /// ## What it does
    ///
    /// Finds `Crawl-delay` in groups that only name crawlers known to ignore it: those of Google, Yandex, Apple and
    /// Amazon. A delay of 0 is what these crawlers do anyway, so it is not reported.
    ///
    /// ## Why is this bad?
    ///
    /// It has no effect there. Google reduces its rate by itself if a server answers slowly, or with status 503 or 429.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: Googlebot
    /// Crawl-delay: 10
    /// Disallow: /cart/
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: Googlebot
    /// Disallow: /cart/
    /// ```
    ///
    /// ## Sources
    ///
    /// - Google, How Google interprets the robots.txt specification: crawl-delay is not supported
    /// - Yandex, Using the robots.txt file: ignored since 22 February 2018
    "L040" "ignored-crawl-delay", Note, affects: "the crawlers that the group names"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for line in file.others() {
        let Content::Other { field: Field::CrawlDelay, in_group: true, name, .. } = line.content else { continue };
        if file.source[file.value(line.number)].iter().all(|byte| matches!(byte, b'0' | b'.')) {
            continue;
        }
        let Some(group) = file.group_of(line.number) else { continue };
        let ignores = |known: Option<&Profile>| known.is_some_and(|known| known.crawl_delay == DelaySupport::Ignored);
        if group.agents.iter().all(|agent| ignores(agent.known)) {
            out.add(file.span(name), format!("`Crawl-delay` is ignored by {}", group.names()));
        }
    }
}
