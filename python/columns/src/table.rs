//! The class `Table`: the files of many sites, by key.

use comity_arrow::TableBuilder;
use pyo3::prelude::*;

use crate::answers::Answers;
use crate::capsule;
use crate::check::{Files, Kernels, Options, answer, dialect};
use crate::chunks::aligned;
use crate::crawler::CrawlerArgument;

/// The robots.txt files of many sites, by key: Arrow columns of keys and bodies.
///
/// A key is usually an origin, such as ``https://example.com``. URLs of other sites have no verdict then. Each file is
/// parsed once, and rows of questions carry only the key. A table does not change, and threads share it.
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
                let added = builder.add_bodies(&keys, &bodies);
                added.map_err(|error| pyo3::exceptions::PyTypeError::new_err(error.to_string()))?;
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
