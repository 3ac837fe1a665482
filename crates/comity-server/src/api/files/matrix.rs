//! `/v1/matrix`: many crawlers, every dialect, and why their answers differ.

use axum::response::Response;
use comity::Robots;
use comity_report::{CrawlerQuery, Matrix, Questions, usual_names};
use serde::Deserialize;

use crate::api::ask::{self, File};
use crate::api::document::{document, is_little_in_depth};
use crate::api::extract::{Caller, Json};
use crate::problem::Problem;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MatrixQuestion {
    /// The file.
    robots: Option<String>,
    /// The file's bytes, as base64.
    robots_b64: Option<String>,
    /// The site's URL, instead of a file.
    url: Option<String>,
    /// The URLs, or paths that start with `/`.
    urls: Vec<String>,
    /// The crawlers. Defaults to the best-known ones and those that the file names.
    agents: Option<Vec<String>>,
    /// Asks for all known crawlers.
    #[serde(default)]
    all_crawlers: bool,
    /// Takes names as literal product tokens, without looking them up.
    #[serde(default)]
    literal: bool,
    /// The origin that serves the file.
    origin: Option<String>,
    /// Takes URLs as they are, without parsing them as a browser does.
    #[serde(default)]
    raw: bool,
}

/// Many crawlers in every dialect
///
/// States which choice of a dialect makes a difference.
pub(crate) async fn matrix(caller: Caller, Json(question): Json<MatrixQuestion>) -> Result<Response, Problem> {
    let list = ask::questions(&caller, None, Some(question.urls), question.raw).await?;
    let named = match &question.agents {
        Some(_) if question.all_crawlers => {
            return Err(Problem::bad_request("expected `agents` or `all_crawlers`, found both"));
        }
        Some(agents) => Some(ask::who(&caller.state, None, Some(agents.clone()), question.literal)?),
        None => None,
    };
    let given = ask::given(question.robots, question.robots_b64)?;
    let file = File::of(&caller, given, question.url.as_deref()).await?;
    let origin = question.origin.or_else(|| file.origin());
    let questions = Questions::of_file(list, origin.as_deref()).map_err(|error| ask::unanswerable(&error))?;
    let is_little = !question.all_crawlers
        && named.as_ref().is_none_or(|named| named.len() <= 16)
        && is_little_in_depth(file.body.len(), questions.list.len());
    document(&caller, is_little, move |state, budget| {
        let known = (!question.literal).then(|| &state.crawlers);
        let crawlers: Vec<CrawlerQuery> = match named {
            Some(crawlers) => crawlers,
            None if question.all_crawlers => {
                state.crawlers.iter().map(|profile| CrawlerQuery::new(&profile.token, known)).collect()
            }
            None => usual_names(&Robots::parse(&file.body)).iter().map(|name| CrawlerQuery::new(name, known)).collect(),
        };
        ask::bound(state, questions.list.len(), crawlers.len())?;
        let matrix = Matrix::while_left(&file.name, &file.body, &questions, &crawlers, || budget.is_left());
        budget.json(&file.document(matrix.ok_or_else(|| budget.over())?))
    })
    .await
}
