//! Admission of work that occupies a processor for long, in fair turns between clients.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::client_addr::ClientAddr;
use crate::problem::Problem;

/// Grants turns to work: a limited number at the same time, of which each client has a share. The next turns go to the
/// waiting clients in rotation, no matter how many turns each of them waits for.
#[derive(Clone, Debug)]
pub(crate) struct Scheduler(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    max_running: usize,
    max_of_client: usize,
    max_queued: usize,
    queue: Mutex<Queue>,
}

#[derive(Debug, Default)]
struct Queue {
    running: usize,
    /// Clients that have a turn or wait for one.
    clients: HashMap<IpAddr, Client>,
    /// The waiting clients, each of them once; the first one is next.
    rotation: VecDeque<IpAddr>,
}

#[derive(Debug, Default)]
struct Client {
    running: usize,
    is_in_rotation: bool,
    waiting: VecDeque<oneshot::Sender<Turn>>,
}

/// A permit to work, until it is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    shared: Arc<Shared>,
    client: IpAddr,
}

/// The number of turns of one client that may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waiting {
    /// At most the scheduler's limit; more are refused.
    Bounded,
    /// Any number: the caller has its own limit.
    Unbounded,
}

impl Scheduler {
    /// Returns a scheduler. A client has at most one turn fewer than there are processors, and all clients together
    /// have twice as many: the system divides the processors among them, so a client that comes later does not have to
    /// wait until the work of another one is done. At most `max_queued` turns of a client may wait.
    pub(crate) fn new(processors: usize, max_queued: usize) -> Self {
        let max_of_client = processors.saturating_sub(1).max(1);
        let max_running = 2 * max_of_client;
        Self(Arc::new(Shared { max_running, max_of_client, max_queued: max_queued.max(1), queue: Mutex::default() }))
    }

    /// Waits until the client's work may start. If the future is dropped while it waits, the turn goes to other work.
    ///
    /// # Errors
    ///
    /// If too many turns of the client wait already.
    pub(crate) async fn turn(&self, client: ClientAddr, waiting: Waiting) -> Result<Turn, Problem> {
        let key = client.key();
        let granted = {
            let mut queue = self.0.queue();
            let entry = queue.clients.entry(key).or_default();
            if entry.waiting.len() >= self.0.max_queued && waiting == Waiting::Bounded {
                // Waiters that have gone away do not count.
                entry.waiting.retain(|waiting| !waiting.is_closed());
                if entry.waiting.len() >= self.0.max_queued {
                    return Err(Problem::overloaded(
                        "too many large questions of this client wait for a processor: ask again when some are answered",
                    ));
                }
            }
            let (sender, receiver) = oneshot::channel();
            entry.waiting.push_back(sender);
            if !std::mem::replace(&mut entry.is_in_rotation, true) {
                queue.rotation.push_back(key);
            }
            receiver
        };
        self.0.grant();
        // A waiter is dropped only with the scheduler.
        granted.await.map_err(|_| Problem::internal())
    }

    /// Returns the number of turns in use.
    pub(crate) fn running(&self) -> usize {
        self.0.queue().running
    }

    /// Returns the number of turns that are waited for.
    pub(crate) fn queued(&self) -> usize {
        self.0.queue().clients.values().map(|client| client.waiting.len()).sum()
    }
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Grants all free turns.
    fn grant(self: &Arc<Self>) {
        loop {
            let next = self.queue().next(self.max_running, self.max_of_client);
            let Some((client, waiting)) = next else { return };
            let turn = Turn { shared: Arc::clone(self), client };
            // If nobody waits for it any more, it is dropped here, which grants the next one.
            let _ = waiting.send(turn);
        }
    }
}

impl Queue {
    /// Returns the client of the next turn, and counts the turn.
    fn next(&mut self, max_running: usize, max_of_client: usize) -> Option<(IpAddr, oneshot::Sender<Turn>)> {
        if self.running >= max_running {
            return None;
        }
        for _ in 0..self.rotation.len() {
            let key = self.rotation.pop_front()?;
            let Some(client) = self.clients.get_mut(&key) else { continue };
            client.waiting.retain(|waiting| !waiting.is_closed());
            let next = if client.running < max_of_client { client.waiting.pop_front() } else { None };
            if next.is_some() {
                client.running += 1;
                self.running += 1;
            }
            client.is_in_rotation = !client.waiting.is_empty();
            if client.is_in_rotation {
                self.rotation.push_back(key);
            } else if client.running == 0 {
                self.clients.remove(&key);
            }
            if let Some(next) = next {
                return Some((key, next));
            }
        }
        None
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        {
            let mut queue = self.shared.queue();
            queue.running -= 1;
            if let Some(client) = queue.clients.get_mut(&self.client) {
                client.running -= 1;
                if client.running == 0 && !client.is_in_rotation {
                    queue.clients.remove(&self.client);
                }
            }
        }
        self.shared.grant();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use tokio::task::JoinHandle;

    use super::*;

    fn client(last: u8) -> ClientAddr {
        ClientAddr { address: [192, 0, 2, last].into() }
    }

    async fn ask(scheduler: &Scheduler, last: u8) -> JoinHandle<Result<Turn, Problem>> {
        let (scheduler, before) = (scheduler.clone(), scheduler.queued() + scheduler.running());
        let asked = scheduler.clone();
        let waiting = tokio::spawn(async move { asked.turn(client(last), Waiting::Bounded).await });
        while scheduler.queued() + scheduler.running() == before {
            tokio::task::yield_now().await;
        }
        waiting
    }

    #[tokio::test]
    async fn a_client_has_a_share_and_the_rest_is_for_others() {
        let scheduler = Scheduler::new(2, 100);
        let first = scheduler.turn(client(1), Waiting::Bounded).await.unwrap();
        let second = ask(&scheduler, 1).await;
        assert_eq!((scheduler.running(), scheduler.queued()), (1, 1));
        let other = scheduler.turn(client(2), Waiting::Bounded).await.unwrap();
        let third = ask(&scheduler, 3).await;
        assert_eq!((scheduler.running(), scheduler.queued()), (2, 2));
        drop(other);
        let third = third.await.unwrap().unwrap();
        assert!(!second.is_finished());
        drop(first);
        drop((second.await.unwrap().unwrap(), third));
        assert_eq!((scheduler.running(), scheduler.queued()), (0, 0));
        assert!(scheduler.0.queue().clients.is_empty());
    }

    #[tokio::test]
    async fn turns_rotate_between_clients() {
        let scheduler = Scheduler::new(1, 100);
        let held = [
            scheduler.turn(client(8), Waiting::Bounded).await.unwrap(),
            scheduler.turn(client(9), Waiting::Bounded).await.unwrap(),
        ];
        let mut many = Vec::new();
        for _ in 0..40 {
            many.push(ask(&scheduler, 1).await);
        }
        let few = ask(&scheduler, 2).await;
        let [one, other] = held;
        drop(one);
        let first = many.remove(0).await.unwrap().unwrap();
        drop(other);
        // One turn of the first client, which then has its share; the next turn is the other client's.
        drop((few.await.unwrap().unwrap(), first));
    }

    #[tokio::test]
    async fn limit_of_a_client_counts_only_those_that_wait() {
        let scheduler = Scheduler::new(1, 2);
        let held = scheduler.turn(client(1), Waiting::Bounded).await.unwrap();
        let (second, third) = (ask(&scheduler, 1).await, ask(&scheduler, 1).await);
        assert!(matches!(scheduler.turn(client(1), Waiting::Bounded).now_or_never(), Some(Err(_))));
        assert!(scheduler.turn(client(1), Waiting::Unbounded).now_or_never().is_none(), "it would wait");
        second.abort();
        let _ = second.await;
        let fourth = ask(&scheduler, 1).await;
        drop(held);
        drop(third.await.unwrap().unwrap());
        drop(fourth.await.unwrap().unwrap());
        assert!(scheduler.0.queue().clients.is_empty());
    }
}
