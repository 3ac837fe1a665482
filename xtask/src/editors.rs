//! The extension for VS Code, and the settings of other editors.

use std::fs;
use std::path::Path;

use crate::machine::Missing;
use crate::{described, page};

/// The command that installs what the extension is built and tested with. No script of a package is needed.
const INSTALL: &str = "npm --prefix editors/vscode ci --ignore-scripts --no-audit --no-fund";

/// The report that the tests write.
pub(crate) const REPORT: &str = "target/vscode/tests.xml";

/// Returns a title and the command that installs the packages, if they are missing or old.
pub(crate) fn install() -> Option<(String, Vec<String>)> {
    let modified = |path: &str| fs::metadata(path).and_then(|found| found.modified()).ok();
    // npm writes this file last.
    let is_current =
        modified("editors/vscode/node_modules/.package-lock.json") >= modified("editors/vscode/package-lock.json");
    let title = "the packages of editors/vscode/package-lock.json, into editors/vscode/node_modules";
    (!is_current).then(|| (title.into(), vec![INSTALL.into()]))
}

/// Returns a note if the extension cannot be built here.
pub(crate) fn missing() -> Missing {
    page::node_missing().or_else(|| {
        let is_installed = Path::new("editors/vscode/node_modules/.package-lock.json").exists();
        (!is_installed).then(|| format!("its packages are missing: {INSTALL}"))
    })
}

/// Returns the command that packages and tests the extension, with the program that [`described::BUILD`] builds.
pub(crate) fn tests() -> String {
    let program = Path::new("../..").join(described::program());
    format!("COMITY={} npm --prefix editors/vscode test", program.display())
}
