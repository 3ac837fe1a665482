//! The options of a client.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use comity::Dialect;
use comity_fetch::store::SqliteStore;
use comity_fetch::{Client, Policy};
use pyo3::prelude::*;
use url::Url;

use crate::errors;

/// Builds a client. A `store` is a folder that exists.
pub(crate) fn build(
    py: Python<'_>,
    user_agent: &str,
    store: Option<PathBuf>,
    policy: &str,
    dialect: &str,
    timeout: Option<f64>,
    trust: &[String],
) -> PyResult<Client> {
    let policy = policy.parse::<Policy>().map_err(|error| errors::invalid_argument(py, error.to_string()))?;
    let dialect = dialect.parse::<Dialect>().map_err(|error| errors::invalid_argument(py, error.to_string()))?;
    let mut builder = Client::builder(user_agent).policy(policy).dialect(dialect);
    if let Some(seconds) = timeout {
        let timeout = Duration::try_from_secs_f64(seconds).ok().filter(|timeout| !timeout.is_zero());
        let refused =
            || errors::invalid_argument(py, format!("expected a timeout of more than 0 seconds, found {seconds}"));
        builder = builder.timeout(timeout.ok_or_else(refused)?);
    }
    for url in trust {
        let url = Url::parse(url).map_err(|_| {
            errors::invalid_url(py, format!("trust: expected a URL such as http://localhost:8000, found {url:?}"))
        })?;
        builder = builder.trust(&url);
    }
    if let Some(folder) = store {
        if !folder.is_dir() {
            let found = folder.display();
            return Err(errors::client(
                py,
                format!("expected a folder for the store, found none at {found}: create it"),
            ));
        }
        let store = py.detach(|| SqliteStore::open(&folder));
        builder = builder.store(Arc::new(store.map_err(|error| errors::client(py, error.to_string()))?));
    }
    builder.build().map_err(|error| errors::invalid_argument(py, error.to_string()))
}
