//! The thread that writes.

use std::time::{Duration, Instant};

use comity_policy::Record;
use tokio::sync::{mpsc, oneshot};

use super::transaction::Tables;
use super::{OpenFile, format};
use crate::store::error::StoreError;
use crate::store::{Entry, Purge};

/// How much work may wait. Who comes when there is more waits to be let in.
pub(super) const QUEUE: usize = 1024;
/// How much of it one commit takes.
const BATCH: usize = 256;
/// How long a file that could not be written is left alone, before it is opened anew.
const PAUSE: Duration = Duration::from_secs(1);

/// Something to do, and whom to tell.
pub(super) struct Job {
    pub(super) work: Work,
    pub(super) done: oneshot::Sender<Result<u64, StoreError>>,
}

pub(super) enum Work {
    Save(Box<Record>),
    Restore(Vec<Entry>),
    Purge(Purge),
}

/// Does what comes, until nothing is left and nobody could send more. What waits is done together and committed once,
/// and all are told after that.
pub(super) fn run(file: &OpenFile, mut queue: mpsc::Receiver<Job>) {
    let mut batch = Vec::new();
    let mut is_failing = false;
    let mut reopened: Option<Instant> = None;
    while queue.blocking_recv_many(&mut batch, BATCH) > 0 {
        // Once before writing, if it failed earlier; once after, so that at least reading is possible again.
        let mut reopen_if_failing = |is_failing: &mut bool| {
            if *is_failing && reopened.is_none_or(|reopened| reopened.elapsed() >= PAUSE) {
                file.reopen();
                reopened = Some(Instant::now());
                *is_failing = false;
            }
        };
        reopen_if_failing(&mut is_failing);
        let result = write(file, &batch);
        if let Err(error) = &result {
            is_failing = error.is_io() || error.is_locked();
            reopen_if_failing(&mut is_failing);
        }
        for (at, job) in batch.drain(..).enumerate() {
            let result = result.as_ref().map(|results| results[at]).map_err(Clone::clone);
            // Whoever has gone does not want to know.
            let _ = job.done.send(result);
        }
    }
}

fn write(file: &OpenFile, batch: &[Job]) -> Result<Vec<u64>, StoreError> {
    let (results, is_loose) = file.with(|database| {
        let transaction = format::begin(database)?;
        let mut tables = Tables::open(&transaction)?;
        let results: Vec<u64> = batch.iter().map(|job| tables.work(&job.work)).collect::<Result<_, _>>()?;
        let is_loose = tables.finish()?;
        transaction.commit()?;
        Ok((results, is_loose))
    })?;
    if is_loose {
        file.compact();
    }
    Ok(results)
}

impl Tables<'_> {
    fn work(&mut self, work: &Work) -> Result<u64, StoreError> {
        match work {
            Work::Save(record) => self.save(record).map(|()| 1),
            Work::Restore(entries) => entries.iter().map(|entry| self.restore(entry).map(u64::from)).sum(),
            Work::Purge(what) => self.purge(what),
        }
    }
}
