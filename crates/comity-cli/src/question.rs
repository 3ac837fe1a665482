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
    /// As it is asked.
    pub(crate) asked: String,
    /// The site that it is on, if it says so.
    pub(crate) origin: Option<Origin>,
}

impl Question {
    /// Whether the URL was changed before it was asked for.
    pub(crate) fn is_changed(&self) -> bool {
        // A browser adds the slash that is always sent, and a path is not changed by being put behind its site.
        !(self.asked == self.typed
            || self.asked.strip_suffix('/').is_some_and(|asked| asked == self.typed)
            || (self.is_path() && self.asked.ends_with(&self.typed)))
    }

    fn is_path(&self) -> bool {
        self.typed.starts_with('/')
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
    /// Makes questions of what was typed.
    pub(crate) fn new(typed: Vec<String>, origin: Option<&str>, raw: bool) -> Result<Self> {
        let given = origin.map(parse_origin).transpose()?;
        let mut list = Vec::new();
        for url in typed {
            list.push(if raw { as_it_stands(url) } else { as_sent(url)? });
        }
        let mut sites = list.iter().filter_map(|question| question.origin.as_ref());
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

    /// Whether the file governs a question's URL. What names no site is asked for on the file's own.
    pub(crate) fn is_in_scope(&self, question: &Question) -> bool {
        match (&self.site, &question.origin) {
            (Some(site), Some(origin)) => site == origin,
            _ => true,
        }
    }
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

fn as_it_stands(url: String) -> Question {
    Question { asked: url.clone(), origin: Origin::of(&url).ok(), typed: url }
}

/// As a browser, and so a crawler, would send it.
fn as_sent(url: String) -> Result<Question> {
    if url.starts_with('/') {
        // A path on some site: parsed as if on one, and asked for without it.
        let base = "http://site.invalid";
        let parsed = Url::parse(&format!("{base}{url}")).map_err(|e| anyhow!("`{}`: {e}", Escaped(url.as_bytes())))?;
        let asked = parsed.as_str().strip_prefix(base).unwrap_or(parsed.as_str()).to_owned();
        return Ok(Question { asked, origin: None, typed: url });
    }
    let origin = Origin::of(&url).map_err(|error| {
        let shown = Escaped(url.as_bytes());
        if error.is_not_a_url() && !url.contains("://") {
            anyhow!(
                "expected an absolute URL or a path that starts with `/`, found `{shown}`; \
                 perhaps you mean https://{shown} or /{shown}"
            )
        } else {
            anyhow!(error)
        }
    })?;
    let parsed = Url::parse(&url)?;
    Ok(Question { asked: parsed.into(), origin: Some(origin), typed: url })
}

/// The URLs of a file, one a line; blank lines don't count.
pub(crate) fn read_urls(path: &Path) -> Result<Vec<String>> {
    let mut urls = Vec::new();
    for (number, line) in BufReader::new(input::open(path)?).split(b'\n').enumerate() {
        let line = line.with_context(|| format!("{} could not be read", input::name(path)))?;
        let text = std::str::from_utf8(&line).map_err(|_| {
            anyhow!("{}, line {}: expected a URL, found bytes that are no text", input::name(path), number + 1)
        })?;
        let url = text.trim().trim_start_matches('\u{FEFF}');
        if !url.is_empty() {
            urls.push(url.to_owned());
        }
    }
    Ok(urls)
}
