//! `/v1/lint`: finds mistakes in a robots.txt.

use axum::response::Response;
use comity_lint::{Evidence, Linter, Safety, Stopped};
use comity_report::{FileDocument, FixRun, Linted};
use serde::{Deserialize, Serialize};

use crate::api::ask::{self, File};
use crate::api::document::{document, is_little_in_depth};
use crate::api::extract::{Caller, Json};
use crate::problem::Problem;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LintQuestion {
    /// The file.
    robots: Option<String>,
    /// The file's bytes, as base64.
    robots_b64: Option<String>,
    /// The site's URL, instead of a file.
    url: Option<String>,
    /// The origin that serves the file.
    origin: Option<String>,
    /// The lints to run, by code or name, or the sets `default` and `all`. Defaults to `default`.
    #[serde(default)]
    select: Vec<String>,
    /// The lints to skip.
    #[serde(default)]
    ignore: Vec<String>,
}

#[derive(Serialize)]
struct LintAnswer<'a> {
    #[serde(flatten)]
    document: FileDocument<'a, Linted<'a>>,
    /// The file after all safe fixes; null if there are none, or if it is not UTF-8.
    fixed: Option<String>,
    /// The safe fixes that were applied to get `fixed`, and those that were left out; null if no lint offers one.
    fixes: Option<FixRun<'a>>,
}

/// Mistakes in a robots.txt
///
/// Each finding states which crawlers it affects, and has a fix where there is one. A safe fix keeps every verdict, for
/// all URLs and all crawlers; this is proven before it is applied.
pub(crate) async fn lint(caller: Caller, Json(question): Json<LintQuestion>) -> Result<Response, Problem> {
    let mut linter = linter(&question.select, &question.ignore)?;
    linter.set_crawlers(caller.state.crawlers.clone());
    let given = ask::given(question.robots, question.robots_b64)?;
    let location = match &question.origin {
        Some(origin) => Some(ask::origin(origin)?.robots_url()),
        None => None,
    };
    let file = File::of(&caller, given, question.url.as_deref()).await?;
    document(&caller, is_little_in_depth(file.body.len(), 1), move |_, budget| {
        let mut evidence = Evidence::default();
        evidence.location = location.or_else(|| file.site.as_ref().map(|_| file.name.clone()));
        let (keep_going, over) = (|| budget.is_left(), |_: Stopped| budget.over());
        let mut report = linter.lint_while(&file.body, &evidence, &keep_going).map_err(over)?;
        linter.check_blocking_while(&mut report, &keep_going).map_err(over)?;
        let is_safe = |fix: &comity_lint::Fix| fix.safety == Safety::Safe;
        let can_fix = report.diagnostics.iter().any(|found| found.fix.as_ref().is_some_and(is_safe));
        let fixed = can_fix.then(|| linter.fix_while(&file.body, &evidence, Safety::Safe, &keep_going));
        let fixed = fixed.transpose().map_err(over)?;
        let run = fixed.as_ref().map(FixRun::new);
        let is_applied = |fixed: &&comity_lint::FixedFile| fixed.applied > 0;
        let fixed = fixed.as_ref().filter(is_applied).and_then(|fixed| String::from_utf8(fixed.body.clone()).ok());
        budget.json(&LintAnswer { document: file.document(Linted::new(&file.name, &report)), fixed, fixes: run })
    })
    .await
}

fn linter(select: &[String], ignore: &[String]) -> Result<Linter, Problem> {
    let mut linter = if select.is_empty() { Linter::new() } else { Linter::none() };
    let unknown = |error: comity_lint::UnknownLint| Problem::unprocessable(error.to_string());
    select.iter().try_for_each(|name| linter.select(name)).map_err(unknown)?;
    ignore.iter().try_for_each(|name| linter.ignore(name)).map_err(unknown)?;
    Ok(linter)
}
