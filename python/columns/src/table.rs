//! The class `Table`: the files of many sites, by key.

use arrow_array::Array;
use comity_arrow::{ColumnError, TableBuilder};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::answers::Answers;
use crate::capsule;
use crate::check::{Files, Kernels, Options, answer, dialect};
use crate::chunks::aligned;
use crate::crawler::CrawlerArgument;

/// The robots.txt files of many sites, by key: Arrow columns of keys and bodies.
///
/// A key is usually an origin, such as ``https://example.com``. URLs of other sites have no verdict then. Each file is
/// parsed once, and rows of questions carry only the key. A table does not change, and threads share it. Two bodies for one
/// key are a ``ValueError``; ``from_sites`` takes several fetches of a site.
#[pyclass(frozen, module = "comity")]
#[derive(Debug)]
pub(crate) struct Table {
    files: comity_arrow::Table,
    dialect: comity::Dialect,
    kernels: Kernels,
}

#[pymethods]
impl Table {
    #[new]
    #[pyo3(signature = (keys, bodies, *, dialect="standard"))]
    fn new(py: Python<'_>, keys: &Bound<'_, PyAny>, bodies: &Bound<'_, PyAny>, dialect: &str) -> PyResult<Self> {
        let dialect = self::dialect(dialect)?;
        let (keys, bodies) = (capsule::read("keys", keys)?, capsule::read("bodies", bodies)?);
        py.detach(|| {
            let mut builder = TableBuilder::new(dialect);
            for [keys, bodies] in aligned(["keys", "bodies"], [&keys, &bodies])? {
                builder.add_bodies(&keys, &bodies).map_err(unfit)?;
            }
            Ok(Self { files: builder.build(), dialect, kernels: Kernels::default() })
        })
    }

    /// Returns a table of the sites of a crawl, from the two tables that ``comity warc`` writes, of any library.
    ///
    /// ``sites`` has ``origin``, ``outcome``, ``body_hash`` and, optionally, ``fetched``; ``bodies`` has ``hash`` and
    /// ``body``. ``rules`` are those of the body with the hash, ``allow-all`` allows everything, and ``disallow-all`` nothing.
    /// Any other outcome, such as ``redirect``, has no verdict. Of several rows of one origin, the one that was fetched last
    /// counts. ``comity batch --robots`` uses the same function.
    #[staticmethod]
    #[pyo3(signature = (sites, bodies, *, dialect="standard"))]
    fn from_sites(
        py: Python<'_>,
        sites: &Bound<'_, PyAny>,
        bodies: &Bound<'_, PyAny>,
        dialect: &str,
    ) -> PyResult<Self> {
        let dialect = self::dialect(dialect)?;
        let (sites, bodies) = (materialized(sites)?, materialized(bodies)?);
        let text = |table: &Bound<'_, PyAny>, name| capsule::read(name, &column(table, name)?);
        let (origins, outcomes) = (text(&sites, "origin")?, text(&sites, "outcome")?);
        let body_hashes = text(&sites, "body_hash")?;
        // A table without times has no such column.
        let fetched = sites.get_item("fetched").ok();
        let fetched =
            fetched.map(|times| capsule::read_as("fetched", &times, TableBuilder::check_time_type)).transpose()?;
        let (hashes, bodies) = (text(&bodies, "hash")?, text(&bodies, "body")?);
        py.detach(|| {
            let mut builder = TableBuilder::new(dialect);
            for [hashes, bodies] in aligned(["hash", "body"], [&hashes, &bodies])? {
                builder.add_hashed_bodies(&hashes, &bodies).map_err(unfit)?;
            }
            let times = fetched.as_ref().unwrap_or(&origins);
            let columns =
                aligned(["origin", "outcome", "body_hash", "fetched"], [&origins, &outcomes, &body_hashes, times])?;
            for [origins, outcomes, hashes, times] in columns {
                let times = fetched.is_some().then_some(&times as &dyn Array);
                builder.add_sites(&origins, &outcomes, &hashes, times).map_err(unfit)?;
            }
            Ok(Self { files: builder.build(), dialect, kernels: Kernels::default() })
        })
    }

    /// Checks whether crawlers may fetch URLs. ``keys`` is a column, or ``None`` for the origins of the URLs. For the other
    /// arguments, see ``check_array``. Rows with a key that is not in the table have no verdict.
    #[pyo3(signature = (keys, urls, *, crawler, literal=false, as_is=false))]
    fn check(
        &self,
        py: Python<'_>,
        keys: Option<&Bound<'_, PyAny>>,
        urls: &Bound<'_, PyAny>,
        crawler: &Bound<'_, PyAny>,
        literal: bool,
        as_is: bool,
    ) -> PyResult<Answers> {
        let options = Options { dialect: self.dialect, literal, as_is };
        let crawler = CrawlerArgument::new(crawler, literal)?;
        let keys = keys.map(|keys| capsule::read("keys", keys)).transpose()?;
        let urls = capsule::read("urls", urls)?;
        py.detach(|| {
            let files = match &keys {
                Some(keys) => Files::Keys(&self.files, keys),
                None => Files::Origins(&self.files),
            };
            self.kernels.with(options, |kernel| answer(kernel, &files, &urls, &crawler))
        })
    }

    /// The memory of the parsed files and the keys in bytes, approximately.
    #[getter]
    fn memory(&self) -> usize {
        self.files.memory()
    }

    fn __len__(&self) -> usize {
        self.files.len()
    }

    fn __repr__(&self) -> String {
        let s = if self.files.len() == 1 { "" } else { "s" };
        format!("<Table: {} key{s}, {} bytes>", self.files.len(), self.files.memory())
    }
}

fn unfit(error: ColumnError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Returns a table whose columns have the same rows in the same order. A query that has not run would run for each column.
fn materialized<'py>(table: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    for method in ["to_arrow_table", "read_all", "collect"] {
        if table.hasattr(method)? {
            return table.call_method0(method);
        }
    }
    Ok(table.clone())
}

/// Returns a column of a table.
fn column<'py>(table: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    table.get_item(name).map_err(|cause| {
        let found = table.get_type();
        let error = PyTypeError::new_err(format!(
            "expected a table with a column `{name}`, as `comity warc` writes it, found {found} without one: rename the column \
             that has it"
        ));
        error.set_cause(table.py(), Some(cause));
        error
    })
}
