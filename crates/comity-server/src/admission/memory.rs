//! Memory for the bodies of requests and answers, limited in total and per client.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::admission::keyed::{KeyedLimiter, KeyedPermit};
use crate::client_addr::ClientAddr;
use crate::problem::Problem;

/// A limited amount of memory that requests share.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    kibibytes: Arc<Semaphore>,
    /// The memory of each client, in KiB.
    clients: KeyedLimiter<IpAddr>,
    patience: Duration,
}

/// A permit to use some memory, until it is dropped.
#[derive(Debug)]
pub(crate) struct Grant {
    kibibytes: OwnedSemaphorePermit,
    of_client: KeyedPermit<IpAddr>,
}

impl Memory {
    /// Returns a pool of `bytes` bytes. One client may have a quarter of it, or at least the `one` that a single
    /// request may need. Requests wait for free memory for at most `patience`.
    pub(crate) fn new(bytes: usize, one: usize, patience: Duration) -> Self {
        // A semaphore counts the permits that are acquired at once in 32 bits.
        let kibibytes = |bytes: usize| (bytes.div_ceil(1 << 10)).clamp(1, (u32::MAX >> 4) as usize);
        let share = kibibytes(bytes / 4).max(kibibytes(one));
        let all = kibibytes(bytes).max(share);
        Self { kibibytes: Arc::new(Semaphore::new(all)), clients: KeyedLimiter::new(share), patience }
    }

    /// Acquires `bytes` bytes, rounded up to whole KiB.
    ///
    /// # Errors
    ///
    /// Fails at once if the client uses its whole share, and after `patience` if no memory has become free.
    pub(crate) async fn take(&self, client: ClientAddr, bytes: usize) -> Result<Grant, Problem> {
        let wanted = bytes.div_ceil(1 << 10).min((u32::MAX >> 4) as usize);
        let of_client = self.clients.add(&client.key(), wanted).ok_or_else(|| {
            Problem::overloaded(
                "too much is being sent at once by or to this client: ask again when some of it is done",
            )
        })?;
        let wanted = u32::try_from(wanted).unwrap_or(u32::MAX >> 4);
        if let Ok(kibibytes) = Arc::clone(&self.kibibytes).try_acquire_many_owned(wanted) {
            return Ok(Grant { kibibytes, of_client });
        }
        match timeout(self.patience, Arc::clone(&self.kibibytes).acquire_many_owned(wanted)).await {
            Ok(Ok(kibibytes)) => Ok(Grant { kibibytes, of_client }),
            _ => Err(Problem::overloaded("too many bytes are being sent at the same time: ask again later")),
        }
    }
}

impl Grant {
    pub(crate) fn bytes(&self) -> usize {
        self.kibibytes.num_permits() << 10
    }

    /// Adds another grant of the same pool and client.
    pub(crate) fn merge(&mut self, other: Self) {
        self.kibibytes.merge(other.kibibytes);
        self.of_client.merge(other.of_client);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_client_has_a_quarter() {
        let memory = Memory::new(16 << 10, 1 << 10, Duration::ZERO);
        let client = |last: u8| ClientAddr { address: [192, 0, 2, last].into() };
        let mut first = memory.take(client(1), 2000).await.unwrap();
        first.merge(memory.take(client(1), 2048).await.unwrap());
        assert_eq!(first.bytes(), 4096);
        assert!(memory.take(client(1), 1).await.is_err());
        let mut others = Vec::new();
        for last in 2..5 {
            others.push(memory.take(client(last), 4096).await.unwrap());
        }
        assert!(memory.take(client(5), 1).await.is_err(), "there is none left");
        drop(first);
        assert!(memory.take(client(1), 4096).await.is_ok());
    }
}
