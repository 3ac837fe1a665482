//! The classes `Crawlers` and `Crawler`: a table of crawlers of one's own.

use pyo3::exceptions::{PyKeyError, PyModuleNotFoundError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::body::Body;
use crate::errors;
use crate::restore::{self, Reduced};

/// A table of crawlers: the built-in one, with rows of one's own, as in a file for `comity --crawlers`.
///
/// >>> row = '{"token": "OurBot-Images", "operator": "We", "purpose": "search", "fallback": ["OurBot"]}'
/// >>> table = comity.Crawlers.parse(f"[{row}]")
/// >>> robots = comity.Robots.parse("User-agent: OurBot\nDisallow: /\n")
/// >>> robots.is_allowed("/", crawler=table["OurBot-Images"]), robots.is_allowed("/", crawler="OurBot-Images")
/// (False, True)
#[pyclass(frozen, module = "comity")]
#[derive(Debug)]
pub(crate) struct Crawlers(pub(crate) comity::Crawlers);

#[pymethods]
impl Crawlers {
    /// Reads rows in TOML or JSON, and adds them to the built-in table. A row replaces the one with its token.
    ///
    /// TOML needs Python 3.11. Unknown fields are ignored with a warning.
    #[staticmethod]
    fn parse(py: Python<'_>, text: Body<'_>) -> PyResult<Self> {
        let bytes = text.bytes();
        let text = std::str::from_utf8(&bytes).map_err(|_| {
            errors::invalid_argument(py, "expected TOML or JSON, found bytes that are not UTF-8".into())
        })?;
        let start = text.trim_start();
        // A release has its table as JSON, for other programs.
        let is_json = start.starts_with(['{', '[']) && !start.starts_with("[[");
        let json = if is_json { text.to_owned() } else { json_of_toml(py, text)? };
        let own: comity::Crawlers = serde_json::from_str(&json).map_err(|error| refused(py, &error))?;
        let warning = py.get_type::<pyo3::exceptions::PyUserWarning>();
        for field in own.ignored_fields() {
            let message = std::ffi::CString::new(format!("unknown field {field}: ignored"));
            PyErr::warn(py, &warning, &message.unwrap_or_default(), 1)?;
        }
        let mut table = comity::Crawlers::builtin();
        table.extend(own);
        Ok(Self(table))
    }

    /// Returns the crawler with this token or name, ignoring ASCII case.
    fn __getitem__(&self, name: &str) -> PyResult<Crawler> {
        let row = self.0.find(name).ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
        Ok(Crawler { crawler: comity::Crawler::from(row).into_owned() })
    }

    fn __contains__(&self, name: &str) -> bool {
        self.0.find(name).is_some()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        PyList::new(py, self.0.iter().map(|row| &*row.token))?.call_method0("__iter__")
    }

    fn __len__(&self) -> usize {
        self.0.iter().count()
    }

    fn __repr__(&self) -> String {
        format!("<Crawlers: {} crawlers>", self.__len__())
    }
}

/// A crawler of a table of one's own. It is an argument wherever the name of a crawler is one.
#[pyclass(frozen, eq, module = "comity")]
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Crawler {
    pub(crate) crawler: comity::Crawler<'static>,
}

#[pymethods]
impl Crawler {
    /// The product token.
    #[getter]
    fn token(&self) -> &str {
        self.crawler.profile().map_or("", |row| &row.token)
    }

    /// The row of the table as JSON, for comity-client, whose native module is another one.
    #[getter(_row)]
    fn row(&self, py: Python<'_>) -> PyResult<String> {
        let table: comity::Crawlers = self.crawler.profile().cloned().into_iter().collect();
        serde_json::to_string(&table).map_err(|error| refused(py, &error))
    }

    /// Returns the crawler of a `_row`.
    #[staticmethod]
    fn _restored(py: Python<'_>, row: &str) -> PyResult<Self> {
        let table: comity::Crawlers = serde_json::from_str(row).map_err(|error| refused(py, &error))?;
        let row = table.iter().next().ok_or_else(|| errors::comity(py, "expected a row, found none".to_owned()))?;
        Ok(Self { crawler: comity::Crawler::from(row).into_owned() })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        restore::by(py, "crawler", (self.row(py)?,))
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        self.token().into_pyobject(py)?.hash()
    }

    fn __repr__(&self) -> String {
        format!("<Crawler: {}>", self.token())
    }
}

/// Converts TOML to JSON. Python has a parser, so this module needs none.
fn json_of_toml(py: Python<'_>, text: &str) -> PyResult<String> {
    let toml = py.import("tomllib").map_err(|error| {
        if error.is_instance_of::<PyModuleNotFoundError>(py) {
            errors::invalid_argument(py, "expected JSON, found TOML, which needs Python 3.11 or newer".to_owned())
        } else {
            error
        }
    })?;
    let table = toml.call_method1("loads", (text,)).map_err(|error| refused(py, &error))?;
    let options = PyDict::new(py);
    // Dates are text in JSON.
    options.set_item("default", py.import("builtins")?.getattr("str")?)?;
    py.import("json")?.call_method("dumps", (table,), Some(&options))?.extract()
}

fn refused(py: Python<'_>, error: &impl std::fmt::Display) -> PyErr {
    errors::invalid_argument(py, format!("expected [[crawler]] tables, or the same in JSON: {error}"))
}
