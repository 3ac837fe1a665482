//! `/v1/inspect` and `/v1/ai`: the content of a robots.txt, in full and for AI crawlers.

use axum::response::Response;
use comity::{Dialect, Robots};
use comity_report::{AiReport, Inspection};
use serde::{Deserialize, Serialize};

use crate::api::ask::{self, File};
use crate::api::document::{Budget, document, is_little};
use crate::api::extract::{Caller, Json};
use crate::problem::Problem;
use crate::state::State;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileQuestion {
    /// The file.
    robots: Option<String>,
    /// The file's bytes, as base64.
    robots_b64: Option<String>,
    /// The site's URL, instead of a file.
    url: Option<String>,
    /// The dialect in which the file is read. Defaults to standard; for a site, to the service's.
    dialect: Option<String>,
}

/// The content of a robots.txt
///
/// Its groups, its rules in normal form, its other records, and its lines without effect with the reason.
pub(crate) async fn inspect(caller: Caller, Json(question): Json<FileQuestion>) -> Result<Response, Problem> {
    report(caller, question, |file, dialect, state, budget| {
        Inspection::while_left(file.name.clone(), &file.body, dialect, &state.crawlers, || budget.is_left())
    })
    .await
}

/// The content of a robots.txt for AI crawlers
///
/// The known AI crawlers by purpose: training, search, or fetches for a user.
pub(crate) async fn ai(caller: Caller, Json(question): Json<FileQuestion>) -> Result<Response, Problem> {
    report(caller, question, |file, dialect, state, budget| {
        let robots = Robots::parse_with(&file.body, dialect);
        AiReport::while_left(file.name.clone(), &robots, state.crawlers.iter(), || budget.is_left())
    })
    .await
}

/// Answers with a report about a file. `make` returns `None` if the time is over before the report is complete.
async fn report<R: Serialize>(
    caller: Caller,
    question: FileQuestion,
    make: impl FnOnce(&File, &Dialect, &State, &Budget) -> Option<R> + Send + 'static,
) -> Result<Response, Problem> {
    let named = ask::dialect(question.dialect.as_deref())?;
    let given = ask::given(question.robots, question.robots_b64)?;
    let file = File::of(&caller, given, question.url.as_deref()).await?;
    let own = if file.site.is_some() { *caller.state.client.dialect() } else { Dialect::STANDARD };
    let dialect = named.unwrap_or(own);
    document(&caller, is_little(file.body.len(), 1), move |state, budget| {
        let report = make(&file, &dialect, state, budget).ok_or_else(|| budget.over())?;
        budget.json(&file.document(report))
    })
    .await
}
