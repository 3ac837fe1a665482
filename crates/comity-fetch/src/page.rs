//! Pages and sitemaps: requests for URLs other than a robots.txt.

use std::fmt;
use std::time::Duration;

use comity::Origin;
use comity_policy::{Failure, Request, Time};
use tokio::time::{Instant, timeout_at};
use url::Url;

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

/// Gets a page and follows its redirects: at most `max_bytes` of the body, within `time` in all. `site` is the site that
/// chose the URL, unless the user did.
pub(crate) async fn get(
    sender: &Sender,
    url: &Url,
    site: Option<&Origin>,
    max_bytes: usize,
    time: Duration,
) -> Result<FetchedPage, PageError> {
    let end = Instant::now() + time;
    // The user trusts a host in the URLs that the user typed, and not in those that another site chose.
    let site = site.filter(|_| sender.trusts(url));
    let mut page = hop(sender, url.clone(), Vec::new(), site, max_bytes, end).await?;
    while page.location.is_some() {
        page = follow(sender, &page, site, max_bytes, end).await?;
    }
    Ok(page)
}

/// Fetches the target of a page's redirect. Fetches a page that is not a redirect again.
pub(crate) async fn follow(
    sender: &Sender,
    page: &FetchedPage,
    site: Option<&Origin>,
    max_bytes: usize,
    end: Instant,
) -> Result<FetchedPage, PageError> {
    let mut redirects = page.redirects.clone();
    let Some(target) = &page.location else {
        return hop(sender, page.url.clone(), redirects, site, max_bytes, end).await;
    };
    if redirects.len() == MAX_REDIRECTS {
        return Err(PageError::new(&page.url, Failure::BadRedirect, "the redirects don't end"));
    }
    redirects.push((page.url.clone(), page.status));
    hop(sender, target.clone(), redirects, site, max_bytes, end).await
}

/// Sends one request. The address rules of `site` apply to each hop, or else those of the first URL.
pub(crate) async fn hop(
    sender: &Sender,
    url: Url,
    redirects: Vec<(Url, u16)>,
    site: Option<&Origin>,
    max_bytes: usize,
    end: Instant,
) -> Result<FetchedPage, PageError> {
    // The client never logs in, and the URL of the page is printed and logged.
    let url = without_user(&url);
    let first = redirects.first().map_or(&url, |(first, _)| first);
    let Some(origin) = site.cloned().or_else(|| Origin::of_url(first)) else {
        return Err(PageError::new(first, Failure::Refused, "the URL has no host"));
    };
    let late = || PageError::new(&url, Failure::Timeout, "the page took too long");
    let failed = |problem| PageError { url: url.clone(), problem };
    let request = Request::for_page(url.clone(), redirects.len(), Time::default());
    let sent = timeout_at(end, sender.send(&request, &origin)).await;
    let mut answer = sent.map_err(|_| late())?.map_err(failed)?;
    let status = answer.head.status();
    let location = target(&url, status, &answer);
    let (body, is_cut) = if location.is_some() {
        (Vec::new(), false)
    } else {
        timeout_at(end, read(&mut answer, max_bytes)).await.map_err(|_| late())?.map_err(failed)?
    };
    Ok(FetchedPage { url, status, fields: answer.fields, body, is_cut, location, redirects })
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
