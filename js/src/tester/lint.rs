//! `/v1/lint`: the mistakes in a file, and the file after all safe fixes; `/lints.json`: the documentation of the lints.

use comity_lint::{Evidence, Fix, Linter, Safety};
use comity_report::{FileDocument, FixRun, Linted};
use serde::Serialize;

use super::question::{Question, document};
use super::{Answer, json};

/// The name of a file that came with the question.
const NAME: &str = "robots.txt";

/// The document of the service.
#[derive(Serialize)]
struct LintAnswer<'a> {
    #[serde(flatten)]
    document: FileDocument<'a, Linted<'a>>,
    fixed: Option<String>,
    fixes: Option<FixRun<'a>>,
}

/// Answers with the findings in a file. The page selects no lints.
pub(super) fn lint(question: &Question<'_>) -> Answer {
    let linter = Linter::new();
    let site = question.site()?;
    let body = question.file()?;
    let mut evidence = Evidence::default();
    evidence.location = site.map(|origin| origin.robots_url());
    let mut report = linter.lint(body, &evidence);
    linter.check_blocking(&mut report);
    let is_safe = |fix: &Fix| fix.safety == Safety::Safe;
    let can_fix = report.diagnostics.iter().any(|found| found.fix.as_ref().is_some_and(is_safe));
    let run = can_fix.then(|| linter.fix(body, &evidence, Safety::Safe));
    let applied = run.as_ref().filter(|run| run.applied > 0);
    let fixed = applied.and_then(|run| String::from_utf8(run.body.clone()).ok());
    let document = document(body, Linted::new(NAME, &report));
    Ok(json(&LintAnswer { document, fixed, fixes: run.as_ref().map(FixRun::new) }))
}

/// Returns the documentation of the lints.
pub(super) fn lints() -> Vec<u8> {
    json(&comity_lint::ALL)
}
