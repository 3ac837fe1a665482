//! Pages and sitemaps: requests for URLs other than a robots.txt.

use std::fmt;
use std::time::Duration;

use ::http::HeaderMap;
use comity::Origin;
use comity_policy::{Failure, Request, Time};
use tokio::time::{Instant, timeout, timeout_at};
use url::Url;

use crate::budget::{Egress, Unsent};
use crate::clock::Clock;
use crate::decision::ALLOWING_OPTIONS;
use crate::transport::{CheckedResponse, Sender, TransportError};

/// The response to a request for a URL.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FetchedPage {
    /// The URL of the last request, after redirects, without user and password.
    pub url: Url,
    /// The status code.
    pub status: u16,
    /// The header fields as they were received.
    pub fields: Vec<(String, String)>,
    /// The body, decoded, up to the requested size. Empty for a redirect with a [`location`](Self::location).
    pub body: Vec<u8>,
    /// True if the body is longer.
    pub is_cut: bool,
    /// The absolute target of a redirect that was not followed. `None` if the response is not a redirect, or one that
    /// cannot be followed: without `Location`, or to a scheme other than `http` and `https`.
    pub location: Option<Url>,
    /// The redirects that were followed: the URL of each, and its status.
    pub redirects: Vec<(Url, u16)>,
    /// The delay that the site asks for with `Retry-After`.
    pub(crate) retry_after: Option<Duration>,
}

/// A request for a page or a sitemap that no robots.txt is asked about, since a person chose it or a robots.txt names it.
/// Sent by [`Client::get_without_robots`](crate::Client::get_without_robots).
#[derive(Clone, Debug)]
#[must_use]
pub struct PageRequest {
    pub(crate) url: Url,
    pub(crate) site: Option<Origin>,
    pub(crate) max_redirects: usize,
    pub(crate) max_bytes: usize,
}

impl PageRequest {
    /// Returns a request for a URL that the user chose.
    pub fn new(url: Url) -> Self {
        Self { url, site: None, max_redirects: 20, max_bytes: 4 << 20 }
    }

    /// Sets the site that chose the URL, such as one whose robots.txt names a sitemap. Defaults to none: the user chose it.
    ///
    /// Hosts that the user [trusts](crate::ClientBuilder::trust) are no target for URLs of other sites. If the URL is on
    /// such a host, the address rules apply as for a redirect of the site.
    pub fn chosen_by(mut self, site: Origin) -> Self {
        self.site = Some(site);
        self
    }

    /// Sets the maximum number of redirects that are followed. Defaults to 20, as in browsers. With 0, a redirect is the
    /// page, and [`FetchedPage::location`] is its target.
    pub fn max_redirects(mut self, redirects: usize) -> Self {
        self.max_redirects = redirects;
        self
    }

    /// Sets the maximum number of bytes of the body, decoded. Defaults to 4 MiB. The rest of a longer body is not read: see
    /// [`FetchedPage::is_cut`].
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }
}

/// A failed request for a page, without a response or with part of one. A status such as 404 is no failure.
///
/// ```
/// use comity_fetch::{Client, Failure, PageRequest};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let client = Client::builder("ExampleBot/1.0").build()?;
/// let request = PageRequest::new("http://127.0.0.1/page".parse()?);
/// let error = client.get_without_robots(&request).await.unwrap_err();
/// assert_eq!(error.failure(), Failure::Refused); // not a public address
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageError {
    /// The URL of the request, without user and password.
    url: Url,
    problem: Box<TransportError>,
    retry_after: Option<Duration>,
}

impl PageError {
    fn new(url: &Url, failure: Failure, detail: &str) -> Self {
        Self { url: without_user(url), problem: Box::new(TransportError::new(failure, detail)), retry_after: None }
    }

    /// Returns the kind of failure, as policies distinguish them.
    pub fn failure(&self) -> Failure {
        self.problem.failure
    }

    /// Returns the time after which to ask again, if a [budget](crate::Client::with_budget) has no request left for the
    /// site of the URL. The request was not sent then.
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    pub(crate) fn unsent(url: &Url, unsent: Unsent) -> Self {
        let retry_after = Some(unsent.after);
        Self { url: without_user(url), problem: Box::new(unsent.into_transport_error()), retry_after }
    }
}

impl fmt::Display for PageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {}: {}",
            comity::url::without_userinfo(self.url.as_str()),
            self.problem.failure,
            self.problem.detail
        )?;
        if self.failure() == Failure::Refused { write!(f, "; {ALLOWING_OPTIONS}") } else { Ok(()) }
    }
}

impl std::error::Error for PageError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&*self.problem)
    }
}

/// The bytes of a redirect's body that are read, so that its connection can be used for the target.
const MAX_DRAINED: usize = 16 * 1024;

/// The time for that. A new connection takes less.
const MAX_DRAIN_TIME: Duration = Duration::from_millis(500);

/// A URL to request, and the redirects that lead there, as in [`FetchedPage::redirects`].
type NextHop = (Url, Vec<(Url, u16)>);

/// The circumstances of the requests for a page and for the targets of its redirects.
pub(crate) struct PageFetch<'a> {
    pub(crate) sender: &'a Sender,
    pub(crate) clock: &'a Clock,
    /// The site that chose the first URL, unless the user did.
    pub(crate) site: Option<&'a Origin>,
    /// Fields for the site of the first URL. They may be secrets, so no other site gets them, nor the first one after
    /// the redirect of another one.
    pub(crate) headers: &'a HeaderMap,
    pub(crate) keeps_alive: bool,
    pub(crate) max_redirects: usize,
    pub(crate) max_bytes: usize,
}

impl PageFetch<'_> {
    /// Gets a page and follows its redirects, all within `time` after the permit for the first request.
    pub(crate) async fn get(
        &self,
        url: &Url,
        time: Duration,
        egress: &mut Egress<'_>,
    ) -> Result<FetchedPage, PageError> {
        // The wait for other fetches of the first host is none of the site's time.
        egress.pass(url, None).await.map_err(|unsent| PageError::unsent(url, unsent))?;
        let end = Instant::now() + time;
        let mut next = (url.clone(), Vec::new());
        loop {
            if !next.1.is_empty() {
                egress.pass(&next.0, Some(end)).await.map_err(|unsent| PageError::unsent(&next.0, unsent))?;
            }
            let page = self.hop(next.0, next.1, end).await?;
            let Some(redirect) = self.redirect(&page)? else { return Ok(page) };
            next = redirect;
        }
    }

    /// Returns the target of a redirect that is to be followed, and the redirects that lead there; `None` if the page is
    /// the result.
    pub(crate) fn redirect(&self, page: &FetchedPage) -> Result<Option<NextHop>, PageError> {
        let Some(target) = page.location.clone().filter(|_| self.max_redirects > 0) else { return Ok(None) };
        if page.redirects.len() >= self.max_redirects {
            return Err(PageError::new(&page.url, Failure::BadRedirect, "the redirects don't end"));
        }
        let mut redirects = page.redirects.clone();
        redirects.push((page.url.clone(), page.status));
        // The same request has the same answer, since there are no cookies.
        if redirects.iter().any(|(been, _)| *been == target) {
            return Err(PageError::new(&page.url, Failure::BadRedirect, "the redirects lead in a circle"));
        }
        Ok(Some((target, redirects)))
    }

    /// Sends one request. The address rules of that site apply to each hop, or else those of the first URL.
    pub(crate) async fn hop(
        &self,
        url: Url,
        redirects: Vec<(Url, u16)>,
        end: Instant,
    ) -> Result<FetchedPage, PageError> {
        // The client never logs in, and the URL of the page is printed and logged.
        let url = without_user(&url);
        let first = redirects.first().map_or(&url, |(first, _)| first);
        let Some(first_site) = Origin::of_url(first) else {
            return Err(PageError::new(first, Failure::Refused, "the URL has no host"));
        };
        let has_left = !redirects.iter().map(|(url, _)| url).chain([&url]).all(|url| first.origin() == url.origin());
        let no_headers = HeaderMap::new();
        let headers = if has_left { &no_headers } else { self.headers };
        let late = || PageError::new(&url, Failure::Timeout, "the page took too long");
        let failed = |problem| PageError { url: url.clone(), problem: Box::new(problem), retry_after: None };
        let request = Request::for_page(url.clone(), redirects.len(), Time::default());
        let sent = self.sender.send_with(&request, self.site.unwrap_or(&first_site), headers, self.keeps_alive);
        let mut answer = timeout_at(end, sent).await.map_err(|_| late())?.map_err(failed)?;
        let status = answer.head.status();
        let location = target(&url, status, &answer);
        let (body, is_cut) = if location.is_some() {
            if self.keeps_alive {
                // Whatever happens to the body of a redirect, it is not used.
                let _ = timeout(MAX_DRAIN_TIME, read(&mut answer, MAX_DRAINED)).await;
            }
            (Vec::new(), false)
        } else {
            timeout_at(end, read(&mut answer, self.max_bytes)).await.map_err(|_| late())?.map_err(failed)?
        };
        let retry_after = answer.head.retry_after(self.clock.now());
        Ok(FetchedPage { url, status, fields: answer.fields, body, is_cut, location, redirects, retry_after })
    }
}

/// Sends a text by `POST`, and returns the status.
pub(crate) async fn post(
    sender: &Sender,
    url: &Url,
    headers: &HeaderMap,
    text: &str,
    time: Duration,
) -> Result<u16, PageError> {
    let url = without_user(url);
    let Some(site) = Origin::of_url(&url) else {
        return Err(PageError::new(&url, Failure::Refused, "the URL has no host"));
    };
    let request = Request::for_page(url.clone(), 0, Time::default());
    match timeout(time, sender.post(&request, &site, headers, text)).await {
        Ok(Ok(answer)) => Ok(answer.head.status()),
        Ok(Err(problem)) => Err(PageError { url, problem: Box::new(problem), retry_after: None }),
        Err(_) => Err(PageError::new(&url, Failure::Timeout, "the answer took too long")),
    }
}

/// Returns a URL without user and password, which must not appear in messages and logs.
pub(crate) fn without_user(url: &Url) -> Url {
    let mut url = url.clone();
    // These fail for URLs that cannot have either.
    let _ = (url.set_username(""), url.set_password(None));
    url
}

/// Returns the target of a redirect that can be followed.
fn target(at: &Url, status: u16, answer: &CheckedResponse) -> Option<Url> {
    if !matches!(status, 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let (_, location) = answer.fields.iter().find(|(name, _)| name.eq_ignore_ascii_case("location"))?;
    let target = at.join(location).ok()?;
    matches!(target.scheme(), "http" | "https").then(|| without_user(&target))
}

async fn read(answer: &mut CheckedResponse, most: usize) -> Result<(Vec<u8>, bool), TransportError> {
    let mut body = Vec::new();
    answer.body.make_room_for(most);
    while let Some(bytes) = answer.body.chunk().await? {
        let room = most - body.len();
        body.extend_from_slice(&bytes[..bytes.len().min(room)]);
        if bytes.len() > room {
            return Ok((body, true));
        }
    }
    Ok((body, false))
}
