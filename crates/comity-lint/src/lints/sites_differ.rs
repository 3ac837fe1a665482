use crate::budget::Budget;
use crate::diagnostic::Diagnostics;
use crate::evidence::Variant;
use crate::file::File;
use crate::lint::{Severity, lint};
use crate::proof;

lint! {
    /// The site answers under several addresses, and has other rules there.
    ///
    /// ## What it does
    ///
    /// With `--fetch`, asks for `/robots.txt` with `http:` and `https:`, with `www.` and without, and compares what the files
    /// say. An address that is not there at all is none.
    ///
    /// ## Why is this bad?
    ///
    /// Each scheme and each host has a robots.txt of its own. If pages are served under both, crawlers that come by the other
    /// address have other rules, or none, or may fetch nothing.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    /// ```
    ///
    /// ```variant
    /// https://www.example.com/robots.txt
    /// User-agent: *
    /// Disallow: /
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    /// ```
    ///
    /// ```variant
    /// https://www.example.com/robots.txt
    /// User-agent: *
    /// Disallow: /cart/
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.3: the access method
    /// - Google, How Google interprets the robots.txt specification: valid robots.txt URLs
    "L051" "sites-differ", Warning, concerns: "every crawler"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let mut budget = Budget::new(proof::MAX_STEPS, file.watch);
    for variant in &file.evidence.variants {
        let url = comity::Escaped(variant.url.as_bytes());
        match variant.status {
            200..=299 => {
                let changes = proof::changes_between(file.body, &variant.body, file.known.table(), &mut budget);
                let Ok(changes) = changes else { return };
                if changes.cut {
                    out.bound("2,000,000 steps");
                }
                let Some(example) = changes.examples.first() else { continue };
                let answer = if example.allowed { "may" } else { "may not" };
                let who = if example.agent == "*" { "a crawler that no group names" } else { &example.agent };
                let (who, path) = (comity::Escaped(who.as_bytes()), comity::Escaped(example.path.as_bytes()));
                let message = format!("other rules count at {url}: there {who} {answer} fetch `{path}`");
                out.add(1, file.said(1), message);
            }
            429 | 500.. => {
                let message = format!("{url} answers {}: nothing may be fetched there", variant.status);
                out.add(1, file.said(1), message).severity(Severity::Error);
            }
            400..=499 if forbids(file, variant, &mut budget) => {
                out.add(1, file.said(1), format!("{url} answers {}: there are no rules there", variant.status));
            }
            _ => {}
        }
    }
}

/// Returns true if it makes a difference that the variant has no rules, that is, if some verdict differs.
fn forbids(file: &File<'_>, variant: &Variant, budget: &mut Budget<'_>) -> bool {
    proof::changes_between(file.body, &variant.body, file.known.table(), budget).is_ok_and(|changes| changes.count > 0)
}
