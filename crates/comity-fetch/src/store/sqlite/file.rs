//! Opening the file, its format, and its connections.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use url::Url;

use super::errors::{SqliteError, broken};
use super::tables::{SCHEMA, Tables};
use super::{journal, permissions};
use crate::store::error::{Kind, StoreError};

/// The file of versions before format 4, which this version cannot read.
pub(super) const OLD_FILE: &str = "robots.redb";

/// The format that this version reads and writes: the field `user_version` in the header. Formats 1 to 3 were files of
/// another database.
///
/// Fields that are added to a value have defaults, and readers ignore fields that they do not know.
const FORMAT: i64 = 4;
/// The field `application_id` in the header, by which the program `file` knows the files of others: `comi`.
const APPLICATION: i64 = 0x636f_6d69;

/// The maximum time to wait for other processes that write.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// The time between attempts to get a lock. A short one is fair: a process that writes all the time releases its lock only
/// for a moment, which SQLite's own handler, with up to 100 ms between attempts, can miss for long.
const BUSY_INTERVAL: Duration = Duration::from_millis(2);

/// The file, and its idle connections.
pub(super) struct OpenFile {
    path: PathBuf,
    is_read_only: bool,
    idle: Mutex<Vec<Connection>>,
}

impl OpenFile {
    /// Opens a file, or creates it. Returns it with a connection to write, unless it can only be read.
    pub(super) fn open(directory: &Path) -> Result<(Self, Option<Connection>), StoreError> {
        let path = directory.join(super::SqliteStore::FILE);
        let directory = permissions::directory(directory).map_err(|error| error.at(&path))?;
        let path = directory.join(super::SqliteStore::FILE);
        let old = directory.join(OLD_FILE);
        if fs::symlink_metadata(&old).is_ok() && fs::symlink_metadata(&path).is_err() {
            return Err(StoreError::new(Kind::Older).at(&old));
        }
        let mut file = Self { path, is_read_only: false, idle: Mutex::default() };
        match file.prepare() {
            Ok(connection) if file.is_read_only => {
                file.idle = Mutex::new(vec![connection]);
                Ok((file, None))
            }
            Ok(connection) => Ok((file, Some(connection))),
            Err(error) => Err(error.0.at(&file.path)),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the number of bytes in use, with those that are not yet in the file itself.
    pub(super) fn bytes(&self) -> u64 {
        let size = |path: &Path| fs::metadata(path).map_or(0, |metadata| metadata.len());
        size(&self.path) + size(&self.beside("-wal"))
    }

    fn beside(&self, suffix: &str) -> PathBuf {
        let mut path = self.path.clone().into_os_string();
        path.push(suffix);
        path.into()
    }

    /// Checks the file, and creates it if it is missing or empty.
    fn prepare(&mut self) -> Result<Connection, SqliteError> {
        let metadata = permissions::file(&self.path)?;
        for suffix in ["-wal", "-shm", "-journal"] {
            permissions::file(&self.beside(suffix))?;
        }
        self.is_read_only = metadata.is_some() && permissions::is_read_only(&self.path);
        let began = Instant::now();
        loop {
            let connection = self.connect()?;
            if metadata.as_ref().is_none_or(|metadata| metadata.len() == 0) {
                permissions::protect(&self.path)?;
            }
            match prepared(connection, self.is_read_only) {
                // While two processes create it, one of them can be refused at once, since waiting would be a deadlock.
                Err(error) if error.0.is_locked() && began.elapsed() < BUSY_TIMEOUT => thread::sleep(BUSY_INTERVAL),
                result => return result,
            }
        }
    }

    fn connect(&self) -> Result<Connection, SqliteError> {
        let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let mut connection = if self.is_read_only {
            let mut url = Url::from_file_path(&self.path).map_err(|()| StoreError::new(Kind::Foreign))?;
            // Without this, a file without `-wal` can't be read where `-shm` can't be created. With it, the file must not
            // change, which is so unless somebody else writes it: then there is a `-wal`.
            let is_immutable = fs::symlink_metadata(self.beside("-wal")).is_err();
            url.set_query(is_immutable.then_some("immutable=1"));
            let flags = flags | OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
            Connection::open_with_flags(url.as_str(), flags)?
        } else {
            let flags = flags | OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
            Connection::open_with_flags(&self.path, flags)?
        };
        be_patient(&mut connection)?;
        // A crafted schema runs nothing.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
        connection
            .execute_batch("pragma trusted_schema = off; pragma cell_size_check = on; pragma foreign_keys = on")?;
        Ok(connection)
    }

    /// Reads with an idle connection, or a new one. Everything that is read is of one moment.
    pub(super) fn read<T>(&self, read: impl FnOnce(Tables<'_>) -> Result<T, SqliteError>) -> Result<T, StoreError> {
        let with = || {
            let idle = self.lock().pop();
            let mut connection = idle.map_or_else(|| self.connect(), Ok)?;
            let transaction = connection.transaction()?;
            let result = read(Tables(&transaction))?;
            transaction.commit()?;
            self.lock().push(connection);
            Ok(result)
        };
        with().map_err(|error: SqliteError| error.0.at(&self.path))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sets how long a connection waits for others.
pub(super) fn be_patient(connection: &mut Connection) -> rusqlite::Result<()> {
    connection.busy_handler(Some(|attempts: i32| {
        thread::sleep(BUSY_INTERVAL);
        BUSY_INTERVAL * attempts.cast_unsigned() < BUSY_TIMEOUT
    }))
}

/// Checks the format of a file. Creates the tables if it is empty.
fn prepared(mut connection: Connection, is_read_only: bool) -> Result<Connection, SqliteError> {
    if is_read_only {
        return if is_ours(&connection)? { Ok(connection) } else { Err(StoreError::new(Kind::Foreign).into()) };
    }
    // First, since the files of others must not be changed.
    let exists = is_ours(&connection)?;
    // Only an empty file takes the first of them.
    connection.execute_batch("pragma auto_vacuum = incremental; pragma journal_mode = wal")?;
    if !exists {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Another process may have been faster.
        if !is_ours(&transaction)? {
            for table in SCHEMA {
                transaction.execute(table, [])?;
            }
            transaction.pragma_update(None, "application_id", APPLICATION)?;
            transaction.pragma_update(None, "user_version", FORMAT)?;
        }
        transaction.commit()?;
    }
    Ok(connection)
}

/// Returns true if a file has the tables of this version, and false if it is empty. All others are errors.
fn is_ours(connection: &Connection) -> Result<bool, SqliteError> {
    let header = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (application, format) = (header("application_id")?, header("user_version")?);
    let mut schema = connection.prepare("select sql from sqlite_schema where sql is not null order by name")?;
    let mut schema = schema.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
    // The store of a watcher has these as well.
    schema.retain(|table| !journal::SCHEMA.contains(&table.as_str()));
    match (application, format) {
        (0, 0) if schema.is_empty() => Ok(false),
        (APPLICATION, FORMAT) if schema == SCHEMA => Ok(true),
        (APPLICATION, FORMAT) => Err(broken("its tables are not as they were created").into()),
        (APPLICATION, found @ FORMAT..) => {
            let found = found.try_into().unwrap_or_default();
            Err(StoreError::new(Kind::Newer { found, known: FORMAT.cast_unsigned() }).into())
        }
        _ => Err(StoreError::new(Kind::Foreign).into()),
    }
}
