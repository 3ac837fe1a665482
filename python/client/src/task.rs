//! The class `Task`: a question that is being answered.

use pyo3::prelude::*;
use tokio::task::AbortHandle;

/// A question that is being answered. After `cancel`, its callback is not called.
#[pyclass(frozen, module = "comity_client")]
#[derive(Debug)]
pub(crate) struct Task(pub(crate) AbortHandle);

#[pymethods]
impl Task {
    /// Stops waiting for the answer. A fetch that others wait for continues. Has no effect after the answer.
    fn cancel(&self) {
        self.0.abort();
    }
}
