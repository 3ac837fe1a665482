//! Leftovers of staging: files that block a whole site.

use comity::{Crawlers, Origin};
use comity_lint::{Evidence, Linter, Severity};
use comity_report::{ClaimKind, ClaimText, CrawlerQuery, Proof, ProofOutcome, ProofScope};

/// Returns true if nobody who is not named may fetch anything, proven for all URLs.
pub(super) fn blocks_everything(body: &[u8], scope: &ProofScope<'_>) -> bool {
    let claims = [ClaimText::new(ClaimKind::NoneAllowed, "/", vec!["/robots.txt".to_owned()])];
    let others = [CrawlerQuery::new("*", Some(scope.crawlers))];
    let proof = Proof::new(body, &claims, &scope.agents(&others));
    proof.is_ok_and(|proof| proof.outcome == ProofOutcome::Held)
}

/// Returns true if the lint `staging-leftover` finds an error.
pub(super) fn is_linted(body: &[u8], crawlers: &Crawlers, origin: &Origin) -> bool {
    !lines(body, crawlers, origin).is_empty()
}

/// Returns the findings of the lint `staging-leftover` that are errors, with their lines.
pub(super) fn lines(body: &[u8], crawlers: &Crawlers, origin: &Origin) -> Vec<String> {
    let mut linter = Linter::none();
    linter.set_crawlers(crawlers.clone());
    if linter.select("staging-leftover").is_err() {
        return Vec::new();
    }
    let mut evidence = Evidence::default();
    evidence.location = Some(origin.robots_url());
    let report = linter.lint(body, &evidence);
    let found = report.diagnostics.iter().filter(|found| found.severity == Severity::Error);
    found.map(|found| format!("line {}: {}", found.line, found.message)).collect()
}
