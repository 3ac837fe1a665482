//! From what a person calls a URL to what a crawler would ask for, and to the site that it is on.

use comity::dialect::Escapes;
use comity::{Dialect, Origin, OriginError, without_userinfo};
use url::Url;

use crate::error::{AskError, Kind};

/// A URL to ask about.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Question {
    /// As it was typed, without a user name and a password.
    pub typed: String,
    /// As a browser, and so a crawler, would send it; none if it is no URL that could be sent.
    pub sent: Option<String>,
    /// It is to be asked as it was typed.
    is_raw: bool,
    site: Site,
}

/// Where a URL is.
#[derive(Clone, Debug)]
enum Site {
    Known(Origin),
    /// On the site whose file it is: only a path was typed.
    Own,
    /// On some site, but it can't be told which.
    Unknown,
}

impl Question {
    /// A question about a URL, or about a path that starts with `/`. `raw` takes it as it stands, even if it is no URL.
    pub fn new(url: &str, raw: bool) -> Result<Self, AskError> {
        // Crawlers don't send these, and what is printed must not show them.
        let url = &*without_userinfo(url);
        let question = |sent, site| Self { typed: url.to_owned(), sent, is_raw: raw, site };
        if url.starts_with('/') && !url.starts_with("//") {
            // A path on some site: parsed as if on one, and asked for without it.
            const BASE: &str = "http://site.invalid";
            let parsed = Url::parse(&format!("{BASE}{url}")).ok();
            let sent = parsed.and_then(|parsed| parsed.as_str().strip_prefix(BASE).map(str::to_owned));
            return Ok(question(sent, Site::Own));
        }
        match (Url::parse(url), Origin::of(url)) {
            (Ok(parsed), Ok(origin)) => Ok(question(Some(parsed.into()), Site::Known(origin))),
            (_, Err(_)) if raw => {
                let names_a_site = url.contains("://") || url.starts_with("//");
                Ok(question(None, if names_a_site { Site::Unknown } else { Site::Own }))
            }
            (_, Err(error)) => Err(expected_url(url, error)),
            (Err(error), Ok(_)) => Err(AskError::new(Kind::Unclear { url: url.to_owned(), error })),
        }
    }

    /// Some URL on the site that it is about; none if that can't be told. A path is on the site that is given.
    pub fn on_site(&self, site: Option<&Origin>) -> Option<String> {
        match &self.site {
            Site::Known(origin) => Some(origin.to_string()),
            Site::Own => site.map(Origin::to_string),
            Site::Unknown => None,
        }
    }

    /// What is asked in a dialect.
    pub fn asked_in(&self, dialect: &Dialect) -> &str {
        match &self.sent {
            Some(sent) if !self.is_raw && !accepts_raw_urls(dialect) => sent,
            _ => &self.typed,
        }
    }

    /// What is asked in a dialect, if that is something else than what was typed.
    pub fn rewritten_in(&self, dialect: &Dialect) -> Option<&str> {
        self.changed().filter(|sent| *sent == self.asked_in(dialect))
    }

    /// What a browser would send, if that is something else than what was typed.
    pub fn changed(&self) -> Option<&str> {
        let sent = self.sent.as_deref()?;
        // That a slash is always sent is no change.
        let is_same = sent == self.typed || sent.strip_suffix('/').is_some_and(|sent| sent == self.typed);
        (!is_same).then_some(sent)
    }
}

/// The questions of one call: which URLs, and whose file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Questions {
    /// The URLs, in the order in which they were given.
    pub list: Vec<Question>,
    /// The site whose file it is.
    pub site: Option<Origin>,
    /// Nobody said so; it follows from the URLs.
    pub is_assumed: bool,
}

impl Questions {
    /// Of URLs that are asked about one file. The site follows from them unless it is said.
    pub fn of_file(list: Vec<Question>, origin: Option<&str>) -> Result<Self, AskError> {
        let given = origin.map(site_of).transpose()?;
        let list = some(list)?;
        let mut sites = list.iter().filter_map(|question| match &question.site {
            Site::Known(origin) => Some(origin),
            Site::Own | Site::Unknown => None,
        });
        let site = match (&given, sites.next()) {
            (Some(given), _) => Some(given.clone()),
            (None, Some(first)) => {
                if let Some(other) = sites.find(|other| *other != first) {
                    return Err(AskError::new(Kind::SeveralSites(first.clone(), other.clone())));
                }
                Some(first.clone())
            }
            (None, None) => None,
        };
        Ok(Self { is_assumed: given.is_none() && site.is_some(), site, list })
    }

    /// Of URLs that are put to their own sites; paths are asked on the one that is given.
    pub fn live(list: Vec<Question>, origin: Option<&str>) -> Result<Self, AskError> {
        let site = origin.map(site_of).transpose()?;
        let list = some(list)?;
        if site.is_none()
            && let Some(path) = list.iter().find(|question| matches!(question.site, Site::Own))
        {
            return Err(AskError::new(Kind::WhichSite(path.typed.clone())));
        }
        Ok(Self { list, site, is_assumed: false })
    }

    /// Whether the file governs a question's URL. Where it can't be told which site a URL is on, it does not.
    #[must_use]
    pub fn is_in_scope(&self, question: &Question) -> bool {
        match (&self.site, &question.site) {
            (Some(site), Site::Known(origin)) => site == origin,
            (Some(_), Site::Unknown) => false,
            _ => true,
        }
    }
}

fn some(list: Vec<Question>) -> Result<Vec<Question>, AskError> {
    if list.is_empty() { Err(AskError::new(Kind::NoUrl)) } else { Ok(list) }
}

/// Returns true if this dialect takes any string for a URL: if it takes URLs as they are, so do those who ask.
#[must_use]
pub fn accepts_raw_urls(dialect: &Dialect) -> bool {
    dialect.escapes == Escapes::PatternOnly
}

/// Returns the site of any URL on it. The address of a robots.txt must be one where it counts.
pub fn site_of(url: &str) -> Result<Origin, AskError> {
    let is_robots_url = Url::parse(url).is_ok_and(|url| url.path().to_ascii_lowercase().ends_with("/robots.txt"));
    let origin = if is_robots_url { Origin::of_robots_url(url) } else { Origin::of(url) };
    origin.map_err(|error| AskError::new(Kind::Origin { given: without_userinfo(url).into_owned(), error }))
}

/// What is wrong with a URL.
fn expected_url(url: &str, error: OriginError) -> AskError {
    AskError::new(if url.starts_with("//") {
        Kind::TwoSlashes(url.to_owned())
    } else if !error.is_not_a_url() || url.contains("://") {
        Kind::Url(error)
    } else {
        Kind::NotAUrl(url.to_owned())
    })
}
