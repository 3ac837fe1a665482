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
        match record.crawl_delay() {
            None => {
                out.add(line, file.value(line), format!("`{}` is not a number of seconds, so crawlers ignore it", shown(record.value())));
            }
            Some(delay) if delay.as_secs() > if is_for_bing(file, line) { MAX_OF_BING } else { 60 } && is_too_slow(file, line) => {
                let seconds = delay.as_secs();
                let message = if is_for_bing(file, line) {
                    format!("{seconds} is outside the range of 1 to 30 seconds that Bing documents")
                } else {
                    format!("at one page every {seconds} seconds, a crawler may fetch {} pages a day", 86_400 / seconds)
                };
                let found = out.add(line, file.value(line), message);
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

/// Returns true if a record is for all crawlers or for Bing, which documents the range. To slow down another crawler is
/// the site's business.
fn is_too_slow(file: &File<'_>, line: u32) -> bool {
    is_for_bing(file, line) || agent_above(file, line).is_some_and(|agent| agent.token == b"*")
}

fn is_for_bing(file: &File<'_>, line: u32) -> bool {
    agent_above(file, line).is_some_and(|agent| agent.known.is_some_and(|known| known.operator == "Microsoft" && !known.retired))
}

/// Returns the last user-agent line before a record. A `Crawl-delay` does not end a list of them, but is meant for this
/// one.
fn agent_above<'f, 'a>(file: &'f File<'a>, line: u32) -> Option<&'f AgentOf<'a>> {
    let agents = &file.group_of(line)?.agents;
    agents[..agents.partition_point(|agent| agent.line < line)].last()
}
