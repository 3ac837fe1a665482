//! Builds a [`Client`].

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

/// Builds a [`Client`].
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
    /// The default size of the cache, in bytes.
    const DEFAULT_MEMORY: u64 = 256 << 20;
    /// The default number of concurrent attempts.
    const DEFAULT_CONCURRENT_ATTEMPTS: usize = 256;

    pub(crate) fn new(user_agent: String) -> Self {
        Self {
            options: Options::new(user_agent),
            policy: Policy::STANDARD,
            timeout: None,
            dialect: Dialect::STANDARD,
            memory: Self::DEFAULT_MEMORY,
            at_once: Self::DEFAULT_CONCURRENT_ATTEMPTS,
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

    /// Sets the policy, which decides what the results of fetches mean. Defaults to [`Policy::STANDARD`].
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// Sets the dialect in which files are read. Defaults to [`Dialect::STANDARD`].
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// Sets the addresses that may be connected to. Defaults to public ones.
    pub fn addresses(mut self, addresses: Addresses) -> Self {
        self.options.addresses = addresses;
        self
    }

    /// Trusts the host of a URL, on its port, at any address. For URLs that the user typed, never for URLs from other
    /// sources. See [`Trust`](crate::Trust).
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

    /// Sets the resolver of names. Defaults to the system's. Its results are checked by the address rules.
    #[cfg(feature = "http")]
    pub fn resolver(mut self, resolver: Arc<dyn Resolve>) -> Self {
        self.options.resolver = Some(resolver);
        self
    }

    /// Sets the connector, which opens connections. Defaults to the system's. It is only called for addresses that are
    /// allowed.
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

    /// Sets certificates of authorities that are trusted in addition to the system's, in PEM. Defaults to none.
    #[cfg(feature = "http")]
    pub fn extra_roots(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.options.extra_roots = pem.into();
        self
    }

    /// Sets the maximum time of an attempt, redirects included. Defaults to the policy's deadline.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets the timeout for resolving a name, for connecting, and for the TLS handshake, each. Defaults to 5 seconds.
    #[cfg(feature = "http")]
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.options.connect_timeout = timeout;
        self.options.tls_timeout = timeout;
        self
    }

    /// Sets the timeout for the head of an answer, and for the next bytes of its body. Defaults to 10 seconds.
    #[cfg(feature = "http")]
    pub fn stall_timeout(mut self, timeout: Duration) -> Self {
        self.options.head_timeout = timeout;
        self.options.stall_timeout = timeout;
        self
    }

    /// Sets the store, which keeps records when the client is gone. Defaults to none. Clients that share a store with
    /// [leases](Store::begin) fetch each file once.
    ///
    /// If the store fails, the client still fetches, and counts the failure in
    /// [`Stats::store_errors_total`](crate::Stats::store_errors_total).
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// Sets whether a question fails, instead of fetching, while the store fails, so that a fleet's clients do not all
    /// fetch the same file. Defaults to `false`. Copies in memory that are not due answer in either case.
    pub fn require_store(mut self, required: bool) -> Self {
        self.requires_store = required;
        self
    }

    /// Sets the approximate size of the cache in memory, in bytes. Defaults to 256 MiB. The least used entries are
    /// removed first.
    pub fn memory(mut self, bytes: u64) -> Self {
        self.memory = bytes;
        self
    }

    /// Sets the maximum number of concurrent attempts, over all origins. Defaults to 256. Each host has at most one.
    pub fn at_once(mut self, attempts: usize) -> Self {
        self.at_once = attempts.clamp(1, Semaphore::MAX_PERMITS);
        self
    }

    /// Sets whether to probe sites that answer with 5xx, if the policy uses the result: a site may answer so for any
    /// missing page. Costs two requests. Defaults to `false`.
    pub fn probes(mut self, probes: bool) -> Self {
        self.probes = probes;
        self
    }

    /// Sets whether to revalidate a copy with a conditional request. Defaults to `false`, so that the whole file is
    /// fetched, as Google does.
    pub fn revalidates(mut self, revalidates: bool) -> Self {
        self.revalidates = revalidates;
        self
    }

    /// Sets whether the client is offline: it fetches nothing, and answers from stored records, no matter how old they
    /// are. Defaults to `false`.
    pub fn offline(mut self, offline: bool) -> Self {
        self.offline = offline;
        self
    }

    /// Sets the maximum age of a site's answer, even if the policy accepts an older one. Defaults to the policy's.
    pub fn max_age(mut self, age: Duration) -> Self {
        self.max_age = Some(age);
        self
    }

    /// Sets the clock. Defaults to the system's.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Sets the seed for retry jitter and probe paths. Defaults to a random one per client.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Builds the client.
    ///
    /// # Errors
    ///
    /// If the options cannot work, for example an empty user agent.
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
