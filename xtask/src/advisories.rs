//! A check of the dependencies against the database of security advisories.

use crate::machine::Missing;
use crate::shell;
use crate::tools::DENY;

/// The check, of the database that [`missing`] has fetched.
pub(crate) const CHECK: &str = "cargo deny --all-features check --disable-fetch advisories";

/// Fetches the database. Returns a note if that is not possible here.
pub(crate) fn missing() -> Missing {
    DENY.missing().or_else(|| {
        let is_fetched = shell::output("cargo deny fetch db").is_some();
        (!is_fetched).then(|| "the database cannot be reached; `cargo deny fetch db` prints the reason".to_owned())
    })
}
