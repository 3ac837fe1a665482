use crate::budget::Budget;
use crate::evidence::Variant;
use crate::prelude::*;
use crate::proof;

lint! {
    /// The site has several addresses with different rules, so crawlers may obey the wrong ones.
    ///
    /// Redirect all addresses to one of them, or serve the same robots.txt at each.
    ///
    /// ## What it does
    ///
    /// With `--fetch`, requests `/robots.txt` with `http:` and `https:`, and with and without `www.`, and compares the
    /// rules. Addresses without a server are not reported.
    ///
    /// ## Why is this bad?
    ///
    /// Each scheme and each host has its own robots.txt. If pages are served under several of them, crawlers that use
    /// another address have other rules or none, or may fetch nothing.
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
    "L051" "sites-differ", Warning, affects: "every crawler"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let mut budget = Budget::new(proof::MAX_STEPS, file.watch);
    for variant in &file.evidence.variants {
        let url = comity::Escaped(variant.url.as_bytes());
        match variant.status {
            200..=299 => {
                let changes = proof::changes_between(file.body, &variant.body, file.known.table(), &mut budget);
                let Ok(changes) = changes else { return };
                out.bound_if(changes.cut, "2,000,000 steps");
                let Some(example) = changes.examples.first() else { continue };
                let answer = if example.allowed { "may" } else { "may not" };
                let who = if example.agent == "*" { "a crawler that no group names" } else { &example.agent };
                let (who, path) = (comity::Escaped(who.as_bytes()), comity::Escaped(example.path.as_bytes()));
                let message = format!("{url} has other rules: there, {who} {answer} fetch `{path}`");
                out.add(file.record_span(1), message);
            }
            429 | 500.. => {
                let message = format!("{url} answers {}: nothing may be fetched there", variant.status);
                out.add(file.record_span(1), message).severity(Severity::Error);
            }
            400..=499 if forbids(file, variant, &mut budget) => {
                out.add(file.record_span(1), format!("{url} answers {}: there are no rules there", variant.status));
            }
            _ => {}
        }
    }
}

/// Returns true if it makes a difference that the variant has no rules, that is, if some verdict differs.
fn forbids(file: &File<'_>, variant: &Variant, budget: &mut Budget<'_>) -> bool {
    proof::changes_between(file.body, &variant.body, file.known.table(), budget).is_ok_and(|changes| changes.count > 0)
}
