//! A client to be.

use std::sync::Arc;
use std::time::Duration;

use comity::Dialect;
use comity_policy::Policy;
use tokio::sync::Semaphore;
use url::Url;

use crate::address::Addresses;
use crate::cache::Cache;
use crate::client::{Client, Shared};
use crate::clock::Clock;
use crate::host_limiter::HostLimiter;
#[cfg(feature = "http")]
use crate::resolve::Resolve;
use crate::stats::Counters;
use crate::store::Store;
#[cfg(feature = "http")]
use crate::transport::{Connect, Proxy};
use crate::transport::{Options, OptionsError, Sender, Transport};

/// Collects what a [`Client`] is to be like.
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
/// use comity_fetch::store::MemoryStore;
/// use comity_fetch::{Client, Policy};
///
/// let client = Client::builder("ExampleBot/1.0 (+https://example.com/bot)")
///     .policy(Policy::STRICT)
///     .timeout(Duration::from_secs(10))
///     .store(Arc::new(MemoryStore::new(1 << 20)))
///     .build()?;
/// # Ok::<(), comity_fetch::transport::OptionsError>(())
/// ```
#[derive(Debug)]
#[must_use]
pub struct ClientBuilder {
    options: Options,
    policy: Policy,
    timeout: Option<Duration>,
    dialect: Dialect,
    memory: u64,
    at_once: usize,
    store: Option<Arc<dyn Store>>,
    requires_store: bool,
    clock: Clock,
    seed: Option<u64>,
    probes: bool,
    revalidates: bool,
    offline: bool,
    max_age: Option<Duration>,
}

impl ClientBuilder {
    /// Bytes of memory for what is known of origins, if nothing is said.
    const DEFAULT_MEMORY: u64 = 256 << 20;
    /// Attempts that run at once, if nothing is said.
    const AT_ONCE: usize = 256;

    pub(crate) fn new(user_agent: String) -> Self {
        Self {
            options: Options::new(user_agent),
            policy: Policy::STANDARD,
            timeout: None,
            dialect: Dialect::STANDARD,
            memory: Self::DEFAULT_MEMORY,
            at_once: Self::AT_ONCE,
            store: None,
            requires_store: false,
            clock: Clock::system(),
            seed: None,
            probes: false,
            revalidates: false,
            offline: false,
            max_age: None,
        }
    }

    /// What results of fetches mean: [`Policy::STANDARD`] if nothing is said.
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// How files are read: [`Dialect::STANDARD`] if nothing is said.
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// Which addresses may be connected to: public ones if nothing is said.
    pub fn addresses(mut self, addresses: Addresses) -> Self {
        self.options.addresses = addresses;
        self
    }

    /// Trusts the host of a URL, on its port, whatever its addresses are: for URLs that the user typed, never for those
    /// that came from somewhere. See [`Trust`](crate::Trust).
    pub fn trust(mut self, url: &Url) -> Self {
        self.options.trust.add(url);
        self
    }

    /// Sets the transport. Defaults to the built-in one, if the feature `http` is on; without it, there is no default.
    ///
    /// The other options about connections are the built-in transport's: [`build`](Self::build) fails if one of them is set
    /// as well.
    pub fn transport(mut self, transport: Arc<dyn Transport>) -> Self {
        self.options.transport = Some(transport);
        self
    }

    /// Sets the resolver of names. Defaults to the system's. The address rules are applied to its results.
    #[cfg(feature = "http")]
    pub fn resolver(mut self, resolver: Arc<dyn Resolve>) -> Self {
        self.options.resolver = Some(resolver);
        self
    }

    /// Sets what opens connections. Defaults to the system's. It is asked for addresses that are allowed, and no others.
    #[cfg(feature = "http")]
    pub fn connector(mut self, connector: Arc<dyn Connect>) -> Self {
        self.options.connector = Some(connector);
        self
    }

    /// Sets the proxy to connect through. Defaults to none; the environment is not read.
    #[cfg(feature = "http")]
    pub fn proxy(mut self, proxy: Proxy) -> Self {
        self.options.proxy = Some(proxy);
        self
    }

    /// Sets certificates of authorities to trust beside the system's, in PEM. Defaults to none.
    #[cfg(feature = "http")]
    pub fn extra_roots(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.options.extra_roots = pem.into();
        self
    }

    /// How long an attempt may take in all, redirects included: the policy's deadline if nothing is said.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets the time to resolve a name, to connect, and to set up TLS, each. Defaults to 5 seconds.
    #[cfg(feature = "http")]
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.options.connect_timeout = timeout;
        self.options.tls_timeout = timeout;
        self
    }

    /// Sets the time until the head of an answer has come, and the next bytes of its body. Defaults to 10 seconds.
    #[cfg(feature = "http")]
    pub fn stall_timeout(mut self, timeout: Duration) -> Self {
        self.options.head_timeout = timeout;
        self.options.stall_timeout = timeout;
        self
    }

    /// Sets the store, in which records outlast the client. Defaults to none. Clients that share a store with
    /// [leases](Store::begin) fetch each file once.
    ///
    /// A store that fails is no reason to stop: the client fetches, and counts it in
    /// [`Stats::store_errors_total`](crate::Stats::store_errors_total).
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// Sets whether to fail instead of fetching while the store fails, so that no file is fetched once by each client of a
    /// fleet. Defaults to `false`. What is good in memory is answered from there in either case.
    pub fn require_store(mut self, required: bool) -> Self {
        self.requires_store = required;
        self
    }

    /// How many bytes of memory what is known of origins may take, about: 256 MiB if nothing is said. The least asked
    /// for goes first.
    pub fn memory(mut self, bytes: u64) -> Self {
        self.memory = bytes;
        self
    }

    /// How many attempts may run at once, over all origins: 256 if nothing is said. No host has more than one.
    pub fn at_once(mut self, attempts: usize) -> Self {
        self.at_once = attempts.clamp(1, Semaphore::MAX_PERMITS);
        self
    }

    /// Whether to find out, where a 5xx is the answer and the policy knows what to make of it, if the site answers so
    /// for any missing page. Costs two requests.
    pub fn probes(mut self, probes: bool) -> Self {
        self.probes = probes;
        self
    }

    /// Whether to ask if a copy is still good, instead of for the whole file. Google and our default ask for the file.
    pub fn revalidates(mut self, revalidates: bool) -> Self {
        self.revalidates = revalidates;
        self
    }

    /// Whether to fetch nothing, and to answer by what is remembered, however old.
    pub fn offline(mut self, offline: bool) -> Self {
        self.offline = offline;
        self
    }

    /// How old an answer of the site may be at most, even if its policy would take an older one.
    pub fn max_age(mut self, age: Duration) -> Self {
        self.max_age = Some(age);
        self
    }

    /// What time it is: the system's clock if nothing is said.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// What the spread of retries and the paths of probes come of: another number for each client if nothing is said.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// The client. Fails if the options can't work: a user agent that is empty, say.
    pub fn build(self) -> Result<Client, OptionsError> {
        let mut policy = self.policy;
        policy.deadline = self.timeout.unwrap_or(policy.deadline);
        Ok(Client::new(Shared {
            policy,
            dialect: self.dialect,
            sender: Sender::new(self.options)?,
            cache: Cache::new(self.memory),
            store: self.store,
            requires_store: self.requires_store,
            clock: self.clock,
            seed: self.seed.unwrap_or_else(|| fastrand::u64(..)),
            probes: self.probes,
            revalidates: self.revalidates,
            offline: self.offline,
            max_age: self.max_age,
            hosts: HostLimiter::new(self.at_once),
            flights: Arc::default(),
            counters: Counters::default(),
        }))
    }
}
