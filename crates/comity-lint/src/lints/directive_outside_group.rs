use crate::prelude::*;

lint! {
    /// A directive that belongs in a group is before the first user-agent line, so it applies to no crawler.
    ///
    /// Move it into a group, after the user-agent lines.
    ///
    /// ## What it does
    ///
    /// Finds `Crawl-delay`, `Request-rate`, `Visit-time`, `Content-Signal` and `Content-Usage` lines before the first
    /// user-agent line.
    ///
    /// ## Why is this bad?
    ///
    /// These directives apply to the crawlers of their group. Without a user-agent line before them, there are none.
    ///
    /// ## Example
    ///
    /// ```robots
    /// Crawl-delay: 10
    /// User-agent: *
    /// Disallow: /cart/
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Crawl-delay: 10
    /// Disallow: /cart/
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.4: other records
    /// - draft-ietf-aipref-attach: Content-Usage is a rule of a group
    "L038" "directive-outside-group", Warning, affects: "the crawlers that support the directive"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    // `rule-before-agent` reports the same user-agent line as missing, and its fix adds it for these lines, too.
    let is_lost = |line: &&Line<'_>| matches!(line.content, Content::Rule { effect: RuleEffect::NoGroup, .. });
    if file.lines.iter().any(|line| is_lost(&line)) {
        return;
    }
    for line in file.others() {
        if let Content::Other { field, name, in_group: false, .. } = line.content
            && matches!(
                field,
                Field::CrawlDelay | Field::RequestRate | Field::VisitTime | Field::ContentSignal | Field::ContentUsage
            )
        {
            out.add(
                file.span(name),
                format!("no user-agent line precedes this `{field}`, so it applies to no crawler"),
            );
        }
    }
}
