//! The answers of the service about files, for the page without a service: the module `tester`.

mod check;
mod file;
mod meaning;
mod question;
mod refusal;
mod service;

use serde::Serialize;

use crate::buffers::{set_output_bytes, with_input};
use crate::export;
use crate::tester::question::Question;
use crate::tester::refusal::Refusal;

/// The refusal of everything that connects to sites, and of lints and generated files, which would double the module.
const NEEDS_SERVICE: &str = "this needs the service, which `comity serve` starts";

/// An answer as JSON.
type Answer = Result<Vec<u8>, Refusal>;

export! {
    /// Answers a question as the service does. The input is the path of its endpoint, and then the name of each field of
    /// the question, with its values as a list. Writes the answer, and returns the status.
    fn answer(len: usize) -> u32 {
        let found = with_input(len, |input| {
            let (path, question) = Question::read(input);
            answer_to(path, &question)
        });
        let (status, json) = match found {
            Ok(json) => (200, json),
            Err(refusal) => (refusal.status(), json(&refusal)),
        };
        set_output_bytes(json);
        status
    }
}

fn answer_to(path: &str, question: &Question<'_>) -> Answer {
    match path {
        "/v1/ai" => file::ai(question),
        "/v1/check" => check::check(question),
        "/v1/crawlers" => Ok(service::crawlers()),
        "/v1/diff" => meaning::diff(question),
        "/v1/inspect" => file::inspect(question),
        "/v1/matrix" => check::matrix(question),
        "/v1/service" => Ok(service::service()),
        _ => Err(Refusal::not_found(NEEDS_SERVICE)),
    }
}

/// Writes a document.
///
/// # Panics
///
/// Panics if the document cannot be written, which happens only if there is no memory for it.
fn json(document: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(document).expect("the documents have text as keys")
}
