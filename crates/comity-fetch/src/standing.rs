//! One crawler at one origin.

use std::sync::Arc;

use comity::{Governed, Rules};

use crate::client::Client;
use crate::decision::{Known, Outcome};
use crate::scope::is_on;

/// How one crawler stands with one origin, by what is known of it at a moment: for many questions in a row.
///
/// Made by [`Client::standing`]. It finds and compiles the rules once; a question takes no lock and allocates nothing.
/// It does not notice when the file is due again or was fetched anew, so it is for as many questions as are at hand.
#[derive(Clone, Debug)]
#[must_use]
pub struct Standing {
    client: Client,
    known: Known,
    /// Those of the copy, if there is one.
    rules: Option<Arc<Rules>>,
    governed: Governed,
}

impl Standing {
    pub(crate) fn new(client: Client, known: Known, rules: Option<Arc<Rules>>, governed: Governed) -> Self {
        Self { client, known, rules, governed }
    }

    /// Returns whether the crawler may fetch a URL, or a path of the origin. It is asked about as it is, without parsing it
    /// as a browser would. For a URL of another site, the answer is "out of scope".
    pub fn check(&self, url: &str) -> Outcome {
        if !is_on(self.known.origin(), url) {
            return Outcome::out_of_scope();
        }
        self.client.judge(&self.known, self.rules.as_deref(), self.governed, url)
    }

    /// What is known of the origin.
    pub fn known(&self) -> &Known {
        &self.known
    }

    /// The crawler's rules in the last good copy, if there is one. They count only if the
    /// [ruling](Known::ruling) says so.
    pub fn rules(&self) -> Option<&Rules> {
        self.rules.as_deref()
    }
}
