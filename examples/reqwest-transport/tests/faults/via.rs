//! The transport of these tests: reqwest.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use comity_fetch::ClientBuilder;
use comity_reqwest_transport::ReqwestTransport;
use comity_testserver::ca_pem;
use serde::Deserialize;

use crate::row::Row;
use crate::stage::Stage;
use crate::{EXCEPTIONS, HAS_END_STREAM};

/// True if failures are distinguished by their kind. For most of them, reqwest does not allow that.
pub(crate) const TELLS_FAILURES: bool = false;

/// A row that ends differently.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Exception {
    over: String,
    row: String,
    /// `found`, `empty` or `fails`.
    ends: String,
    reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    row: Vec<Exception>,
}

static LIST: LazyLock<List> = LazyLock::new(|| toml::from_str(EXCEPTIONS).expect("a list of exceptions"));

/// Checks that the list names rows of the matrix, each with a reason.
pub(crate) fn check_list(rows: &[Row]) {
    for exception in &LIST.row {
        let count = rows.iter().filter(|row| row.over.name() == exception.over && row.name == exception.row).count();
        assert_eq!(count, 1, "{}: {}", exception.over, exception.row);
        assert!(!exception.reason.is_empty(), "{}: {}", exception.over, exception.row);
    }
}

/// Returns the end of a row, if it is another one than the built-in transport's.
pub(crate) fn exception(over: &str, row: &str) -> Option<&'static str> {
    let found = LIST.row.iter().find(|exception| exception.over == over && exception.row == row);
    found.map(|exception| exception.ends.as_str())
}

/// Returns whether a row would keep a processor busy until a deadline: nothing counts what does not get on.
pub(crate) fn never_ends(row: &str) -> bool {
    row.contains("endless") || row.contains("without end")
}

/// Returns a builder of a client that sends through reqwest.
pub(crate) fn equip(client: ClientBuilder, stage: &Stage, patience: Option<Duration>) -> ClientBuilder {
    let mut transport = ReqwestTransport::new(stage.names.clone(), &ca_pem());
    if let Some(patience) = patience {
        transport = transport.with_timeouts(patience, patience);
    }
    if !HAS_END_STREAM {
        transport = transport.without_end_stream();
    }
    client.transport(Arc::new(transport))
}
