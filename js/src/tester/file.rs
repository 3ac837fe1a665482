//! `/v1/inspect` and `/v1/ai`: the content of a file.

use comity::{Crawlers, Robots};
use comity_report::{AiReport, Inspection};

use super::question::{Question, document};
use super::{Answer, json};

/// The name of a file that came with the question.
const NAME: &str = "robots.txt";

/// Answers with the content of a file.
pub(super) fn inspect(question: &Question<'_>) -> Answer {
    let (dialect, body) = (question.dialect()?, question.file()?);
    Ok(json(&document(body, Inspection::new(NAME.to_owned(), body, &dialect, &Crawlers::builtin()))))
}

/// Answers with the content of a file for AI crawlers.
pub(super) fn ai(question: &Question<'_>) -> Answer {
    let (dialect, body) = (question.dialect()?, question.file()?);
    let robots = Robots::parse_with(body, &dialect);
    Ok(json(&document(body, AiReport::new(NAME.to_owned(), &robots, Crawlers::builtin().iter()))))
}
