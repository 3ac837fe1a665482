//! Refusals, as the problem documents of the service state them.

use comity_report::AskError;
use serde::Serialize;

/// The reason why there is no answer.
#[derive(Debug, Serialize)]
pub(super) struct Refusal {
    status: u32,
    detail: String,
    /// The URL that is refused, if the others could be answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// The product tokens that the name of a crawler may mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    meant: Option<Vec<String>>,
}

impl Refusal {
    fn new(status: u32, detail: impl Into<String>) -> Self {
        Self { status, detail: detail.into(), url: None, meant: None }
    }

    /// Returns the refusal of a question that does not have the required form.
    pub(super) fn bad_request(detail: impl Into<String>) -> Self {
        Self::new(400, detail)
    }

    /// Returns the refusal of a path without an answer.
    pub(super) fn not_found(detail: impl Into<String>) -> Self {
        Self::new(404, detail)
    }

    /// Returns the refusal of a question that exceeds a limit.
    pub(super) fn too_large(detail: impl Into<String>) -> Self {
        Self::new(413, detail)
    }

    /// Returns the refusal of a well-formed question that has no answer.
    pub(super) fn unprocessable(detail: impl Into<String>) -> Self {
        Self::new(422, detail)
    }

    /// Adds the URL that is refused.
    pub(super) fn about(mut self, url: &str) -> Self {
        self.url = Some(url.to_owned());
        self
    }

    pub(super) fn status(&self) -> u32 {
        self.status
    }
}

impl From<AskError> for Refusal {
    fn from(error: AskError) -> Self {
        let meant = error.is_agent().then(|| error.meant().to_vec());
        Self { meant, ..Self::unprocessable(error.to_string()) }
    }
}
