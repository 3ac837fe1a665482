//! The thread that writes.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use comity::Origin;
use comity_policy::{StoredRecord, Time};
use tokio::sync::{mpsc, oneshot};

use super::errors::RedbError;
use super::transaction::Tables;
use super::{OpenFile, format};
use crate::store::error::StoreError;
use crate::store::lease::Leases;
use crate::store::{ArchiveEntry, Purge, Stored, Ticket};

/// The number of jobs that may wait. Further callers wait to add theirs.
pub(super) const MAX_QUEUE: usize = 1024;
/// The number of jobs in one commit.
const MAX_BATCH: usize = 256;
/// The minimum time between attempts to reopen a file that could not be written.
const REOPEN_INTERVAL: Duration = Duration::from_secs(1);

/// Work, and the channel for its result.
pub(super) struct Job {
    pub(super) work: Work,
    pub(super) done: oneshot::Sender<Result<Done, StoreError>>,
}

pub(super) enum Work {
    Complete { record: Box<StoredRecord>, ticket: Option<Ticket>, due: Option<Time> },
    Restore(Vec<ArchiveEntry>),
    Purge(Purge),
}

/// The result of work.
#[derive(Clone)]
pub(super) enum Done {
    Count(u64),
    Kept,
    /// The record was late: the stored one, if it can be read.
    Late(Result<Box<Stored>, StoreError>),
}

/// Works until all jobs are done and no sender exists. Waiting jobs are done in one commit, and answered after it.
pub(super) fn run(file: &OpenFile, leases: &Mutex<Leases>, mut queue: mpsc::Receiver<Job>) {
    let mut batch = Vec::new();
    let mut is_failing = false;
    let mut reopened: Option<Instant> = None;
    while queue.blocking_recv_many(&mut batch, MAX_BATCH) > 0 {
        // Before writing, if it failed earlier; and after, so that at least reading is possible again.
        let mut reopen_if_failing = |is_failing: &mut bool| {
            if *is_failing && reopened.is_none_or(|reopened| reopened.elapsed() >= REOPEN_INTERVAL) {
                file.reopen();
                reopened = Some(Instant::now());
                *is_failing = false;
            }
        };
        reopen_if_failing(&mut is_failing);
        let result = write(file, leases, &batch);
        if let Err(error) = &result {
            is_failing = error.is_io() || error.is_locked();
            reopen_if_failing(&mut is_failing);
        }
        for (at, job) in batch.drain(..).enumerate() {
            if let Work::Complete { ticket: Some(ticket), .. } = &job.work {
                // After the commit, or after its failure: until then, no other client got the lease.
                lock(leases).end(ticket);
            }
            let result = result.as_ref().map(|results| results[at].clone()).map_err(Clone::clone);
            // The receiver may have gone away.
            let _ = job.done.send(result);
        }
    }
}

fn write(file: &OpenFile, leases: &Mutex<Leases>, batch: &[Job]) -> Result<Vec<Done>, StoreError> {
    let (results, is_loose) = file.with(|database| {
        let transaction = format::begin(database)?;
        let mut tables = Tables::open(&transaction)?;
        let results: Vec<Done> = batch.iter().map(|job| tables.work(&job.work, leases)).collect::<Result<_, _>>()?;
        let is_loose = tables.finish()?;
        transaction.commit()?;
        Ok((results, is_loose))
    })?;
    if is_loose {
        file.compact();
    }
    Ok(results)
}

pub(super) fn lock(leases: &Mutex<Leases>) -> MutexGuard<'_, Leases> {
    leases.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Tables<'_> {
    fn work(&mut self, work: &Work, leases: &Mutex<Leases>) -> Result<Done, RedbError> {
        match work {
            Work::Complete { record, ticket, due } => {
                match ticket {
                    Some(ticket) if !lock(leases).completing(ticket) => {
                        return Ok(Done::Late(self.late(ticket.origin()).map_err(StoreError::from)));
                    }
                    Some(_) => {}
                    None => lock(leases).end_all(&record.origin),
                }
                self.save(record, *due)?;
                Ok(Done::Kept)
            }
            Work::Restore(entries) => {
                let mut taken = 0;
                for entry in entries {
                    if self.restore(entry)? {
                        // A fetch in progress is based on the earlier record.
                        lock(leases).end_all(&entry.record.origin);
                        taken += 1;
                    }
                }
                Ok(Done::Count(taken))
            }
            Work::Purge(what) => self.purge(what).map(Done::Count),
        }
    }

    fn late(&self, origin: &Origin) -> Result<Box<Stored>, RedbError> {
        let stored = self.stored(origin.as_str())?;
        Ok(Box::new(stored.unwrap_or_else(|| Stored::empty(origin))))
    }
}
