//! The answers of the service about files, for the page without a service: the modules `tester` and `changes`.

#[cfg(feature = "tester")]
mod check;
#[cfg(feature = "tester")]
mod file;
#[cfg(feature = "changes")]
mod generate;
#[cfg(feature = "changes")]
mod lint;
#[cfg(feature = "tester")]
mod meaning;
#[cfg_attr(not(feature = "tester"), allow(dead_code, reason = "the module `changes` has questions without URLs"))]
mod question;
#[cfg_attr(not(feature = "tester"), allow(dead_code, reason = "the module `changes` has questions without URLs"))]
mod refusal;
#[cfg(feature = "tester")]
mod service;

use serde::Serialize;

use crate::buffers::{set_output_bytes, with_input};
use crate::export;
use crate::tester::question::Question;
use crate::tester::refusal::Refusal;

/// The refusal of everything that connects to sites.
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
        #[cfg(feature = "changes")]
        "/lints.json" => Ok(lint::lints()),
        #[cfg(feature = "tester")]
        "/v1/ai" => file::ai(question),
        #[cfg(feature = "tester")]
        "/v1/check" => check::check(question),
        #[cfg(feature = "tester")]
        "/v1/crawlers" => Ok(service::crawlers()),
        #[cfg(feature = "tester")]
        "/v1/diff" => meaning::diff(question),
        #[cfg(feature = "changes")]
        "/v1/generate" => generate::generate(question),
        #[cfg(feature = "tester")]
        "/v1/inspect" => file::inspect(question),
        #[cfg(feature = "changes")]
        "/v1/lint" => lint::lint(question),
        #[cfg(feature = "tester")]
        "/v1/matrix" => check::matrix(question),
        #[cfg(feature = "tester")]
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
