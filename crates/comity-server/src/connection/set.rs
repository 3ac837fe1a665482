//! All connections, by client: their limits, the choice of a connection to close for a new one, and overdue
//! connections.

use std::collections::HashMap;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::time::timeout;

use crate::connection::{Clock, Connection, Order, Phase};
use crate::limits::ServerLimits;

/// A set of connections, with limits on its size and on the number of connections of each client.
#[derive(Debug)]
pub(crate) struct Connections {
    max: usize,
    /// The maximum number of connections of one client.
    share: usize,
    /// True for the reserve, which only answers questions about health, and where any idle connection may be closed for
    /// a new one at once.
    is_reserve: bool,
    clock: Clock,
    list: Mutex<List>,
    /// Notified when a connection has been closed.
    closed: Notify,
}

#[derive(Debug, Default)]
struct List {
    next: u64,
    len: usize,
    clients: HashMap<IpAddr, Client>,
}

#[derive(Debug, Default)]
struct Client {
    open: HashMap<u64, Arc<Connection>>,
    /// Some of the connections that had been idle for longest at the last scan, each with its idleness. The one that
    /// had been idle for longest is last.
    idle: Vec<(Idle, u64)>,
    /// The time of the next scan, if the last scan found no idle connection.
    full_until: Option<Instant>,
}

/// The idleness of a connection. Those without a request rank before those that are sending one, and then by the time
/// since anything happened.
type Idle = (bool, u64);

/// A connection in the set, until it is dropped.
#[derive(Debug)]
pub(crate) struct Listed {
    connections: Arc<Connections>,
    client: IpAddr,
    id: u64,
    /// True if another connection was closed for it.
    pub(crate) has_evicted: bool,
    pub(crate) connection: Arc<Connection>,
}

/// A client that opens a new connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewClient {
    pub(crate) client: IpAddr,
    /// True if the address has a share of the connections. The address of a proxy has none, since many clients use it.
    pub(crate) has_share: bool,
}

impl Connections {
    /// The time in milliseconds for which a client may send nothing more of a head or body. After it, the connection
    /// counts as idle and may be closed for a new one.
    const STALL_MILLIS: u64 = 1000;

    /// Returns a set of at most `max` connections. One client may have seven eighths of them.
    pub(crate) fn new(max: usize) -> Arc<Self> {
        Self::build(max, false)
    }

    /// Returns a reserve of `max` connections, for questions about health alone.
    pub(crate) fn reserve(max: usize) -> Arc<Self> {
        Self::build(max, true)
    }

    fn build(max: usize, is_reserve: bool) -> Arc<Self> {
        let (max, clock) = (max.max(1), Clock::new());
        let share = max.saturating_mul(7).div_ceil(8);
        let (list, closed) = (Mutex::default(), Notify::new());
        Arc::new(Self { max, share, is_reserve, clock, list, closed })
    }

    /// Adds a connection. If its client already has its share, the client's connection that has been idle for longest
    /// is closed for it; otherwise, if the set is full, one of the client that has the most. Returns `None` if no
    /// connection can be closed, because requests are processed on all of them.
    pub(crate) fn admit(self: &Arc<Self>, newcomer: NewClient) -> Option<Listed> {
        let mut list = self.list();
        let own = list.clients.get(&newcomer.client).map_or(0, |client| client.open.len());
        let has_evicted = if newcomer.has_share && own >= self.share {
            self.evict_of(&mut list, newcomer.client)?;
            true
        } else if list.len >= self.max {
            self.evict_of_any(&mut list, own)?;
            true
        } else {
            false
        };
        let connection = Arc::new(Connection::new(self.clock.clone(), self.is_reserve));
        let id = list.next;
        list.next += 1;
        list.len += 1;
        list.clients.entry(newcomer.client).or_default().open.insert(id, Arc::clone(&connection));
        drop(list);
        Some(Listed { connections: Arc::clone(self), client: newcomer.client, id, has_evicted, connection })
    }

    /// Closes the connection of a client that has been idle for longest.
    fn evict_of(&self, list: &mut List, client: IpAddr) -> Option<()> {
        let patience = if self.is_reserve { 0 } else { Self::STALL_MILLIS };
        let id = list.clients.get_mut(&client)?.idlest(patience)?;
        list.close(client, id);
        Some(())
    }

    /// Closes the connection that has been idle for longest, of the client that has the most connections of those with
    /// an idle one. If that client has more connections than the newcomer would have, its connections count as idle
    /// while a head or body arrives.
    fn evict_of_any(&self, list: &mut List, own: usize) -> Option<()> {
        let mut found: Option<(usize, IpAddr, u64)> = None;
        for (&address, client) in &mut list.clients {
            let open = client.open.len();
            if found.is_some_and(|(most, ..)| open <= most) {
                continue;
            }
            let patience = if self.is_reserve || open > own + 1 { 0 } else { Self::STALL_MILLIS };
            if let Some(id) = client.idlest(patience) {
                found = Some((open, address, id));
            }
        }
        let (_, client, id) = found?;
        list.close(client, id);
        Some(())
    }

    /// Closes a connection, if one can be closed, and waits for its end for a limited time. Returns true if one was
    /// closed.
    pub(crate) async fn make_room(&self) -> bool {
        const MAX_WAIT: Duration = Duration::from_millis(50);
        let mut closed = pin!(self.closed.notified());
        closed.as_mut().enable();
        let has_evicted = {
            let mut list = self.list();
            self.evict_of_any(&mut list, 0).is_some()
        };
        let _ = timeout(MAX_WAIT, closed).await;
        has_evicted
    }

    /// Returns the number of connections.
    pub(crate) fn len(&self) -> usize {
        self.list().len
    }

    /// Checks all connections at intervals, and closes those that take too long for something. Never returns.
    pub(crate) async fn watch(&self, limits: &ServerLimits) {
        let shortest = limits.head_timeout.min(limits.idle_timeout).min(limits.write_timeout);
        let pause = (shortest / 8).clamp(Duration::from_millis(5), Duration::from_secs(1));
        let mut last = Instant::now();
        loop {
            tokio::time::sleep(pause).await;
            let now = Instant::now();
            // While the process does not run (a stopped process, a sleeping machine, one thread that computes), nobody
            // reads what clients send. That time must not count against them: a connection that is accepted right after
            // it would have begun before it, and would be closed before its first byte is read.
            self.clock.advance((now - last).min(2 * pause));
            last = now;
            for connection in self.list().all() {
                if connection.is_overdue(limits) {
                    connection.tell_again();
                }
            }
        }
    }

    /// Orders all connections to end their requests, and waits for that. Closes the rest after the grace period, and
    /// returns their number.
    pub(crate) async fn finish(&self, grace: Duration) -> usize {
        self.tell_all(Order::Finish);
        if timeout(grace, self.are_gone()).await.is_ok() {
            return 0;
        }
        let left = self.len();
        self.close().await;
        left
    }

    /// Closes all connections.
    pub(crate) async fn close(&self) {
        /// Limits the wait for their tasks, which only have to receive the order.
        const MAX_WAIT: Duration = Duration::from_secs(1);
        self.tell_all(Order::Close);
        let _ = timeout(MAX_WAIT, self.are_gone()).await;
    }

    fn tell_all(&self, order: Order) {
        self.list().all().for_each(|connection| connection.tell(order));
    }

    async fn are_gone(&self) {
        loop {
            let mut closed = pin!(self.closed.notified());
            closed.as_mut().enable();
            if self.len() == 0 {
                return;
            }
            closed.await;
        }
    }

    fn list(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl List {
    fn all(&self) -> impl Iterator<Item = &Arc<Connection>> {
        self.clients.values().flat_map(|client| client.open.values())
    }

    /// Removes a connection from the list, so that there is room at once, and orders it to close.
    fn close(&mut self, client: IpAddr, id: u64) {
        if let Some(connection) = self.remove(client, id) {
            connection.tell(Order::Close);
        }
    }

    fn remove(&mut self, client: IpAddr, id: u64) -> Option<Arc<Connection>> {
        let entry = self.clients.get_mut(&client)?;
        let connection = entry.open.remove(&id)?;
        if entry.open.is_empty() {
            self.clients.remove(&client);
        }
        self.len -= 1;
        Some(connection)
    }
}

impl Client {
    /// The number of idle connections that are kept after a scan. There may be thousands, and as many new ones per
    /// second.
    const MAX_REMEMBERED: usize = 64;
    /// The minimum time until the next scan, if a scan found no idle connection.
    const LOOK_INTERVAL: Duration = Duration::from_millis(20);

    /// Returns the connection that has been idle for longest. Returns `None` if none is idle, as [`how_idle`] defines
    /// it.
    fn idlest(&mut self, patience: u64) -> Option<u64> {
        while let Some((idle, id)) = self.idle.pop() {
            if self.open.get(&id).is_some_and(|connection| how_idle(connection, patience) == Some(idle)) {
                return Some(id);
            }
        }
        let now = Instant::now();
        if self.full_until.is_some_and(|until| now < until) {
            return None;
        }
        let all = self.open.iter().filter_map(|(&id, connection)| Some((how_idle(connection, patience)?, id)));
        self.idle.extend(all);
        if self.idle.len() > Self::MAX_REMEMBERED {
            self.idle.select_nth_unstable(Self::MAX_REMEMBERED);
            self.idle.truncate(Self::MAX_REMEMBERED);
        }
        self.idle.sort_unstable_by(|a, b| b.cmp(a));
        let idlest = self.idle.pop();
        if idlest.is_none() {
            self.full_until = Some(now + Self::LOOK_INTERVAL);
        }
        idlest.map(|(_, id)| id)
    }
}

/// Returns the idleness of a connection. Returns `None` if a request is being processed on it, or if a head or body is
/// arriving and something of it arrived within the last `patience` milliseconds.
fn how_idle(connection: &Connection, patience: u64) -> Option<Idle> {
    let (phase, since) = connection.phase();
    let is_idle = match phase {
        Phase::Idle => true,
        Phase::Head | Phase::Body => patience == 0 || connection.now().saturating_sub(since) > patience,
        Phase::Busy => false,
    };
    is_idle.then_some((phase != Phase::Idle, since))
}

impl Drop for Listed {
    fn drop(&mut self) {
        // An evicted connection has already been removed from the list.
        self.connections.list().remove(self.client, self.id);
        self.connections.closed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn newcomer(last: u8) -> NewClient {
        NewClient { client: [192, 0, 2, last].into(), has_share: true }
    }

    fn has_order(listed: &Listed) -> bool {
        listed.connection.is_told()
    }

    #[test]
    fn client_over_its_share_loses_its_idlest_connection() {
        let connections = Connections::new(16);
        let mut own: Vec<Listed> = (0..14).map(|_| connections.admit(newcomer(1)).unwrap()).collect();
        assert!(connections.admit(newcomer(1)).is_none(), "all of them are new");
        let busy = own[0].connection.begin(false);
        drop(own[1].connection.begin(false));
        std::thread::sleep(Client::LOOK_INTERVAL);
        let next = connections.admit(newcomer(1)).unwrap();
        assert!(next.has_evicted && has_order(&own[1]) && !has_order(&own[0]));
        assert_eq!(connections.len(), 14);
        // There is room for others, and a proxy for many clients has no share.
        own.extend([connections.admit(newcomer(2)).unwrap()]);
        own.extend([connections.admit(NewClient { has_share: false, ..newcomer(1) }).unwrap()]);
        assert_eq!(connections.len(), 16);
        drop((own, next, busy));
        assert_eq!(connections.len(), 0);
        assert!(connections.list().clients.is_empty());
    }

    #[test]
    fn client_with_the_most_connections_makes_room() {
        let connections = Connections::new(4);
        let many = [(); 3].map(|()| connections.admit(newcomer(1)).unwrap());
        let few = connections.admit(newcomer(2)).unwrap();
        drop(few.connection.begin(false));
        // The idle connection of a client that has only one stays; the client that has three loses a new one.
        let third = connections.admit(newcomer(3)).unwrap();
        assert!(third.has_evicted && !has_order(&few));
        assert_eq!(many.iter().filter(|listed| has_order(listed)).count(), 1);
        // A connection on which a request is processed stays, whichever client has it.
        let busy: Vec<_> = many.iter().map(|listed| listed.connection.begin(false)).collect();
        assert!(connections.admit(newcomer(4)).is_some() && has_order(&few));
        let all: Vec<_> = [&third].iter().map(|listed| listed.connection.begin(false)).collect();
        let fourth = connections.admit(newcomer(4));
        assert!(fourth.is_some(), "the former one of this client has gone");
        drop((busy, all));
    }

    #[test]
    fn reserve_evicts_any_idle_connection() {
        let reserve = Connections::reserve(2);
        let first = reserve.admit(newcomer(1)).unwrap();
        let second = reserve.admit(newcomer(1)).unwrap();
        assert!(first.connection.is_reserve());
        assert!(reserve.admit(newcomer(1)).is_some_and(|third| third.has_evicted));
        assert!(has_order(&first) != has_order(&second));
    }
}
