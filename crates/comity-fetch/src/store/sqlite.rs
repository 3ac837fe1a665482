//! A store in a file of SQLite.

mod errors;
mod file;
mod journal;
mod permissions;
mod tables;
mod transaction;
mod verify;
mod writer;

use std::fmt;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use comity::Origin;
use comity_policy::{StoredRecord, Time};
use tokio::sync::{Semaphore, mpsc, oneshot};

use self::errors::SqliteError;
use self::file::OpenFile;
use self::tables::Tables;
use self::writer::{Done, Job, Work};
use super::archive::{Archive, Purge, StoreStats, Summary};
use super::content::ContentHash;
use super::error::{Kind, StoreError};
use super::history::Version;
use super::journal::{Journal, JournalChange, JournalEntry};
use super::lease::{FetchKind, Lease, Ticket};
use super::report::VerifyReport;
use super::{ArchiveEntry, Saved, Store, StoreFuture, Stored, entry};
use crate::clock::Clock;

/// The number of reads at once, each with a connection of its own.
const MAX_READERS: usize = 4;

/// A store in a file, shared by any number of clients and processes on one machine: it has leases.
///
/// Completed records survive a crash of the program and of the machine. Concurrent writers share one commit. Contents are
/// stored once, compressed. Every value is checked when it is read, so a [damaged](StoreError::is_damaged) one is never
/// served. Two processes that write take turns; one that waits for more than ten seconds gets an
/// [error](StoreError::is_locked).
///
/// Its futures need a tokio runtime of either flavor: it reads in the runtime's threads for blocking work, and writes in a
/// thread of its own. Dropping it waits until all work is done.
///
/// ```
/// use comity::Origin;
/// use comity_fetch::store::{SqliteStore, Store};
/// use comity_policy::StoredRecord;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let directory = tempfile::tempdir()?;
/// # let directory = directory.path();
/// let origin = Origin::of("https://example.com/")?;
/// let store = SqliteStore::open(directory)?;
/// store.complete(&StoredRecord::new(&origin), None).await?;
///
/// let another = SqliteStore::open(directory)?; // usually in another process
/// assert!(another.load(&origin).await?.is_some());
/// # Ok(())
/// # }
/// ```
pub struct SqliteStore {
    file: Arc<OpenFile>,
    readers: Arc<Semaphore>,
    clock: Clock,
    /// `None` if the file can only be read, and while the store is dropped.
    jobs: Option<mpsc::Sender<Job>>,
    writer: Option<JoinHandle<()>>,
}

impl SqliteStore {
    /// The name of the file in its directory. While the store is open, there are two more, with `-wal` and `-shm` after it.
    pub const FILE: &str = "robots.sqlite";

    /// Opens the store in a directory. Creates what is missing: the directory with mode 0700, the file with mode 0600.
    /// A file that cannot be written is opened for reading; saving a record then [fails](StoreError::is_io).
    ///
    /// It is an error if the file is [damaged](StoreError::is_damaged), of an older or a [newer format](StoreError::is_newer), or
    /// if [other users](StoreError::is_exposed) could have written it: the file is a symbolic link or another user's, or every
    /// user may write to the file or to the directory. Only what is read is checked; [`verify`](Archive::verify) checks
    /// everything.
    pub fn open(directory: impl AsRef<Path>) -> Result<Self, StoreError> {
        let (file, connection) = OpenFile::open(directory.as_ref())?;
        let file = Arc::new(file);
        let readers = Arc::new(Semaphore::new(MAX_READERS));
        let mut store = Self { file, readers, clock: Clock::system(), jobs: None, writer: None };
        if let Some(connection) = connection {
            let (jobs, queue) = mpsc::channel(writer::MAX_QUEUE);
            let path = store.path().to_owned();
            let writer = std::thread::Builder::new().name("comity-store".to_owned());
            let writer = writer.spawn(move || writer::run(connection, &path, queue));
            store.writer = Some(writer.map_err(|e| StoreError::io("start a thread to write", e).at(store.path()))?);
            store.jobs = Some(jobs);
        }
        Ok(store)
    }

    /// Returns true if a directory has a store, of this or of an earlier version. A dangling symbolic link in its place is
    /// one as well: opening it is an error.
    pub fn is_in(directory: &Path) -> bool {
        [Self::FILE, file::OLD_FILE].iter().any(|name| fs::symlink_metadata(directory.join(name)).is_ok())
    }

    /// Sets the clock that determines when records are due. Defaults to the system's. A test that sets the clock of a
    /// client must set the same clock here.
    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Reads in a thread that may wait for the disk. Everything that `read` sees is of one moment.
    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(Tables<'_>) -> Result<T, SqliteError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let stopped = || StoreError::new(Kind::Stopped).at(self.path());
        let permit = Arc::clone(&self.readers).acquire_owned().await.map_err(|_| stopped())?;
        let file = Arc::clone(&self.file);
        let reading = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            file.read(read)
        });
        reading.await.unwrap_or_else(|_| Err(stopped()))
    }

    /// Passes work to the thread that writes, and waits for its result.
    async fn write(&self, work: Work) -> Result<Done, StoreError> {
        let read_only = || StoreError::io("write", io::ErrorKind::ReadOnlyFilesystem.into()).at(self.path());
        let stopped = || StoreError::new(Kind::Stopped).at(self.path());
        let (done, answer) = oneshot::channel();
        let jobs = self.jobs.as_ref().ok_or_else(read_only)?;
        jobs.send(Job { work, done }).await.map_err(|_| stopped())?;
        answer.await.map_err(|_| stopped())?
    }

    /// Passes work to the thread that writes, and waits for the number of origins.
    async fn count(&self, work: Work) -> Result<u64, StoreError> {
        Ok(if let Done::Count(count) = self.write(work).await? { count } else { 0 })
    }
}

impl Store for SqliteStore {
    fn load<'a>(&'a self, origin: &'a Origin) -> StoreFuture<'a, Option<Stored>> {
        let origin = origin.to_string();
        Box::pin(self.read(move |tables| tables.stored(&origin)))
    }

    fn begin<'a>(&'a self, origin: &'a Origin, span: Duration, kind: FetchKind) -> StoreFuture<'a, Lease> {
        let due_at = (kind == FetchKind::Due).then(|| self.clock.now());
        let ticket = Ticket::random(origin);
        Box::pin(async move {
            match self.write(Work::Begin { ticket: ticket.clone(), span, due_at }).await? {
                Done::Fresh(stored) => Ok(Lease::Fresh(*stored)),
                Done::Held(until) => Ok(Lease::Held { until }),
                _ => Ok(Lease::Granted(ticket)),
            }
        })
    }

    fn complete<'a>(&'a self, record: &'a StoredRecord, ticket: Option<&'a Ticket>) -> StoreFuture<'a, Saved> {
        Box::pin(async move {
            entry::check_record(record, ticket)?;
            let due = record.fresh_for.map(|span| self.clock.now() + span);
            match self.write(Work::Complete { record: Box::new(record.clone()), ticket: ticket.cloned(), due }).await? {
                Done::Late(stored) => Ok(Saved::Late(*stored)),
                _ => Ok(Saved::Kept),
            }
        })
    }

    fn abandon<'a>(&'a self, ticket: &'a Ticket) -> StoreFuture<'a, ()> {
        Box::pin(async move { self.write(Work::Abandon(ticket.clone())).await.map(drop) })
    }

    fn renew<'a>(&'a self, ticket: &'a Ticket, span: Duration) -> StoreFuture<'a, ()> {
        Box::pin(async move { self.write(Work::Renew { ticket: ticket.clone(), span }).await.map(drop) })
    }

    fn archive(&self) -> Option<&dyn Archive> {
        Some(self)
    }

    fn journal(&self) -> Option<&dyn Journal> {
        Some(self)
    }
}

impl Journal for SqliteStore {
    fn notes(&self, names: Vec<String>) -> StoreFuture<'_, Vec<Option<String>>> {
        Box::pin(self.read(move |tables| tables.notes(&names)))
    }

    fn write(&self, change: JournalChange) -> StoreFuture<'_, ()> {
        Box::pin(async move { self.write(Work::Journal(change)).await.map(drop) })
    }

    fn entries(&self, after: u64, max: usize) -> StoreFuture<'_, Vec<JournalEntry>> {
        Box::pin(self.read(move |tables| tables.entries(after, max)))
    }

    fn newest(&self) -> StoreFuture<'_, u64> {
        #[allow(clippy::redundant_closure_for_method_calls, reason = "the method is not one for all lifetimes")]
        Box::pin(self.read(|tables| tables.newest()))
    }

    fn trim(&self, before: Time, max: u64) -> StoreFuture<'_, u64> {
        Box::pin(self.count(Work::Trim { before, max }))
    }
}

impl Archive for SqliteStore {
    fn versions<'a>(&'a self, origin: &'a Origin) -> StoreFuture<'a, Vec<Version>> {
        let origin = origin.to_string();
        Box::pin(self.read(move |tables| tables.versions(&origin)))
    }

    fn body(&self, hash: ContentHash) -> StoreFuture<'_, Option<Arc<[u8]>>> {
        Box::pin(self.read(move |tables| tables.body(hash)))
    }

    fn list<'a>(&'a self, after: Option<&'a str>, max: usize) -> StoreFuture<'a, Vec<Summary>> {
        let after = after.unwrap_or_default().to_owned();
        Box::pin(self.read(move |tables| tables.list(&after, max)))
    }

    fn entry<'a>(&'a self, origin: &'a Origin) -> StoreFuture<'a, Option<ArchiveEntry>> {
        let origin = origin.to_string();
        Box::pin(self.read(move |tables| tables.entry(&origin)))
    }

    fn restore(&self, entries: Vec<ArchiveEntry>) -> StoreFuture<'_, u64> {
        Box::pin(async move {
            let entries = entries.into_iter().map(ArchiveEntry::checked).collect::<Result<_, _>>()?;
            self.count(Work::Restore(entries)).await
        })
    }

    fn purge(&self, what: Purge) -> StoreFuture<'_, u64> {
        Box::pin(self.count(Work::Purge(what)))
    }

    fn verify(&self) -> StoreFuture<'_, VerifyReport> {
        Box::pin(self.read(verify::verify))
    }

    fn stats(&self) -> StoreFuture<'_, StoreStats> {
        let bytes = self.file.bytes();
        Box::pin(self.read(move |tables| tables.stats(bytes)))
    }
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(writer) = self.writer.take() {
            // It does not panic.
            let _ = writer.join();
        }
    }
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteStore").field("path", &self.path()).finish_non_exhaustive()
    }
}
