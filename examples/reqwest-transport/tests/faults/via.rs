//! The transport of these tests: reqwest.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use comity_fetch::ClientBuilder;
use comity_reqwest_transport::ReqwestTransport;
use comity_testserver::ca_pem;
use serde::Deserialize;

use crate::stage::Stage;

/// Whether failures are told apart by their kind: reqwest does not let most of them be.
pub(crate) const TELLS_FAILURES: bool = false;

/// A row that ends differently.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Exception {
    pub(crate) over: String,
    pub(crate) row: String,
    /// `found`, `empty` or `fails`.
    pub(crate) ends: String,
    pub(crate) reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    row: Vec<Exception>,
}

static LIST: LazyLock<List> =
    LazyLock::new(|| toml::from_str(include_str!("indistinct.toml")).expect("a list of exceptions"));

/// Returns the rows that end differently.
pub(crate) fn exceptions() -> &'static [Exception] {
    &LIST.row
}

/// Returns the end of a row, if it is another one than the built-in transport's.
pub(crate) fn exception(over: &str, row: &str) -> Option<&'static str> {
    let found = exceptions().iter().find(|exception| exception.over == over && exception.row == row);
    found.map(|exception| exception.ends.as_str())
}

/// Returns whether a row would keep a processor busy until a deadline: nothing counts what does not get on.
pub(crate) fn never_ends(row: &str) -> bool {
    row.contains("endless") || row.contains("without end")
}

/// Has a client send through reqwest.
pub(crate) fn equip(client: ClientBuilder, stage: &Stage, patience: Option<Duration>) -> ClientBuilder {
    let mut transport = ReqwestTransport::new(stage.names.clone(), &ca_pem());
    if let Some(patience) = patience {
        transport = transport.with_timeouts(patience, patience);
    }
    client.transport(Arc::new(transport))
}
