use comity::{Content, Field};

use crate::diagnostic::Diagnostics;
use crate::file::{File, shown};
use crate::lint::{Severity, lint};

lint! {
    /// A `Crawl-delay` is not a number of seconds, or is so large that hardly any page is crawled.
    ///
    /// Write a small number of seconds without a unit, such as `Crawl-delay: 10`.
    ///
    /// ## What it does
    ///
    /// Finds `Crawl-delay` values that are not decimal numbers, and values of more than a minute.
    ///
    /// ## Why is this bad?
    ///
    /// Crawlers ignore a value with a unit, a comma or a minus sign. With a delay of ten minutes, a crawler can fetch
    /// 144 pages a day. Some crawlers treat such a value as a request to stay away. Bing uses at most 30 seconds.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: bingbot
    /// Crawl-delay: 10s
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: bingbot
    /// Crawl-delay: 10
    /// ```
    ///
    /// ## Sources
    ///
    /// - Bing Webmaster Tools, crawl delay: 1 to 30 seconds
    "L039" "crawl-delay-value", Warning, concerns: "crawlers that support Crawl-delay"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    if !file.lines.iter().any(|line| matches!(line.content, Content::Other { field: Field::CrawlDelay, .. })) {
        return;
    }
    for record in file.robots.records().filter(|record| record.field() == Field::CrawlDelay) {
        let line = record.line();
        match record.crawl_delay() {
            None => {
                out.add(line, file.value(line), format!("`{}` is not a number of seconds, so crawlers ignore it", shown(record.value())));
            }
            Some(delay) if delay.as_secs() > 60 => {
                let pages = 86_400 / delay.as_secs();
                out.add(line, file.value(line), format!("with one page every {} seconds, a crawler fetches at most {pages} pages a day", delay.as_secs()))
                    .severity(Severity::Note);
            }
            Some(_) => {}
        }
    }
}
