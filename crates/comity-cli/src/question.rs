//! From what a person calls a URL to what a crawler would ask for, and to the site that it is on.

use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use comity::dialect::UrlPath;
use comity::{Dialect, Escaped, Origin};
use url::Url;

use crate::input;

/// A URL to ask about.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    /// As it was typed.
    pub(crate) typed: String,
    /// As a browser, and so a crawler, would send it; none if it is no URL that could be sent.
    pub(crate) sent: Option<String>,
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
    /// Some URL on the site that it is about; none if that can't be told. A path is on the site that is given.
    pub(crate) fn on_site(&self, site: Option<&Origin>) -> Option<String> {
        match &self.site {
            Site::Known(origin) => Some(origin.to_string()),
            Site::Own => site.map(Origin::to_string),
            Site::Unknown => None,
        }
    }

    /// What is asked in a dialect.
    pub(crate) fn asked_in(&self, dialect: &Dialect) -> &str {
        match &self.sent {
            Some(sent) if !self.is_raw && !takes_strings(dialect) => sent,
            _ => &self.typed,
        }
    }

    /// What is asked in a dialect, if that is something else than what was typed.
    pub(crate) fn rewritten_in(&self, dialect: &Dialect) -> Option<&str> {
        self.changed().filter(|sent| *sent == self.asked_in(dialect))
    }

    /// What a browser would send, if that is something else than what was typed.
    pub(crate) fn changed(&self) -> Option<&str> {
        let sent = self.sent.as_deref()?;
        // That a slash is always sent is no change.
        let is_same = sent == self.typed || sent.strip_suffix('/').is_some_and(|sent| sent == self.typed);
        (!is_same).then_some(sent)
    }
}

/// The questions of one call: which URLs, and whose file.
#[derive(Debug)]
pub(crate) struct Questions {
    pub(crate) list: Vec<Question>,
    /// The site whose file it is.
    pub(crate) site: Option<Origin>,
    /// Nobody said so; it follows from the URLs.
    pub(crate) is_assumed: bool,
}

impl Questions {
    /// Makes questions of what was typed, and of the lines of a file.
    pub(crate) fn new(typed: &[String], file: Option<&Path>, origin: Option<&str>, raw: bool) -> Result<Self> {
        let given = origin.map(parse_origin).transpose()?;
        let list = collect(typed, file, raw)?;
        let mut sites = list.iter().filter_map(|question| match &question.site {
            Site::Known(origin) => Some(origin),
            Site::Own | Site::Unknown => None,
        });
        let site = match (&given, sites.next()) {
            (Some(given), _) => Some(given.clone()),
            (None, Some(first)) => {
                if let Some(other) = sites.find(|other| *other != first) {
                    bail!(
                        "these URLs are on several sites ({first} and {other}), and each site has a robots.txt of its \
                         own: say whose file this is with --origin"
                    );
                }
                Some(first.clone())
            }
            (None, None) => None,
        };
        Ok(Self { is_assumed: given.is_none() && site.is_some(), site, list })
    }

    /// The same for questions that are put to their own sites; paths are asked on the one that is given.
    pub(crate) fn live(typed: &[String], file: Option<&Path>, origin: Option<&str>, raw: bool) -> Result<Self> {
        let site = origin.map(parse_origin).transpose()?;
        let list = collect(typed, file, raw)?;
        if site.is_none()
            && let Some(path) = list.iter().find(|question| matches!(question.site, Site::Own))
        {
            let shown = Escaped(path.typed.as_bytes());
            bail!(
                "on which site is `{shown}`? Name the whole URL, or the site with --origin, or its file with --robots"
            );
        }
        Ok(Self { list, site, is_assumed: false })
    }

    /// What is taken for granted about whose file it is, for people.
    pub(crate) fn assumption(&self, file: &str) -> Option<String> {
        let site = self.site.as_ref().filter(|_| self.is_assumed)?;
        Some(format!("Assumed: {file} is the robots.txt of {site}; if not, give --origin."))
    }

    /// Whether the file governs a question's URL. Where it can't be told which site a URL is on, it does not.
    pub(crate) fn is_in_scope(&self, question: &Question) -> bool {
        match (&self.site, &question.site) {
            (Some(site), Site::Known(origin)) => site == origin,
            (Some(_), Site::Unknown) => false,
            _ => true,
        }
    }
}

fn collect(typed: &[String], file: Option<&Path>, raw: bool) -> Result<Vec<Question>> {
    let mut list: Vec<Question> = typed.iter().map(|url| question(url, raw)).collect::<Result<_>>()?;
    if let Some(path) = file {
        read_questions(path, raw, &mut list)?;
    }
    if list.is_empty() {
        bail!("which URL? Name one, or a file of them with --urls FILE");
    }
    Ok(list)
}

/// Whether this dialect takes any string for a URL.
pub(crate) fn takes_strings(dialect: &Dialect) -> bool {
    dialect.url_path == UrlPath::Reference
}

/// The site of any URL on it. The address of a robots.txt must be one where it counts.
fn parse_origin(url: &str) -> Result<Origin> {
    let is_robots_url = Url::parse(url).is_ok_and(|url| url.path().to_ascii_lowercase().ends_with("/robots.txt"));
    let origin = if is_robots_url { Origin::of_robots_url(url) } else { Origin::of(url) };
    origin.with_context(|| {
        // People type hosts where URLs are wanted; guessing the scheme would be guessing whose file it is.
        let host = Escaped(url.as_bytes());
        if url.contains("://") {
            "--origin".to_owned()
        } else {
            format!("--origin {host}: perhaps you mean https://{host}")
        }
    })
}

fn question(url: &str, is_raw: bool) -> Result<Question> {
    let question = |sent, site| Question { typed: url.to_owned(), sent, is_raw, site };
    if url.starts_with('/') && !url.starts_with("//") {
        // A path on some site: parsed as if on one, and asked for without it.
        const BASE: &str = "http://site.invalid";
        let parsed = Url::parse(&format!("{BASE}{url}")).ok();
        let sent = parsed.and_then(|parsed| parsed.as_str().strip_prefix(BASE).map(str::to_owned));
        return Ok(question(sent, Site::Own));
    }
    match (Url::parse(url), Origin::of(url)) {
        (Ok(parsed), Ok(origin)) => Ok(question(Some(parsed.into()), Site::Known(origin))),
        (_, Err(_)) if is_raw => {
            let names_a_site = url.contains("://") || url.starts_with("//");
            Ok(question(None, if names_a_site { Site::Unknown } else { Site::Own }))
        }
        (_, Err(error)) => Err(expected_url(url, &error)),
        (Err(error), Ok(_)) => Err(anyhow!("`{}`: {error}", Escaped(url.as_bytes()))),
    }
}

/// What is wrong with a URL, and what was probably meant.
fn expected_url(url: &str, error: &comity::OriginError) -> anyhow::Error {
    let shown = Escaped(url.as_bytes());
    if url.starts_with("//") {
        return anyhow!(
            "`{shown}` starts with `//`, so a browser would take it for a host: name the whole URL, \
             https://HOST{shown} for a path or https:{shown} for a host"
        );
    }
    if !error.is_not_a_url() || url.contains("://") {
        return anyhow!(error.clone());
    }
    let looks_like_one = url.contains(['.', '/']) && !url.contains(char::is_whitespace);
    let guess = if looks_like_one { format!("; perhaps you mean https://{shown} or /{shown}") } else { String::new() };
    anyhow!("expected an absolute URL or a path that starts with `/`, found `{shown}`{guess}")
}

/// The URLs of a file, one a line; blank lines and comments don't count.
fn read_questions(path: &Path, raw: bool, list: &mut Vec<Question>) -> Result<()> {
    for (number, line) in BufReader::new(input::open(path)?).split(b'\n').enumerate() {
        let place = || format!("{}, line {}", input::name(path), number + 1);
        let line = line.with_context(place)?;
        let text = std::str::from_utf8(&line)
            .map_err(|_| anyhow!("expected a URL, found bytes that are no text"))
            .with_context(place)?;
        let url = text.trim().trim_start_matches('\u{FEFF}');
        if !url.is_empty() && !url.starts_with('#') {
            list.push(question(url, raw).with_context(place)?);
        }
    }
    Ok(())
}
