//! A store in a file.

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
use std::sync::{Arc, PoisonError, RwLock};
use std::thread::JoinHandle;

use comity::Origin;
use comity_policy::Record;
use redb::{Database, ReadTransaction, ReadableDatabase as _, ReadableTableMetadata as _};
use tokio::sync::{mpsc, oneshot};

use self::tables::{BODIES, RECORDS, VERSIONS};
use self::writer::{Job, Work};
use super::content::ContentHash;
use super::error::{Kind, StoreError};
use super::history::Version;
use super::report::Report;
use super::{Entry, Purge, Store, StoreFuture, StoreStats, Summary, entry};

/// Keeps records in a file, for one process at a time.
///
/// What was saved is there after a crash, of the program or of the machine. All who save at once share one commit.
/// Contents are kept once, compressed. A damaged file is [said to be so](StoreError::is_damaged) when it is opened;
/// nothing of it is served.
///
/// Its futures need a tokio runtime, of either flavour: reading goes to the runtime's threads for blocking work, writing
/// to a thread of the store's own. Dropping it waits until all that was to be saved is.
///
/// ```
/// use comity::Origin;
/// use comity_fetch::store::{RedbStore, Store};
/// use comity_policy::Record;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let directory = tempfile::tempdir()?;
/// # let directory = directory.path();
/// let origin = Origin::of("https://example.com/")?;
/// let store = RedbStore::open(directory)?;
/// store.save(&Record::new(&origin)).await?;
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
    /// None as soon as it is being dropped.
    jobs: Option<mpsc::Sender<Job>>,
    writer: Option<JoinHandle<()>>,
}

/// The file, shared by those who read it and the thread that writes it.
struct OpenFile {
    path: PathBuf,
    /// Held to read by whoever uses the database, to write by whoever opens or closes it.
    state: RwLock<State>,
}

enum State {
    Open(Database),
    /// Why it is not open.
    Closed(StoreError),
}

impl RedbStore {
    /// The name of the file in its directory.
    pub const FILE: &str = "robots.redb";

    /// Opens the store in a directory. Creates what is not there: the directory with mode 0700, the file with mode 0600.
    ///
    /// An error if [another process](StoreError::is_locked) has it open, if it is [damaged](StoreError::is_damaged), of
    /// a [newer format](StoreError::is_newer), or if [other users](StoreError::is_exposed) could have written it: the file
    /// is a symbolic link or another user's, or every user may write to the file or to the directory. A file of an older format is brought to the present one. All pages are
    /// looked at, so this blocks for about a millisecond for each megabyte.
    pub fn open(directory: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = directory.as_ref().join(Self::FILE);
        let database = caught(|| format::open(&path)).map_err(|error| error.at(&path))?;
        let file = Arc::new(OpenFile { path, state: RwLock::new(State::Open(database)) });
        let (jobs, queue) = mpsc::channel(writer::QUEUE);
        let writer = std::thread::Builder::new().name("comity-store".to_owned()).spawn({
            let file = Arc::clone(&file);
            move || writer::run(&file, queue)
        });
        let writer = writer.map_err(|e| StoreError::io("start a thread to write", e).at(&file.path))?;
        Ok(Self { file, jobs: Some(jobs), writer: Some(writer) })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.file.path
    }

    /// Has a transaction read elsewhere, where it may wait for the disk.
    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&ReadTransaction) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let file = Arc::clone(&self.file);
        let stopped = || StoreError::new(Kind::Stopped).at(self.path());
        tokio::task::spawn_blocking(move || file.read(read)).await.unwrap_or_else(|_| Err(stopped()))
    }

    /// Has the thread that writes do something, with others' work that is waiting.
    async fn write(&self, work: Work) -> Result<u64, StoreError> {
        let stopped = || StoreError::new(Kind::Stopped).at(self.path());
        let (done, answer) = oneshot::channel();
        let jobs = self.jobs.as_ref().ok_or_else(stopped)?;
        jobs.send(Job { work, done }).await.map_err(|_| stopped())?;
        answer.await.map_err(|_| stopped())?
    }
}

impl Store for RedbStore {
    fn load<'a>(&'a self, origin: &'a Origin) -> StoreFuture<'a, Option<Record>> {
        let origin = origin.to_string();
        Box::pin(self.read(move |transaction| {
            let Some(kept) = tables::record(&transaction.open_table(RECORDS)?, &origin)? else { return Ok(None) };
            kept.whole(&transaction.open_table(BODIES)?).map(Some)
        }))
    }

    fn save<'a>(&'a self, record: &'a Record) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            entry::check_record(record)?;
            self.write(Work::Save(Box::new(record.clone()))).await.map(drop)
        })
    }

    fn versions<'a>(&'a self, origin: &'a Origin) -> StoreFuture<'a, Vec<Version>> {
        let origin = origin.to_string();
        Box::pin(self.read(move |transaction| tables::versions(&transaction.open_table(VERSIONS)?, &origin)))
    }

    fn body(&self, hash: ContentHash) -> StoreFuture<'_, Option<Arc<[u8]>>> {
        Box::pin(self.read(move |transaction| tables::body(&transaction.open_table(BODIES)?, hash)))
    }

    fn list<'a>(&'a self, after: Option<&'a str>, most: usize) -> StoreFuture<'a, Vec<Summary>> {
        let after = after.map(str::to_owned);
        Box::pin(self.read(move |transaction| {
            let start = after.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
            let records = transaction.open_table(RECORDS)?;
            let page = records.range::<&str>((start, Bound::Unbounded))?.take(most);
            page.map(|row| {
                let (origin, value) = row?;
                Ok(tables::unseal_record(origin.value(), value.value())?.summary())
            })
            .collect()
        }))
    }

    fn entry<'a>(&'a self, origin: &'a Origin) -> StoreFuture<'a, Option<Entry>> {
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
            let bodies = bodies.collect::<Result<_, _>>()?;
            Ok(Some(Entry { record: kept.whole(&table)?, versions, bodies }))
        }))
    }

    fn restore(&self, entries: Vec<Entry>) -> StoreFuture<'_, u64> {
        Box::pin(async move {
            let entries = entries.into_iter().map(Entry::checked).collect::<Result<_, _>>()?;
            self.write(Work::Restore(entries)).await
        })
    }

    fn purge(&self, what: Purge) -> StoreFuture<'_, u64> {
        Box::pin(self.write(Work::Purge(what)))
    }

    fn verify(&self) -> StoreFuture<'_, Report> {
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
    fn read<T>(&self, read: impl FnOnce(&ReadTransaction) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.with(|database| read(&database.begin_read()?))
    }

    /// Uses the database, if it is open. If its pages turn out to be damaged, it is for the last time.
    fn with<T>(&self, use_it: impl FnOnce(&Database) -> Result<T, StoreError>) -> Result<T, StoreError> {
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

    /// Gives room back to the disk. Nobody can read meanwhile.
    fn compact(&self) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        if let State::Open(database) = &mut *state
            && let Err(error) = caught(|| Ok(database.compact()?))
        {
            // What was asked for is done; whether more can be done, the next to ask will see.
            let closed = State::Closed(error.at(&self.path));
            drop_caught(std::mem::replace(&mut *state, closed));
        }
    }

    /// Closes the database and opens it anew, which is all that it allows after reading or writing failed.
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

/// To close a damaged database may fail like anything else with it.
fn drop_caught(state: State) {
    let _ = caught(|| {
        drop(state);
        Ok(())
    });
}

/// Damage where the library beneath does not expect it makes it panic, in the middle of whatever it does: while it opens
/// the file, before its pages can be checked, or when they have gone bad since. (Of 4,096 files with one bit changed, two
/// were such.) Here that becomes an error. What it leaves behind is only ever closed.
fn caught<T>(work: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
    let broken = || StoreError::new(Kind::Broken("its pages make no sense".to_owned()));
    let before = IS_CATCHING.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(broken()));
    IS_CATCHING.set(before);
    result
}

thread_local! {
    static IS_CATCHING: Cell<bool> = const { Cell::new(false) };
}

/// Returns whether a panic of this thread becomes a [`StoreError`] of a [`RedbStore`]: damage in a file where the database
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
