use crate::prelude::*;

lint! {
    /// A `Crawl-delay` is not a number of seconds, or is so large that hardly any page is crawled.
    ///
    /// Write a small number of seconds without a unit, such as `Crawl-delay: 10`.
    ///
    /// ## What it does
    ///
    /// Finds `Crawl-delay` values that are not decimal numbers, and values of more than a minute, or half a minute for
    /// Bing, which are notes up to ten minutes.
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
    "L039" "crawl-delay-value", Warning, affects: "crawlers that support Crawl-delay"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    if !file.others().any(|line| matches!(line.content, Content::Other { field: Field::CrawlDelay, .. })) {
        return;
    }
    for record in file.robots.records().filter(|record| record.field() == Field::CrawlDelay) {
        let line = record.line();
        let agents = file.group_of(line).map_or(&[][..], |group| &group.agents);
        // A `Crawl-delay` does not end a list of user-agent lines, but is meant for the one before it.
        let agent = agents[..agents.partition_point(|agent| agent.line < line)].last();
        let is_for_bing =
            agent.is_some_and(|agent| agent.is_of("Microsoft") && agent.known.is_some_and(|known| !known.retired));
        // To slow down another crawler is the site's business.
        let is_meant = is_for_bing || agent.is_some_and(|agent| agent.token == b"*");
        match record.crawl_delay() {
            None => {
                out.add(
                    file.value(line),
                    format!("`{}` is not a number of seconds, so crawlers ignore it", shown(record.value())),
                );
            }
            Some(delay) if is_meant && delay.as_secs() > if is_for_bing { MAX_OF_BING } else { 60 } => {
                let seconds = delay.as_secs();
                let message = if is_for_bing {
                    format!("{seconds} is outside the range of 1 to 30 seconds that Bing documents")
                } else {
                    format!("at one page every {seconds} seconds, a crawler may fetch {} pages a day", 86_400 / seconds)
                };
                let found = out.add(file.value(line), message);
                if seconds <= MAX_NOTED {
                    found.severity(Severity::Note);
                } else if seconds % 500 == 0 {
                    found.help("the unit is seconds, not milliseconds");
                }
            }
            Some(_) => {}
        }
    }
}

/// The longest delay that is hardly an accident, in seconds.
const MAX_NOTED: u64 = 600;
/// The longest delay that Bing documents, in seconds.
const MAX_OF_BING: u64 = 30;
