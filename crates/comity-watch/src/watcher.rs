//! The watcher: looks at sites when they are due, judges them, and delivers the alerts.

mod look;
mod status;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use comity::Origin;
use comity_fetch::store::StoreError;
use comity_fetch::{CheckError, Client, Clock, StoredRecord, Time};
use tokio::sync::watch;
use tokio::task::JoinSet;

pub use self::look::{Expected, SiteGroup};
use self::look::{Judged, Shared};
use self::status::Board;
pub use self::status::{WatchFacts, WatchStatus, WatchSummary};
use crate::deliver::Delivery;
use crate::judge::Judge;
use crate::network::Network;
use crate::outbox::Outbox;
use crate::schedule::{Due, MAX_EARLY, Queue, next_look};

/// The maximum number of sites that are looked at or judged at the same time.
const MAX_RUNNING: usize = 64;
/// The time after which a look is repeated if the store failed.
const AFTER_TROUBLE: Duration = Duration::from_secs(60);
/// The first and the longest time until a delivery is tried again.
const BACKOFF: [Duration; 2] = [Duration::from_secs(5), Duration::from_secs(60 * 60)];
/// The time for which a running watcher is known to others.
const LEASE: Duration = Duration::from_secs(3 * 60);
/// The names of notes.
const NETWORK: &str = "network";
const WATCHER: &str = "watcher";

/// Watches sites.
#[derive(Debug)]
pub struct Watcher {
    shared: Arc<Shared>,
    clock: Clock,
    queue: Queue,
    running: JoinSet<Done>,
    network: Network,
    /// The sites to judge without a look: those that were fetched while the own network was down, or whose judgment was not
    /// saved when the last watcher ended.
    deferred: BTreeMap<u32, StoredRecord>,
    /// Since when sites have been failing.
    failing: HashMap<u32, Time>,
    board: Arc<Board>,
    /// Tells deliveries about new alerts.
    news: watch::Sender<()>,
}

/// The end of a task.
enum Done {
    Fetched(u32, Box<Result<StoredRecord, CheckError>>),
    Judged { number: u32, is_planned: bool, result: Box<Result<Judged, StoreError>> },
}

impl Watcher {
    /// Creates a watcher of sites, each with the number of its group. The client's store keeps the alerts.
    ///
    /// # Errors
    ///
    /// If the client has no store with history and a journal, or it cannot be read.
    pub async fn new(
        client: Client,
        judge: Judge,
        groups: Vec<SiteGroup>,
        sites: Vec<(Origin, u32)>,
        clock: Clock,
    ) -> Result<Self, StoreError> {
        let none = || StoreError::other("it keeps no history and no alerts: use a cache in a folder or a database");
        let store = client.store().cloned().filter(|store| store.archive().is_some()).ok_or_else(none)?;
        let outbox = Outbox::new(store).ok_or_else(none)?;
        let down: Option<Option<Time>> = outbox.note(NETWORK).await?;
        let board = Arc::new(Board::new(sites.len()));
        let shared = Arc::new(Shared { client, outbox, judge, groups, sites });
        let mut watcher = Self {
            shared,
            clock,
            queue: Queue::default(),
            running: JoinSet::new(),
            network: Network::new(down.flatten()),
            deferred: BTreeMap::new(),
            failing: HashMap::new(),
            board,
            news: watch::Sender::new(()),
        };
        watcher.plan().await?;
        Ok(watcher)
    }

    /// Plans the first look at each site.
    async fn plan(&mut self) -> Result<(), StoreError> {
        for number in 0..self.shared.sites.len() as u32 {
            let (record, state, is_judged) = self.shared.known(number).await?;
            if let Some(since) = record.failing_since {
                self.failing.insert(number, since);
            }
            self.queue.add(self.shared.next(number, &record, &state), number);
            self.board.opened(number, state.open.into_keys().collect());
            // One that failed may have failed because of the network.
            if !is_judged && (record.failing_since.is_none() || self.network.down_since.is_none()) {
                self.deferred.insert(number, record);
            }
        }
        Ok(())
    }

    /// Returns the state of the watcher, which is updated while it runs.
    pub fn status(&self) -> WatchStatus {
        WatchStatus { board: self.board.clone(), outbox: self.shared.outbox.clone() }
    }

    /// Returns the store of the alerts.
    pub fn outbox(&self) -> &Outbox {
        &self.shared.outbox
    }

    /// Looks at all sites that are due, and judges them. Sites that are due soon are included, for programs that are started
    /// at intervals.
    ///
    /// # Errors
    ///
    /// If the store failed. The other sites were judged nevertheless.
    pub async fn once(&mut self) -> Result<WatchSummary, StoreError> {
        let started = self.clock.now();
        let mut due = Vec::new();
        let mut early = Vec::new();
        while let Some((next, number)) = self.queue.pop(started + MAX_EARLY) {
            if next.is_near(started) { due.push(number) } else { early.push((next, number)) }
        }
        for (next, number) in early {
            self.queue.add(next, number);
        }
        let asked = due.len();
        self.board.lock().shown.problem = None;
        self.finish_deferred().await;
        let mut due = due.into_iter();
        loop {
            self.catch_up();
            while self.running.len() < MAX_RUNNING
                && let Some(number) = due.next()
            {
                self.look(number);
            }
            let Some(done) = self.running.join_next().await else { break };
            self.settle(done).await;
        }
        self.shared.outbox.trim(self.clock.now()).await?;
        let (sites, next) = (self.shared.sites.len(), self.queue.next());
        let problem = self.board.lock().shown.problem.clone();
        Ok(WatchSummary { sites, asked, waiting: sites - asked, next, problem })
    }

    /// Watches until it is dropped. `listens_at` is where its alerts can be read, for other programs that use the store.
    pub async fn run(mut self, deliveries: Vec<Delivery>, listens_at: Option<String>) {
        let mut tasks = JoinSet::new();
        for delivery in deliveries {
            let (outbox, client) = (self.shared.outbox.clone(), self.shared.client.clone());
            tasks.spawn(deliver(delivery, outbox, client, self.news.subscribe(), self.board.clone()));
        }
        let (outbox, clock) = (self.shared.outbox.clone(), self.clock.clone());
        tasks.spawn(announce(outbox, clock, listens_at, self.board.clone()));
        self.finish_deferred().await;
        loop {
            let now = self.clock.now();
            self.catch_up();
            while self.running.len() < MAX_RUNNING
                && let Some((_, number)) = self.queue.pop(now)
            {
                self.look(number);
            }
            self.board.set_due(self.queue.late(now));
            // A clock that was set is noticed within a second.
            let wait = self.queue.next().map_or(Duration::MAX, |next| next.since(now)).min(Duration::from_secs(1));
            let wait = if self.running.len() < MAX_RUNNING { wait } else { Duration::from_secs(1) };
            tokio::select! {
                Some(done) = self.running.join_next() => self.settle(done).await,
                () = tokio::time::sleep(wait) => {}
            }
        }
    }

    /// Judges what the last watcher left, before any look: a look would be judged at the same time.
    async fn finish_deferred(&mut self) {
        self.catch_up();
        while let Some(done) = self.running.join_next().await {
            self.settle(done).await;
            self.catch_up();
        }
    }

    /// Judges deferred sites, unless the own network is down.
    fn catch_up(&mut self) {
        while self.running.len() < MAX_RUNNING
            && self.network.down_since.is_none()
            && let Some((number, record)) = self.deferred.pop_first()
        {
            self.judge(number, record, true);
        }
    }

    fn look(&mut self, number: u32) {
        // It is judged by what this look finds.
        self.deferred.remove(&number);
        let shared = Arc::clone(&self.shared);
        self.running.spawn(async move {
            let found = shared.client.fetch(shared.origin(number).as_str()).await;
            Done::Fetched(number, Box::new(found.map(|site| site.record().clone())))
        });
    }

    /// Judges a site. `is_planned` tells that its next look is in the queue already.
    fn judge(&mut self, number: u32, record: StoredRecord, is_planned: bool) {
        let (shared, now) = (Arc::clone(&self.shared), self.clock.now());
        self.running.spawn(async move {
            let result = Box::new(shared.judge(number, record, now).await);
            Done::Judged { number, is_planned, result }
        });
    }

    /// Takes the end of a task, and starts what follows from it.
    async fn settle(&mut self, done: Result<Done, tokio::task::JoinError>) {
        let done = match done {
            Ok(done) => done,
            // No input causes a panic; if one does nevertheless, the other sites are still watched.
            Err(error) => return self.board.trouble(&format!("a look ended early: {error}")),
        };
        match done {
            Done::Fetched(number, found) => match *found {
                Ok(record) => self.fetched(number, record).await,
                Err(error) => self.later(number, &error),
            },
            Done::Judged { number, is_planned, result } => match *result {
                Ok(judged) => {
                    self.board.opened(number, judged.open.clone());
                    self.board.count(&judged.alerts);
                    if let Some(problem) = &judged.problem {
                        self.board.trouble(problem);
                    }
                    if !judged.alerts.is_empty() {
                        self.news.send_replace(());
                    }
                    if !is_planned {
                        self.queue.add(judged.next, number);
                    }
                }
                Err(error) if is_planned => self.board.trouble(&error),
                Err(error) => self.later(number, &error),
            },
        }
    }

    async fn fetched(&mut self, number: u32, record: StoredRecord) {
        let before = self.failing.get(&number).copied();
        match record.failing_since {
            Some(since) => self.failing.insert(number, since),
            None => self.failing.remove(&number),
        };
        if let Some(last) = &record.last {
            let (was, now) = (self.network.down_since, self.clock.now());
            let alert = self.network.see(before, last.event, now);
            if was != self.network.down_since {
                let alerts: Vec<_> = alert.into_iter().collect();
                let saved = self.shared.outbox.write(NETWORK, &self.network.down_since, &alerts, now).await;
                if let Err(error) = saved {
                    self.board.trouble(&error);
                }
                self.board.lock().shown.network_down = self.network.down_since.is_some();
                self.board.count(&alerts);
                self.news.send_replace(());
            }
        }
        if self.network.down_since.is_some() {
            // It is looked at again as planned, and judged when the network is back.
            self.queue.add(next_look(self.shared.group(number).every, &record, None, None), number);
            if record.failing_since.is_none() {
                self.deferred.insert(number, record);
            }
            return;
        }
        self.judge(number, record, false);
    }

    /// Looks at a site later, since the store failed now.
    fn later(&mut self, number: u32, error: &dyn std::fmt::Display) {
        self.board.trouble(error);
        self.queue.add(Due::at(self.clock.now() + AFTER_TROUBLE), number);
    }
}

/// Delivers alerts whenever there are new ones, and tries again after a failure, later each time. It never delays others.
async fn deliver(delivery: Delivery, outbox: Outbox, client: Client, mut news: watch::Receiver<()>, board: Arc<Board>) {
    let mut wait = BACKOFF[0];
    loop {
        news.mark_unchanged();
        match delivery.run(&outbox, &client).await {
            Ok(_) => {
                wait = BACKOFF[0];
                board.set_left(&delivery.name(), 0, None);
                if news.changed().await.is_err() {
                    return;
                }
            }
            Err(error) => {
                let left = delivery.left(&outbox).await.unwrap_or_default();
                tracing::warn!(receiver = delivery.name(), %error, "alerts were not delivered, and will be later");
                board.set_left(&delivery.name(), left, Some(error.to_string()));
                tokio::time::sleep(wait).await;
                wait = (wait * 2).min(BACKOFF[1]);
            }
        }
    }
}

/// A watcher that runs.
#[derive(serde::Serialize, serde::Deserialize)]
struct Lease {
    until: Time,
    listens_at: Option<String>,
}

/// Tells other programs that a watcher runs, and removes old alerts.
async fn announce(outbox: Outbox, clock: Clock, listens_at: Option<String>, board: Arc<Board>) {
    loop {
        let now = clock.now();
        let lease = Lease { until: now + LEASE, listens_at: listens_at.clone() };
        let announced = outbox.write(WATCHER, &lease, &[], now).await;
        match (announced, outbox.trim(now).await) {
            (Ok(()), Ok(_)) => board.lock().shown.problem = None,
            (Err(error), _) | (_, Err(error)) => board.trouble(&error),
        }
        tokio::time::sleep(LEASE / 3).await;
    }
}

/// Returns the address of a watcher that runs with this store, if there is one; it is empty if it listens nowhere.
///
/// # Errors
///
/// If the store cannot be read.
pub async fn other_watcher(outbox: &Outbox, now: Time) -> Result<Option<String>, StoreError> {
    let lease: Option<Lease> = outbox.note(WATCHER).await?;
    Ok(lease.filter(|lease| lease.until > now).map(|lease| lease.listens_at.unwrap_or_default()))
}
