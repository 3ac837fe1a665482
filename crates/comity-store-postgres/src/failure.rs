//! Failures of the database, in words.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use comity_fetch::store::StoreError;
use deadpool_postgres::PoolError;
use tokio_postgres::error::SqlState;

use crate::plain::REFUSED;

/// A failure of an operation.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) kind: Kind,
    what: String,
    advice: &'static str,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

/// The consequence of a failure.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// The database cannot be reached, or is too slow. It may work again later.
    Down,
    /// The connection was lost, but another one may work: the database has ended it, or the process was stopped for too
    /// long. The operation is repeated once.
    Lost,
    /// Another transaction was in the way. The operation is repeated.
    Conflict,
    /// Nothing can be written for lack of space.
    Full,
    /// The tables are of a newer version.
    Newer,
    /// The error of one value, or of a parameter.
    Value(StoreError),
    /// Repeating the operation would not help.
    Lasting,
}

impl Failure {
    pub(crate) fn new(kind: Kind, what: impl Into<String>, advice: &'static str) -> Self {
        Self { kind, what: what.into(), advice, source: None }
    }

    /// Returns true if the server, or the limit of its user, has no room for another connection.
    pub(crate) fn is_lack_of_connections(&self) -> bool {
        let source = self.source.as_ref().and_then(|source| source.downcast_ref::<tokio_postgres::Error>());
        source.is_some_and(|source| source.code() == Some(&SqlState::TOO_MANY_CONNECTIONS))
    }

    /// Returns the error of the store, which names the address of the database.
    pub(crate) fn at(self, address: &Arc<str>) -> StoreError {
        let located = Located { address: Arc::clone(address), failure: self.clone() };
        match self.kind {
            Kind::Value(error) => error,
            Kind::Newer => StoreError::newer(located),
            Kind::Full => StoreError::full(located),
            _ => StoreError::other(located),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::new(Kind::Value(error), "", "")
    }
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        let (kind, advice) = match error.code() {
            Some(code) => meaning(code),
            None if chain(&error).contains(REFUSED) => (
                Kind::Lasting,
                "without TLS, it must be `scram-sha-256` in pg_hba.conf; make sure that the server is yours",
            ),
            None if is_lost(&error) => (Kind::Lost, ""),
            None if chain(&error).contains("password missing") => {
                (Kind::Lasting, "state it in the address, or in the environment variable PGPASSWORD")
            }
            None if chain(&error).contains("certificate") => (
                Kind::Lasting,
                "use the name in its certificate, and `sslrootcert=FILE` in the address for an authority of your own",
            ),
            None => (Kind::Lasting, ""),
        };
        let what = match error.as_db_error() {
            Some(found) => found.message().to_owned(),
            None => chain(&error),
        };
        Self { kind, what, advice, source: Some(Arc::new(error)) }
    }
}

impl From<PoolError> for Failure {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Backend(error) => {
                let mut failure = Self::from(error);
                if matches!(failure.kind, Kind::Lost) {
                    failure.kind = Kind::Down;
                }
                if failure.source.as_ref().is_none_or(|source| !is_answer(&**source)) {
                    failure.what = format!("could not connect: {}", failure.what);
                }
                failure
            }
            PoolError::Timeout(_) => Self::new(Kind::Down, "it did not accept a connection in time", ""),
            error => Self::new(Kind::Lasting, error.to_string(), ""),
        }
    }
}

/// Returns true if the error is an answer of the server.
fn is_answer(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref::<tokio_postgres::Error>().is_some_and(|error| error.code().is_some())
}

/// Returns true if an error without an answer of the server is about the connection.
fn is_lost(error: &tokio_postgres::Error) -> bool {
    let mut cause = error.source();
    while let Some(inner) = cause {
        if inner.is::<rustls::Error>() {
            return false;
        }
        if let Some(io) = inner.downcast_ref::<std::io::Error>() {
            // A certificate that is refused now will be refused later.
            return !io.get_ref().is_some_and(<dyn Error + Send + Sync>::is::<rustls::Error>);
        }
        cause = inner.source();
    }
    error.is_closed() || chain(error).contains("connecting to server")
}

/// Returns an error with its causes.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let inner_text = inner.to_string();
        if !text.ends_with(&inner_text) {
            text = format!("{text}: {inner_text}");
        }
        cause = inner.source();
    }
    text
}

/// Returns the meaning of an error code, and advice.
fn meaning(code: &SqlState) -> (Kind, &'static str) {
    match code.code() {
        "40001" | "40P01" | "23503" => (Kind::Conflict, ""),
        "28P01" | "28000" => (Kind::Lasting, "check the user, the password and pg_hba.conf"),
        "3D000" => (Kind::Lasting, "create the database first"),
        "53300" | "53400" => (Kind::Down, "raise max_connections, or lower the pool_size of the clients"),
        "53100" => (Kind::Full, "make room on the server, or purge old entries"),
        "25006" => (Kind::Lasting, "use the address of the primary: this server, or this user's default, is read-only"),
        "42501" => (Kind::Lasting, "grant the rights that docs/fleet.md lists"),
        "42P01" | "3F000" => (Kind::Lasting, "its tables were removed: restart to create them"),
        "57014" => (Kind::Down, "the statement took longer than statement_timeout"),
        // Ended by `max_idle`, by an administrator, or by the crash of another connection.
        "25P03" | "57P01" | "57P02" => (Kind::Lost, ""),
        "57P03" => (Kind::Down, ""),
        code if code.starts_with("08") || code.starts_with("57P") => (Kind::Down, ""),
        _ => (Kind::Lasting, ""),
    }
}

/// Returns true if the error of a store is about a database that may work again later.
pub(crate) fn is_down(error: &StoreError) -> bool {
    let located = error.source().and_then(|source| source.downcast_ref::<Located>());
    located.is_some_and(|located| matches!(located.failure.kind, Kind::Down | Kind::Lost))
}

/// A failure and the address of the database.
#[derive(Debug)]
struct Located {
    address: Arc<str>,
    failure: Failure,
}

impl fmt::Display for Located {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PostgreSQL at {}: {}", self.address, self.failure.what)?;
        if !self.failure.advice.is_empty() {
            write!(f, "; {}", self.failure.advice)?;
        }
        Ok(())
    }
}

impl Error for Located {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.failure.source.as_ref().map(|source| &**source as _)
    }
}
