//! The native module of the Python package `comity-client`: comity-fetch for asyncio, and for threads.
//!
//! Each client has a runtime of its own, whose threads hold no lock of Python while they work. The Python code around this
//! module turns its callbacks into futures.

#![allow(clippy::needless_pass_by_value, reason = "PyO3 passes converted arguments by value")]
#![allow(clippy::doc_markdown, reason = "docstrings are for readers of Python")]
#![allow(rustdoc::all, reason = "as above; `cargo doc --lib` reads this crate in spite of `doc = false`")]

mod client;
mod decision;
mod errors;
mod exit;
mod options;
mod questions;
mod site;
mod task;
mod turn;

/// The Python module `comity_client._client`.
#[pyo3::pymodule(gil_used = false)]
mod _client {
    #[pymodule_init]
    fn init(module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        crate::exit::register(module)
    }

    #[pymodule_export]
    use crate::client::NativeClient;
    #[pymodule_export]
    use crate::decision::Decision;
    #[pymodule_export]
    use crate::site::Site;
    #[pymodule_export]
    use crate::task::Task;
    #[pymodule_export]
    use crate::turn::Turn;
}
