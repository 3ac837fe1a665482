//! Budgets of the requests that the service sends: for each client and each site, and for each site.
//!
//! The rate limits bound what a client sends to the service. These budgets bound what it makes the service send to others.
//! Without them, one question about 250 names of one domain with a wildcard in DNS sent 250 requests there, and one about 20 sitemaps that
//! redirect without end sent 420.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use comity_fetch::RequestBudget;
use url::{Host, Url};

use crate::admission::keyed::lock;
use crate::client_addr::ClientAddr;
use crate::rates::Remaining;

const WINDOW: Duration = Duration::from_secs(60);

/// The budget of all clients for a site, as a multiple of that of one.
const ALL_CLIENTS: u32 = 4;

/// The budgets of requests to sites. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct RequestBudgets(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    per_client: NonZeroU32,
    sent: Mutex<Sent>,
    refused_of_client: AtomicU64,
    refused_of_site: AtomicU64,
}

/// The times of the requests in the last minute.
#[derive(Debug, Default)]
struct Sent {
    by_client: HashMap<(IpAddr, Target), Times>,
    by_target: HashMap<Target, Times>,
}

/// The times of the requests of one budget, the earliest first. At most as many as the budget has.
type Times = VecDeque<Instant>;

/// A site, as far as one operator is probably responsible for it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Target {
    /// A registrable domain, or a host whose suffix nobody registers names under.
    Domain(Box<str>),
    /// A network of 24 bits.
    V4([u8; 3]),
    /// A network of 48 bits.
    V6([u16; 3]),
}

impl Target {
    fn of(url: &Url) -> Option<Self> {
        match url.host()? {
            Host::Domain(name) => Some(Self::of_name(name)),
            Host::Ipv4(address) => Some(Self::of_v4(address)),
            Host::Ipv6(address) => Some(address.to_ipv4_mapped().map_or_else(|| Self::of_v6(address), Self::of_v4)),
        }
    }

    /// Returns the registrable domain of a name, by the public suffix list with its private part: customers of a host such
    /// as `github.io` are sites of their own.
    fn of_name(name: &str) -> Self {
        let name = name.trim_end_matches('.').to_ascii_lowercase();
        let domain = psl::domain(name.as_bytes()).filter(|domain| domain.suffix().is_known());
        let domain = domain.and_then(|domain| std::str::from_utf8(domain.as_bytes()).ok());
        Self::Domain(domain.unwrap_or(&name).into())
    }

    fn of_v4(address: Ipv4Addr) -> Self {
        let [a, b, c, _] = address.octets();
        Self::V4([a, b, c])
    }

    fn of_v6(address: Ipv6Addr) -> Self {
        let [a, b, c, ..] = address.segments();
        Self::V6([a, b, c])
    }
}

impl RequestBudgets {
    /// Returns budgets of so many requests per minute, for each client and site. All clients together have four times as
    /// many for a site, beside those for its robots.txt.
    pub(crate) fn per_minute(per_client: NonZeroU32) -> Self {
        Self(Arc::new(Shared {
            per_client,
            sent: Mutex::default(),
            refused_of_client: AtomicU64::new(0),
            refused_of_site: AtomicU64::new(0),
        }))
    }

    /// Counts a request, and returns the rest of the client's budget for the site. Without a rest, it is not counted.
    fn take(&self, client: IpAddr, url: &Url, is_due_file: bool, now: Instant) -> Result<Remaining, Remaining> {
        let limit = self.0.per_client.get();
        let rest = |requests, reset| Remaining { name: "fetches", limit, window: WINDOW, requests, reset };
        // The HTTP client sends no request without a host.
        let Some(target) = Target::of(url) else { return Err(rest(0, WINDOW)) };
        let mut sent = lock(&self.0.sent);
        let Sent { by_client, by_target } = &mut *sent;
        let of_client = by_client.entry((client, target.clone())).or_default();
        if let Some(wait) = wait(of_client, limit, now) {
            self.0.refused_of_client.fetch_add(1, Ordering::Relaxed);
            return Err(rest(0, wait));
        }
        // A robots.txt that is due answers for all clients. If the others could spend this budget, they could keep a site
        // from being asked at all.
        if !is_due_file {
            let of_target = by_target.entry(target).or_default();
            if let Some(wait) = wait(of_target, limit.saturating_mul(ALL_CLIENTS), now) {
                self.0.refused_of_site.fetch_add(1, Ordering::Relaxed);
                return Err(rest(0, wait));
            }
            of_target.push_back(now);
        }
        of_client.push_back(now);
        let left = limit.saturating_sub(u32::try_from(of_client.len()).unwrap_or(u32::MAX));
        let until = if left > 0 { WINDOW } else { wait(of_client, limit, now).unwrap_or(WINDOW) };
        Ok(rest(left, until))
    }

    /// Purges what is older than a minute.
    pub(crate) fn forget(&self, now: Instant) {
        let mut sent = lock(&self.0.sent);
        purge(&mut sent.by_client, now);
        purge(&mut sent.by_target, now);
    }

    /// Returns the number of pairs of clients and sites with requests in the last minute.
    pub(crate) fn len(&self) -> usize {
        lock(&self.0.sent).by_client.len()
    }

    /// Returns the numbers of requests that were not sent: because the client had no more, and because no client had.
    pub(crate) fn refused(&self) -> [u64; 2] {
        [&self.0.refused_of_client, &self.0.refused_of_site].map(|number| number.load(Ordering::Relaxed))
    }
}

/// Returns the time until another request may be sent, if there were `limit` of them in the last minute.
///
/// Each time is kept, since other ways allow twice the limit in some minute: a counter that is reset, or a bucket that
/// is full at first.
fn wait(times: &mut Times, limit: u32, now: Instant) -> Option<Duration> {
    while times.front().is_some_and(|time| now.duration_since(*time) >= WINDOW) {
        times.pop_front();
    }
    if times.len() < limit as usize {
        return None;
    }
    times.front().map(|time| WINDOW.saturating_sub(now.duration_since(*time)))
}

fn purge<K: Hash + Eq>(map: &mut HashMap<K, Times>, now: Instant) {
    map.retain(|_, times| times.back().is_some_and(|time| now.duration_since(*time) < WINDOW));
    map.shrink_to_fit();
}

/// The account of one request of a client: whom to charge for the requests that the service sends for it, and the
/// smallest rest of the budgets that were charged. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    pub(crate) client: ClientAddr,
    least: Arc<Mutex<Option<Remaining>>>,
}

impl Account {
    pub(crate) fn new(client: ClientAddr) -> Self {
        Self { client, least: Arc::default() }
    }

    /// Returns the smallest rest, if there was a request to a site.
    pub(crate) fn least(&self) -> Option<Remaining> {
        *lock(&self.least)
    }

    /// Returns what the HTTP client asks before each request.
    pub(crate) fn charging(&self, budgets: &RequestBudgets) -> Arc<dyn RequestBudget> {
        Arc::new(Charged { account: self.clone(), budgets: budgets.clone() })
    }
}

#[derive(Debug)]
struct Charged {
    account: Account,
    budgets: RequestBudgets,
}

impl RequestBudget for Charged {
    fn take(&self, url: &Url, is_due_file: bool) -> Result<(), Duration> {
        let taken = self.budgets.take(self.account.client.key(), url, is_due_file, Instant::now());
        let (Ok(rest) | Err(rest)) = taken;
        let mut least = lock(&self.account.least);
        if least.is_none_or(|least| rest.requests <= least.requests) {
            *least = Some(rest);
        }
        taken.map(drop).map_err(|rest| rest.reset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));

    fn target(host: &str) -> Target {
        Target::of(&Url::parse(&format!("http://{host}/")).unwrap()).unwrap()
    }

    #[test]
    fn a_site_is_a_registrable_domain_or_a_network() {
        for (host, domain) in [
            ("shop.example.com", "example.com"),
            ("EXAMPLE.com.", "example.com"),
            ("a.b.victim.co.uk", "victim.co.uk"),
            ("me.github.io", "me.github.io"),
            ("a.me.github.io", "me.github.io"),
            ("github.io", "github.io"),
            ("com", "com"),
            ("a.b.test", "a.b.test"),
            ("localhost", "localhost"),
            ("xn--bcher-kva.de", "xn--bcher-kva.de"),
            ("a.xn--85x722f.xn--55qx5d.cn", "xn--85x722f.xn--55qx5d.cn"),
        ] {
            assert_eq!(target(host), Target::Domain(domain.into()), "{host}");
        }
        assert_eq!(target("192.0.2.1"), target("192.0.2.255"));
        assert_eq!(target("192.0.2.1"), target("[::ffff:192.0.2.9]"));
        assert_ne!(target("192.0.2.1"), target("192.0.3.1"));
        assert_eq!(target("[2001:db8:1::1]"), target("[2001:db8:1:ffff::2]"));
        assert_ne!(target("[2001:db8:1::1]"), target("[2001:db8:2::1]"));
    }

    #[test]
    fn no_minute_has_more_requests_than_the_budget() {
        let budgets = RequestBudgets::per_minute(NonZeroU32::new(60).unwrap());
        let (mut sent, mut now) = (Vec::new(), Instant::now());
        for number in 0..400 {
            let url = Url::parse(&format!("http://n{number}.victim.com/robots.txt")).unwrap();
            if budgets.take(A, &url, true, now).is_ok() {
                sent.push(now);
            }
            now += Duration::from_millis(500);
        }
        assert_eq!(sent.len(), 3 * 60 + 40, "the fourth minute has 20 seconds, with two tries in each");
        for (number, time) in sent.iter().enumerate().skip(60) {
            assert!(time.duration_since(sent[number - 60]) >= WINDOW, "{number}");
        }
        budgets.forget(now + WINDOW);
        assert_eq!(budgets.len(), 0);
    }

    #[test]
    fn clients_have_budgets_of_their_own_and_one_together() {
        let budgets = RequestBudgets::per_minute(NonZeroU32::new(2).unwrap());
        let (url, now) = (Url::parse("http://victim.com/page").unwrap(), Instant::now());
        let client = |number| IpAddr::V4(Ipv4Addr::new(192, 0, 2, number));
        for number in 0..4 {
            let rests = [(); 2].map(|()| budgets.take(client(number), &url, false, now).unwrap().requests);
            assert_eq!(rests, [1, 0]);
            assert_eq!(budgets.take(client(number), &url, false, now).unwrap_err().reset, WINDOW);
        }
        assert!(budgets.take(client(4), &url, false, now).is_err());
        assert!(budgets.take(client(4), &url, true, now).is_ok(), "its robots.txt can be fetched");
        assert!(budgets.take(client(0), &Url::parse("http://other.com/").unwrap(), false, now).is_ok());
        assert_eq!(budgets.refused(), [4, 1]);
    }
}
