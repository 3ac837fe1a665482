//! The native module of the Python package `comity`.
//!
//! It converts arguments and results, and contains no logic of its own. Work that takes longer than some microseconds
//! runs without the global interpreter lock. The classes are immutable, so threads share them without locks.

#![allow(clippy::needless_pass_by_value, reason = "PyO3 passes converted arguments by value")]
#![allow(clippy::doc_markdown, clippy::doc_link_with_quotes, reason = "docstrings contain examples in Python")]
#![allow(rustdoc::all, reason = "as above; `cargo doc --lib` reads this crate in spite of `doc = false`")]

mod body;
mod crawler;
mod crawlers;
mod document;
mod errors;
mod explanation;
mod interpreter;
mod lint;
mod meaning;
mod permissions;
mod policy;
mod restore;
mod robots;
mod rules;
mod url;
mod verdict;

/// The Python module `comity._comity`.
#[pyo3::pymodule(gil_used = false)]
mod _comity {
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::interpreter::check(module.py())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }

    #[pymodule_export]
    use crate::crawler::candidates;
    #[pymodule_export]
    use crate::crawlers::{Crawler, Crawlers};
    #[pymodule_export]
    use crate::document::{Group, Record, Rule};
    #[pymodule_export]
    use crate::explanation::{Considered, Explanation};
    #[pymodule_export]
    use crate::lint::{Finding, lint};
    #[pymodule_export]
    use crate::meaning::{Change, Counterexample, Difference, Proof, diff, prove};
    #[pymodule_export]
    use crate::permissions::{Permission, Permissions};
    #[pymodule_export]
    use crate::policy::{SiteFetch, site_of};
    #[pymodule_export]
    use crate::robots::Robots;
    #[pymodule_export]
    use crate::rules::Rules;
    #[pymodule_export]
    use crate::verdict::Verdict;
}
