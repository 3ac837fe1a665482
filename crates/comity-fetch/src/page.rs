//! Pages and sitemaps: requests for URLs other than a robots.txt.

use std::fmt;
use std::time::Duration;

use ::http::HeaderMap;
use comity::Origin;
use comity_policy::{Failure, Request, Time};
use tokio::time::{Instant, timeout, timeout_at};
use url::Url;

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

/// A failed request for a page, without a response or with part of one. Returned by [`Client::get`](crate::Client::get)
/// and related methods. A status such as 404 is no failure.
///
/// ```
/// use comity_fetch::{Client, Failure};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let client = Client::builder("ExampleBot/1.0").build()?;
/// let error = client.get(&"http://127.0.0.1/page".parse()?, 1 << 20).await.unwrap_err();
/// assert_eq!(error.failure(), Failure::Refused); // not a public address
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageError {
    /// The URL of the request, without user and password.
    url: Url,
    problem: TransportError,
}

impl PageError {
    fn new(url: &Url, failure: Failure, detail: &str) -> Self {
        Self { url: without_user(url), problem: TransportError::new(failure, detail) }
    }

    /// Returns the error of a page whose redirects don't end.
    pub(crate) fn endless(url: &Url) -> Self {
        Self::new(url, Failure::BadRedirect, "the redirects don't end")
    }

    /// Returns the kind of failure, as policies distinguish them.
    pub fn failure(&self) -> Failure {
        self.problem.failure
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
        Some(&self.problem)
    }
}

/// The number of redirects of a page that are followed: the same as in browsers.
pub(crate) const MAX_REDIRECTS: usize = 20;

/// The bytes of a redirect's body that are read, so that its connection can be used for the target.
const MAX_DRAINED: usize = 16 * 1024;

/// The time for that. A new connection takes less.
const MAX_DRAIN_TIME: Duration = Duration::from_millis(500);

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
    pub(crate) max_bytes: usize,
}

impl PageFetch<'_> {
    /// Gets a page and follows its redirects, all within `time`.
    pub(crate) async fn get(&self, url: &Url, time: Duration) -> Result<FetchedPage, PageError> {
        let end = Instant::now() + time;
        // The user trusts a host in the URLs that the user typed, and not in those that another site chose.
        let fetch = PageFetch { site: self.site.filter(|_| self.sender.trusts(url)), ..*self };
        let mut page = fetch.hop(url.clone(), Vec::new(), end).await?;
        while page.location.is_some() {
            page = fetch.follow(&page, end).await?;
        }
        Ok(page)
    }

    /// Fetches the target of a page's redirect. Fetches a page that is not a redirect again.
    pub(crate) async fn follow(&self, page: &FetchedPage, end: Instant) -> Result<FetchedPage, PageError> {
        let mut redirects = page.redirects.clone();
        let Some(target) = &page.location else {
            return self.hop(page.url.clone(), redirects, end).await;
        };
        if redirects.len() == MAX_REDIRECTS {
            return Err(PageError::endless(&page.url));
        }
        redirects.push((page.url.clone(), page.status));
        self.hop(target.clone(), redirects, end).await
    }

    /// Sends one request. The address rules of the site apply to each hop, or else those of the first URL.
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
        let failed = |problem| PageError { url: url.clone(), problem };
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
