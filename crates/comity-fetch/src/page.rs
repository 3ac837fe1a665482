//! Pages, and sitemaps: what else a person asks a site for.

use std::fmt;
use std::time::Duration;

use comity::Origin;
use comity_policy::{Failure, Request, Time};
use tokio::time::{Instant, timeout_at};
use url::Url;

use crate::transport::{Answer, Problem, Transport};

/// What a URL leads to.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Page {
    /// Where it was found, after redirects.
    pub url: Url,
    /// The status.
    pub status: u16,
    /// The header fields as they came.
    pub fields: Vec<(String, String)>,
    /// The body, decoded, as far as it was asked for.
    pub body: Vec<u8>,
    /// Whether there was more of the body.
    pub is_cut: bool,
    /// The redirects on the way: where from, and with which status.
    pub redirects: Vec<(Url, u16)>,
}

/// Why there is no page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageError {
    /// Where it happened.
    url: Url,
    problem: Problem,
}

impl PageError {
    /// What went wrong, as policies tell failures apart.
    pub fn failure(&self) -> Failure {
        self.problem.failure
    }
}

impl fmt::Display for PageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", comity::without_userinfo(self.url.as_str()), self.problem.failure, self.problem.detail)
    }
}

impl std::error::Error for PageError {}

/// As many redirects of a page are followed as browsers follow.
const MOST_REDIRECTS: usize = 20;

/// Gets a page: no more than so many bytes of it, in no more than this time.
pub(crate) async fn get(transport: &Transport, url: &Url, most: usize, time: Duration) -> Result<Page, PageError> {
    let end = Instant::now() + time;
    let mut at = url.clone();
    let mut redirects = Vec::new();
    let failed = |at: &Url, failure, detail: &str| PageError {
        url: at.clone(),
        problem: Problem { failure, detail: detail.to_owned() },
    };
    let Some(origin) = Origin::of_url(url) else { return Err(failed(url, Failure::Refused, "the URL has no host")) };
    loop {
        // Whatever the address rules say of the first origin, they say it of each hop anew.
        let request = Request::for_page(at.clone(), redirects.len(), Time::default());
        let sent = timeout_at(end, transport.send(&request, &origin)).await;
        let mut answer = match sent {
            Ok(Ok(answer)) => answer,
            Ok(Err(problem)) => return Err(PageError { url: at, problem }),
            Err(_) => return Err(failed(&at, Failure::Timeout, "the page took too long")),
        };
        let status = answer.head.status();
        if let Some(target) = target(&at, status, &answer) {
            if redirects.len() == MOST_REDIRECTS {
                return Err(failed(&at, Failure::BadRedirect, "the redirects don't end"));
            }
            redirects.push((std::mem::replace(&mut at, target), status));
            continue;
        }
        let (body, is_cut) = match timeout_at(end, read(&mut answer, most)).await {
            Ok(Ok(read)) => read,
            Ok(Err(problem)) => return Err(PageError { url: at, problem }),
            Err(_) => return Err(failed(&at, Failure::Timeout, "the page took too long")),
        };
        return Ok(Page { url: at, status, fields: answer.fields, body, is_cut, redirects });
    }
}

/// Where a redirect leads, if it is one that can be followed.
fn target(at: &Url, status: u16, answer: &Answer) -> Option<Url> {
    if !matches!(status, 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let (_, location) = answer.fields.iter().find(|(name, _)| name.eq_ignore_ascii_case("location"))?;
    let target = at.join(location).ok()?;
    matches!(target.scheme(), "http" | "https").then_some(target)
}

async fn read(answer: &mut Answer, most: usize) -> Result<(Vec<u8>, bool), Problem> {
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
