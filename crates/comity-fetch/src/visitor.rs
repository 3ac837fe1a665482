//! Visits to pages: each request is allowed by the robots.txt of its site, and keeps the pace of its host.

use std::fmt;
use std::time::Duration;

use ::http::HeaderMap;
use comity::{Crawler, Origin};
#[cfg(feature = "pages")]
use comity_page::{Permissions, Stance};
use comity_policy::Time;
use tokio::time::Instant;
use url::Url;

use crate::client::Client;
use crate::decision::Decision;
use crate::error::{CheckError, Kind};
use crate::pacer::{Pacer, PagePermit};
use crate::page::{FetchedPage, PageError, PageFetch, without_user};
use crate::site_robots::SiteRobots;
use crate::stats::Counters;

/// A crawler that visits pages as their sites permit.
///
/// Before each request, of a page and of each target of a redirect, it asks the robots.txt of that URL's site, and
/// waits until the [`Pacer`] permits the request. It uses the connections of earlier visits again, unless the client
/// has a [transport](crate::transport::Transport) of its own, which then decides that.
///
/// It has no cookies. A caller that needs some sets the field `Cookie`, and reads `Set-Cookie` in
/// [`FetchedPage::fields`].
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use comity::Crawler;
/// use comity_fetch::{Client, Visit, Visitor};
///
/// let client = Client::builder("ExampleBot/1.0 (+https://example.com/bot)").build()?;
/// let visitor = Visitor::new(client, Crawler::token("ExampleBot")?);
/// match visitor.visit("https://example.org/page").await? {
///     Visit::Page(page) => println!("{} bytes of {}", page.response.body.len(), page.response.url),
///     Visit::Forbidden { url, decision, .. } => println!("{url}: {decision}"),
///     Visit::Later { url, wait, .. } => println!("{url}: not before {wait:?} from now"),
///     _ => {}
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Visitor {
    client: Client,
    crawler: Crawler<'static>,
    pacer: Pacer,
    patience: Duration,
    headers: HeaderMap,
    max_redirects: usize,
    max_bytes: usize,
}

/// The result of a visit.
#[derive(Clone, Debug)]
#[must_use]
#[non_exhaustive]
pub enum Visit {
    /// The page was fetched, whatever its status.
    Page(Box<VisitedPage>),
    /// The robots.txt of a site does not allow the URL, or robots.txt does not govern the crawler.
    #[non_exhaustive]
    Forbidden {
        /// The URL that was not requested: that of the visit, or the target of a redirect.
        url: Url,
        /// The answer, with the line and the reason.
        decision: Decision,
    },
    /// The host has to be left alone for longer than the [patience](Visitor::patience) of the visitor.
    #[non_exhaustive]
    Later {
        /// The URL that was not requested: that of the visit, or the target of a redirect.
        url: Url,
        /// The time from now until the host can probably be visited.
        wait: Duration,
    },
}

/// The answer to a request for a permit: see [`Visitor::permit`].
#[derive(Debug)]
#[must_use]
#[non_exhaustive]
pub enum Permit {
    /// The page may be requested now.
    #[non_exhaustive]
    Granted {
        /// The turn of the request: the next one to the host waits until it is dropped.
        turn: PagePermit,
        /// The decision that allows it.
        decision: Decision,
    },
    /// The robots.txt of the site does not allow the URL, or robots.txt does not govern the crawler.
    Forbidden(Decision),
    /// The host has to be left alone for longer than the [patience](Visitor::patience) of the visitor: probably for this
    /// time.
    Later(Duration),
}

/// A page that was fetched, with the decision that allowed it.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "pages"), expect(dead_code, reason = "the permissions need the crawler and the time"))]
#[non_exhaustive]
pub struct VisitedPage {
    /// The response of the last request.
    pub response: FetchedPage,
    /// The decision about the URL of the last request.
    pub decision: Decision,
    crawler: Crawler<'static>,
    at: Time,
}

/// A failed visit: there was no decision about a URL, or no response.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum VisitError {
    /// There is no decision, so nothing was requested.
    Check(CheckError),
    /// The request failed.
    Page(PageError),
}

impl Visitor {
    /// Returns a visitor that shares the pace of the client's other visitors.
    pub fn new(client: Client, crawler: Crawler<'_>) -> Self {
        Self {
            pacer: client.shared().pacer.clone(),
            client,
            crawler: crawler.into_owned(),
            patience: Duration::from_secs(60),
            headers: HeaderMap::new(),
            max_redirects: 10,
            max_bytes: 4 << 20,
        }
    }

    /// Sets the pacer, for a pace that visitors of several clients share, or one of your own. Defaults to the client's.
    #[must_use]
    pub fn pacer(mut self, pacer: Pacer) -> Self {
        self.pacer = pacer;
        self
    }

    /// Sets the maximum time to wait before each request. Defaults to one minute. For a longer wait, the visit ends
    /// with [`Visit::Later`], at once if the wait is known.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Sets header fields to send. Defaults to none. Only the site of the visited URL gets them, until a redirect leads
    /// to another scheme, host or port.
    ///
    /// `User-Agent`, `Accept-Encoding`, and the fields of the connection such as `Host` are always the client's own.
    #[must_use]
    pub fn headers(mut self, headers: HeaderMap) -> Self {
        self.headers = headers;
        self
    }

    /// Sets the maximum number of redirects that are followed. Defaults to 10. With 0, a redirect is the page, and
    /// [`FetchedPage::location`] is its target.
    #[must_use]
    pub fn max_redirects(mut self, redirects: usize) -> Self {
        self.max_redirects = redirects;
        self
    }

    /// Sets the maximum number of bytes of a page, decoded. Defaults to 4 MiB. The rest of a longer page is not read: see
    /// [`FetchedPage::is_cut`].
    #[must_use]
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Decides about a URL, and waits for the turn of its host, for a request that the caller sends with another HTTP client.
    ///
    /// # Errors
    ///
    /// Those of [`Client::check`].
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(visitor: comity_fetch::Visitor) -> Result<(), comity_fetch::CheckError> {
    /// if let comity_fetch::Permit::Granted { turn, .. } = visitor.permit("https://example.org/page").await? {
    ///     // Request the page, and then:
    ///     drop(turn);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn permit(&self, url: impl AsRef<str>) -> Result<Permit, CheckError> {
        let url = url.as_ref();
        let decision = self.client.check(&self.crawler, url).await?;
        if !decision.is_allowed() {
            return Ok(Permit::Forbidden(decision));
        }
        let turn = match self.wait_turn(decision.site()).await {
            Ok(turn) => turn,
            Err(wait) => return Ok(Permit::Later(wait)),
        };
        // The file may have come due while the visit waited.
        let decision = self.client.check(&self.crawler, url).await?;
        Ok(if decision.is_allowed() { Permit::Granted { turn, decision } } else { Permit::Forbidden(decision) })
    }

    /// Waits until a page of a site may be requested, as its robots.txt and the [`Pacer`] say. Does not ask whether a URL is
    /// allowed.
    ///
    /// # Errors
    ///
    /// The time until the host can probably be visited, if it is longer than the [patience](Self::patience).
    pub async fn wait_turn(&self, site: &SiteRobots) -> Result<PagePermit, Duration> {
        let host = site.origin().host().trim_end_matches('.');
        self.pacer.acquire(host, site.pace(&self.crawler), &self.client.shared().clock, self.patience).await
    }

    /// Visits a page. Parameters of the URL that the site declares irrelevant by `Clean-param` are dropped first.
    ///
    /// Each request takes at most the [deadline of the policy](crate::Policy::deadline), after the wait for its turn.
    /// Dropping the future gives the turn to the next visit of the host.
    ///
    /// A status such as 404 is not an error. After a 429 or a 503, the host rests: see [`Pacer`].
    ///
    /// # Errors
    ///
    /// If there is no decision about a URL, see [`Client::check`]; if a request has no complete response, or is refused by
    /// the [address rules](crate::ClientBuilder::addresses); and if redirects don't end.
    pub async fn visit(&self, url: impl AsRef<str>) -> Result<Visit, VisitError> {
        let shared = self.client.shared();
        let (sent, origin) = Origin::parse_url(url.as_ref()).map_err(CheckError::from)?;
        let canonical = self.client.robots(&origin).await?.canonical(&*sent).into_owned();
        // Without parameters, it is still a URL.
        let url = Url::parse(&canonical).map_err(|_| CheckError::new(Kind::Lost(origin)))?;
        let mut url = without_user(&url);
        let fetch = PageFetch {
            sender: &shared.sender,
            clock: &shared.clock,
            site: None,
            headers: &self.headers,
            keeps_alive: true,
            max_redirects: self.max_redirects,
            max_bytes: self.max_bytes,
        };
        let mut redirects = Vec::new();
        loop {
            let (turn, decision) = match self.permit(&url).await? {
                Permit::Granted { turn, decision } => (turn, decision),
                Permit::Forbidden(decision) => return Ok(Visit::Forbidden { url, decision }),
                Permit::Later(wait) => return Ok(Visit::Later { url, wait }),
            };
            let mut egress = self.client.egress(false);
            egress.pass(&url, None).await.map_err(|unsent| PageError::unsent(&url, unsent))?;
            Counters::count(&shared.counters.requests_total);
            let end = Instant::now() + shared.settings.policy.deadline;
            let response = fetch.hop(url, redirects, end).await?;
            if matches!(response.status, 429 | 503) {
                turn.pause(response.retry_after);
            }
            let Some(next) = fetch.redirect(&response)? else {
                let (crawler, at) = (self.crawler.clone(), shared.clock.now());
                return Ok(Visit::Page(Box::new(VisitedPage { response, decision, crawler, at })));
            };
            (url, redirects) = next;
        }
    }
}

impl fmt::Debug for Visitor {
    /// Formats the visitor without its header fields, which may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Visitor").field("crawler", &self.crawler).finish_non_exhaustive()
    }
}

impl Visit {
    /// Returns the page; `None` if it was not requested.
    pub fn page(self) -> Option<VisitedPage> {
        match self {
            Self::Page(page) => Some(*page),
            _ => None,
        }
    }
}

#[cfg(feature = "pages")]
impl VisitedPage {
    /// Returns what the crawler may do with the page, at the time of the visit: by the robots.txt of its site, the header
    /// and the HTML. Reads the page again at each call.
    ///
    /// Uses that no statement forbids are [not known](comity_page::Stance::Hidden), which forbids them as well, if only
    /// a part of the page is known, since the rest may forbid more. This is so if the body is longer than the limit of
    /// the visitor or than [`comity_page::HTML_LIMIT`], if it has more meta tags than are read, and if the status is 206
    /// or 304.
    ///
    /// ```no_run
    /// # async fn example(visitor: comity_fetch::Visitor) -> Result<(), Box<dyn std::error::Error>> {
    /// if let Some(page) = visitor.visit("https://example.org/page").await?.page() {
    ///     let training = page.permissions().training;
    ///     println!("{}: {}, because {:?}", page.response.url, training.stance, training.because);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn permissions(&self) -> Permissions {
        let response = &self.response;
        let mut rules = comity_page::Page::new().at(self.at.into());
        for (name, value) in &response.fields {
            rules.header(name, value.as_bytes());
        }
        let tokens: Vec<&str> = self.crawler.tokens().filter_map(|token| std::str::from_utf8(token).ok()).collect();
        let found = comity_page::read_page(&*response.body, &mut rules, &tokens);
        let is_whole =
            !response.is_cut && !matches!(response.status, 206 | 304) && found.is_ok_and(|found| !found.is_cut);
        let robots = self.decision.site().robots();
        let mut permissions = comity_page::permissions(robots, &self.crawler, &response.url, &rules);
        if !is_whole {
            let Permissions { index, follow, training, ai_input, search, .. } = &mut permissions;
            for permission in [index, follow, training, ai_input, search] {
                if !permission.stance.forbids() {
                    permission.stance = Stance::Hidden;
                    permission.because.clear();
                }
            }
        }
        permissions
    }
}

impl From<CheckError> for VisitError {
    fn from(error: CheckError) -> Self {
        Self::Check(error)
    }
}

impl From<PageError> for VisitError {
    fn from(error: PageError) -> Self {
        Self::Page(error)
    }
}

impl fmt::Display for VisitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Check(error) => error.fmt(f),
            Self::Page(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for VisitError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Check(error) => error.source(),
            Self::Page(error) => error.source(),
        }
    }
}
