//! The native module of the Python package `comity-columns`: comity-arrow for columns of any library that has the Arrow
//! PyCapsule interface.

#![allow(clippy::needless_pass_by_value, reason = "PyO3 passes converted arguments by value")]
#![allow(clippy::doc_markdown, reason = "docstrings are for readers of Python")]
#![allow(rustdoc::all, reason = "as above; `cargo doc --lib` reads this crate in spite of `doc = false`")]

mod answers;
mod capsule;
mod check;
mod chunks;
mod crawler;
mod foreign;
mod table;

/// The Python module `comity_columns._columns`.
#[pyo3::pymodule(gil_used = false)]
mod _columns {
    #[pymodule_export]
    use crate::answers::Answers;
    #[pymodule_export]
    use crate::check::check_array;
    #[pymodule_export]
    use crate::table::Table;
}
