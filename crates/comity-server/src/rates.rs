//! Limits on the request rates of clients.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::{Clock as _, MonotonicClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};

use crate::client_addr::ClientAddr;
use crate::problem::Problem;

const WINDOW: Duration = Duration::from_secs(1);

/// The rest of a client's quota.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Remaining {
    pub(crate) name: &'static str,
    /// The number of requests in each window.
    pub(crate) limit: u32,
    pub(crate) window: Duration,
    /// The number of requests that are left now.
    pub(crate) requests: u32,
    /// The time until all requests of a window are left again; if none is left, until the next one.
    pub(crate) reset: Duration,
}

/// A limit on the request rate of each client.
#[derive(Debug)]
pub(crate) struct Rates {
    limiter: RateLimiter<IpAddr, HashMapStateStore<IpAddr>, MonotonicClock, StateInformationMiddleware>,
    limit: NonZeroU32,
}

impl Rates {
    /// Returns a limit per second, with bursts of the same number.
    pub(crate) fn per_second(rate: NonZeroU32) -> Self {
        let limiter = RateLimiter::new(Quota::per_second(rate), HashMapStateStore::default(), MonotonicClock);
        Self { limiter, limit: rate }
    }

    /// Counts a request, and sets the rest of the client's quota. Returns a problem with the time to wait if there is
    /// none.
    pub(crate) fn check(&self, client: ClientAddr, quota: &mut Option<Remaining>) -> Result<(), Problem> {
        let limit = self.limit.get();
        let of = |requests, reset| Some(Remaining { name: "requests", limit, window: WINDOW, requests, reset });
        match self.limiter.check_key(&client.key()) {
            Ok(state) => {
                let requests = state.remaining_burst_capacity();
                *quota = of(requests, WINDOW * limit.saturating_sub(requests) / limit);
                Ok(())
            }
            Err(refused) => {
                let wait: Duration = refused.wait_time_from(self.limiter.clock().now());
                *quota = of(0, wait);
                let detail =
                    "this client exceeds its rate limit: ask again later, or send several questions in one request";
                Err(Problem::rate_limited(detail, wait))
            }
        }
    }

    /// Purges clients that have been silent for a while.
    pub(crate) fn forget(&self) {
        self.limiter.retain_recent();
        self.limiter.shrink_to_fit();
    }

    pub(crate) fn len(&self) -> usize {
        self.limiter.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_a_rate_and_neighbors_in_ipv6_share_one() {
        let rates = Rates::per_second(NonZeroU32::new(2).unwrap());
        let ask = |address: &str| rates.check(ClientAddr { address: address.parse().unwrap() }, &mut None).is_ok();
        assert!(ask("192.0.2.1") && ask("192.0.2.1") && !ask("192.0.2.1"));
        assert!(ask("192.0.2.2"));
        assert!(ask("2001:db8::1") && ask("2001:db8::2:2") && !ask("2001:db8:0:0:ffff::3"));
        assert!(ask("2001:db8:0:1::1"));
        assert_eq!(rates.len(), 4);
        rates.forget();
        assert_eq!(rates.len(), 4, "they are all recent");
    }
}
