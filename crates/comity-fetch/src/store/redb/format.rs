//! Opening the file, and its format. The table `meta` contains the number.
//!
//! Format 3 has the tables of [`tables`](super::tables). Fields that are added to a value have defaults, and readers ignore
//! fields that they do not know. Formats 1 and 2 were never released: bodies were in Base64, and then compressed by zstd,
//! which this version does not contain. They are refused, and not emptied, since they have histories.

use std::fs::OpenOptions;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::Path;

use redb::{Database, ReadableTable as _, TableHandle as _, WriteTransaction};

use super::errors::RedbError;
use super::permissions;
use super::tables::META;
use super::transaction::Tables;
use crate::store::error::{Kind, StoreError};

/// The format that this version reads and writes.
const FORMAT: u64 = 3;

/// The size of the page cache. It is mostly for inner pages, because the client caches records itself.
const PAGE_CACHE_BYTES: usize = 32 << 20;

/// Opens a file, or creates it.
///
/// All pages are checked first, which takes 0.9 ms per megabyte. While redb reads, it trusts the pointers and lengths
/// in its pages, so a single wrong bit can hide half of a table, or free pages that are in use. redb cannot check pages
/// one by one.
pub(super) fn open(path: &Path) -> Result<Database, RedbError> {
    let mut database = match create(path) {
        Err(error) if is_unfinished(path, &error) => create(path)?,
        other => other?,
    };
    database.check_integrity()?;
    let transaction = begin(&database)?;
    match found(&transaction)? {
        Some(FORMAT) => {
            transaction.abort()?;
            return Ok(database);
        }
        None => drop(Tables::open(&transaction)?),
        Some(..FORMAT) => return Err(StoreError::new(Kind::Older).into()),
        Some(found) => return Err(StoreError::new(Kind::Newer { found, known: FORMAT }).into()),
    }
    transaction.open_table(META)?.insert("format", FORMAT)?;
    transaction.commit()?;
    Ok(database)
}

/// Returns the format of the file; `None` if it is empty.
fn found(transaction: &WriteTransaction) -> Result<Option<u64>, RedbError> {
    let tables: Vec<String> = transaction.list_tables()?.map(|table| table.name().to_owned()).collect();
    if tables.is_empty() {
        return Ok(None);
    }
    let foreign = RedbError(StoreError::new(Kind::Foreign));
    if tables.iter().any(|table| table == META.name()) {
        // Other programs may have a table of that name with other types.
        let Ok(meta) = transaction.open_table(META) else { return Err(foreign) };
        if let Some(format) = meta.get("format")? {
            return Ok(Some(format.value()));
        }
    }
    Err(foreign)
}

/// Begins a transaction whose commit is on disk when it returns. Its checksums also hold if a body was crafted so that
/// a torn page has the right one, because bodies come from strangers.
pub(super) fn begin(database: &Database) -> Result<WriteTransaction, RedbError> {
    let mut transaction = database.begin_write()?;
    transaction.set_two_phase_commit(true);
    Ok(transaction)
}

fn create(path: &Path) -> Result<Database, RedbError> {
    if let Some(directory) = path.parent() {
        permissions::directory(directory)?;
    }
    Ok(Database::builder().set_cache_size(PAGE_CACHE_BYTES).create_file(permissions::file(path)?)?)
}

/// Returns true if a process was killed while it created the file, so that it contains nothing. Empties it in this
/// case.
fn is_unfinished(path: &Path, error: &RedbError) -> bool {
    let empty = || -> io::Result<bool> {
        let mut file = OpenOptions::new().read(true).write(true).open(path)?;
        file.try_lock()?;
        // The library writes a header, and the file's mark into it at the very end. Any page after it was written
        // later.
        let mut header = [1; 512];
        file.read_exact(&mut header)?;
        let mut is_unfinished = header[..MARK] == [0; MARK];
        let mut rest = BufReader::with_capacity(64 << 10, &file);
        while is_unfinished && !rest.fill_buf()?.is_empty() {
            is_unfinished = rest.buffer().iter().all(|byte| *byte == 0);
            rest.consume(rest.buffer().len());
        }
        if is_unfinished {
            file.set_len(0)?;
        }
        Ok(is_unfinished)
    };
    error.0.is_damaged() && empty().unwrap_or(false)
}

/// The number of bytes that mark a file as one of redb's.
const MARK: usize = 9;
