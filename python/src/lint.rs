//! The function `lint` and the class `Finding`.

use comity_lint::{Evidence, Linter};
use pyo3::prelude::*;

use crate::body::Body;
use crate::crawlers::Crawlers;
use crate::errors;

/// A place in a file where a lint found a mistake.
#[pyclass(frozen, eq, hash, get_all, module = "comity")]
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Finding {
    /// The code of the lint, such as `"L010"`.
    code: &'static str,
    /// The name of the lint, such as `"missing-leading-slash"`.
    name: &'static str,
    /// `"note"`, `"warning"` or `"error"`.
    severity: &'static str,
    /// The line number, from 1.
    line: u32,
    /// The mistake, as a sentence without its period.
    message: String,
    /// Advice, if there is any.
    help: Option<String>,
    /// The crawlers or people that the finding affects.
    affects: &'static str,
}

#[pymethods]
impl Finding {
    fn __str__(&self) -> String {
        format!("line {}: {}: {} ({} {})", self.line, self.severity, self.message, self.code, self.name)
    }

    fn __repr__(&self) -> String {
        format!("<Finding: {}>", self.__str__())
    }
}

/// Returns the mistakes in a robots.txt, in file order.
///
/// `select` and `ignore` add and remove lints by code or name, or the sets `"default"` and `"all"`. By default, all lints
/// run except those that only run when they are selected. `crawlers` is the table of the known crawlers; it defaults to the
/// built-in one.
///
/// >>> [finding] = comity.lint("User-agent: *\nDisallow: private/\n", select=["missing-leading-slash"], ignore=["all"])
/// >>> finding.line, finding.name, finding.severity
/// (2, 'missing-leading-slash', 'error')
#[pyfunction]
#[pyo3(signature = (body, *, select=None, ignore=None, crawlers=None))]
pub(crate) fn lint(
    py: Python<'_>,
    body: Body<'_>,
    select: Option<&Bound<'_, PyAny>>,
    ignore: Option<&Bound<'_, PyAny>>,
    crawlers: Option<&Crawlers>,
) -> PyResult<Vec<Finding>> {
    let mut linter = Linter::new();
    if let Some(table) = crawlers {
        linter.set_crawlers(table.0.clone());
    }
    let unknown = |error: comity_lint::UnknownLint| {
        errors::invalid_argument(py, format!("expected the code or the name of a lint, found neither: {error}"))
    };
    // First what is removed, so that `ignore=["all"]` leaves what is selected.
    for name in names("ignore", ignore)? {
        linter.ignore(&name).map_err(unknown)?;
    }
    for name in names("select", select)? {
        linter.select(&name).map_err(unknown)?;
    }
    let bytes = body.bytes();
    let bytes = &*bytes;
    Ok(py.detach(|| {
        let report = linter.lint(bytes, &Evidence::default());
        report.diagnostics.into_iter().map(Finding::from).collect()
    }))
}

/// Reads a list of names of lints.
fn names(argument: &str, names: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<String>> {
    let Some(names) = names else { return Ok(Vec::new()) };
    let expected = || format!("{argument}: expected a list of lints as str, such as [\"L010\"]");
    names.extract().map_err(|_| errors::wrong_type(&expected(), names))
}

impl From<comity_lint::Diagnostic> for Finding {
    fn from(found: comity_lint::Diagnostic) -> Self {
        Self {
            code: found.lint.code,
            name: found.lint.name,
            severity: found.severity.name(),
            line: found.line,
            message: found.message,
            help: found.help,
            affects: found.affects,
        }
    }
}
