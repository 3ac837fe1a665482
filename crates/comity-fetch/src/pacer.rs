//! The pace of requests for pages: at most one at a time to each host, no sooner than its site asks for.
//!
//! A host is a name, whatever the scheme and the port: they usually lead to one machine. Requests for a robots.txt are
//! not counted, since there is about one a day.
//!
//! Waiting requests of a host queue for its semaphore, and only the first of them sleeps. Planned starts were tried
//! instead, one for each request when it arrives. A cancelled request then leaves a gap, or all later ones have to be
//! woken and moved; and a `Retry-After` moves them again.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use comity::Pace;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep, timeout};

use crate::clock::Clock;

/// The maximum number of hosts in memory: about 20 MB.
const MAX_HOSTS: usize = 100_000;

/// The longest delay between two requests that a site can ask for. Without a limit, a site that asks for years, under
/// as many names as there is room for, would stop the crawler for good.
const MAX_DELAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The longest pause after a 429 or 503. Some servers send the end of a ban or the start of the year 2038.
const MAX_PAUSE: Duration = Duration::from_secs(60 * 60);

/// The pause after a 429 or 503 without a valid `Retry-After`. Limits are usually counted by the second or by the
/// minute, so they have recovered after it. A host that is overloaded for longer gets one request a minute, which is a
/// load that it does not notice.
const DEFAULT_PAUSE: Duration = Duration::from_secs(60);

/// The time between two searches for hosts that can be forgotten, while there is no room. A search looks at all of
/// them.
const SWEEP_INTERVAL: Duration = Duration::from_secs(1);

/// The pace of requests for pages, shared by the [visitors](crate::Visitor) of a program. Clones share one pace.
///
/// Each host gets one request at a time: a name or an address, whatever the port. So test sites need names of their own, for
/// example by [`Overrides`](crate::Overrides). The next request starts no sooner than
///
/// - the `Crawl-delay`, the `Request-rate` and the `Visit-time` of the crawler's group permit, where a delay of more
///   than a day is taken as a day;
/// - a second after the start of the last one, or the time that [`at_least`](Self::at_least) sets;
/// - after a 429 or a 503, the `Retry-After` permits: at most an hour, and a minute if there is none.
///
/// A request that is cancelled while it waits gives its place to the next one. At most 100,000 hosts are in memory. A
/// host is forgotten only when its next request could start at once; while none can be forgotten, requests to other
/// hosts wait as well.
#[derive(Clone)]
pub struct Pacer {
    interval: Duration,
    hosts: Arc<Mutex<Hosts>>,
}

#[derive(Default)]
struct Hosts {
    by_name: HashMap<String, Host>,
    /// The time of the next search for hosts that can be forgotten.
    next_sweep: Option<Instant>,
}

/// The state of a host. The semaphore has one permit, which is held from the wait for the start to the end of the
/// response.
struct Host {
    turn: Arc<Semaphore>,
    /// The number of requests that have not started.
    waiting: u32,
    last_start: Option<Instant>,
    /// The time before which no request may start, by the pace of the last one and by pauses.
    free_at: Instant,
}

/// A permit to request a page from a host: the next request waits until it is dropped.
#[derive(Debug)]
#[must_use = "the next request waits only while this exists"]
pub struct PagePermit {
    pacer: Pacer,
    host: String,
    _turn: OwnedSemaphorePermit,
}

/// A request that has not started, until it is dropped.
struct Waiting<'p> {
    pacer: &'p Pacer,
    host: &'p str,
    /// The host is in use as long as this exists, so it is not forgotten.
    _turn: Arc<Semaphore>,
}

impl fmt::Debug for Pacer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pacer").field("interval", &self.interval).finish_non_exhaustive()
    }
}

impl Default for Pacer {
    fn default() -> Self {
        Self::new()
    }
}

impl Pacer {
    /// Returns a pacer that knows no host.
    pub fn new() -> Self {
        Self { interval: Duration::from_secs(1), hosts: Arc::default() }
    }

    /// Sets the minimum time between the starts of two requests to a host, whatever its site asks for. Defaults to one
    /// second. Has no effect on other clones.
    #[must_use]
    pub fn at_least(mut self, interval: Duration) -> Self {
        self.interval = interval;
        self
    }

    /// Waits until a page may be requested from a host. If that takes longer than `patience`, returns the time that it
    /// takes, as far as it is known: without any wait if it is known at once.
    pub(crate) async fn acquire(
        &self,
        host: &str,
        pace: Pace,
        clock: &Clock,
        patience: Duration,
    ) -> Result<PagePermit, Duration> {
        let pace = pace.at_most(MAX_DELAY).at_least(self.interval);
        let arrival = Instant::now();
        let is_too_long = |wait: Duration| arrival.elapsed().saturating_add(wait) > patience;
        let turn = loop {
            let entered = self.hosts().enter(host);
            match entered {
                Ok(turn) => break turn,
                Err(wait) if is_too_long(wait) => return Err(wait),
                Err(wait) => sleep(wait).await,
            }
        };
        let (wait, waiting) = {
            let mut hosts = self.hosts();
            let host_state = hosts.get(host);
            let queue = pace.interval(since_1970(clock)).saturating_mul(host_state.waiting);
            host_state.waiting += 1;
            let waiting = Waiting { pacer: self, host, _turn: Arc::clone(&turn) };
            (host_state.wait(&pace, clock).saturating_add(queue), waiting)
        };
        if is_too_long(wait) {
            return Err(wait);
        }
        let rest = patience.saturating_sub(arrival.elapsed());
        let Ok(Ok(turn)) = timeout(rest, turn.acquire_owned()).await else {
            return Err(self.hosts().get(host).wait(&pace, clock).max(self.interval));
        };
        loop {
            let wait = self.hosts().get(host).start_or_wait(&pace, clock);
            if wait.is_zero() {
                drop(waiting);
                return Ok(PagePermit { pacer: self.clone(), host: host.to_owned(), _turn: turn });
            }
            if is_too_long(wait) {
                return Err(wait);
            }
            sleep(wait).await;
        }
    }

    fn hosts(&self) -> MutexGuard<'_, Hosts> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Hosts {
    /// Returns the semaphore of a host, or the time to wait until there may be room for it.
    fn enter(&mut self, host: &str) -> Result<Arc<Semaphore>, Duration> {
        if self.by_name.len() >= MAX_HOSTS && !self.by_name.contains_key(host) {
            let now = Instant::now();
            if let Some(next) = self.next_sweep.filter(|next| *next > now) {
                return Err(next - now);
            }
            self.next_sweep = Some(now + SWEEP_INTERVAL);
            self.by_name.retain(|_, host| host.is_in_use() || host.free_at > now);
            if self.by_name.len() >= MAX_HOSTS {
                return Err(SWEEP_INTERVAL);
            }
        }
        Ok(Arc::clone(&self.get(host).turn))
    }

    fn get(&mut self, host: &str) -> &mut Host {
        // Not by `entry`, which would copy the name each time.
        if !self.by_name.contains_key(host) {
            self.by_name.insert(host.to_owned(), Host::new());
        }
        self.by_name.get_mut(host).expect("it was just inserted")
    }
}

impl Host {
    fn new() -> Self {
        Self { turn: Arc::new(Semaphore::new(1)), waiting: 0, last_start: None, free_at: Instant::now() }
    }

    /// Returns true if a request holds the permit or waits for it.
    fn is_in_use(&self) -> bool {
        Arc::strong_count(&self.turn) > 1
    }

    /// Returns the time until the next request may start.
    fn wait(&self, pace: &Pace, clock: &Clock) -> Duration {
        // Durations are tokio's, and the time of day is the clock's, which may be set while the program runs.
        let (now, since_1970) = (Instant::now(), since_1970(clock));
        let last = self.last_start.map(|last| since_1970.saturating_sub(now - last));
        let by_pace = pace.next_start(last, since_1970).saturating_sub(since_1970);
        by_pace.max(self.free_at.saturating_duration_since(now))
    }

    /// Starts a request if it may start now. Otherwise returns the time to wait.
    fn start_or_wait(&mut self, pace: &Pace, clock: &Clock) -> Duration {
        let wait = self.wait(pace, clock);
        if wait.is_zero() {
            let now = Instant::now();
            self.last_start = Some(now);
            self.free_at = now + self.wait(pace, clock).min(MAX_DELAY);
        }
        wait
    }
}

fn since_1970(clock: &Clock) -> Duration {
    Duration::from_millis(clock.now().as_unix_millis())
}

impl PagePermit {
    /// Lets the host rest after a 429 or 503: for the time of its `Retry-After`, at most an hour, and a minute without it.
    pub fn pause(&self, retry_after: Option<Duration>) {
        let end = Instant::now() + retry_after.unwrap_or(DEFAULT_PAUSE).min(MAX_PAUSE);
        let mut hosts = self.pacer.hosts();
        let host = hosts.get(&self.host);
        host.free_at = host.free_at.max(end);
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.pacer.hosts().get(self.host).waiting -= 1;
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn memory_is_bounded_and_no_host_that_must_wait_is_forgotten() {
        let (pacer, clock) = (Pacer::new(), Clock::system());
        let acquire = async |host: &str, patience| pacer.acquire(host, Pace::new(), &clock, patience).await;
        for n in 0..MAX_HOSTS {
            let permit = acquire(&n.to_string(), Duration::ZERO).await.unwrap();
            match n {
                1 => permit.pause(Some(1_000 * SECOND)),
                2 => permit.pause(None),
                _ => {}
            }
        }
        assert_eq!(acquire("new", Duration::ZERO).await.unwrap_err(), SECOND, "all of them must wait");
        assert!(!pacer.hosts().by_name.contains_key("new"));
        // With patience, it waits until there is room.
        let held = acquire("new", 10 * SECOND).await.unwrap();
        let known = |host: &str| pacer.hosts().by_name.contains_key(host);
        assert_eq!(pacer.hosts().by_name.len(), 3);
        assert!(["1", "2", "new"].into_iter().all(known));
        assert!(acquire("1", 900 * SECOND).await.unwrap_err() > 900 * SECOND);
        // A request that takes long keeps its host, too.
        for n in 0..MAX_HOSTS {
            let _ = acquire(&format!("other {n}"), Duration::ZERO).await;
        }
        advance(100 * SECOND).await;
        assert!(acquire("newer", Duration::ZERO).await.is_ok());
        assert_eq!(pacer.hosts().by_name.len(), 3);
        assert!(["1", "new", "newer"].into_iter().all(known));
        drop(held);
        advance(1_000 * SECOND).await;
        assert!(acquire("1", Duration::ZERO).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn hours_for_visits_are_kept() {
        let at = |hour: u64| crate::Time::from_unix_seconds(1_800_057_600 + hour * 3_600);
        assert_eq!(at(0).as_unix_millis() % 86_400_000, 0, "midnight");
        let robots = comity::Robots::parse("User-agent: *\nVisit-time: 0200-0300\n");
        let pace = || robots.pace(&comity::Crawler::ANY);
        let (pacer, clock) = (Pacer::new(), Clock::set_to(at(0)));
        let early = pacer.acquire("a", pace(), &clock, SECOND).await;
        assert_eq!(early.unwrap_err(), 7_200 * SECOND);
        clock.advance(7_200 * SECOND);
        assert!(pacer.acquire("a", pace(), &clock, SECOND).await.is_ok());
    }
}
