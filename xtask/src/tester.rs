//! The tester without a service: the page as static files, with WebAssembly modules that answer in the browser.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::machine::Missing;
use crate::{described, javascript, page, shell, target};

/// Returns a note if it cannot be built here.
pub(crate) fn missing() -> Missing {
    page::missing().or_else(javascript::tester_missing)
}

/// Returns a note if it cannot be tested in a browser here.
pub(crate) fn browser_missing() -> Missing {
    page::browser_missing().or_else(javascript::tester_missing)
}

/// The modules. Each of them is a feature of the crate.
pub(crate) const MODULES: [&str; 2] = ["tester", "changes"];

/// An option of cargo: one page asks few questions, so all is built for size alone.
pub(crate) const SMALL: &str = "--config profile.wasm.package.comity.opt-level=\"z\"";

/// The variable that names the module for a build of the program, which then contains it.
pub(crate) const MODULE: &str = "COMITY_TESTER_MODULE";

/// Builds the module of the first views, with variables of the environment. Returns its absolute path.
pub(crate) fn module(variables: &str) -> Result<PathBuf> {
    build_module("tester", variables)
}

/// Builds the module of a feature. Returns its absolute path.
fn build_module(feature: &str, variables: &str) -> Result<PathBuf> {
    let module = std::path::absolute(target::folder().join(format!("js/{feature}.wasm")))?;
    fs::create_dir_all(target::folder().join("js")).context("target/js")?;
    javascript::build_tester(feature, variables, SMALL, &module)?;
    Ok(module)
}

/// Returns the folder of the page without a service.
pub(crate) fn folder() -> PathBuf {
    target::folder().join("static")
}

/// Builds the modules and the page into `target/static`.
pub(crate) fn build() -> Result<()> {
    if let Some(missing) = missing() {
        bail!("{missing}");
    }
    let (module, changes) = (module("")?, build_module("changes", "")?);
    let modules = format!("PAGE_STATIC={} PAGE_CHANGES={}", module.display(), changes.display());
    shell::run(&format!("{modules} PAGE_OUT={} npm --prefix web run build", page::from_web(&folder())))
}

/// Returns a copy of the program that contains the module. The next build without it replaces the program.
fn program() -> PathBuf {
    target::folder().join("js/comity")
}

/// Builds the page without a service and, in a long run, the program with the module.
pub(crate) fn build_for_tests(is_long: bool) -> Result<()> {
    build()?;
    if !is_long {
        return Ok(());
    }
    let module = std::path::absolute(target::folder().join("js/tester.wasm"))?;
    shell::run(&format!("{MODULE}={} {}", module.display(), described::BUILD))?;
    fs::copy(described::program(), program()).context("target/js/comity")?;
    Ok(())
}

/// The report that the tests write.
pub(crate) const REPORT: &str = "target/static-tests.xml";

/// Returns the command that compares the module with the service, and tests the pages in browsers. In a long run, one of
/// them is the page of the program with the module.
pub(crate) fn tests(is_long: bool) -> String {
    let [plain, with_module] = [described::program(), program()].map(|path| page::from_web(&path));
    let with_module = if is_long { format!(" MODULE_COMITY={with_module}") } else { String::new() };
    format!("COMITY={plain}{with_module} npm --prefix web run test-static")
}
