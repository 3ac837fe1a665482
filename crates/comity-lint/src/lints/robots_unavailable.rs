use crate::diagnostic::Diagnostics;
use crate::file::File;
use crate::lint::{Severity, lint};

lint! {
    /// The site does not hand out its robots.txt.
    ///
    /// ## What it does
    ///
    /// With `--fetch`, looks at how the site answers when it is asked for `/robots.txt`.
    ///
    /// ## Why is this bad?
    ///
    /// What a crawler may do then depends on how it fails. With 429, a 5xx or no answer at all nothing may be fetched, and
    /// search engines stop crawling the site. With another 4xx there are no rules, and everything may be fetched: that is
    /// fine if it is meant, but with 401 or 403 it seldom is. A file that allows everything says that it is meant, and keeps
    /// the log free of errors.
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
    "L049" "robots-unavailable", Error, concerns: "every crawler"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let Some(served) = &file.evidence.served else { return };
    let (severity, message) = match (served.status, &served.failure) {
        (Some(200..=299), _) | (None, None) => return,
        (None, Some(failure)) => {
            (Severity::Error, format!("the site gives no answer ({}), so nothing may be fetched", comity::Escaped(failure.as_bytes())))
        }
        (Some(status @ (429 | 500..)), _) => {
            (Severity::Error, format!("the site answers {status}, so nothing may be fetched"))
        }
        (Some(status @ (401 | 403)), _) => (
            Severity::Warning,
            format!("the site answers {status}: to most crawlers it has no rules, and others take it that nothing may be fetched"),
        ),
        (Some(status @ (404 | 410)), _) => {
            (Severity::Note, format!("the site answers {status}: there is no robots.txt, and everything may be fetched"))
        }
        (Some(status), _) => (Severity::Warning, format!("the site answers {status}: to crawlers it has no rules")),
    };
    out.add(1, file.said(1), message).severity(severity);
}
