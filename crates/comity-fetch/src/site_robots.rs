//! A snapshot of a site's robots.txt.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use comity::{Crawler, Dialect, Governed, Origin, Pace, Record as Directive, Robots, Rules, Verdict};
use comity_policy::{Access, Attempt, GoodCopy, Policy, Ruling, Site, StoredRecord, Time};

use crate::cached_site::CachedSite;
use crate::client::Client;
use crate::compiled::{Compiled, Given};
use crate::decision::{CheckOutcome, Decision};
use crate::driver::Exchange;
use crate::lines::Marks;
use crate::scope;
use crate::site_rules::SiteRules;
use crate::stats::Counters;
use crate::store::ContentHash;

/// The robots.txt of one site, as a [`Client`] knows it at one moment: the rules in force, the reason for them, and the
/// last good copy.
///
/// Returned by [`Client::robots`]. It is a snapshot: it does not change when the file is due or fetched again. Clones
/// share the file.
///
/// The rules in force are not always those of the last good copy. A missing file allows everything; while a site is
/// unreachable, some policies disallow everything or allow everything. [`check`](Self::check),
/// [`rules_for`](Self::rules_for), [`robots`](Self::robots), [`pace`](Self::pace), [`sitemaps`](Self::sitemaps) and
/// [`canonical`](Self::canonical) use the rules in force; [`copy`](Self::copy), [`hash`](Self::hash),
/// [`line`](Self::line) and [`age`](Self::age) describe the last good copy.
///
/// ```no_run
/// # async fn example(client: comity_fetch::Client) -> Result<(), Box<dyn std::error::Error>> {
/// let site = client.robots("https://example.org/").await?;
/// let me = comity::Crawler::token("ExampleBot")?;
/// println!("{}", site.check(&me, "https://example.org/page"));
/// // All of the reasons: the group, the rules that match, and the one that wins.
/// println!("{}", site.robots().explain(&me, "https://example.org/page"));
/// println!("{:?}", site.pace(&me).delay());
/// for sitemap in site.sitemaps() {
///     println!("{}", comity::Escaped(sitemap.value()));
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct SiteRobots {
    compiled: Arc<dyn Compiled>,
    ruling: Ruling,
    at: Time,
    cached: Arc<CachedSite>,
}

impl SiteRobots {
    pub(crate) fn new(client: Client, ruling: Ruling, at: Time, cached: Arc<CachedSite>) -> Self {
        Self { compiled: client.into_shared(), ruling, at, cached }
    }

    /// Returns the robots.txt of a site that serves this file, without a client and without a request. All of the file
    /// that the dialect reads is parsed, however long it is.
    ///
    /// ```
    /// use comity::{Crawler, Dialect, Origin};
    /// use comity_fetch::SiteRobots;
    ///
    /// let origin = Origin::of("https://shop.example/")?;
    /// let site = SiteRobots::given(&origin, *b"User-agent: *\nDisallow: /cart\n", &Dialect::STANDARD);
    /// assert!(site.check(&Crawler::token("ExampleBot")?, "https://shop.example/cart").is_disallowed());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn given(origin: &Origin, body: impl Into<Arc<[u8]>>, dialect: &Dialect) -> Self {
        let copy = GoodCopy::given(origin, body);
        let robots = Robots::parse_with(&copy.body, dialect);
        Self::without_client(origin, Access::Rules, Some((copy, robots)))
    }

    /// Returns the state of a site without a file, by the access that applies instead of rules, as an earlier answer
    /// stated it. Missing rules are no permission: [`Access::Rules`] disallows everything.
    pub fn without_file(origin: &Origin, access: Access) -> Self {
        Self::without_client(origin, access, None)
    }

    fn without_client(origin: &Origin, access: Access, file: Option<(GoodCopy, Robots)>) -> Self {
        let mut record = StoredRecord::new(origin);
        let (copy, robots) = file.unzip();
        record.copy = copy;
        let site = Arc::new(Site::resume(record, Policy::STANDARD));
        let cached = Arc::new(CachedSite::with_robots(origin.clone(), site, robots, Vec::new()));
        Self { compiled: Arc::new(Given::default()), ruling: Ruling::given(access), at: Time::default(), cached }
    }

    /// Returns true if the file, or the access, was [given](Self::given) and not fetched.
    pub fn is_given(&self) -> bool {
        self.compiled.is_given()
    }

    /// Decides whether a crawler may fetch a URL of this site.
    ///
    /// The URL is parsed as a browser parses it. A path such as `/page`, a query or a fragment is taken as one of this
    /// site. For a URL of another site, and for text that is not a URL, the answer is [out of
    /// scope](comity::Answer::OutOfScope).
    pub fn check(&self, crawler: &Crawler<'_>, url: impl AsRef<str>) -> Decision {
        let outcome = match scope::sent_on(self.origin(), url.as_ref()) {
            Some(url) => self.check_here(crawler, &url),
            None => CheckOutcome::out_of_scope(),
        };
        Decision::new(outcome, self.clone())
    }

    /// Decides as [`check`](Self::check) does, but hands a URL or a path to the engine as it is, without parsing it as a
    /// browser would. The engine resolves dot segments and backslashes, and escapes nothing. For tests of parsers, and for
    /// URLs that are known to be in the form in which they are sent.
    pub fn check_as_is(&self, crawler: &Crawler<'_>, url: &str) -> Decision {
        let is_here = scope::is_on(self.origin(), url);
        let outcome = if is_here { self.check_here(crawler, url) } else { CheckOutcome::out_of_scope() };
        Decision::new(outcome, self.clone())
    }

    /// Returns the rules of this site for one crawler, compiled, to check many URLs.
    pub fn rules_for(&self, crawler: &Crawler<'_>) -> SiteRules {
        SiteRules::new(self.clone(), self.compile(crawler), crawler.governed())
    }

    /// Returns true if the rules for this crawler are compiled already, so that [`rules_for`](Self::rules_for) takes no
    /// long time. A service compiles the rules of a large file on another thread.
    pub fn has_compiled(&self, crawler: &Crawler<'_>) -> bool {
        self.compiled.has_rules(&self.cached, crawler)
    }

    /// Returns the robots.txt in force.
    ///
    /// That is the last good copy where its rules count ([`Access::Rules`]), an empty file where everything is allowed, and
    /// [`Robots::disallow_all`] where everything is disallowed. That last one does not bind crawlers that ignore `*`, while the
    /// policy does: for answers, use [`check`](Self::check).
    pub fn robots(&self) -> &Robots {
        static ALLOW_ALL: LazyLock<Robots> = LazyLock::new(Robots::default);
        static DISALLOW_ALL: LazyLock<Robots> = LazyLock::new(Robots::disallow_all);
        match (self.ruling.access, &self.cached.robots) {
            (Access::Rules, Some(copy)) => copy,
            (Access::AllowAll, _) => &ALLOW_ALL,
            // Missing rules disallow everything.
            _ => &DISALLOW_ALL,
        }
    }

    /// Returns the pace that the file in force asks a crawler to keep.
    pub fn pace(&self, crawler: &Crawler<'_>) -> Pace {
        self.robots().pace(crawler)
    }

    /// Returns the sitemaps that the file in force lists.
    pub fn sitemaps(&self) -> impl Iterator<Item = Directive<'_>> {
        self.robots().sitemaps()
    }

    /// Returns a URL of this site, or a path with its query, without the parameters that a `Clean-param` of the file in force
    /// declares irrelevant. A URL of another site is returned unchanged.
    pub fn canonical<'u>(&self, url: &'u (impl AsRef<str> + ?Sized)) -> Cow<'u, str> {
        if scope::is_on(self.origin(), url.as_ref()) {
            self.robots().canonical(url)
        } else {
            Cow::Borrowed(url.as_ref())
        }
    }

    /// Returns the site.
    pub fn origin(&self) -> &Origin {
        &self.cached.origin
    }

    /// Returns the ruling: the access that is in force, with the event and the row of the policy that determine it.
    pub fn ruling(&self) -> &Ruling {
        &self.ruling
    }

    /// Returns the moment that this snapshot describes.
    pub fn at(&self) -> Time {
        self.at
    }

    /// Returns the last good copy, in force or not; `None` if there is none.
    pub fn copy(&self) -> Option<&GoodCopy> {
        self.record().whole_copy()
    }

    /// Returns the hash of the last good copy.
    pub fn hash(&self) -> Option<ContentHash> {
        let copy = self.copy()?;
        Some(*self.cached.hash.get_or_init(|| ContentHash::of(&copy.body)))
    }

    /// Returns a line of the last good copy by its number from 1, within the part of the file that counts. Reads a small part
    /// of the file.
    pub fn line(&self, number: u32) -> Option<&[u8]> {
        let (copy, dialect) = (self.copy()?, self.cached.robots.as_ref()?.dialect());
        self.cached.marks.get_or_init(|| Marks::new(&copy.body, dialect)).line(&copy.body, dialect, number)
    }

    /// Returns the time since the site last confirmed the copy.
    pub fn age(&self) -> Option<Duration> {
        self.copy().map(|copy| self.at.since(copy.confirmed))
    }

    /// Returns the last attempt, successful or not.
    pub fn attempt(&self) -> Option<&Attempt> {
        self.record().last.as_ref()
    }

    /// Returns all that is stored of the site.
    pub fn record(&self) -> &StoredRecord {
        self.cached.site.record()
    }

    /// Returns the requests of the last attempt, if this client made it.
    pub fn exchanges(&self) -> &[Exchange] {
        &self.cached.exchanges
    }

    /// Returns the time at which the file is next fetched.
    pub fn due(&self) -> Time {
        self.cached.site.due()
    }

    /// Returns true if the file was due before this moment and was not fetched. Only an offline client returns such a file.
    pub fn is_overdue(&self) -> bool {
        self.cached.site.is_due(self.at)
    }

    /// Returns the same snapshot with the copy read in another dialect. Parses the file, so it is too slow for each
    /// question.
    pub fn read_in(&self, dialect: &Dialect) -> Self {
        let cached = CachedSite::new(
            self.origin().clone(),
            Arc::clone(&self.cached.site),
            dialect,
            self.cached.exchanges.clone(),
        );
        Self { cached: Arc::new(cached), ..self.clone() }
    }

    /// Returns the snapshot that the same attempts would have led to under another policy; `None` if there was no
    /// attempt yet. Parses the file.
    pub fn under(&self, policy: &Policy) -> Option<Self> {
        let site = Site::resume(self.record().clone(), *policy);
        let ruling = site.last_ruling(self.at)?;
        let dialect = self.cached.robots.as_ref().map_or(&Dialect::STANDARD, Robots::dialect);
        let cached = CachedSite::new(self.origin().clone(), Arc::new(site), dialect, self.cached.exchanges.clone());
        Some(Self { ruling, cached: Arc::new(cached), ..self.clone() })
    }

    /// Returns true if there is a copy and it could be parsed.
    pub(crate) fn has_rules(&self) -> bool {
        self.copy().is_some() && self.cached.robots.is_some()
    }

    /// Returns the policy that this snapshot is ruled by.
    pub(crate) fn policy(&self) -> &Policy {
        self.cached.site.policy()
    }

    /// Returns the compiled rules of the last good copy for a crawler.
    fn compile(&self, crawler: &Crawler<'_>) -> Option<Arc<Rules>> {
        self.compiled.rules(&self.cached, crawler)
    }

    /// Decides about text that the caller knows to be of this site, as [`SiteRules::check_here`] does.
    pub fn check_here(&self, crawler: &Crawler<'_>, url: &str) -> CheckOutcome {
        let robots = self.cached.robots.as_ref().filter(|_| self.cached.is_new());
        self.outcome(crawler.governed(), url, || match robots {
            Some(robots) => Some(robots.check(crawler, url)),
            None => self.compile(crawler).map(|rules| rules.check(url)),
        })
    }

    /// Decides about a URL of this site. `ask` returns the verdict of the last good copy, if there is one.
    pub(crate) fn outcome(&self, governed: Governed, url: &str, ask: impl FnOnce() -> Option<Verdict>) -> CheckOutcome {
        let counters = self.compiled.counters();
        Counters::count(&counters.questions_total);
        let outcome = CheckOutcome::new(self.ruling.access, governed, url, ask);
        if outcome.fails_open(self) {
            Counters::count(&counters.fail_open_total);
            tracing::error!(origin = %self.origin(), "allowed for no reason: answered disallowed");
            return outcome.disallowed();
        }
        if outcome.is_allowed() && self.ruling.is_allowed_by_failure() {
            Counters::count(&counters.allowed_by_policy_after_failure_total);
        }
        outcome
    }
}
