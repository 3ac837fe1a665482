//! A store in a database, which the feature `postgres` adds.

use std::sync::Arc;

use anyhow::Result;
use comity_fetch::store::Store;

use crate::args::live::DatabaseUrl;

/// The action if the database cannot be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WhenDown {
    /// Warn, and go on: a client fetches without its store, and uses it as soon as it works.
    FetchAnyway,
    /// Warn, and wait for it at each operation.
    Wait,
    /// Fail: nothing can be done without the store.
    Fail,
}

/// Opens the store in a database. Checks that it can be used, or creates its tables.
#[cfg(feature = "postgres")]
pub(crate) fn open(address: &DatabaseUrl, when_down: WhenDown) -> Result<Arc<dyn Store>> {
    use std::time::Duration;

    use anyhow::{Context, anyhow};
    use comity_store_postgres::{PostgresOptions, PostgresStore};

    /// The environment variable with the password, as for `psql`. Other users can read the arguments of a process.
    const PASSWORD: &str = "PGPASSWORD";
    /// The time to wait for a database that is down: longer than a restart takes.
    const MAX_WAIT: Duration = Duration::from_secs(10);

    let mut options: PostgresOptions = address.0.parse().context("--store")?;
    if let (false, Some(password)) = (options.has_password(), std::env::var_os(PASSWORD)) {
        options = options.password(password.as_encoded_bytes());
    }
    let wait = if when_down == WhenDown::Wait { MAX_WAIT } else { Duration::ZERO };
    let store = PostgresStore::new(options.clone().wait(wait))?;
    // In a runtime of its own: this may be called within another one, which must not block.
    let checked = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.context("the network could not be set up")?;
        let error = runtime.block_on(async { PostgresStore::new(options)?.connect().await }).err();
        Ok::<_, anyhow::Error>(error)
    });
    match checked.join().unwrap_or_else(|_| Err(anyhow!("--store could not be checked")))? {
        Some(error) if when_down != WhenDown::Fail && PostgresStore::is_down(&error) => {
            eprintln!("warning: {error}; it is tried again when it is needed");
        }
        Some(error) => return Err(error).context("--store"),
        None => {}
    }
    Ok(Arc::new(store))
}

/// Explains how to get a program with databases.
#[cfg(not(feature = "postgres"))]
pub(crate) fn open(_: &DatabaseUrl, _: WhenDown) -> Result<Arc<dyn Store>> {
    anyhow::bail!(
        "--store needs a comity with the feature `postgres`, and this one was built without it: build one with `cargo \
         install --locked --profile dist --path crates/comity-cli --features postgres`"
    )
}
