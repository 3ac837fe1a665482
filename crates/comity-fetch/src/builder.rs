//! Builds a [`Client`].

use std::sync::Arc;
use std::time::Duration;

use comity::Dialect;
use comity_policy::{Policy, Site, StoredRecord};
use tokio::sync::Semaphore;
use url::Url;

use crate::address::Addresses;
use crate::cache::Cache;
use crate::client::{Client, Shared};
use crate::clock::Clock;
use crate::host_limiter::HostLimiter;
use crate::pacer::Pacer;
#[cfg(feature = "http")]
use crate::resolve::Resolve;
use crate::stats::Counters;
use crate::store::Store;
use crate::store_patience::StorePatience;
use crate::store_warnings::StoreWarnings;
#[cfg(feature = "http")]
use crate::transport::{Connect, Proxy};
use crate::transport::{Options, OptionsError, Sender, Transport};
use crate::write_back::WriteBack;

/// The maximum time of an attempt. Much longer ones overflow the system's clock.
const MAX_DEADLINE: Duration = Duration::from_secs(24 * 60 * 60);

/// Builds a [`Client`]. Returned by [`Client::builder`].
///
/// Every option has a default. Most crawlers need none of them, or a [`store`](Self::store).
///
/// | purpose | options |
/// |---|---|
/// | the meaning of files and failures | [`policy`](Self::policy), [`dialect`](Self::dialect), [`max_age`](Self::max_age), [`probes`](Self::probes) |
/// | what is stored | [`memory`](Self::memory), [`store`](Self::store), [`require_store`](Self::require_store), [`offline`](Self::offline) |
/// | the addresses that may be connected to | [`addresses`](Self::addresses), [`trust`](Self::trust) |
/// | time and load | [`timeout`](Self::timeout), [`at_once`](Self::at_once), [`revalidates`](Self::revalidates) |
/// | the built-in transport | [`resolver`](Self::resolver), [`connector`](Self::connector), [`proxy`](Self::proxy), [`extra_roots`](Self::extra_roots), [`connect_timeout`](Self::connect_timeout), [`stall_timeout`](Self::stall_timeout) |
/// | another transport | [`transport`](Self::transport) |
/// | tests | [`clock`](Self::clock), [`seed`](Self::seed) |
///
/// A setter checks nothing; [`build`](Self::build) does. A setter that is called twice replaces the value, except
/// [`trust`](Self::trust), which adds one.
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
    settings: Settings,
    timeout: Option<Duration>,
    memory: u64,
    at_once: usize,
    store: Option<Arc<dyn Store>>,
    clock: Clock,
}

/// The settings of a client that its answers depend on.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    pub(crate) policy: Policy,
    pub(crate) dialect: Dialect,
    pub(crate) requires_store: bool,
    pub(crate) seed: u64,
    pub(crate) probes: bool,
    pub(crate) revalidates: bool,
    pub(crate) offline: bool,
    pub(crate) max_age: Option<Duration>,
}

impl Settings {
    /// Creates the state machine of a record.
    pub(crate) fn site(&self, record: StoredRecord) -> Site {
        let mut site = Site::resume(record, self.policy).with_seed(self.seed);
        if self.probes {
            site = site.with_probes();
        }
        if self.revalidates {
            site = site.with_revalidation();
        }
        site
    }
}

impl ClientBuilder {
    /// The default size of the cache, in bytes.
    const DEFAULT_MEMORY: u64 = 256 << 20;
    /// The default number of concurrent attempts.
    const DEFAULT_CONCURRENT_ATTEMPTS: usize = 256;

    pub(crate) fn new(user_agent: String) -> Self {
        Self {
            options: Options::new(user_agent),
            settings: Settings { seed: fastrand::u64(..), ..Settings::default() },
            timeout: None,
            memory: Self::DEFAULT_MEMORY,
            at_once: Self::DEFAULT_CONCURRENT_ATTEMPTS,
            store: None,
            clock: Clock::system(),
        }
    }

    /// Sets the policy, which decides what the results of fetches mean. Defaults to [`Policy::STANDARD`].
    ///
    /// [`Policy::GOOGLE`] takes failures as Googlebot does, and [`Policy::STRICT`] disallows everything in case of doubt. A
    /// policy does not read files: for answers as Googlebot's, set its [`dialect`](Self::dialect), too. For a policy of your
    /// own, change a field of a preset:
    ///
    /// ```
    /// use comity_fetch::{Client, Effect, Policy};
    ///
    /// let mut policy = Policy::STANDARD;
    /// policy.name = "members-only";
    /// policy.forbidden = Effect::Denied; // 401 and 403 disallow everything
    /// let client = Client::builder("ExampleBot/1.0").policy(policy).build()?;
    /// assert_eq!(client.policy().name, "members-only");
    /// # Ok::<(), comity_fetch::transport::OptionsError>(())
    /// ```
    pub fn policy(mut self, policy: Policy) -> Self {
        self.settings.policy = policy;
        self
    }

    /// Sets the dialect in which files are read. Defaults to [`Dialect::STANDARD`].
    ///
    /// For single questions in another dialect, use [`SiteRobots::read_in`](crate::SiteRobots::read_in): the file is
    /// fetched once.
    ///
    /// ```
    /// use comity::Dialect;
    /// use comity_fetch::Client;
    ///
    /// let client = Client::builder("ExampleBot/1.0").dialect(Dialect::GOOGLE).build()?;
    /// assert_eq!(client.dialect().name, "google");
    /// # Ok::<(), comity_fetch::transport::OptionsError>(())
    /// ```
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.settings.dialect = dialect;
        self
    }

    /// Sets the addresses that may be connected to. Defaults to public ones.
    ///
    /// This protects the crawler's own network from URLs and redirects that strangers choose. Use
    /// [`Addresses::Any`] only in a network without anything to protect. A site at another address is a failed fetch, and
    /// its URLs are not allowed. Ports of other services, such as 22, are refused even with [`Addresses::Any`]; see
    /// [`trust`](Self::trust).
    ///
    /// ```
    /// use comity_fetch::Client;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = Client::builder("ExampleBot/1.0").addresses("192.0.2.0/24".parse()?).build()?;
    /// let me = comity::Crawler::token("ExampleBot")?;
    /// assert!(!client.check(&me, "http://127.0.0.1/").await?.is_allowed());
    /// # Ok(())
    /// # }
    /// ```
    pub fn addresses(mut self, addresses: Addresses) -> Self {
        self.options.addresses = addresses;
        self
    }

    /// Trusts the host of a URL, on its port, at any address. For URLs that the user typed, never for URLs from other
    /// sources. Defaults to no host. See [`Trust`](crate::Trust).
    ///
    /// ```
    /// use comity_fetch::Client;
    ///
    /// let client = Client::builder("ExampleBot/1.0")
    ///     .trust(&"http://intranet.example:8080/".parse()?)
    ///     .trust(&"http://localhost/".parse()?)
    ///     .build()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn trust(mut self, url: &Url) -> Self {
        self.options.trust.add(url);
        self
    }

    /// Sets the transport. Defaults to the built-in one, if the feature `http` is on; without it, there is no default.
    ///
    /// Use it for an HTTP client that the program already has, with its connections and certificates. The other options
    /// about connections are the built-in transport's: [`build`](Self::build) fails if one of them is set as well.
    /// [`Transport`] states the duties of a transport, with an example.
    pub fn transport(mut self, transport: Arc<dyn Transport>) -> Self {
        self.options.transport = Some(transport);
        self
    }

    /// Sets the maximum time of an attempt, redirects included, and of a request for a page. Defaults to the policy's deadline,
    /// which is 30 seconds in every preset. After it, the attempt has failed, and the policy decides.
    ///
    /// The maximum is a day: a longer time, here or in the policy, is taken as a day.
    ///
    /// ```
    /// use std::time::Duration;
    /// use comity_fetch::{Client, Policy};
    ///
    /// let client = Client::builder("ExampleBot/1.0").timeout(Duration::from_secs(5)).build()?;
    /// assert_eq!(client.policy().deadline, Duration::from_secs(5));
    /// assert_eq!(Policy::STANDARD.deadline, Duration::from_secs(30));
    /// # Ok::<(), comity_fetch::transport::OptionsError>(())
    /// ```
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets the store, which keeps records when the client is gone. Defaults to none. Clients that share a store with
    /// [leases](Store::begin) fetch each file once.
    ///
    /// If the store fails, the client still fetches, and counts the failure in
    /// [`Stats::store_errors_total`](crate::Stats::store_errors_total).
    ///
    /// | store | for |
    /// |---|---|
    /// | none | a program that runs for long, or asks about few sites |
    /// | [`MemoryStore`](crate::store::MemoryStore) | several clients in one process, for example with different policies |
    /// | `store::SqliteStore` (feature `sqlite`) | programs that are started often, or share a cache: it is in a file |
    /// | `comity_store_postgres::PostgresStore` | clients on several machines |
    ///
    /// ```
    /// use std::sync::Arc;
    /// use comity_fetch::store::MemoryStore;
    /// use comity_fetch::{Client, Policy};
    ///
    /// let store = Arc::new(MemoryStore::new(64 << 20));
    /// let standard = Client::builder("ExampleBot/1.0").store(store.clone()).build()?;
    /// let google = Client::builder("ExampleBot/1.0").policy(Policy::GOOGLE).store(store).build()?;
    /// # Ok::<(), comity_fetch::transport::OptionsError>(())
    /// ```
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// Sets whether a question fails, instead of fetching, while the store fails, so that a fleet's clients do not all
    /// fetch the same file. Defaults to `false`. Copies in memory that are not due answer in either case. Has no effect
    /// without a [store](Self::store).
    ///
    /// The error is a [`CheckError`](crate::CheckError) with [`is_store`](crate::CheckError::is_store).
    pub fn require_store(mut self, required: bool) -> Self {
        self.settings.requires_store = required;
        self
    }

    /// Sets the approximate size of the cache in memory, in bytes. Defaults to 256 MiB. The least used entries are
    /// removed first. Three quarters are for files, and one quarter is for compiled rules.
    ///
    /// An entry that was removed is fetched again, or read from the [store](Self::store). With 0, nothing is cached in
    /// memory, so without a store every question fetches. [`Stats::memory`] returns the current size.
    ///
    /// ```
    /// let client = comity_fetch::Client::builder("ExampleBot/1.0").memory(32 << 20).build()?;
    /// assert!(client.stats().memory <= 32 << 20);
    /// # Ok::<(), comity_fetch::transport::OptionsError>(())
    /// ```
    ///
    /// [`Stats::memory`]: crate::Stats::memory
    pub fn memory(mut self, bytes: u64) -> Self {
        self.memory = bytes;
        self
    }

    /// Sets the maximum number of concurrent attempts, over all origins. Defaults to 256; 0 is taken as 1. Each host has at
    /// most one. Further attempts wait, and their [timeout](Self::timeout) starts after that.
    pub fn at_once(mut self, attempts: usize) -> Self {
        self.at_once = attempts.clamp(1, Semaphore::MAX_PERMITS);
        self
    }

    /// Sets whether to probe sites that answer with 5xx, if the policy uses the result: a site may answer so for any
    /// missing page. Costs up to two requests. Defaults to `false`. Of the presets, [`Policy::STANDARD`] and
    /// [`Policy::GOOGLE_2019`] use the result.
    pub fn probes(mut self, probes: bool) -> Self {
        self.settings.probes = probes;
        self
    }

    /// Sets whether to revalidate a copy with a conditional request. Defaults to `false`, so that the whole file is
    /// fetched, as Google does. It saves the body of an unchanged file. A server that answers 304 although its file has
    /// changed then prevents the change from being seen.
    pub fn revalidates(mut self, revalidates: bool) -> Self {
        self.settings.revalidates = revalidates;
        self
    }

    /// Sets whether the client is offline: it fetches nothing, and answers from stored records, no matter how old they
    /// are. Defaults to `false`. For a site without a record, there is an [error](crate::CheckError::is_nothing_known).
    ///
    /// Requests for pages are still sent: [`Client::get_without_robots`], and visits of known sites.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = comity_fetch::Client::builder("ExampleBot/1.0").offline(true).build()?;
    /// assert!(client.robots("https://example.org/").await.unwrap_err().is_nothing_known());
    /// # Ok(())
    /// # }
    /// ```
    pub fn offline(mut self, offline: bool) -> Self {
        self.settings.offline = offline;
        self
    }

    /// Sets the maximum age of a site's answer, even if the policy accepts an older one. Defaults to the policy's, which is
    /// 24 hours in [`Policy::STANDARD`]. It cannot extend that of the policy. Has no effect on an
    /// [offline](Self::offline) client.
    ///
    /// A short age costs a fetch for each question that comes later. While a site fails, it applies to the failure, so
    /// that the site is asked more often than the policy would.
    pub fn max_age(mut self, age: Duration) -> Self {
        self.settings.max_age = Some(age);
        self
    }

    /// Sets the clock. Defaults to the system's. Timeouts of requests always use real time. Tests set it to let time pass,
    /// and set the same clock in the store.
    ///
    /// ```
    /// use std::time::Duration;
    /// use comity_fetch::{Client, Clock, Time};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let clock = Clock::set_to(Time::from_unix_seconds(1_800_000_000));
    /// let client = Client::builder("ExampleBot/1.0").clock(clock.clone()).build()?;
    /// for attempts in [1, 2] {
    ///     let site = client.robots("http://127.0.0.1/").await?; // not a public address, so each attempt fails
    ///     assert_eq!((site.at(), client.stats().fetches_total), (clock.now(), attempts));
    ///     clock.advance(Duration::from_secs(24 * 60 * 60)); // the next attempt is due
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Sets the seed for retry jitter and probe paths. Defaults to a random one per client. Set it in tests, so that they
    /// are repeatable; in production, equal seeds would make clients retry at the same time.
    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.seed = seed;
        self
    }

    /// Builds the client.
    ///
    /// # Errors
    ///
    /// - The user agent is empty, is not ASCII, or has control characters.
    /// - The [extra roots](Self::extra_roots) are not certificates in PEM.
    /// - An option of the built-in transport is set together with another [transport](Self::transport), where it would
    ///   have no effect.
    /// - There is no transport, without the feature `http`.
    ///
    /// Nothing is sent, and no runtime is needed.
    ///
    /// ```
    /// use comity_fetch::Client;
    ///
    /// assert!(Client::builder("").build().unwrap_err().is_user_agent());
    /// ```
    pub fn build(self) -> Result<Client, OptionsError> {
        let mut settings = self.settings;
        settings.policy.deadline = self.timeout.unwrap_or(settings.policy.deadline).min(MAX_DEADLINE);
        Ok(Client::new(Shared {
            settings,
            sender: Sender::new(self.options)?,
            cache: Cache::new(self.memory),
            store: self.store,
            clock: self.clock,
            hosts: HostLimiter::new(self.at_once),
            store_patience: StorePatience::default(),
            store_warnings: StoreWarnings::default(),
            write_back: WriteBack::default(),
            pacer: Pacer::new(),
            fetches_in_progress: Arc::default(),
            counters: Counters::default(),
        }))
    }
}

// The options of the built-in transport.
#[cfg(feature = "http")]
impl ClientBuilder {
    /// Sets the resolver of names. Defaults to the system's. Its results are checked by the address rules.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use comity_fetch::{Client, Overrides, SystemResolver};
    ///
    /// let mut resolver = Overrides::new(Arc::new(SystemResolver::default()));
    /// resolver.add("example.com:443:192.0.2.7")?; // like `curl --resolve`
    /// let client = Client::builder("ExampleBot/1.0").resolver(Arc::new(resolver)).build()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn resolver(mut self, resolver: Arc<dyn Resolve>) -> Self {
        self.options.builtin.resolver = Some(resolver);
        self
    }

    /// Sets the connector, which opens connections. Defaults to the system's. It is only called for addresses that are
    /// allowed. Use it to bind connections to a local address, or to count them.
    pub fn connector(mut self, connector: Arc<dyn Connect>) -> Self {
        self.options.builtin.connector = Some(connector);
        self
    }

    /// Sets the proxy to connect through. Defaults to none; the environment is not read.
    ///
    /// A proxy resolves names itself, so the [address rules](Self::addresses) apply only to addresses in URLs: the proxy
    /// has to protect its network. See [`Proxy`].
    ///
    /// ```
    /// use comity_fetch::Client;
    ///
    /// let client = Client::builder("ExampleBot/1.0").proxy("socks5h://proxy.example:1080".parse()?).build()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn proxy(mut self, proxy: Proxy) -> Self {
        self.options.builtin.proxy = Some(proxy);
        self
    }

    /// Sets certificates of authorities that are trusted in addition to the system's, in PEM. Defaults to none.
    ///
    /// ```
    /// use comity_fetch::Client;
    ///
    /// let error = Client::builder("ExampleBot/1.0").extra_roots("not a certificate").build().unwrap_err();
    /// assert!(error.is_extra_roots());
    /// ```
    pub fn extra_roots(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.options.builtin.extra_roots = pem.into();
        self
    }

    /// Sets the timeout for resolving a name, for connecting, and for the TLS handshake, each. Defaults to 5 seconds. The
    /// [timeout](Self::timeout) of the attempt applies as well.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.options.builtin.connect_timeout = timeout;
        self
    }

    /// Sets the timeout for the head of an answer, and for the next bytes of its body. Defaults to 10 seconds. The
    /// [timeout](Self::timeout) of the attempt applies as well.
    pub fn stall_timeout(mut self, timeout: Duration) -> Self {
        self.options.builtin.stall_timeout = timeout;
        self
    }
}
