//! One crawler at one origin.

use std::sync::Arc;

use comity::{Governed, Rules};

use crate::client::Client;
use crate::decision::{Known, Outcome};

/// How one crawler stands with one origin, by what is known of it at a moment: for many questions in a row.
///
/// Made by [`Client::standing`]. It finds and compiles the rules once; a question takes no lock and allocates nothing.
/// It does not notice when the file is due again or was fetched anew, so it is for as many questions as are at hand.
#[derive(Clone, Debug)]
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

    /// May the crawler fetch this URL? It is taken as it stands, and to be on the origin.
    pub fn check(&self, url: &str) -> Outcome {
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
