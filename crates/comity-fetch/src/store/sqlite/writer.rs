//! The thread that writes.

use std::path::Path;
use std::time::Duration;

use comity_policy::{StoredRecord, Time};
use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::{mpsc, oneshot};

use super::errors::SqliteError;
use super::file;
use super::tables::Tables;
use crate::store::error::StoreError;
use crate::store::{ArchiveEntry, JournalChange, Purge, Stored, Ticket};

/// The number of jobs that may wait. Further callers wait to add theirs.
pub(super) const MAX_QUEUE: usize = 1024;
/// The number of jobs in one commit.
const MAX_BATCH: usize = 256;

/// Work, and the channel for its result.
pub(super) struct Job {
    pub(super) work: Work,
    pub(super) done: oneshot::Sender<Result<Done, StoreError>>,
}

pub(super) enum Work {
    /// Grants a lease. If `due_at` is a time, then only if no record is fresh at that time.
    Begin {
        ticket: Ticket,
        span: Duration,
        due_at: Option<Time>,
    },
    Complete {
        record: Box<StoredRecord>,
        ticket: Option<Ticket>,
        due: Option<Time>,
    },
    Renew {
        ticket: Ticket,
        span: Duration,
    },
    Abandon(Ticket),
    Restore(Vec<ArchiveEntry>),
    Purge(Purge),
    Journal(JournalChange),
    /// Removes entries of the journal.
    Trim {
        before: Time,
        max: u64,
    },
}

/// The result of work.
pub(super) enum Done {
    Nothing,
    Count(u64),
    Fresh(Box<Stored>),
    Held(Duration),
    Late(Box<Stored>),
}

type Results = Vec<Result<Done, StoreError>>;

/// Works until all jobs are done and no sender exists. Waiting jobs are done in one commit, and answered after it: the disk
/// is waited for once.
pub(super) fn run(mut connection: Connection, path: &Path, mut queue: mpsc::Receiver<Job>) {
    let mut batch = Vec::new();
    while queue.blocking_recv_many(&mut batch, MAX_BATCH) > 0 {
        let (work, callers): (Vec<Work>, Vec<_>) = batch.drain(..).map(|job| (job.work, job.done)).unzip();
        let results =
            write(&mut connection, &work).unwrap_or_else(|error| work.iter().map(|_| Err(error.0.clone())).collect());
        let mut abandoned = Vec::new();
        for ((work, caller), result) in work.into_iter().zip(callers).zip(results) {
            let unheard = caller.send(result.map_err(|error| error.at(path)));
            // A caller that went away must not keep a lease.
            if let (Err(Ok(Done::Nothing)), Work::Begin { ticket, .. }) = (unheard, work) {
                abandoned.push(Work::Abandon(ticket));
            }
        }
        if !abandoned.is_empty() {
            // Otherwise they end by themselves.
            let _ = write(&mut connection, &abandoned);
        }
    }
}

/// Does the work in one transaction. Returns the results, or the error that undid all of it.
fn write(connection: &mut Connection, batch: &[Work]) -> Result<Results, SqliteError> {
    // Leases need not survive a crash of the machine.
    let is_durable =
        batch.iter().any(|work| !matches!(work, Work::Begin { .. } | Work::Renew { .. } | Work::Abandon(_)));
    connection.pragma_update(None, "synchronous", if is_durable { "full" } else { "normal" })?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let tables = Tables(&transaction);
    let results = batch.iter().map(|work| match tables.work(work) {
        // Of a value that was only read.
        Err(error) if error.0.is_one_damaged() => Ok(Err(error.0)),
        result => result.map(Ok),
    });
    let results = results.collect::<Result<Results, SqliteError>>()?;
    transaction.commit()?;
    if batch.iter().any(|work| matches!(work, Work::Purge(_))) {
        // The work is done, so it does not matter if this fails.
        let _ = shrink(connection);
    }
    Ok(results)
}

/// Gives the room of what was removed back, if no other process is using the file.
fn shrink(connection: &mut Connection) -> rusqlite::Result<()> {
    connection.pragma_query(None, "incremental_vacuum", |_| Ok(()))?;
    connection.busy_timeout(Duration::ZERO)?;
    connection.pragma(None, "wal_checkpoint", "truncate", |_| Ok(()))?;
    file::be_patient(connection)
}

impl Tables<'_> {
    fn work(self, work: &Work) -> Result<Done, SqliteError> {
        match work {
            Work::Begin { ticket, span, due_at } => self.begin(ticket, *span, *due_at),
            Work::Complete { record, ticket, due } => self.complete(record, ticket.as_ref(), *due),
            Work::Renew { ticket, span } => self.renew(ticket, *span),
            Work::Abandon(ticket) => self.abandon(ticket),
            Work::Restore(entries) => {
                let taken = entries.iter().map(|entry| self.restore(entry).map(u64::from));
                Ok(Done::Count(taken.sum::<Result<_, _>>()?))
            }
            Work::Purge(what) => self.purge(what).map(Done::Count),
            Work::Journal(change) => self.change_journal(change).map(|()| Done::Nothing),
            Work::Trim { before, max } => self.trim_journal(*before, *max).map(Done::Count),
        }
    }
}
