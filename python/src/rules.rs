//! The class `Rules`.

use std::time::Duration;

use comity::{Crawler, Origin};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::crawler;
use crate::restore::{self, Reduced};
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
    compiled: comity::Rules,
    file: Py<Robots>,
    crawler: Crawler<'static>,
    /// The arguments of `rules_for`.
    argument: Py<PyAny>,
    literal: bool,
}

impl Rules {
    pub(crate) fn new(file: &Bound<'_, Robots>, argument: &Bound<'_, PyAny>, literal: bool) -> PyResult<Self> {
        let py = file.py();
        let crawler = crawler::argument(argument, literal)?;
        let robots = &file.get().parsed;
        let compiled = py.detach(|| robots.rules_for(&crawler));
        // A list may be changed later.
        let argument = match argument.cast::<PyList>() {
            Ok(tokens) => tokens.to_tuple().into_any(),
            Err(_) => argument.clone(),
        };
        Ok(Self { compiled, file: file.clone().unbind(), crawler, argument: argument.unbind(), literal })
    }

    fn robots(&self) -> &comity::Robots {
        &self.file.get().parsed
    }

    fn origin(&self) -> Option<&Origin> {
        self.file.get().origin.as_ref()
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
            url::check(&self.compiled, self.origin(), url.text()?).map_err(|error| error.into_exception(py))?;
        Ok(Verdict::new(verdict, self.robots()))
    }

    /// Checks a URL or a path as it is, without parsing it as a browser would: nothing is escaped, and no host is examined.
    /// Only dot segments and backslashes are resolved, except in the dialect "google-parser". Text that is neither a URL nor
    /// a path is out of scope. For tests of parsers, and for URLs that are known to be in the form in which they are sent.
    fn check_as_is(&self, url: &Bound<'_, PyAny>) -> PyResult<Verdict> {
        Ok(Verdict::new(self.compiled.check_bytes(raw(url)?), self.robots()))
    }

    /// Returns true if the crawler may fetch a URL. Returns false if it may not, and if there is no answer.
    fn is_allowed(&self, py: Python<'_>, url: UrlArgument<'_>) -> PyResult<bool> {
        let verdict =
            url::check(&self.compiled, self.origin(), url.text()?).map_err(|error| error.into_exception(py))?;
        Ok(verdict.is_allowed())
    }

    /// Returns a list that is true for each URL that the crawler may fetch, in the same order. Other threads run
    /// meanwhile.
    fn are_allowed(&self, py: Python<'_>, urls: &Bound<'_, PyAny>) -> PyResult<Vec<bool>> {
        let urls = url::read_all(urls)?;
        let texts = urls.iter().map(UrlArgument::text).collect::<PyResult<Vec<&str>>>()?;
        let mut questions = Answers::new(&self.compiled, self.origin());
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

    /// Returns the time between the starts of two requests in seconds that `Crawl-delay` and `Request-rate` ask for, or 0.
    /// It has no upper limit. `now` is a time in seconds since 1970, since some rates apply at certain hours only.
    fn interval(&self, now: f64) -> f64 {
        let now = Duration::try_from_secs_f64(now).unwrap_or_default();
        self.robots().pace(&self.crawler).interval(now).as_secs_f64()
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        Ok(self.literal == other.literal
            && self.argument.bind(py).eq(&other.argument)?
            && self.file.bind(py).eq(&other.file)?)
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        (&self.file, &self.argument, self.literal).into_pyobject(py)?.hash()
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        restore::by(py, "rules", (&self.file, &self.argument, self.literal))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<Rules: {}, {}>", self.argument.bind(py).repr()?, self.compiled.dialect()))
    }
}
