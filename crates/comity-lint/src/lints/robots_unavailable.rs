use crate::prelude::*;

lint! {
    /// The site does not serve its robots.txt, so crawlers may fetch nothing or everything.
    ///
    /// Serve the file with status 200. To allow everything, serve a file that does so.
    ///
    /// ## What it does
    ///
    /// For a live site, checks the answer to a request for `/robots.txt`.
    ///
    /// ## Why is this bad?
    ///
    /// The effect depends on the answer. With status 429, with a 5xx or without an answer, nothing may be fetched, and
    /// search engines stop crawling the site. With another 4xx, there are no rules, and everything may be fetched. This
    /// is fine if it is intended, but with 401 or 403 it rarely is. A file that allows everything shows the intention,
    /// and keeps the log free of errors.
    ///
    /// ## Example
    ///
    /// ```robots
    /// ```
    ///
    /// ```status
    /// 503
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow:
    /// ```
    ///
    /// ```status
    /// 200
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.3.1: access results
    /// - Google, How Google interprets the robots.txt specification: handling of errors and HTTP status codes
    "L049" "robots-unavailable", Error, affects: "every crawler"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let Some(served) = &file.evidence.served else { return };
    let (severity, message) = match (served.status, &served.failure) {
        (Some(200..=299), _) | (None, None) => return,
        (None, Some(failure)) => (
            Severity::Error,
            format!("the site does not answer ({}), so nothing may be fetched", comity::Escaped(failure.as_bytes())),
        ),
        (Some(status @ (429 | 500..)), _) => {
            (Severity::Error, format!("the site answers {status}, so nothing may be fetched"))
        }
        (Some(status @ (401 | 403)), _) => (
            Severity::Warning,
            format!(
                "the site answers {status}: for most crawlers there are no rules, and for others nothing may be fetched"
            ),
        ),
        (Some(status @ (404 | 410)), _) => (
            Severity::Note,
            format!("the site answers {status}: there is no robots.txt, and everything may be fetched"),
        ),
        (Some(status), _) => (Severity::Warning, format!("the site answers {status}: for crawlers there are no rules")),
    };
    out.add(file.record_span(1), message).severity(severity);
}
