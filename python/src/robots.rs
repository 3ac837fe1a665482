//! The class `Robots`.

use comity::{Dialect, Meaning, Origin};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

use crate::body::Body;
use crate::crawler;
use crate::document::{Group, Record, lossy};
use crate::errors;
use crate::explanation::Explanation;
use crate::permissions::{self, Permissions};
use crate::restore::{self, Reduced};
use crate::rules::Rules;
use crate::url::{self, UrlArgument};
use crate::verdict::Verdict;

/// A parsed robots.txt. It is immutable, and threads can share it.
///
/// >>> robots = comity.Robots.parse("User-agent: Googlebot\nDisallow: /private/\nSitemap: https://example.com/s.xml\n")
/// >>> robots.is_allowed("https://example.com/private/", crawler="Googlebot-Image")
/// False
/// >>> robots.sitemaps
/// ['https://example.com/s.xml']
#[pyclass(frozen, module = "comity")]
#[derive(Debug)]
pub(crate) struct Robots {
    pub(crate) parsed: comity::Robots,
    pub(crate) origin: Option<Origin>,
    /// The bytes that were parsed. The engine does not keep them.
    body: Py<PyBytes>,
}

impl Robots {
    pub(crate) fn new(robots: comity::Robots, body: Py<PyBytes>, origin: Option<Origin>) -> Self {
        Self { parsed: robots, origin, body }
    }

    /// Returns the file if it applies to a URL. Returns an empty file of the same dialect for a URL of another site.
    fn applied(&self, is_in_scope: bool) -> comity::Robots {
        if is_in_scope { self.parsed.clone() } else { comity::Robots::parse_with(b"", self.parsed.dialect()) }
    }
}

#[pymethods]
impl Robots {
    /// Parses a file. This never fails, whatever its bytes.
    ///
    /// `dialect` is `"standard"` (RFC 9309), `"google"`, `"google-parser"`, `"bing"`, `"yandex"` or `"norobots-1996"`.
    /// With `origin`, any URL of the site of the file, the answer for URLs of other sites is `"out-of-scope"`.
    #[staticmethod]
    #[pyo3(signature = (body, *, dialect="standard", origin=None))]
    fn parse(py: Python<'_>, body: Body<'_>, dialect: &str, origin: Option<&str>) -> PyResult<Self> {
        let dialect =
            dialect.parse::<Dialect>().map_err(|error| errors::invalid_argument(py, format!("dialect: {error}")))?;
        let origin = url::origin(py, origin)?;
        let body = body.kept(py);
        let bytes = body.as_bytes();
        let parsed = py.detach(|| comity::Robots::parse_with(bytes, &dialect));
        Ok(Self { parsed, origin, body: body.unbind() })
    }

    /// Returns the rules for a crawler, compiled for many questions.
    ///
    /// A crawler of the built-in table has its documented fallback tokens: `"Googlebot-Image"` obeys the groups of
    /// Googlebot if none names it. `"*"` is any crawler that no group names. The groups of several tokens are merged. A
    /// `User-Agent` header raises `InvalidCrawler`, which names the token that is probably meant. With `literal=True`, a
    /// token is neither looked up nor checked.
    #[pyo3(signature = (crawler, *, literal=false))]
    fn rules_for(slf: &Bound<'_, Self>, crawler: &Bound<'_, PyAny>, literal: bool) -> PyResult<Rules> {
        Rules::new(slf, crawler, literal)
    }

    /// Checks whether a crawler may fetch a URL. For many URLs, `rules_for` is faster.
    ///
    /// The URL is absolute, or a path that starts with `/`. It is parsed as a browser parses it: `/a/../b` is `/b`.
    #[pyo3(signature = (url, *, crawler, literal=false))]
    fn check(
        &self,
        py: Python<'_>,
        url: UrlArgument<'_>,
        crawler: &Bound<'_, PyAny>,
        literal: bool,
    ) -> PyResult<Verdict> {
        let crawler = crawler::argument(crawler, literal)?;
        let (robots, origin, text) = (&self.parsed, self.origin.as_ref(), url.text()?);
        let verdict = url::in_scope(origin, text, |url| robots.check(&crawler, url));
        Ok(Verdict::new(verdict.map_err(|error| error.into_exception(py))?, robots))
    }

    /// Returns true if a crawler may fetch a URL. Returns false if it may not, and if there is no answer.
    #[pyo3(signature = (url, *, crawler, literal=false))]
    fn is_allowed(
        &self,
        py: Python<'_>,
        url: UrlArgument<'_>,
        crawler: &Bound<'_, PyAny>,
        literal: bool,
    ) -> PyResult<bool> {
        let crawler = crawler::argument(crawler, literal)?;
        let (robots, origin, text) = (&self.parsed, self.origin.as_ref(), url.text()?);
        let verdict = url::in_scope(origin, text, |url| robots.check(&crawler, url));
        Ok(verdict.map_err(|error| error.into_exception(py))?.is_allowed())
    }

    /// Returns the verdict on a URL with all rules that were considered. `str()` of it is a text for people.
    ///
    /// No rules are considered for a URL of another site than `origin`.
    #[pyo3(signature = (url, *, crawler, literal=false))]
    fn explain(
        &self,
        py: Python<'_>,
        url: UrlArgument<'_>,
        crawler: &Bound<'_, PyAny>,
        literal: bool,
    ) -> PyResult<Explanation> {
        let crawler = crawler::argument(crawler, literal)?;
        let sent = url::as_sent(self.origin.as_ref(), url.text()?);
        let (url, is_in_scope) = sent.map_err(|error| error.into_exception(py))?;
        let file = self.applied(is_in_scope);
        let (robots, url) = (&file, &*url);
        let mut explanation = py.detach(|| robots.explain(&crawler, url));
        if !is_in_scope {
            explanation.verdict = comity::Verdict::out_of_scope();
        }
        Ok(Explanation::new(explanation, robots))
    }

    /// Returns the permissions of a crawler for a page: to fetch it, to index it, to follow its links, and to use it for
    /// AI.
    ///
    /// `headers` are those of the response, as pairs or as a mapping; `html` is its body. `now` is a time in seconds since
    /// 1970, such as `int(time.time())`; without it, `unavailable_after` has no effect. If `html` exceeds a limit, what
    /// nothing forbids is `"hidden"`, because the rest may forbid it. For a page of another site than `origin`, only the
    /// page's own rules apply.
    #[pyo3(signature = (url, *, crawler, headers=None, html=None, now=None))]
    fn permissions(
        &self,
        py: Python<'_>,
        url: UrlArgument<'_>,
        crawler: &Bound<'_, PyAny>,
        headers: Option<&Bound<'_, PyAny>>,
        html: Option<Body<'_>>,
        now: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Permissions> {
        let crawler = crawler::argument(crawler, false)?;
        let sent = url::as_sent(self.origin.as_ref(), url.text()?);
        let (url, is_in_scope) = sent.map_err(|error| error.into_exception(py))?;
        let file = self.applied(is_in_scope);
        let permissions = permissions::permissions(py, &file, &crawler, &url, headers, html.as_ref(), now)?;
        Ok(if is_in_scope { permissions } else { permissions.out_of_scope() })
    }

    /// The URLs of the `Sitemap` records, in file order.
    #[getter]
    fn sitemaps(&self) -> Vec<String> {
        self.parsed.sitemaps().map(|record| lossy(record.value())).collect()
    }

    /// The groups, in file order.
    #[getter]
    fn groups(&self) -> Vec<Group> {
        self.parsed.groups().map(Group::new).collect()
    }

    /// All records except user-agent lines and rules, in file order.
    #[getter]
    fn records(&self) -> Vec<Record> {
        self.parsed.records().map(Record::new).collect()
    }

    /// The bytes that were parsed. A `str` was encoded in UTF-8.
    #[getter]
    fn body(&self) -> &Py<PyBytes> {
        &self.body
    }

    /// The name of the dialect.
    #[getter]
    fn dialect(&self) -> String {
        self.parsed.dialect().to_string()
    }

    /// The origin of the site, such as `"https://example.com"`. `None` if none was given.
    #[getter]
    fn origin(&self) -> Option<&str> {
        self.origin.as_ref().map(Origin::as_str)
    }

    /// The memory that the file uses, in bytes.
    #[getter]
    fn memory(&self) -> usize {
        self.parsed.memory()
    }

    /// Returns the crawl-delay for a crawler in seconds, or `None`. It has no upper limit.
    fn crawl_delay(&self, crawler: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
        let crawler = crawler::argument(crawler, false)?;
        Ok(self.parsed.crawl_delay(&crawler).map(|found| found.delay.as_secs_f64()))
    }

    /// Returns the `Request-rate` and `Visit-time` records of the groups of a crawler, for `comity.compat`.
    ///
    /// A rate is a tuple of documents, seconds and a window; a window is a pair of minutes since midnight (UTC), or
    /// `None`.
    fn _pace<'py>(&self, crawler: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let py = crawler.py();
        let crawler = crawler::argument(crawler, false)?;
        let groups: Vec<usize> = self.parsed.groups_for(&crawler).map(|group| group.index()).collect();
        let (mut rates, mut windows) = (Vec::new(), Vec::new());
        for record in self.parsed.records().filter(|record| record.group().is_some_and(|at| groups.contains(&at))) {
            match record.meaning() {
                Meaning::RequestRate(rate) => rates.push((
                    rate.documents.get(),
                    rate.time.as_secs(),
                    rate.window.map(|window| (window.start(), window.end())),
                )),
                Meaning::VisitTime(window) => windows.push((window.start(), window.end())),
                _ => {}
            }
        }
        let pace = PyDict::new(py);
        pace.set_item("request_rates", rates)?;
        pace.set_item("visit_times", windows)?;
        Ok(pace)
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> bool {
        self.body.bind(py).as_bytes() == other.body.bind(py).as_bytes()
            && self.origin == other.origin
            && self.parsed.dialect() == other.parsed.dialect()
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        (self.body.bind(py), self.origin()).into_pyobject(py)?.hash()
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        restore::by(py, "robots", (&self.body, self.dialect(), self.origin()))
    }

    fn __repr__(&self) -> String {
        let count = self.parsed.groups().len();
        format!("<Robots: {count} group{}, {}>", if count == 1 { "" } else { "s" }, self.parsed.dialect())
    }
}

/// Returns the bytes of a URL that is taken as it is.
pub(crate) fn raw<'a>(url: &'a Bound<'_, PyAny>) -> PyResult<&'a [u8]> {
    if let Ok(bytes) = url.cast::<PyBytes>() {
        return Ok(bytes.as_bytes());
    }
    match url.cast::<PyString>() {
        Ok(text) => Ok(errors::text(text, "a URL", errors::invalid_url)?.as_bytes()),
        Err(_) => Err(pyo3::exceptions::PyTypeError::new_err(format!(
            "expected a URL as str or bytes, found {}",
            url.get_type().name()?
        ))),
    }
}
