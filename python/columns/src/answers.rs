//! The class `Answers`: a column of answers.

use arrow_array::cast::AsArray;
use arrow_array::{Array, StructArray};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::capsule;

/// A column of answers: `allowed` (null where there is no verdict), `line` (null where no rule decides) and `reason`.
///
/// It is an Arrow array of structs, and a table of these three columns. `pyarrow.array(answers)`,
/// `pyarrow.table(answers)`, `polars.DataFrame(answers)` and DuckDB take it without copying.
#[pyclass(frozen, module = "comity")]
#[derive(Debug)]
pub(crate) struct Answers(pub(crate) StructArray);

#[pymethods]
impl Answers {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// Returns the schema and the array, as capsules.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        // A producer may ignore the request.
        drop(requested_schema);
        capsule::array(py, &self.0)
    }

    /// Returns the type, as a capsule.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::schema(py, self.0.data_type())
    }

    /// Returns a stream of one batch, as a capsule.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        capsule::stream(py, &self.0)
    }

    fn __repr__(&self) -> String {
        let allowed = self.0.column(0).as_boolean();
        let none = allowed.null_count();
        let (yes, rows) = (allowed.true_count(), allowed.len());
        format!("<Answers: {yes} allowed, {} disallowed, {none} without a verdict>", rows - yes - none)
    }
}
