//! The class `Rules`.

use std::sync::Arc;

use comity::Origin;
use pyo3::prelude::*;

use crate::robots::{Robots, raw};
use crate::url::{self, Answers, NotAUrl, UrlArgument};
use crate::verdict::Verdict;

/// The rules of a robots.txt for one crawler, compiled for many questions. They are immutable, and threads can share
/// them.
///
/// >>> rules = comity.Robots.parse("User-agent: *\nDisallow: /private/\n").rules_for("ExampleBot")
/// >>> rules.are_allowed(["/", "/private/", "https://example.com/a/../private/"])
/// [True, False, False]
#[pyclass(frozen, module = "comity")]
#[derive(Debug)]
pub(crate) struct Rules {
    compiled: Arc<comity::Rules>,
    robots: comity::Robots,
    origin: Option<Origin>,
}

impl Rules {
    pub(crate) fn new(rules: comity::Rules, of: &Robots) -> Self {
        Self { compiled: Arc::new(rules), robots: of.robots.clone(), origin: of.origin.clone() }
    }
}

#[pymethods]
impl Rules {
    /// Checks whether the crawler may fetch a URL.
    ///
    /// The URL is absolute, or a path that starts with `/`. It is parsed as a browser parses it: `/a/../b` is `/b`. Any
    /// other text raises `InvalidURL`.
    fn check(&self, py: Python<'_>, url: UrlArgument<'_>) -> PyResult<Verdict> {
        let verdict =
            url::check(&self.compiled, self.origin.as_ref(), url.text()?).map_err(|error| error.into_exception(py))?;
        Ok(Verdict::new(verdict, &self.robots))
    }

    /// Checks a URL or a path as it is, without parsing it as a browser would: nothing is escaped, and no host is examined.
    /// Only dot segments and backslashes are resolved, except in the dialect "google-parser". Text that is neither a URL nor
    /// a path is out of scope. For tests of parsers, and for URLs that are known to be in the form in which they are sent.
    fn check_as_is(&self, url: &Bound<'_, PyAny>) -> PyResult<Verdict> {
        Ok(Verdict::new(self.compiled.check_bytes(raw(url)?), &self.robots))
    }

    /// Returns true if the crawler may fetch a URL. Returns false if it may not, and if there is no answer.
    fn is_allowed(&self, py: Python<'_>, url: UrlArgument<'_>) -> PyResult<bool> {
        let verdict =
            url::check(&self.compiled, self.origin.as_ref(), url.text()?).map_err(|error| error.into_exception(py))?;
        Ok(verdict.is_allowed())
    }

    /// Returns a list that is true for each URL that the crawler may fetch, in the same order. Other threads run
    /// meanwhile.
    fn are_allowed(&self, py: Python<'_>, urls: &Bound<'_, PyAny>) -> PyResult<Vec<bool>> {
        let urls = url::read_all(urls)?;
        let texts = urls.iter().map(UrlArgument::text).collect::<PyResult<Vec<&str>>>()?;
        let mut questions = Answers::new(&self.compiled, self.origin.as_ref());
        let answers = py.detach(|| {
            let mut answers = Vec::with_capacity(texts.len());
            for (index, url) in texts.iter().enumerate() {
                answers.push(questions.check(url).map_err(|error| (index, error))?.is_allowed());
            }
            Ok(answers)
        });
        answers.map_err(|(index, error): (usize, NotAUrl)| error.at(index, py))
    }

    /// The crawl-delay for the crawler in seconds, or `None`. It has no upper limit.
    #[getter]
    fn crawl_delay(&self) -> Option<f64> {
        self.compiled.crawl_delay().map(|found| found.delay.as_secs_f64())
    }

    fn __repr__(&self) -> String {
        format!("<Rules: {}>", self.compiled.dialect())
    }
}
