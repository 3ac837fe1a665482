//! The class `Site`.

use comity_fetch::{Access, SiteRobots};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::client::NativeClient;
use crate::decision::Decision;
use crate::questions::Asker;
use crate::task::Task;
use crate::turn::Turn;

/// The robots.txt of a live site, for one crawler, at one moment. It does not notice when the file is fetched again.
#[pyclass(frozen, module = "comity_client")]
#[derive(Debug)]
pub(crate) struct Site {
    snapshot: SiteRobots,
    asker: Asker,
    client: Py<NativeClient>,
}

impl Site {
    pub(crate) fn new(snapshot: SiteRobots, asker: Asker, client: Py<NativeClient>) -> Self {
        Self { snapshot, asker, client }
    }
}

#[pymethods]
impl Site {
    /// Decides whether the crawler may fetch a URL or a path of this site.
    ///
    /// URLs of other sites are `"out-of-scope"`, which is neither allowed nor disallowed.
    fn check(&self, url: &str) -> Decision {
        Decision::new(self.snapshot.check(&self.asker.crawler, url), self.asker.clone())
    }

    /// Returns true if the crawler may fetch a URL or a path of this site.
    fn is_allowed(&self, url: &str) -> bool {
        self.snapshot.check(&self.asker.crawler, url).is_allowed()
    }

    /// The origin of the site, such as `"https://example.com"`.
    #[getter]
    fn origin(&self) -> &str {
        self.snapshot.origin().as_str()
    }

    /// `"rules"`, `"allow-all"` or `"disallow-all"`: the access to the site that is in force.
    #[getter]
    fn access(&self) -> &'static str {
        access(&self.snapshot)
    }

    /// The last good copy of the file, in force or not. `None` if there is none.
    #[getter]
    fn body<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.snapshot.copy().map(|copy| PyBytes::new(py, &copy.body))
    }

    /// The file in force, as a `comity.Robots`. It is empty if everything is allowed, and disallows everything if nothing is.
    #[getter]
    fn robots<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        robots(py, &self.snapshot)
    }

    /// The rules in force for the crawler, as `comity.Rules`. Use `check` for decisions, which takes errors into account.
    #[getter]
    fn rules<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.asker.rules(&robots(py, &self.snapshot)?)
    }

    /// The crawl-delay for the crawler in seconds, or `None`. It has no upper limit.
    #[getter]
    fn crawl_delay(&self) -> Option<f64> {
        self.asker.crawl_delay(&self.snapshot)
    }

    /// The URLs of the `Sitemap` records in force, in file order.
    #[getter]
    fn sitemaps(&self) -> Vec<String> {
        sitemaps(&self.snapshot)
    }

    /// Waits until a page of the site may be requested: by its `Crawl-delay`, `Request-rate` and `Visit-time`, and not
    /// before the client's own `interval`. Returns a `Turn`, until whose end no other request of the client to this host
    /// gets one.
    ///
    /// If that takes longer than `patience` seconds, it raises `TooSoon`, at once if this is known.
    #[pyo3(signature = (*, patience=60.0))]
    fn wait_turn<'py>(slf: &Bound<'py, Self>, patience: f64) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("comity_client._wait")?.getattr("turn")?.call1((slf, patience))
    }

    /// Waits as `wait_turn` does, without asyncio. Other threads run meanwhile.
    #[pyo3(signature = (*, patience=60.0))]
    fn wait_turn_blocking(&self, py: Python<'_>, patience: f64) -> PyResult<Turn> {
        let (client, site) = (self.client.get(), self.snapshot.clone());
        let visitor = client.visitor(py, &self.asker, patience)?;
        let turn = client.block_on(py, async move { Ok(visitor.wait_turn(&site).await) })?;
        Turn::granted(py, self.origin(), turn)
    }

    /// Starts to wait for a turn, for `wait_turn`.
    fn _start_turn(&self, py: Python<'_>, patience: f64, done: Py<PyAny>) -> PyResult<Task> {
        let (client, site) = (self.client.get(), self.snapshot.clone());
        let visitor = client.visitor(py, &self.asker, patience)?;
        let origin = self.origin().to_owned();
        let waiting = async move { Ok(visitor.wait_turn(&site).await) };
        client.start(py, done, waiting, move |py, turn| Turn::granted(py, &origin, turn))
    }

    fn __repr__(&self) -> String {
        format!("<Site: {}, {}>", self.origin(), self.access())
    }
}

/// Returns the name of the access to a site. Missing rules disallow everything.
pub(crate) fn access(site: &SiteRobots) -> &'static str {
    match site.ruling().access {
        Access::Rules => "rules",
        Access::AllowAll => "allow-all",
        _ => "disallow-all",
    }
}

/// Parses the file in force with the package `comity`, whose classes are those of another module.
pub(crate) fn robots<'py>(py: Python<'py>, site: &SiteRobots) -> PyResult<Bound<'py, PyAny>> {
    let body: &[u8] = match (site.ruling().access, site.copy()) {
        (Access::Rules, Some(copy)) => &copy.body,
        (Access::AllowAll, _) => b"",
        _ => b"User-agent: *\nDisallow: /\n",
    };
    let dialect = site.robots().dialect().to_string();
    py.import("comity._restore")?.getattr("robots")?.call1((PyBytes::new(py, body), dialect, site.origin().as_str()))
}

pub(crate) fn sitemaps(site: &SiteRobots) -> Vec<String> {
    site.sitemaps().map(|record| String::from_utf8_lossy(record.value()).into_owned()).collect()
}
