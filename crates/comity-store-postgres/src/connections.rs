//! The pool of connections: timeouts, and what to do while the database is down.

use std::fmt;
use std::future::Future;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use comity_fetch::store::StoreError;
use deadpool_postgres::{Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime};
use tokio::sync::OnceCell;
use tokio::time::{sleep, timeout};
use tokio_postgres::{Client, NoTls};

use crate::failure::{Failure, Kind};
use crate::options::PostgresOptions;
use crate::plain::Plain;
use crate::pool::{Connection, SharedPool};
use crate::schema::{self, Schema};
use crate::tls::Tls;

/// The time until a database that is down is tried again.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);
/// The interval of attempts while an operation waits for the database.
const WAIT_INTERVAL: Duration = Duration::from_millis(100);
/// The maximum delay of a timeout. If it is later, this process was stopped, which says nothing about the database.
const MAX_DELAY: Duration = Duration::from_secs(1);
/// The number of attempts, if other transactions are in the way.
const MAX_CONFLICTS: usize = 10;

/// An operation, in one transaction.
pub(crate) trait Operation: Sync {
    /// The result.
    type Output: Send;

    /// True if the result is the same when the operation is repeated although it was done: its answer may have been lost
    /// with the connection.
    const IS_REPEATABLE: bool = true;

    /// False for operations on the whole database, which have no timeout: they take as long as the database is large.
    const HAS_TIMEOUT: bool = true;

    /// Performs the operation.
    fn run(&self, client: &mut Client, schema: &Schema) -> impl Future<Output = Result<Self::Output, Failure>> + Send;
}

/// The connections to a database.
pub(crate) struct Connections {
    options: PostgresOptions,
    pool: SharedPool,
    schema: Schema,
    /// Set when the tables were checked.
    ready: OnceCell<()>,
    down: Mutex<Option<Down>>,
}

/// A database that is down.
struct Down {
    failure: Failure,
    /// The time of the next attempt. Until then, operations fail at once.
    next: Instant,
}

impl Connections {
    pub(crate) fn new(options: PostgresOptions) -> Result<Self, StoreError> {
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = if options.has_tls {
            let tls = Tls::new(&options.roots).map_err(StoreError::other)?;
            Manager::from_config(options.config.clone(), tls, recycling)
        } else if options.is_socket {
            Manager::from_config(options.config.clone(), NoTls, recycling)
        } else {
            Manager::from_config(options.config.clone(), Plain, recycling)
        };
        let pool = Pool::builder(manager)
            .max_size(options.pool_size)
            .runtime(Runtime::Tokio1)
            .create_timeout(Some(options.timeout))
            .build()
            .map_err(|error| StoreError::other(error.to_string()))?;
        let schema = Schema::new(&options.schema, options.timeout);
        let pool = SharedPool::new(pool, options.pool_size, options.timeout);
        Ok(Self { options, pool, schema, ready: OnceCell::new(), down: Mutex::default() })
    }

    /// Performs an operation. Repeats it if another transaction was in the way, and once if the connection was lost.
    pub(crate) async fn run<O: Operation>(&self, operation: &O) -> Result<O::Output, StoreError> {
        let end = Instant::now() + self.options.wait;
        let mut attempt = 0;
        loop {
            attempt += 1;
            let (failure, has_begun) = match self.attempt(operation).await {
                Ok(output) => return Ok(output),
                Err(failure) => failure,
            };
            match failure.kind {
                Kind::Conflict if attempt < MAX_CONFLICTS => {}
                Kind::Lost if attempt == 1 && O::IS_REPEATABLE => {}
                Kind::Down | Kind::Lost if Instant::now() < end && (O::IS_REPEATABLE || !has_begun) => {
                    sleep(WAIT_INTERVAL).await;
                }
                _ => return Err(failure.at(&self.options.address)),
            }
        }
    }

    /// Connects, and checks the tables. Creates or changes them if necessary.
    pub(crate) async fn prepare(&self) -> Result<(), StoreError> {
        match self.connect().await {
            Ok(_) => Ok(()),
            Err(failure) => Err(failure.at(&self.options.address)),
        }
    }

    pub(crate) fn patience(&self) -> Option<Duration> {
        // A client that waits for a database that is down waits for a slow one as well.
        self.options.wait.is_zero().then_some(self.options.patience)
    }

    pub(crate) fn address(&self) -> &str {
        &self.options.address
    }

    /// Performs an operation once. Also returns true with a failure after the operation has begun.
    async fn attempt<O: Operation>(&self, operation: &O) -> Result<O::Output, (Failure, bool)> {
        let waits = !self.options.wait.is_zero();
        if !waits {
            self.fail_if_down().map_err(|failure| (failure, false))?;
        }
        let began = Instant::now();
        let mut result = match self.connect().await {
            Ok(mut connection) => {
                let limit = if O::HAS_TIMEOUT { self.options.timeout } else { Duration::MAX };
                let result = timeout(limit, operation.run(&mut connection.client, &self.schema)).await;
                result.map_or_else(
                    |_| {
                        // The connection may hang for long.
                        drop(Object::take(connection.client));
                        Err((self.too_slow(), true))
                    },
                    |result| result.map_err(|failure| (failure, true)),
                )
            }
            Err(failure) => Err((failure, false)),
        };
        if let Err((failure, _)) = &mut result
            && matches!(failure.kind, Kind::Down)
            && began.elapsed() > self.options.timeout + MAX_DELAY
        {
            failure.kind = Kind::Lost;
        }
        let down = match &result {
            Err((failure, _)) if matches!(failure.kind, Kind::Down) => {
                Some(Down { failure: failure.clone(), next: Instant::now() + RETRY_INTERVAL })
            }
            _ => None,
        };
        *self.down.lock().unwrap_or_else(PoisonError::into_inner) = down;
        result
    }

    /// Returns a connection to a database with the tables.
    async fn connect(&self) -> Result<Connection, Failure> {
        let mut connection = self.pool.get(&self.options.address, self.ready.initialized()).await?;
        self.ready
            .get_or_try_init(async || {
                match timeout(self.options.timeout, schema::migrate(&mut connection.client, &self.schema)).await {
                    Ok(result) => result,
                    Err(_) => Err(self.too_slow()),
                }
            })
            .await?;
        Ok(connection)
    }

    /// Fails if the database was down a moment ago. One caller at a time tries again.
    fn fail_if_down(&self) -> Result<(), Failure> {
        let mut down = self.down.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(down) = &mut *down else { return Ok(()) };
        let now = Instant::now();
        if now < down.next {
            return Err(down.failure.clone());
        }
        down.next = now + RETRY_INTERVAL + 2 * self.options.timeout;
        Ok(())
    }

    fn too_slow(&self) -> Failure {
        Failure::new(Kind::Down, format!("it did not answer within {:?}", self.options.timeout), "")
    }
}

impl fmt::Debug for Connections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connections").field("options", &self.options).finish_non_exhaustive()
    }
}
