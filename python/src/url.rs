//! URLs as arguments.

use std::borrow::Cow;

use comity::url::{is_plain_path, is_plain_url, parse_url, sent_path, sent_url};
use comity::{Escaped, Origin, Rules, Verdict};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use crate::errors;

/// A URL as an argument: a `str`.
pub(crate) struct UrlArgument<'py>(Bound<'py, PyString>);

impl UrlArgument<'_> {
    /// Returns the text.
    pub(crate) fn text(&self) -> PyResult<&str> {
        errors::text(&self.0, "a URL or a path", errors::invalid_url)
    }
}

impl<'py> FromPyObject<'_, 'py> for UrlArgument<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(text) = object.cast::<PyString>() {
            return Ok(Self(text.to_owned()));
        }
        Err(not_text(object))
    }
}

/// Returns the exception for an object that is no `str`.
fn not_text(object: Borrowed<'_, '_, PyAny>) -> PyErr {
    match object.get_type().name() {
        Ok(found) => PyTypeError::new_err(format!("expected a URL or a path as str, found {found}; convert it first")),
        Err(error) => error,
    }
}

/// Reads URLs as an argument: an iterable of `str`, but not one `str`, whose elements are its letters.
pub(crate) fn read_all<'py>(urls: &Bound<'py, PyAny>) -> PyResult<Vec<UrlArgument<'py>>> {
    let read = |url: Bound<'py, PyAny>| match url.cast_into::<PyString>() {
        Ok(text) => Ok(UrlArgument(text)),
        Err(error) => Err(not_text(error.into_inner().as_borrowed())),
    };
    if let Ok(list) = urls.cast::<PyList>() {
        let mut all = Vec::with_capacity(list.len());
        for url in list {
            all.push(read(url)?);
        }
        return Ok(all);
    }
    if urls.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err("expected a list of URLs, found str; put it into a list"));
    }
    urls.try_iter()?.map(|url| read(url?)).collect()
}

/// Text that is neither a URL nor a path.
#[derive(Debug)]
pub(crate) struct NotAUrl(String);

impl NotAUrl {
    /// Returns the exception.
    pub(crate) fn into_exception(self, py: Python<'_>) -> PyErr {
        errors::invalid_url(py, self.0)
    }

    /// Returns the exception for an element of a list.
    pub(crate) fn at(self, index: usize, py: Python<'_>) -> PyErr {
        errors::invalid_url(py, format!("urls[{index}]: {}", self.0))
    }
}

/// Returns a URL or a path in the form in which a browser would send it, and the origin of a URL.
fn sent(url: &str) -> Result<(Cow<'_, str>, Option<Origin>), NotAUrl> {
    if url.starts_with('/') {
        return sent_path(url).map(|path| (Cow::Owned(path), None)).ok_or_else(|| {
            let found = Escaped(url.as_bytes());
            NotAUrl(format!(
                "expected a URL such as https://example.com/page, or a path such as /page, found `{found}`, which names \
                 another host"
            ))
        });
    }
    match Origin::parse_url(url) {
        Ok((url, origin)) => Ok((url, Some(origin))),
        Err(error) if error.is_not_a_url() => {
            let found = comity::url::without_userinfo(url);
            Err(NotAUrl(format!(
                "expected a URL such as https://example.com/page, or a path such as /page, found `{}`",
                Escaped(found.as_bytes())
            )))
        }
        Err(error) => Err(NotAUrl(error.to_string())),
    }
}

/// Checks a URL by the rules of a file. The answer is "out of scope" if the file belongs to another origin.
pub(crate) fn check(rules: &Rules, origin: Option<&Origin>, url: &str) -> Result<Verdict, NotAUrl> {
    in_scope(origin, url, |url| rules.check(url))
}

/// The answers to many questions, most of them about the same site.
pub(crate) struct Answers<'a> {
    rules: &'a Rules,
    origin: Option<&'a Origin>,
    /// The start of plain URLs up to their path. It need not be examined for each of them.
    site: Option<&'a str>,
}

impl<'a> Answers<'a> {
    pub(crate) fn new(rules: &'a Rules, origin: Option<&'a Origin>) -> Self {
        Self { rules, origin, site: origin.map(Origin::as_str) }
    }

    /// Checks a URL as [`check`] does.
    #[inline]
    pub(crate) fn check(&mut self, url: &'a str) -> Result<Verdict, NotAUrl> {
        let path = self.site.and_then(|site| url.strip_prefix(site));
        if let Some(path) = path.filter(|path| is_plain_path(path)) {
            // The path alone is faster, but a dialect may read a host after two slashes.
            return Ok(self.rules.check(if path.starts_with("//") { url } else { path }));
        }
        if self.origin.is_none() && is_plain_url(url) {
            self.site = site(url);
            return Ok(self.rules.check(url));
        }
        check(self.rules, self.origin, url)
    }
}

/// Returns the start of a plain URL up to its path.
fn site(url: &str) -> Option<&str> {
    let (scheme, rest) = url.split_once("://")?;
    let (host, _) = rest.split_once('/')?;
    url.get(..scheme.len() + "://".len() + host.len())
}

/// Calls a function with a URL as it is sent. Returns the verdict "out of scope" instead for a URL of another origin.
pub(crate) fn in_scope(
    origin: Option<&Origin>,
    url: &str,
    check: impl FnOnce(&str) -> Verdict,
) -> Result<Verdict, NotAUrl> {
    let (url, is_in_scope) = as_sent(origin, url)?;
    Ok(if is_in_scope { check(&url) } else { Verdict::out_of_scope() })
}

/// Returns a URL or a path as it is sent, and true unless it is a URL of another origin.
pub(crate) fn as_sent<'a>(origin: Option<&Origin>, url: &'a str) -> Result<(Cow<'a, str>, bool), NotAUrl> {
    // Nearly all are in that form, and need not be parsed.
    let path = origin.and_then(|origin| url.strip_prefix(origin.as_str())).unwrap_or(url);
    if is_plain_path(path) && !url.starts_with("//") {
        return Ok((Cow::Borrowed(url), true));
    }
    let is_within = |url: &str| {
        origin.is_none_or(|origin| url.strip_prefix(origin.as_str()).is_some_and(|path| path.starts_with('/')))
    };
    if let Some(url) = sent_url(url) {
        let is_in_scope = is_within(&url);
        return Ok((url, is_in_scope));
    }
    // A URL with a name and a password is not like its origin.
    if let Some(url) = parsed(url).filter(|url| is_within(url)) {
        return Ok((Cow::Owned(url), true));
    }
    let (url, found) = sent(url)?;
    let is_elsewhere = matches!((origin, found), (Some(origin), Some(found)) if *origin != found);
    Ok((url, !is_elsewhere))
}

/// Parses a URL of the web. [`sent`] examines all others. It creates an origin for each URL, which takes as long as parsing
/// it.
fn parsed(url: &str) -> Option<String> {
    let parsed = parse_url(url).ok().filter(|_| !url.starts_with('/'))?;
    // The host `.` is none.
    let has_host = matches!(parsed.scheme(), "http" | "https") && parsed.host_str().is_some_and(|host| host != ".");
    has_host.then(|| parsed.into())
}

/// Reads the origin of a site: any URL of it.
pub(crate) fn origin(py: Python<'_>, url: Option<&str>) -> PyResult<Option<Origin>> {
    url.map(|url| Origin::of(url).map_err(|error| errors::invalid_url(py, error.to_string()))).transpose()
}
