//! The transport of these tests: the built-in one. The tests of other transports have a module of this name, too.

use std::time::Duration;

use comity_fetch::ClientBuilder;
use comity_testserver::ca_pem;

use crate::stage::Stage;

/// True if failures are distinguished by their kind.
pub(crate) const TELLS_FAILURES: bool = true;

/// Returns the expected result of a row of the fault matrix, if it differs from the matrix.
pub(crate) fn exception(_over: &str, _row: &str) -> Option<&'static str> {
    None
}

/// Returns true if a row would keep a processor busy until a deadline.
pub(crate) fn never_ends(_row: &str) -> bool {
    false
}

/// Sets the transport of a client, with a timeout for each step.
pub(crate) fn equip(client: ClientBuilder, stage: &Stage, patience: Option<Duration>) -> ClientBuilder {
    let client = client.resolver(stage.names.clone()).connector(stage.connector.clone()).extra_roots(ca_pem());
    match patience {
        Some(patience) => client.connect_timeout(patience).stall_timeout(patience),
        None => client,
    }
}
