use comity::{Content, Field};

use crate::diagnostic::Diagnostics;
use crate::file::{File, shown};
use crate::lint::{Severity, lint};

lint! {
    /// A crawl-delay is no number of seconds, or so large that hardly anything is crawled.
    ///
    /// ## What it does
    ///
    /// Finds `Crawl-delay` values that are no decimal number, and those of more than a minute.
    ///
    /// ## Why is this bad?
    ///
    /// A value with a unit, a comma or a minus is ignored. Ten minutes are 144 pages a day; some crawlers take such a value
    /// for a request to stay away, Bing takes at most 30 seconds.
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
    "L039" "crawl-delay-value", Warning, concerns: "crawlers that heed Crawl-delay"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    if !file.lines.iter().any(|line| matches!(line.content, Content::Other { field: Field::CrawlDelay, .. })) {
        return;
    }
    for record in file.robots.records().filter(|record| record.field() == Field::CrawlDelay) {
        let line = record.line();
        match record.crawl_delay() {
            None => {
                out.add(line, file.value(line), format!("`{}` is no number of seconds, and is ignored", shown(record.value())));
            }
            Some(delay) if delay.as_secs() > 60 => {
                let pages = 86_400 / delay.as_secs();
                out.add(line, file.value(line), format!("at one page every {} seconds, a crawler gets {pages} pages a day", delay.as_secs()))
                    .severity(Severity::Note);
            }
            Some(_) => {}
        }
    }
}
