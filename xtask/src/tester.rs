//! The tester without a service: the page as static files, with a WebAssembly module that answers in the browser.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::machine::Missing;
use crate::{described, javascript, page, shell, target};

/// Returns a note if it cannot be built here.
pub(crate) fn missing() -> Missing {
    page::missing().or_else(javascript::modules_missing)
}

/// Returns a note if it cannot be tested in a browser here.
pub(crate) fn browser_missing() -> Missing {
    page::browser_missing().or_else(javascript::modules_missing)
}

/// An option of cargo: one page asks few questions, so the engine is built for size alone.
const SMALL: &str = "--config profile.wasm.package.comity.opt-level=\"z\"";

/// Builds the module and the page into `target/static`.
pub(crate) fn build() -> Result<()> {
    if let Some(missing) = missing() {
        bail!("{missing}");
    }
    let module = target::folder().join("js/tester.wasm");
    fs::create_dir_all(target::folder().join("js")).context("target/js")?;
    javascript::build_module("tester", SMALL, &module)?;
    let [module, out] = [module, target::folder().join("static")].map(|path| page::from_web(&path));
    shell::run(&format!("PAGE_STATIC={module} PAGE_OUT={out} npm --prefix web run build"))
}

/// The report that the tests write.
pub(crate) const REPORT: &str = "target/static-tests.xml";

/// Returns the command that compares the module with the service, and tests the page in browsers.
pub(crate) fn tests() -> String {
    format!("COMITY={} npm --prefix web run test-static", page::from_web(&described::program()))
}
