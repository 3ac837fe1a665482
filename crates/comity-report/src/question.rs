//! URLs as users type them, with the form that a crawler would send and the site that they are on.

use std::borrow::Cow;

use comity::dialect::Escapes;
use comity::url::{names_host, parse_url, unambiguous_path, without_userinfo};
use comity::{Dialect, Origin, OriginError};

use crate::error::{AskError, Kind};

/// The maximum size of a URL that strangers choose, in bytes. Few servers accept half of it. The engine's time limit for
/// hostile files and URLs holds for all paths below 64 KiB, to which escapes may extend a URL of this size.
pub const MAX_URL_BYTES: usize = 20 << 10;

/// A URL to check.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Question {
    /// The URL as typed, without a user name and a password.
    pub typed: String,
    /// The URL in the form in which a browser, and so a crawler, would send it; `None` if it is not a URL that can be
    /// sent.
    pub sent: Option<String>,
    /// The URL to check in place of `sent`, if `sent` is a path in which a dialect would read a host.
    unambiguous: Option<String>,
    /// True if the URL is to be checked as typed.
    is_raw: bool,
    site: Site,
}

/// The site of a URL.
#[derive(Clone, Debug)]
enum Site {
    Known(Origin),
    /// The site of the file, since only a path was typed.
    Own,
    /// A site that can't be determined.
    Unknown,
}

impl Question {
    /// Creates a question about a URL, or about a path that starts with `/`. With `raw`, the text is checked as typed,
    /// even if it is not a URL.
    pub fn new(url: &str, raw: bool) -> Result<Self, AskError> {
        // Crawlers do not send a user name and a password, and the output must not contain them.
        let url = &*without_userinfo(url);
        let question = |sent, site| Self { typed: url.to_owned(), sent, unambiguous: None, is_raw: raw, site };
        if url.starts_with('/') && !names_host(url) {
            // A path is parsed with a placeholder site, which is removed from the result.
            const BASE: &str = "http://site.invalid";
            let parsed = parse_url(&format!("{BASE}{url}")).ok();
            let sent = parsed.and_then(|parsed| parsed.as_str().strip_prefix(BASE).map(str::to_owned));
            return Ok(Self { unambiguous: unambiguous(sent.as_deref()), ..question(sent, Site::Own) });
        }
        match (parse_url(url), Origin::of(url)) {
            (Ok(parsed), Ok(origin)) => Ok(question(Some(parsed.into()), Site::Known(origin))),
            (_, Err(_)) if raw => {
                let names_a_site = url.contains("://") || names_host(url);
                Ok(question(None, if names_a_site { Site::Unknown } else { Site::Own }))
            }
            (_, Err(error)) => Err(expected_url(url, error)),
            (Err(error), Ok(_)) => Err(AskError::new(Kind::Unclear { url: url.to_owned(), error })),
        }
    }

    /// Creates a question about a URL that another parser normalized, as in a browser. `sent` is the URL in the form in
    /// which a browser sends it, or the path if only a path was typed, which has no site.
    #[must_use]
    pub fn parsed(typed: &str, sent: String, site: Option<Origin>) -> Self {
        let typed = without_userinfo(typed).into_owned();
        let unambiguous = if site.is_none() { unambiguous(Some(&sent)) } else { None };
        Self { typed, sent: Some(sent), unambiguous, is_raw: false, site: site.map_or(Site::Own, Site::Known) }
    }

    /// Returns a URL on the site of the question, or `None` if the site can't be determined. A path belongs to `site`.
    pub fn on_site(&self, site: Option<&Origin>) -> Option<String> {
        match &self.site {
            Site::Known(origin) => Some(origin.to_string()),
            Site::Own => site.map(Origin::to_string),
            Site::Unknown => None,
        }
    }

    /// Returns true if the file of `site` governs the URL. If that site is known and the site of the URL can't be
    /// determined, it does not.
    pub(crate) fn is_in_scope_of(&self, site: Option<&Origin>) -> bool {
        match (site, &self.site) {
            (Some(site), Site::Known(origin)) => site == origin,
            (Some(_), Site::Unknown) => false,
            _ => true,
        }
    }

    /// Returns the URL or path in the form in which it is checked in a dialect.
    ///
    /// For a path that is sent with two slashes at its start, such as `/.//a`, this is a URL of a placeholder host: see
    /// [`unambiguous_path`]. [`shown_in`](Self::shown_in) returns the path, for output.
    pub fn asked_in(&self, dialect: &Dialect) -> &str {
        match (&self.unambiguous, &self.sent) {
            _ if self.is_checked_as_typed(dialect) => &self.typed,
            (Some(url), _) | (None, Some(url)) => url,
            (None, None) => &self.typed,
        }
    }

    /// Returns the URL or path in the form in which it is checked in a dialect by the robots.txt of `site`. A path in which
    /// a parser could read a host becomes a URL of the site.
    pub fn asked_on(&self, site: &Origin, dialect: &Dialect) -> Cow<'_, str> {
        match self.shown_in(dialect) {
            path if matches!(self.site, Site::Own) && is_like_host(path) => Cow::Owned(format!("{site}{path}")),
            _ => Cow::Borrowed(self.asked_in(dialect)),
        }
    }

    /// Returns the URL or path that is checked in a dialect, for output.
    pub fn shown_in(&self, dialect: &Dialect) -> &str {
        match &self.sent {
            Some(sent) if !self.is_checked_as_typed(dialect) => sent,
            _ => &self.typed,
        }
    }

    fn is_checked_as_typed(&self, dialect: &Dialect) -> bool {
        self.is_raw || accepts_raw_urls(dialect)
    }

    /// Returns the form that is checked in a dialect, if it differs from what was typed.
    pub fn rewritten_in(&self, dialect: &Dialect) -> Option<&str> {
        self.changed().filter(|sent| *sent == self.shown_in(dialect))
    }

    /// Returns the form that a browser would send, if it differs from what was typed.
    pub fn changed(&self) -> Option<&str> {
        let sent = self.sent.as_deref()?;
        // A slash that is added to the end is not reported as a change, since it is always sent.
        let is_same = sent == self.typed || sent.strip_suffix('/').is_some_and(|sent| sent == self.typed);
        (!is_same).then_some(sent)
    }
}

/// The questions of one call: the URLs, and the site of the file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Questions {
    /// The URLs, in the order in which they were given.
    pub list: Vec<Question>,
    /// The site of the file.
    pub site: Option<Origin>,
    /// True if the site was not given and is assumed from the URLs.
    pub is_assumed: bool,
}

impl Questions {
    /// Creates questions about URLs that one file answers. The site defaults to that of the URLs.
    ///
    /// # Errors
    ///
    /// If there are no URLs, if `origin` is not a valid site, or if it is missing and the URLs are on several sites.
    pub fn of_file(list: Vec<Question>, origin: Option<&str>) -> Result<Self, AskError> {
        Self::of_site(list, origin.map(site_of).transpose()?)
    }

    /// Creates questions about URLs that the file of a site answers. The site defaults to that of the URLs.
    ///
    /// # Errors
    ///
    /// If there are no URLs, or if there is no `site` and the URLs are on several sites.
    pub fn of_site(list: Vec<Question>, given: Option<Origin>) -> Result<Self, AskError> {
        let list = some(list)?;
        let mut sites = list.iter().filter_map(|question| match &question.site {
            Site::Known(origin) => Some(origin),
            Site::Own | Site::Unknown => None,
        });
        let (site, is_assumed) = match (given, sites.next()) {
            (Some(given), _) => (Some(given), false),
            (None, Some(first)) => {
                if let Some(other) = sites.find(|other| *other != first) {
                    return Err(AskError::new(Kind::SeveralSites(first.clone(), other.clone())));
                }
                (Some(first.clone()), true)
            }
            (None, None) => (None, false),
        };
        Ok(Self { list, site, is_assumed })
    }

    /// Creates questions about URLs that the files of their own sites answer. Paths belong to the site `origin`.
    ///
    /// # Errors
    ///
    /// If there are no URLs, if `origin` is not a valid site, or if it is missing and there is a path.
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

    /// Creates questions without URLs, for URLs that are added later.
    ///
    /// # Errors
    ///
    /// If `origin` is not a valid site.
    pub fn without_urls(origin: Option<&str>) -> Result<Self, AskError> {
        Ok(Self { list: Vec::new(), site: origin.map(site_of).transpose()?, is_assumed: false })
    }

    /// Returns true if the file governs the URL of a question.
    #[must_use]
    pub fn is_in_scope(&self, question: &Question) -> bool {
        question.is_in_scope_of(self.site.as_ref())
    }
}

/// Returns true if a parser could read a host in a path, after two slashes. URL parsers ignore tabs and line ends, and
/// take a backslash for a slash.
pub(crate) fn is_like_host(path: &str) -> bool {
    path.strip_prefix('/').is_some_and(|rest| rest.starts_with(['/', '\\', '\t', '\r', '\n']))
}

/// Returns the URL to check in place of a path as it is sent, if a dialect would read a host in the path.
fn unambiguous(sent: Option<&str>) -> Option<String> {
    match unambiguous_path(sent?) {
        Cow::Owned(url) => Some(url),
        Cow::Borrowed(_) => None,
    }
}

fn some(list: Vec<Question>) -> Result<Vec<Question>, AskError> {
    if list.is_empty() { Err(AskError::new(Kind::NoUrl)) } else { Ok(list) }
}

/// Returns true if this dialect accepts any string as a URL. Questions in it are then checked as typed.
#[must_use]
pub fn accepts_raw_urls(dialect: &Dialect) -> bool {
    dialect.escapes == Escapes::PatternOnly
}

/// Returns the site of a URL. A URL of a robots.txt must be one at which the file governs its site.
pub fn site_of(url: &str) -> Result<Origin, AskError> {
    let is_robots_url = parse_url(url).is_ok_and(|url| url.path().to_ascii_lowercase().ends_with("/robots.txt"));
    let origin = if is_robots_url { Origin::of_robots_url(url) } else { Origin::of(url) };
    origin.map_err(|error| AskError::new(Kind::Origin { given: without_userinfo(url).into_owned(), error }))
}

/// Returns the error about a URL that is not valid.
fn expected_url(url: &str, error: OriginError) -> AskError {
    AskError::new(if names_host(url) {
        Kind::TwoSlashes(url.to_owned())
    } else if !error.is_not_a_url() || url.contains("://") {
        Kind::Url(error)
    } else {
        Kind::NotAUrl(url.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use comity::Crawlers;

    use super::*;
    use crate::check::Check;
    use crate::crawler_query::CrawlerQuery;

    #[test]
    fn a_path_has_the_answer_of_its_url() {
        const RULES: &[u8] = b"User-agent: *\nDisallow: /*private\nDisallow: //private\nAllow: /x\n";
        let origin = Origin::of("https://shop.example/").unwrap();
        for dialect in Dialect::ALL {
            for path in ["/.//private/x", "/a/..//private/x", "/%2e//private/x", "/C:/../private/x", "/a/../x", "/x"] {
                let whole = Question::new(&format!("https://shop.example{path}"), false).unwrap();
                let alone = Question::new(path, false).unwrap();
                let parsed = Question::parsed(path, alone.sent.clone().unwrap(), None);
                assert_eq!(whole.sent, alone.sent.as_ref().map(|path| format!("{origin}{path}")));
                assert_eq!(alone.shown_in(dialect), parsed.shown_in(dialect));
                let crawler = CrawlerQuery::new("ExampleBot", Some(&Crawlers::builtin()));
                let list = vec![whole, alone, parsed];
                let decide = |asked: &str| dialect.decide(RULES, &crawler.as_crawler(), asked).answer();
                let on_site: Vec<_> = list.iter().map(|one| decide(&one.asked_on(&origin, dialect))).collect();
                let questions = Questions::of_file(list, Some("https://shop.example/")).unwrap();
                let check = Check::new(dialect, vec![crawler], questions);
                let site = check.given(RULES);
                let by_file: Vec<_> = check.answers(Ok(&site)).map(|answered| answered.answer().unwrap()).collect();
                assert!(by_file.iter().all(|answer| *answer == by_file[0]), "{path} in {dialect}: {by_file:?}");
                assert_eq!(on_site, by_file, "{path} in {dialect}");
            }
        }
    }
}
