//! The client: asks, fetches, remembers.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use comity::{Crawler, Dialect, Origin};
use comity_policy::{Policy, Record, Site};
use tokio::sync::watch;
use url::Url;

use crate::builder::ClientBuilder;
use crate::cache::Cache;
use crate::clock::Clock;
use crate::decision::{Decision, Known};
use crate::entry::Entry;
use crate::error::{CheckError, Kind};
use crate::page::{self, Page, PageError};
use crate::stats::{Counters, Stats};
use crate::store::Store;
use crate::story;
use crate::transport::Transport;
use crate::turns::Turns;

/// Asks sites for their robots.txt as a good crawler does, and decides by it.
///
/// One fetch an origin at a time, however many ask; what came of it is remembered, failures too, in memory and in a
/// [store](ClientBuilder::store) if there is one. Clones are the same client.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use comity_fetch::Client;
///
/// let client = Client::builder("ExampleBot/1.0 (+https://example.com/bot)").build()?;
/// let decision = client.check("https://example.org/page", "ExampleBot").await?;
/// println!("{decision}");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Client(Arc<Shared>);

/// What a client is made of.
pub(crate) struct Shared {
    pub(crate) policy: Policy,
    pub(crate) dialect: Dialect,
    pub(crate) transport: Transport,
    pub(crate) cache: Cache,
    pub(crate) store: Option<Arc<dyn Store>>,
    pub(crate) clock: Clock,
    pub(crate) seed: u64,
    pub(crate) probes: bool,
    pub(crate) revalidates: bool,
    pub(crate) offline: bool,
    pub(crate) max_age: Option<Duration>,
    pub(crate) turns: Turns,
    pub(crate) flights: Mutex<HashMap<Origin, Flight>>,
    pub(crate) counters: Counters,
}

/// A fetch under way: what is known when it ends, or what went wrong.
pub(crate) type Flight = watch::Receiver<Option<Result<Arc<Entry>, CheckError>>>;

/// What a caller is content with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Want {
    /// Whatever is still good.
    Good,
    /// The result of an attempt made now.
    Now,
}

impl Client {
    /// A client to be. The user agent is what sites are told: who asks, truthfully, with an address where its operator
    /// can be reached (RFC 9309 §2.2.1).
    pub fn builder(user_agent: impl Into<String>) -> ClientBuilder {
        ClientBuilder::new(user_agent.into())
    }

    pub(crate) fn new(shared: Shared) -> Self {
        Self(Arc::new(shared))
    }

    /// May this crawler fetch this URL? Fetches the robots.txt of its origin if what is remembered is no longer good.
    ///
    /// The URL is taken as a browser would send it. A caller that goes away does not end a fetch that others wait for.
    pub async fn check<'c>(&self, url: &str, crawler: impl Into<Crawler<'c>>) -> Result<Decision, CheckError> {
        let crawler = crawler.into();
        let (url, origin) = parse(url)?;
        let known = self.known_of(origin, Want::Good).await?;
        Ok(self.decide(known, crawler, url.as_str()))
    }

    /// What is known of the origin of a URL; fetches its robots.txt if what is remembered is no longer good.
    pub async fn known(&self, url: &str) -> Result<Known, CheckError> {
        self.known_of(parse(url)?.1, Want::Good).await
    }

    /// Fetches the robots.txt of a URL's origin now, whatever is remembered; joins a fetch that is under way.
    pub async fn fetch(&self, url: &str) -> Result<Known, CheckError> {
        self.known_of(parse(url)?.1, Want::Now).await
    }

    /// May this crawler fetch this URL, by what is known of its origin? For one that is another origin's, the answer is
    /// "out of scope".
    pub fn decide_by<'c>(
        &self,
        known: &Known,
        url: &str,
        crawler: impl Into<Crawler<'c>>,
    ) -> Result<Decision, CheckError> {
        let (url, origin) = parse(url)?;
        if origin != *known.origin() {
            return Ok(Decision::out_of_scope(known.clone()));
        }
        Ok(self.decide(known.clone(), crawler.into(), url.as_str()))
    }

    /// The same for a URL, or a path, that is asked about as it stands, and taken to be on the origin.
    pub fn decide_as_is<'c>(&self, known: &Known, url: &str, crawler: impl Into<Crawler<'c>>) -> Decision {
        self.decide(known.clone(), crawler.into(), url)
    }

    /// Tells whether the pages of a site answer: some policies let that decide when its robots.txt does not for long.
    pub async fn site_answers(&self, url: &str, answers: bool) -> Result<(), CheckError> {
        let (_, origin) = parse(url)?;
        if let Some(entry) = self.remembered(&origin).await? {
            let mut site = self.0.site(entry.site.record().clone());
            site.handle(comity_policy::Input::SiteAnswers(answers), self.0.clock.now());
            self.0.keep(&origin, site, entry.steps.clone()).await;
        }
        Ok(())
    }

    /// Gets a page, or a sitemap: no more than so many bytes of it, within the time that a fetch may take. Redirects are
    /// followed, each to where it may lead.
    ///
    /// It asks no robots.txt whether it may: that is the caller's to do, with [`check`](Self::check), unless a person
    /// waits for this very page.
    ///
    /// ```no_run
    /// # async fn example(client: comity_fetch::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let page = client.get(&"https://example.org/".parse()?, 1 << 20).await?;
    /// println!("{} {}", page.status, page.body.len());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn get(&self, url: &Url, most: usize) -> Result<Page, PageError> {
        Counters::count(&self.0.counters.requests_total);
        page::get(&self.0.transport, url, most, self.0.policy.deadline).await
    }

    /// What this client did, and what it holds in memory.
    pub fn stats(&self) -> Stats {
        let (origins, memory) = self.0.cache.size();
        Stats { origins, memory, ..self.0.counters.read() }
    }

    /// The store, if there is one.
    pub fn store(&self) -> Option<&Arc<dyn Store>> {
        self.0.store.as_ref()
    }

    /// The policy in force.
    pub fn policy(&self) -> &Policy {
        &self.0.policy
    }

    fn decide(&self, known: Known, crawler: Crawler<'_>, url: &str) -> Decision {
        let counters = &self.0.counters;
        Counters::count(&counters.questions_total);
        let rules = self.0.cache.rules(known.entry(), crawler);
        let decision = Decision::new(known, rules.as_deref(), crawler, url);
        if decision.fails_open() {
            Counters::count(&counters.fail_open_total);
            tracing::error!(origin = %decision.known().origin(), "allowed for no reason: answered disallowed");
            return decision.disallowed();
        }
        if decision.is_allowed() && decision.known().ruling().is_allowed_by_failure() {
            Counters::count(&counters.allowed_by_policy_after_failure_total);
        }
        decision
    }

    async fn known_of(&self, origin: Origin, want: Want) -> Result<Known, CheckError> {
        let shared = &self.0;
        let now = shared.clock.now();
        if shared.offline {
            let entry = self.remembered(&origin).await?;
            let entry = entry.ok_or_else(|| CheckError::new(Kind::NothingKnown(origin.clone())))?;
            let ruling = entry.site.last_ruling(now);
            let ruling = ruling.ok_or_else(|| CheckError::new(Kind::NothingKnown(origin.clone())))?;
            return Ok(Known::new(origin, ruling, now, entry));
        }
        if want == Want::Good
            && let Some(entry) = shared.cache.entry(&origin)
            && let Some(ruling) = shared.good_ruling(&entry.site)
        {
            Counters::count(&shared.counters.memory_hits_total);
            return Ok(Known::new(origin, ruling, now, entry));
        }
        let mut entry = self.fly(&origin, want).await?;
        // A flight that was joined may have found the stored copy good enough.
        if want == Want::Now && entry.site.record().last.as_ref().is_none_or(|last| last.began < now) {
            entry = self.fly(&origin, want).await?;
        }
        // It was made a moment ago; should the moment have been long, what it says still holds.
        let now = shared.clock.now();
        let ruling = entry.site.last_ruling(now).ok_or_else(|| CheckError::new(Kind::Lost(origin.clone())))?;
        Ok(Known::new(origin, ruling, now, entry))
    }

    /// What is remembered of an origin, in memory or in the store, however old.
    async fn remembered(&self, origin: &Origin) -> Result<Option<Arc<Entry>>, CheckError> {
        if let Some(entry) = self.0.cache.entry(origin) {
            return Ok(Some(entry));
        }
        let Some(store) = &self.0.store else { return Ok(None) };
        let record = store
            .load(origin)
            .await
            .map_err(|error| CheckError::new(Kind::Store { origin: origin.clone(), message: error.to_string() }))?;
        Ok(record.map(|record| self.0.remember(origin, self.0.site(record), Vec::new())))
    }

    /// Waits for the fetch of an origin, and begins it if nobody else has.
    async fn fly(&self, origin: &Origin, want: Want) -> Result<Arc<Entry>, CheckError> {
        let mut flight = {
            let mut flights = self.0.flights.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(flight) = flights.get(origin) {
                Counters::count(&self.0.counters.shared_fetches_total);
                flight.clone()
            } else {
                let (sender, flight) = watch::channel(None);
                flights.insert(origin.clone(), flight.clone());
                let landing = Landing { shared: Arc::clone(&self.0), origin: origin.clone(), sender };
                // A task of its own: it goes on when the caller that began it goes away.
                tokio::spawn(landing.fly(want));
                flight
            }
        };
        let lost = |_| CheckError::new(Kind::Lost(origin.clone()));
        let landed = flight.wait_for(Option::is_some).await.map_err(lost)?;
        landed.clone().unwrap_or_else(|| Err(CheckError::new(Kind::Lost(origin.clone()))))
    }
}

/// A fetch under way, which leaves the list of flights however it ends.
struct Landing {
    shared: Arc<Shared>,
    origin: Origin,
    sender: watch::Sender<Option<Result<Arc<Entry>, CheckError>>>,
}

impl Landing {
    async fn fly(self, want: Want) {
        let entry = self.shared.obtain(&self.origin, want).await;
        self.sender.send_replace(Some(entry));
    }
}

impl Drop for Landing {
    fn drop(&mut self) {
        self.shared.flights.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.origin);
    }
}

impl Shared {
    /// The machine of a record.
    fn site(&self, record: Record) -> Site {
        let mut site = Site::resume(record, self.policy).with_seed(self.seed);
        if self.probes {
            site = site.with_probes();
        }
        if self.revalidates {
            site = site.with_revalidation();
        }
        site
    }

    /// What counts, if it is still good and no older than the caller takes.
    fn good_ruling(&self, site: &Site) -> Option<comity_policy::Ruling> {
        let now = self.clock.now();
        let ruling = site.ruling(now)?;
        let record = site.record();
        let since = match (&record.copy, &record.last) {
            (Some(copy), Some(last)) if last.event.is_found() => copy.confirmed,
            (_, Some(last)) => last.ended,
            _ => return None,
        };
        self.max_age.is_none_or(|most| now.since(since) <= most).then_some(ruling)
    }

    /// What is known of an origin once its fetch is over, or the store had what was wanted.
    async fn obtain(&self, origin: &Origin, want: Want) -> Result<Arc<Entry>, CheckError> {
        let remembered = self.cache.entry(origin);
        // Somebody else's fetch may have ended between the caller's look and this one.
        if let Some(entry) = &remembered
            && want == Want::Good
            && self.good_ruling(&entry.site).is_some()
        {
            return Ok(Arc::clone(entry));
        }
        let record = match remembered {
            Some(entry) => entry.site.record().clone(),
            None => self.stored(origin).await.unwrap_or_else(|| Record::new(origin)),
        };
        let mut site = self.site(record);
        if want == Want::Good && self.good_ruling(&site).is_some() {
            Counters::count(&self.counters.store_hits_total);
            return Ok(self.remember(origin, site, Vec::new()));
        }
        site.refresh();
        let Some(_turn) = self.turns.wait(origin.host()).await else {
            return Err(CheckError::new(Kind::Lost(origin.clone())));
        };
        Counters::count(&self.counters.fetches_total);
        let mut steps = story::attempt(&mut site, origin, &self.transport, &self.clock, &self.counters).await;
        if want == Want::Good {
            // Nobody asked for the story, and the fields may be the most of it.
            for step in &mut steps {
                step.fields = Vec::new();
            }
        }
        if let Some(last) = &site.record().last {
            tracing::debug!(%origin, event = %last.event, hops = last.hops.len(), "fetched");
        }
        if site.record().failing_since.is_some() {
            Counters::count(&self.counters.unreachable_total);
        }
        Ok(self.keep(origin, site, steps).await)
    }

    /// What the store has of an origin. A store in trouble is no reason to fail: the site can be asked.
    async fn stored(&self, origin: &Origin) -> Option<Record> {
        let record = self.store.as_ref()?.load(origin).await;
        record.unwrap_or_else(|error| {
            Counters::count(&self.counters.store_errors_total);
            tracing::warn!(%origin, %error, "the store could not be read");
            None
        })
    }

    /// Puts what is known into the store and into memory.
    async fn keep(&self, origin: &Origin, site: Site, steps: Vec<story::Step>) -> Arc<Entry> {
        if let Some(store) = &self.store
            && let Err(error) = store.save(site.record()).await
        {
            Counters::count(&self.counters.store_errors_total);
            tracing::warn!(%origin, %error, "the store could not be written");
        }
        self.remember(origin, site, steps)
    }

    fn remember(&self, origin: &Origin, site: Site, steps: Vec<story::Step>) -> Arc<Entry> {
        let entry = Arc::new(Entry::new(site, &self.dialect, steps));
        self.cache.insert(origin.clone(), Arc::clone(&entry));
        entry
    }
}

/// A URL, and whose robots.txt governs it, if it can be fetched.
fn parse(url: &str) -> Result<(Url, Origin), CheckError> {
    let parsed = Url::parse(url).ok();
    let Some((parsed, origin)) = parsed.and_then(|parsed| Origin::of_url(&parsed).map(|origin| (parsed, origin)))
    else {
        // It says what is wrong.
        let error = Origin::of(url).err();
        return Err(CheckError::new(error.map_or_else(|| Kind::Unclear(url.to_owned()), Kind::Url)));
    };
    match origin.scheme() {
        "http" | "https" => Ok((parsed, origin)),
        "ftp" if cfg!(feature = "ftp") => Ok((parsed, origin)),
        _ => Err(CheckError::new(Kind::Scheme(origin))),
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("policy", &self.policy.name)
            .field("dialect", &self.dialect.name)
            .field("store", &self.store)
            .field("questions", &self.counters.questions_total.load(Ordering::Relaxed))
            .finish_non_exhaustive()
    }
}
