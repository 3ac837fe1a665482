//! The class `SiteFetch`: the state machine of the policy, for HTTP clients in Python.

use std::sync::{Mutex, MutexGuard, PoisonError};

use comity::Origin;
use comity_policy::{Access, Action, Failure, Head, Input, Policy, Ruling, Site, Time};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors;
use crate::robots::Robots;

/// A request that is due: its URL, and the time in which it must be answered, in seconds.
type Due = Option<(String, f64)>;

/// Fetches the robots.txt of a site with the HTTP client of somebody else, by the standard policy.
///
/// It sends nothing: `start`, `answer` and `fail` return the next request. All times are in seconds since 1970.
#[pyclass(frozen, module = "comity")]
#[derive(Debug)]
pub(crate) struct SiteFetch {
    origin: Origin,
    site: Mutex<Site>,
}

#[pymethods]
impl SiteFetch {
    /// Creates the state of the site of a URL, about which nothing is known.
    #[new]
    fn new(py: Python<'_>, url: &str) -> PyResult<Self> {
        let origin = origin(py, url)?;
        let site = Mutex::new(Site::new(&origin, Policy::STANDARD));
        Ok(Self { origin, site })
    }

    /// The site, such as `"https://example.com"`.
    #[getter]
    fn origin(&self) -> &str {
        self.origin.as_str()
    }

    /// Returns true if the file is due: nothing is known about the site, or what is known is too old.
    fn is_due(&self, now: f64) -> bool {
        self.site().is_due(time(now))
    }

    /// Starts a fetch if the file is due. Returns the request.
    fn start(&self, now: f64) -> Due {
        step(&mut self.site(), time(now))
    }

    /// Takes the response to a request. Returns the next request, or `None` at the end of the fetch.
    ///
    /// `cut` is the reason why the body is not complete: `"truncated"` or `"encoding"`.
    #[pyo3(signature = (status, headers, body, now, *, cut=None))]
    fn answer(
        &self,
        status: u16,
        headers: Vec<(Vec<u8>, Vec<u8>)>,
        body: &Bound<'_, PyBytes>,
        now: f64,
        cut: Option<&str>,
    ) -> Due {
        let (mut site, now) = (self.site(), time(now));
        let named = |head: Head, (name, value): &(Vec<u8>, Vec<u8>)| match std::str::from_utf8(name) {
            Ok(name) => head.with(name, value),
            Err(_) => head,
        };
        site.handle(Input::Head(headers.iter().fold(Head::http(status), named)), now);
        match site.poll(now) {
            Action::Read { .. } => {
                site.handle(Input::Bytes(body.as_bytes()), now);
                let end = cut.map_or(Input::End, |cut| Input::Failed(failure(cut), ""));
                site.handle(end, now);
                step(&mut site, now)
            }
            action => due(action, now),
        }
    }

    /// Takes the failure of a request. Returns the next request.
    fn fail(&self, detail: &str, now: f64) -> Due {
        let (mut site, now) = (self.site(), time(now));
        site.handle(Input::Failed(Failure::Other, detail), now);
        step(&mut site, now)
    }

    /// The access that is in force since the last fetch: `"rules"`, `"allow-all"` or `"disallow-all"`.
    fn access(&self, now: f64) -> &'static str {
        self.ruling(now).map_or(Access::DisallowAll, |ruling| ruling.access).name()
    }

    /// Returns true if the last fetch failed, so that an older file decides, or nothing is allowed.
    fn is_unreachable(&self, now: f64) -> bool {
        self.ruling(now).is_none_or(|ruling| ruling.rung.is_some())
    }

    /// Returns the reason for the access as a sentence without its period.
    fn reason(&self, now: f64) -> String {
        self.ruling(now).map_or_else(|| "nothing is known yet".to_owned(), |ruling| ruling.to_string())
    }

    /// Parses the last good copy. Returns `None` if there is none.
    fn robots(&self, py: Python<'_>) -> Option<Robots> {
        let body = self.site().record().whole_copy()?.body.clone();
        let robots = py.detach(|| comity::Robots::parse(&body));
        Some(Robots::new(robots, PyBytes::new(py, &body).unbind(), Some(self.origin.clone())))
    }

    fn __repr__(&self) -> String {
        format!("<SiteFetch: {}>", self.origin)
    }
}

impl SiteFetch {
    fn site(&self) -> MutexGuard<'_, Site> {
        self.site.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ruling(&self, now: f64) -> Option<Ruling> {
        self.site().last_ruling(time(now))
    }
}

/// Returns the site of a URL, such as `https://example.com`: two URLs of one site have the same one.
#[pyfunction]
pub(crate) fn site_of(py: Python<'_>, url: &str) -> PyResult<String> {
    origin(py, url).map(|origin| origin.to_string())
}

fn origin(py: Python<'_>, url: &str) -> PyResult<Origin> {
    Origin::of(url).map_err(|error| errors::invalid_url(py, error.to_string()))
}

/// Returns a time. One that is not finite, or before 1970, is the start of 1970.
fn time(seconds: f64) -> Time {
    Time::default() + std::time::Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

/// Returns the next request, if there is one now.
fn step(site: &mut Site, now: Time) -> Due {
    due(site.poll(now), now)
}

fn due(action: Action, now: Time) -> Due {
    let Action::Send(request) = action else { return None };
    Some((request.url.to_string(), request.deadline.since(now).as_secs_f64()))
}

/// Returns the failure with this name. The policy treats all failures alike, so the others need no name.
fn failure(name: &str) -> Failure {
    match name {
        "truncated" => Failure::Truncated,
        "encoding" => Failure::Encoding,
        _ => Failure::Other,
    }
}
