//! The client: fetches, caches and decides.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use ::http::HeaderMap;
use comity::{Crawler, Dialect, Origin};
use comity_policy::Policy;

use crate::budget::{Egress, RequestBudget};
use crate::builder::{ClientBuilder, Settings};
use crate::cache::Cache;
use crate::cached_site::CachedSite;
use crate::clock::Clock;
use crate::decision::Decision;
use crate::error::{CheckError, Kind};
use crate::host_limiter::HostLimiter;
use crate::lease::records::good_ruling;
use crate::pacer::Pacer;
use crate::page::{self, FetchedPage, PageError, PageFetch, PageRequest};
use crate::shared_fetch::{Fetched, SharedFetches, Source};
use crate::site_robots::SiteRobots;
use crate::stats::{Counters, Stats};
use crate::store::{FetchKind, Store};
use crate::store_patience::StorePatience;
use crate::store_warnings::StoreWarnings;
use crate::transport::Sender;
use crate::visitor::{Visit, VisitError, Visitor};
use crate::write_back::WriteBack;

/// Fetches robots.txt files, caches them, and decides by them.
///
/// Concurrent questions about an origin share one fetch. Its result, even a failure, is kept in memory, and in a
/// [store](ClientBuilder::store) if there is one.
///
/// Clones share one client, with its cache and limits. It is `Send` and `Sync`. Build one for the whole program: two
/// clients fetch each file twice, and may contact a host at the same time.
///
/// # Panics
///
/// [`check`](Self::check), [`robots`](Self::robots), [`fetch`](Self::fetch) and [`site_answers`](Self::site_answers)
/// start tasks, and [`get`](Self::get) and [`get_without_robots`](Self::get_without_robots) set timeouts. So they
/// panic outside of a tokio runtime. The runtime needs `enable_time`, and for the built-in transport `enable_io`;
/// `#[tokio::main]` and `enable_all` enable both. No panic depends on a URL or on the answer of a site.
///
/// # Examples
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use comity::Crawler;
/// use comity_fetch::Client;
///
/// let client = Client::builder("ExampleBot/1.0 (+https://example.com/bot)").build()?;
/// let me = Crawler::token("ExampleBot")?;
/// let decision = client.check(&me, "https://example.org/page").await?;
/// println!("{decision}");
/// # Ok(())
/// # }
/// ```
///
/// A failure is a result, which is cached like any other. Here, the client does not connect, since `127.0.0.1` is not a
/// public address:
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use comity::Crawler;
/// use comity_fetch::{Client, Event, Failure};
///
/// let client = Client::builder("ExampleBot/1.0 (+https://example.com/bot)").build()?;
/// let me = Crawler::token("ExampleBot")?;
/// let decision = client.check(&me, "http://127.0.0.1/page").await?;
/// assert!(decision.is_disallowed());
/// assert_eq!(decision.site().ruling().event, Event::Failed(Failure::Refused));
///
/// assert!(client.check(&me, "http://127.0.0.1/other").await?.is_disallowed());
/// assert_eq!((client.stats().fetches_total, client.stats().memory_hits_total), (1, 1));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Client {
    shared: Arc<Shared>,
    budget: Option<Arc<dyn RequestBudget>>,
}

/// The state that clones of a client share.
pub(crate) struct Shared {
    pub(crate) settings: Settings,
    pub(crate) sender: Sender,
    pub(crate) cache: Cache,
    pub(crate) store: Option<Arc<dyn Store>>,
    pub(crate) store_patience: StorePatience,
    pub(crate) store_warnings: StoreWarnings,
    pub(crate) write_back: WriteBack,
    pub(crate) clock: Clock,
    pub(crate) hosts: HostLimiter,
    pub(crate) pacer: Pacer,
    pub(crate) fetches_in_progress: Arc<SharedFetches>,
    pub(crate) counters: Counters,
}

impl Client {
    /// Returns a builder. The user agent identifies the crawler to sites: its true name, with an address where its
    /// operator can be reached (RFC 9309 §2.2.1).
    ///
    /// It is the `User-Agent` header of requests. Its product token, here `ExampleBot`, is the crawler of the questions.
    ///
    /// ```
    /// use comity::Crawler;
    /// use comity_fetch::Client;
    ///
    /// let client = Client::builder("ExampleBot/1.0 (+https://example.com/bot)").build()?;
    /// let me = Crawler::token("ExampleBot")?;
    /// assert!(Client::builder(" ").build().unwrap_err().is_user_agent());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn builder(user_agent: impl Into<String>) -> ClientBuilder {
        ClientBuilder::new(user_agent.into())
    }

    pub(crate) fn new(shared: Shared) -> Self {
        Self { shared: Arc::new(shared), budget: None }
    }

    /// Decides whether a crawler may fetch a URL. Fetches the robots.txt of its site if no copy is cached, or if it is
    /// due.
    ///
    /// The URL is parsed as a browser parses it. A caller that goes away does not end a fetch: it continues, and its
    /// result is cached.
    ///
    /// A fetch takes at most the [deadline of the policy](Policy::deadline), after waiting for the
    /// [limits](ClientBuilder::at_once) on concurrent attempts. From memory, the answer takes microseconds. To check many
    /// URLs of a site, use [`robots`](Self::robots).
    ///
    /// # Errors
    ///
    /// If the text is not a URL, if its scheme cannot be fetched, if the client is offline and knows nothing about the
    /// site, or if the store fails and the client is offline or [requires](ClientBuilder::require_store) it. A site that
    /// cannot be reached is not an error: the policy decides. See [`CheckError`] for what to do.
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: comity_fetch::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let me = comity::Crawler::token("ExampleBot")?;
    /// let decision = client.check(&me, "https://example.org/page").await?;
    /// if !decision.is_allowed() {
    ///     let line = decision.verdict().and_then(|verdict| verdict.line()); // `None` if the policy decided
    ///     println!("{decision}; by line {line:?} of a file that is {:?} old", decision.site().age());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn check(&self, crawler: &Crawler<'_>, url: impl AsRef<str>) -> Result<Decision, CheckError> {
        let (url, origin) = parse(url.as_ref())?;
        let site = self.site(&origin, FetchKind::Due).await?;
        Ok(Decision::new(site.check_here(crawler, &url), site))
    }

    /// Returns the robots.txt of a URL's site. Fetches it if no copy is cached, or if it is due.
    ///
    /// The URL may be any URL of the site, or its [`Origin`].
    ///
    /// # Errors
    ///
    /// Those of [`check`](Self::check).
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: comity_fetch::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let site = client.robots("https://example.org/").await?;
    /// for sitemap in site.sitemaps() {
    ///     println!("{}", String::from_utf8_lossy(sitemap.value()));
    /// }
    /// for exchange in site.exchanges() {
    ///     println!("{exchange:?}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn robots(&self, url: impl AsRef<str>) -> Result<SiteRobots, CheckError> {
        self.site(&origin(url.as_ref())?, FetchKind::Due).await
    }

    /// Returns the cached robots.txt of a site, in memory or in the store, no matter how old; `None` if there is none.
    /// Fetches nothing. [`SiteRobots::is_overdue`] tells whether it is due.
    ///
    /// # Errors
    ///
    /// If nothing is in memory, and the store cannot be read.
    ///
    /// # Example
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = comity_fetch::Client::builder("ExampleBot/1.0 (+https://example.com/bot)").build()?;
    /// let origin = comity::Origin::of("https://example.org/")?;
    /// assert!(client.cached(&origin).await?.is_none());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn cached(&self, origin: &Origin) -> Result<Option<SiteRobots>, CheckError> {
        let now = self.shared.clock.now();
        let Some(entry) = self.remembered(origin).await? else { return Ok(None) };
        let ruling = entry.site.last_ruling(now);
        Ok(ruling.map(|ruling| SiteRobots::new(self.clone(), ruling, now, entry)))
    }

    /// Returns the robots.txt of a site from memory, if [`robots`](Self::robots) would answer with it. Never waits, and
    /// starts no fetch.
    ///
    /// # Example
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = comity_fetch::Client::builder("ExampleBot/1.0 (+https://example.com/bot)").build()?;
    /// assert!(client.in_memory(&comity::Origin::of("https://example.org/")?).is_none());
    /// # Ok(())
    /// # }
    /// ```
    pub fn in_memory(&self, origin: &Origin) -> Option<SiteRobots> {
        let shared = &*self.shared;
        let now = shared.clock.now();
        let entry = shared.cache.entry(origin)?;
        if shared.settings.offline {
            let ruling = entry.site.last_ruling(now)?;
            return Some(SiteRobots::new(self.clone(), ruling, now, entry));
        }
        let ruling = good_ruling(&entry.site, shared.settings.max_age, now)?;
        Counters::count(&shared.counters.memory_hits_total);
        Some(SiteRobots::new(self.clone(), ruling, now, entry))
    }

    /// Returns true if a fetch of this site's robots.txt is in progress, which [`robots`](Self::robots) would join.
    pub fn is_fetching(&self, origin: &Origin) -> bool {
        self.shared.fetches_in_progress.contains(origin)
    }

    /// Fetches the robots.txt of a URL's site now, even if it is cached. Joins a fetch in progress.
    ///
    /// For a person who has just changed the file. A crawler uses [`robots`](Self::robots), which fetches when the file is
    /// due: sites that are asked more often may block it.
    ///
    /// # Errors
    ///
    /// Those of [`check`](Self::check). A failed fetch is not an error: see [`SiteRobots::attempt`].
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: comity_fetch::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let site = client.fetch("https://example.org/").await?;
    /// println!("{}; {} requests", site.ruling(), site.exchanges().len());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn fetch(&self, url: impl AsRef<str>) -> Result<SiteRobots, CheckError> {
        self.site(&origin(url.as_ref())?, FetchKind::Forced).await
    }

    /// Reports whether the pages of a site answer. Some policies decide by that when its robots.txt has been
    /// unreachable for long: [`Policy::GOOGLE`] then allows everything, if the pages answer. Sends no request.
    ///
    /// # Errors
    ///
    /// Those of [`check`](Self::check).
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: comity_fetch::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let request = comity_fetch::PageRequest::new("https://example.org/".parse()?).max_redirects(0);
    /// let page = client.get_without_robots(&request).await;
    /// client.site_answers("https://example.org/", page.is_ok_and(|page| page.status < 500)).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn site_answers(&self, url: &str, answers: bool) -> Result<(), CheckError> {
        // As a shared fetch: otherwise a fetch in progress and this report could overwrite each other.
        self.shared_fetch(&origin(url)?, FetchKind::SiteAnswers(answers)).await.map(drop)
    }

    /// Gets a page as its site permits: if the robots.txt allows it, at the pace that it asks for, and with the same
    /// questions for each redirect. A [`Visitor`] has options for that; this is one with the defaults.
    ///
    /// # Errors
    ///
    /// Those of [`Visitor::visit`].
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: comity_fetch::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let me = comity::Crawler::token("ExampleBot")?;
    /// if let Some(page) = client.get(&me, "https://example.org/").await?.page() {
    ///     println!("{} {}", page.response.status, page.response.body.len());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn get(&self, crawler: &Crawler<'_>, url: impl AsRef<str>) -> Result<Visit, VisitError> {
        Visitor::new(self.clone(), crawler.clone()).visit(url).await
    }

    /// Gets a page or a sitemap without asking a robots.txt, neither for the URL nor for the targets of redirects, which
    /// may be on other sites. All requests together get the time of a fetch, and keep within the address rules of the
    /// first URL.
    ///
    /// A status such as 404 is not an error, and neither is a longer body: see [`FetchedPage::is_cut`].
    ///
    /// # Errors
    ///
    /// If there is no complete response, the address rules refuse the URL or a redirect, or redirects don't end.
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: comity_fetch::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use comity_fetch::PageRequest;
    ///
    /// let request = PageRequest::new("https://example.org/".parse()?).max_bytes(1 << 20);
    /// let page = client.get_without_robots(&request).await?;
    /// println!("{} {}", page.status, page.body.len());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn get_without_robots(&self, request: &PageRequest) -> Result<FetchedPage, PageError> {
        let shared = &*self.shared;
        Counters::count(&shared.counters.requests_total);
        let fetch = PageFetch {
            sender: &shared.sender,
            clock: &shared.clock,
            // The user trusts a host in the URLs that the user typed, and not in those that another site chose.
            site: request.site.as_ref().filter(|_| shared.sender.trusts(&request.url)),
            headers: &HeaderMap::new(),
            keeps_alive: false,
            max_redirects: request.max_redirects,
            max_bytes: request.max_bytes,
        };
        fetch.get(&request.url, shared.settings.policy.deadline, &mut self.egress(false)).await
    }

    /// Sends a text by `POST` to a URL that the user chose, and returns the status. Follows no redirect, and does not read
    /// the body of the response. Asks no robots.txt: a receiver is not crawled.
    ///
    /// # Errors
    ///
    /// If there is no response in the time of a fetch, the address rules refuse the URL, or the
    /// [transport](crate::transport::Transport::can_post) sends no `POST` requests.
    pub async fn post(&self, url: &url::Url, headers: &HeaderMap, text: &str) -> Result<u16, PageError> {
        Counters::count(&self.shared.counters.requests_total);
        page::post(&self.shared.sender, url, headers, text, self.shared.settings.policy.deadline).await
    }

    /// Returns the statistics of this client and its clones, since it was built.
    ///
    /// ```
    /// let client = comity_fetch::Client::builder("ExampleBot/1.0").build()?;
    /// let stats = client.stats();
    /// assert_eq!((stats.fetches_total, stats.origins), (0, 0));
    /// # Ok::<(), comity_fetch::transport::OptionsError>(())
    /// ```
    pub fn stats(&self) -> Stats {
        let (origins, memory) = self.shared.cache.size();
        Stats { origins, memory, ..self.shared.counters.read() }
    }

    /// Returns the store, if there is one.
    pub fn store(&self) -> Option<&Arc<dyn Store>> {
        self.shared.store.as_ref()
    }

    /// Returns false if the store is [required](ClientBuilder::require_store), and failed for a question in the last ten
    /// seconds, without a result that was saved since. A service tells load balancers by it that it cannot answer.
    pub fn can_use_store(&self) -> bool {
        !(self.shared.settings.requires_store && self.shared.store_patience.has_failed())
    }

    /// Returns the policy, with the [timeout](ClientBuilder::timeout) as its deadline, if one was set.
    pub fn policy(&self) -> &Policy {
        &self.shared.settings.policy
    }

    /// Returns the dialect.
    pub fn dialect(&self) -> &Dialect {
        &self.shared.settings.dialect
    }

    /// Returns the maximum number of concurrent attempts, as [set](ClientBuilder::at_once).
    pub fn at_once(&self) -> usize {
        self.shared.hosts.max_attempts()
    }

    /// Returns true if the client is offline: it fetches nothing, and answers from stored records.
    pub fn is_offline(&self) -> bool {
        self.shared.settings.offline
    }

    /// Returns a client that asks a budget before each request. It shares the cache and all limits with this one.
    ///
    /// If the budget refuses a request, there is no answer: see [`CheckError::retry_after`] and [`PageError::retry_after`].
    /// Nothing is cached then, and the site counts as not asked. With a budget, requests for pages and for the targets of
    /// redirects wait for other fetches of their host, too.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::time::Duration;
    /// use comity_fetch::{Client, RequestBudget};
    ///
    /// #[derive(Debug)]
    /// struct Spent;
    ///
    /// impl RequestBudget for Spent {
    ///     fn take(&self, _: &url::Url, _: bool) -> Result<(), Duration> {
    ///         Err(Duration::from_secs(60))
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = Client::builder("ExampleBot/1.0").build()?.with_budget(Arc::new(Spent));
    /// let error = client.robots("https://example.org/").await.unwrap_err();
    /// assert_eq!(error.retry_after(), Some(Duration::from_secs(60)));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_budget(&self, budget: Arc<dyn RequestBudget>) -> Self {
        Self { shared: Arc::clone(&self.shared), budget: Some(budget) }
    }

    /// Returns the permits of a fetch, none of which is acquired yet.
    pub(crate) fn egress(&self, is_due_file: bool) -> Egress<'_> {
        Egress::new(&self.shared.hosts, self.budget.as_ref(), is_due_file)
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    pub(crate) fn into_shared(self) -> Arc<Shared> {
        self.shared
    }

    async fn site(&self, origin: &Origin, kind: FetchKind) -> Result<SiteRobots, CheckError> {
        let shared = &*self.shared;
        let now = shared.clock.now();
        if shared.settings.offline {
            let entry = self.remembered(origin).await?;
            let entry = entry.ok_or_else(|| CheckError::new(Kind::NothingKnown(origin.clone())))?;
            let ruling = entry.site.last_ruling(now);
            let ruling = ruling.ok_or_else(|| CheckError::new(Kind::NothingKnown(origin.clone())))?;
            return Ok(SiteRobots::new(self.clone(), ruling, now, entry));
        }
        if kind == FetchKind::Due
            && let Some(site) = self.in_memory(origin)
        {
            return Ok(site);
        }
        let entry = self.shared_fetch(origin, kind).await?;
        // It was just obtained; even if that took long, its result still applies.
        let now = shared.clock.now();
        let ruling = entry.site.last_ruling(now).ok_or_else(|| CheckError::new(Kind::Lost(origin.clone())))?;
        Ok(SiteRobots::new(self.clone(), ruling, now, entry))
    }

    /// Returns the cached state of an origin, in memory or in the store, no matter how old.
    async fn remembered(&self, origin: &Origin) -> Result<Option<Arc<CachedSite>>, CheckError> {
        if let Some(entry) = self.shared.cache.entry(origin) {
            return Ok(Some(entry));
        }
        let Some(store) = &self.shared.store else { return Ok(None) };
        let stored = store.load(origin).await;
        let stored = stored.map_err(|error| {
            self.shared.count_store_error(origin, &error, "cannot be read");
            CheckError::new(Kind::Store { origin: origin.clone(), error })
        })?;
        let record = stored.map(|stored| stored.record);
        self.shared.count_missing_body(origin, record.as_ref());
        Ok(record.map(|record| self.shared.remember(origin, self.shared.settings.site(record), Vec::new(), true)))
    }

    /// Waits for the shared fetch of an origin, and begins it if there is none.
    async fn shared_fetch(&self, origin: &Origin, kind: FetchKind) -> Result<Arc<CachedSite>, CheckError> {
        loop {
            let (mut fetch, completer) = self.shared.fetches_in_progress.join(origin);
            let is_own = completer.is_some();
            if let Some(completer) = completer {
                let (client, origin) = (self.clone(), origin.clone());
                // A task of its own, which continues when its caller goes away. Boxed, because tasks are moved, and the
                // future of a fetch has some kilobytes.
                let task = Box::pin(async move {
                    let egress = client.egress(kind == FetchKind::Due);
                    let obtained = client.shared.obtain(&origin, kind, egress).await;
                    if let Ok(Fetched { entry, source: Source::Site }) = &obtained
                        && !entry.is_saved
                        && entry.site.record().failing_since.is_none()
                    {
                        WriteBack::add(&client.shared, &origin);
                    }
                    completer.complete(obtained);
                });
                tokio::spawn(task);
            } else {
                Counters::count(&self.shared.counters.shared_fetches_total);
            }
            let lost = || CheckError::new(Kind::Lost(origin.clone()));
            let fetched = fetch.wait_for(Option::is_some).await.map_err(|_| lost())?.clone();
            let fetched = match fetched.unwrap_or_else(|| Err(lost())) {
                // The caller that began the fetch may have no budget left, while this one does.
                Err(error) if !is_own && error.retry_after().is_some() => continue,
                fetched => fetched?,
            };
            // A caller that joined another one's fetch may need a different result.
            if is_own || fetched.source.meets(kind) {
                return Ok(fetched.entry);
            }
        }
    }
}

/// Returns a URL and the origin of its robots.txt, if that can be fetched.
fn parse(url: &str) -> Result<(Cow<'_, str>, Origin), CheckError> {
    let (sent, origin) = Origin::parse_url(url).map_err(|error| CheckError::new(Kind::Url(error)))?;
    can_ask(&origin)?;
    Ok((sent, origin))
}

/// Returns the site of a URL, if its robots.txt can be fetched.
fn origin(url: &str) -> Result<Origin, CheckError> {
    let origin = Origin::of(url).map_err(|error| CheckError::new(Kind::Url(error)))?;
    can_ask(&origin)?;
    Ok(origin)
}

/// Checks that an origin's robots.txt can be fetched by its scheme.
fn can_ask(origin: &Origin) -> Result<(), CheckError> {
    match origin.scheme() {
        "http" | "https" => Ok(()),
        "ftp" if cfg!(feature = "ftp") => Ok(()),
        _ => Err(CheckError::new(Kind::Scheme(origin.clone()))),
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("policy", &self.settings.policy.name)
            .field("dialect", &self.settings.dialect.name)
            .field("store", &self.store)
            .field("questions", &self.counters.questions_total.load(Ordering::Relaxed))
            .finish_non_exhaustive()
    }
}
