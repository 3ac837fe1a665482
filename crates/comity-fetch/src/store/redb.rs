//! A store in a database file.

mod errors;
mod format;
mod permissions;
mod tables;
mod transaction;
mod verify;
mod writer;

use std::cell::Cell;
use std::fmt;
use std::fs;
use std::ops::Bound;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread::JoinHandle;
use std::time::Duration;

use comity::Origin;
use comity_policy::StoredRecord;
use redb::{Database, ReadTransaction, ReadableDatabase as _, ReadableTableMetadata as _};
use tokio::sync::{mpsc, oneshot};

use self::errors::RedbError;
use self::tables::{BODIES, RECORDS, VERSIONS};
use self::writer::{Done, Job, Work};
use super::archive::{Archive, Purge, StoreStats, Summary};
use super::content::ContentHash;
use super::error::{Kind, StoreError};
use super::history::Version;
use super::lease::{FetchKind, Lease, Leases, Ticket};
use super::report::VerifyReport;
use super::{ArchiveEntry, Saved, Store, StoreFuture, Stored, entry};
use crate::clock::Clock;

/// A store in a file, for one process at a time. Clients in that process may share it: it has leases.
///
/// Completed records survive a crash of the program and of the machine. Concurrent writers share one commit. Contents are
/// stored once, compressed. A [damaged](StoreError::is_damaged) file is reported when it is opened; nothing of it is
/// served.
///
/// Its futures need a tokio runtime of either flavor: it reads in the runtime's threads for blocking work, and writes in a
/// thread of its own. Dropping it waits until all work is done.
///
/// ```
/// use comity::Origin;
/// use comity_fetch::store::{RedbStore, Store};
/// use comity_policy::StoredRecord;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let directory = tempfile::tempdir()?;
/// # let directory = directory.path();
/// let origin = Origin::of("https://example.com/")?;
/// let store = RedbStore::open(directory)?;
/// store.complete(&StoredRecord::new(&origin), None).await?;
/// drop(store);
///
/// let store = RedbStore::open(directory)?;
/// assert!(store.load(&origin).await?.is_some());
/// assert!(RedbStore::open(directory).is_err_and(|error| error.is_locked()));
/// # Ok(())
/// # }
/// ```
pub struct RedbStore {
    file: Arc<OpenFile>,
    leases: Arc<Mutex<Leases>>,
    clock: Clock,
    /// `None` while it is dropped.
    jobs: Option<mpsc::Sender<Job>>,
    writer: Option<JoinHandle<()>>,
}

/// The file, shared by its readers and the thread that writes it.
struct OpenFile {
    path: PathBuf,
    /// Locked for reading to use the database, for writing to open or close it.
    state: RwLock<State>,
}

enum State {
    Open(Database),
    /// Closed, with the error.
    Closed(StoreError),
}

impl RedbStore {
    /// The name of the file in its directory.
    pub const FILE: &str = "robots.redb";

    /// Opens the store in a directory. Creates what is missing: the directory with mode 0700, the file with mode 0600.
    ///
    /// It is an error if [another process](StoreError::is_locked) has it open, if it is [damaged](StoreError::is_damaged), of
    /// an older or a [newer format](StoreError::is_newer), or if [other users](StoreError::is_exposed) could have written it: the file
    /// is a symbolic link or another user's, or every user may write to the file or to the directory. All pages are checked,
    /// so this blocks for about a millisecond for each megabyte.
    pub fn open(directory: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = directory.as_ref().join(Self::FILE);
        let database = caught(|| format::open(&path)).map_err(|error| error.at(&path))?;
        let file = Arc::new(OpenFile { path, state: RwLock::new(State::Open(database)) });
        let (jobs, queue) = mpsc::channel(writer::MAX_QUEUE);
        let leases = Arc::<Mutex<Leases>>::default();
        let writer = std::thread::Builder::new().name("comity-store".to_owned()).spawn({
            let (file, leases) = (Arc::clone(&file), Arc::clone(&leases));
            move || writer::run(&file, &leases, queue)
        });
        let writer = writer.map_err(|e| StoreError::io("start a thread to write", e).at(&file.path))?;
        Ok(Self { file, leases, clock: Clock::system(), jobs: Some(jobs), writer: Some(writer) })
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
        &self.file.path
    }

    /// Reads in a thread that may wait for the disk.
    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&ReadTransaction) -> Result<T, RedbError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let file = Arc::clone(&self.file);
        let stopped = || StoreError::new(Kind::Stopped).at(self.path());
        tokio::task::spawn_blocking(move || file.read(read)).await.unwrap_or_else(|_| Err(stopped()))
    }

    /// Passes work to the thread that writes, and waits for its result.
    async fn write(&self, work: Work) -> Result<Done, StoreError> {
        let stopped = || StoreError::new(Kind::Stopped).at(self.path());
        let (done, answer) = oneshot::channel();
        let jobs = self.jobs.as_ref().ok_or_else(stopped)?;
        jobs.send(Job { work, done }).await.map_err(|_| stopped())?;
        answer.await.map_err(|_| stopped())?
    }

    /// Passes work to the thread that writes, and waits for the number of origins.
    async fn count(&self, work: Work) -> Result<u64, StoreError> {
        Ok(match self.write(work).await? {
            Done::Count(count) => count,
            Done::Kept | Done::Late(_) => 0,
        })
    }

    /// Returns the stored record, if another client has completed it and it is not due yet.
    async fn fresh(&self, origin: &Origin) -> Result<Option<Stored>, StoreError> {
        let (origin, now) = (origin.to_string(), self.clock.now());
        let fresh = self.read(move |transaction| {
            let kept = tables::record(&transaction.open_table(RECORDS)?, &origin)?;
            let fresh = kept.filter(|kept| kept.is_fresh(now));
            fresh.map(|kept| kept.stored(&transaction.open_table(BODIES)?)).transpose()
        });
        match fresh.await {
            // The record cannot be read, so a new one is needed.
            Err(error) if error.is_damaged() && !error.is_broken() => Ok(None),
            fresh => fresh,
        }
    }
}

impl Store for RedbStore {
    fn load<'a>(&'a self, origin: &'a Origin) -> StoreFuture<'a, Option<Stored>> {
        let origin = origin.to_string();
        Box::pin(self.read(move |transaction| {
            let Some(kept) = tables::record(&transaction.open_table(RECORDS)?, &origin)? else { return Ok(None) };
            kept.stored(&transaction.open_table(BODIES)?).map(Some)
        }))
    }

    fn begin<'a>(&'a self, origin: &'a Origin, span: Duration, kind: FetchKind) -> StoreFuture<'a, Lease> {
        Box::pin(async move {
            let ticket = match writer::lock(&self.leases).begin(origin, span) {
                Ok(ticket) => ticket,
                Err(until) => return Ok(Lease::Held { until }),
            };
            // The lease is granted first: a record that is completed before it is read below.
            let mut lease = Reserved { leases: &self.leases, ticket: Some(ticket) };
            if kind == FetchKind::Due
                && let Some(stored) = self.fresh(origin).await?
            {
                return Ok(Lease::Fresh(stored));
            }
            let ticket = lease.ticket.take().unwrap_or_else(|| Ticket::random(origin));
            Ok(Lease::Granted(ticket))
        })
    }

    fn complete<'a>(&'a self, record: &'a StoredRecord, ticket: Option<&'a Ticket>) -> StoreFuture<'a, Saved> {
        Box::pin(async move {
            entry::check_record(record, ticket)?;
            let due = record.fresh_for.map(|span| self.clock.now() + span);
            let work = Work::Complete { record: Box::new(record.clone()), ticket: ticket.cloned(), due };
            match self.write(work).await? {
                Done::Late(stored) => Ok(Saved::Late(*stored.map_err(|error| error.at(self.path()))?)),
                Done::Kept | Done::Count(_) => Ok(Saved::Kept),
            }
        })
    }

    fn abandon<'a>(&'a self, ticket: &'a Ticket) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            writer::lock(&self.leases).end(ticket);
            Ok(())
        })
    }

    fn archive(&self) -> Option<&dyn Archive> {
        Some(self)
    }
}

/// A lease that ends again if it is dropped with its ticket.
struct Reserved<'a> {
    leases: &'a Mutex<Leases>,
    ticket: Option<Ticket>,
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        if let Some(ticket) = &self.ticket {
            writer::lock(self.leases).end(ticket);
        }
    }
}

impl Archive for RedbStore {
    fn versions<'a>(&'a self, origin: &'a Origin) -> StoreFuture<'a, Vec<Version>> {
        let origin = origin.to_string();
        Box::pin(self.read(move |transaction| tables::versions(&transaction.open_table(VERSIONS)?, &origin)))
    }

    fn body(&self, hash: ContentHash) -> StoreFuture<'_, Option<Arc<[u8]>>> {
        Box::pin(self.read(move |transaction| tables::body(&transaction.open_table(BODIES)?, hash)))
    }

    fn list<'a>(&'a self, after: Option<&'a str>, max: usize) -> StoreFuture<'a, Vec<Summary>> {
        let after = after.map(str::to_owned);
        Box::pin(self.read(move |transaction| {
            let start = after.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
            let records = transaction.open_table(RECORDS)?;
            let page = records.range::<&str>((start, Bound::Unbounded))?.take(max);
            page.map(|row| {
                let (origin, value) = row?;
                Ok(tables::unseal_record(origin.value(), value.value())?.summary())
            })
            .collect()
        }))
    }

    fn entry<'a>(&'a self, origin: &'a Origin) -> StoreFuture<'a, Option<ArchiveEntry>> {
        let origin = origin.to_string();
        Box::pin(self.read(move |transaction| {
            let Some(kept) = tables::record(&transaction.open_table(RECORDS)?, &origin)? else { return Ok(None) };
            let table = transaction.open_table(BODIES)?;
            let versions = tables::versions(&transaction.open_table(VERSIONS)?, &origin)?;
            let contents = entry::contents(kept.copy().as_ref(), &versions);
            let bodies = contents.into_iter().map(|hash| {
                let missing = || tables::damaged("a version", &origin, "has no content");
                tables::body(&table, hash)?.ok_or_else(missing)
            });
            let bodies = bodies.collect::<Result<_, RedbError>>()?;
            Ok(Some(ArchiveEntry { record: kept.stored(&table)?.record, versions, bodies }))
        }))
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
        let path = self.path().to_path_buf();
        Box::pin(self.read(move |transaction| {
            Ok(StoreStats {
                origins: transaction.open_table(RECORDS)?.len()?,
                bodies: transaction.open_table(BODIES)?.len()?,
                bytes: fs::metadata(path).map_err(|e| StoreError::io("look at", e))?.len(),
            })
        }))
    }
}

impl OpenFile {
    fn read<T>(&self, read: impl FnOnce(&ReadTransaction) -> Result<T, RedbError>) -> Result<T, StoreError> {
        self.with(|database| read(&database.begin_read()?))
    }

    /// Uses the database, if it is open. Closes it if its pages turn out to be damaged.
    fn with<T>(&self, use_it: impl FnOnce(&Database) -> Result<T, RedbError>) -> Result<T, StoreError> {
        let result = match &*self.state.read().unwrap_or_else(PoisonError::into_inner) {
            State::Open(database) => caught(|| use_it(database)),
            State::Closed(error) => return Err(error.clone()),
        };
        result.map_err(|error| {
            let error = error.at(&self.path);
            if error.is_broken() {
                self.close(error.clone());
            }
            error
        })
    }

    fn close(&self, why: StoreError) {
        let old =
            std::mem::replace(&mut *self.state.write().unwrap_or_else(PoisonError::into_inner), State::Closed(why));
        drop_caught(old);
    }

    /// Compacts the file. Blocks readers meanwhile.
    fn compact(&self) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        if let State::Open(database) = &mut *state
            && let Err(error) = caught(|| Ok(database.compact()?))
        {
            // The work before it is done. The next caller gets the error.
            let closed = State::Closed(error.at(&self.path));
            drop_caught(std::mem::replace(&mut *state, closed));
        }
    }

    /// Closes the database and opens it again: redb allows nothing else after reading or writing failed.
    fn reopen(&self) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let stopped = StoreError::new(Kind::Stopped).at(&self.path);
        drop_caught(std::mem::replace(&mut *state, State::Closed(stopped)));
        *state = match caught(|| format::open(&self.path)) {
            Ok(database) => State::Open(database),
            Err(error) => State::Closed(error.at(&self.path)),
        };
    }
}

/// Drops a state. Closing a damaged database may panic.
fn drop_caught(state: State) {
    let _ = caught(|| {
        drop(state);
        Ok(())
    });
}

/// Turns panics of redb into errors. Damage where redb does not expect it makes it panic: while it opens the file, before
/// its pages can be checked, or when they were damaged since. (Of 4,096 files with one bit changed, two were such.) The
/// database is only closed after that.
fn caught<T>(work: impl FnOnce() -> Result<T, RedbError>) -> Result<T, StoreError> {
    let broken = || RedbError(StoreError::new(Kind::Broken("its pages make no sense".to_owned())));
    let before = IS_CATCHING.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(broken()));
    IS_CATCHING.set(before);
    result.map_err(StoreError::from)
}

thread_local! {
    static IS_CATCHING: Cell<bool> = const { Cell::new(false) };
}

/// Returns true if a panic of this thread becomes a [`StoreError`] of a [`RedbStore`]: damage in a file where the database
/// library does not expect it makes that library panic. A panic hook can be silent about these.
///
/// ```
/// use comity_fetch::store::catches_panics;
///
/// let hook = std::panic::take_hook();
/// std::panic::set_hook(Box::new(move |panic| {
///     if !catches_panics() {
///         hook(panic);
///     }
/// }));
/// assert!(!catches_panics());
/// ```
pub fn catches_panics() -> bool {
    IS_CATCHING.get()
}

impl Drop for RedbStore {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(writer) = self.writer.take() {
            // It does not panic.
            let _ = writer.join();
        }
        self.file.close(StoreError::new(Kind::Stopped).at(&self.file.path));
    }
}

impl fmt::Debug for RedbStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedbStore").field("path", &self.file.path).finish_non_exhaustive()
    }
}
