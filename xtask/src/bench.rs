//! The benchmarks, which are a separate workspace: `bench/`.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::machine::{self, Missing};
use crate::{bench_audit, packages, python, shell, target};

/// Builds all participants and the command, measures, and writes `docs/performance/`.
pub(crate) fn run(options: &[&str]) -> Result<bool> {
    build()?;
    let comity = build_comity()?;
    let options = options.join(" ");
    run_built(
        "bench",
        &format!("--comity {} --out docs/performance --page docs/performance.md {options}", comity.display()),
    )?;
    Ok(true)
}

/// Measures the cost of the service's answers, and adds it to the results.
pub(crate) fn serve() -> Result<bool> {
    shell::run("cargo run --release --locked --manifest-path bench/serve/Cargo.toml -- --out docs/performance")?;
    Ok(true)
}

/// Measures the cost of a database that a fleet shares.
pub(crate) fn fleet() -> Result<bool> {
    if let Some(missing) = packages::missing("postgres").or_else(|| packages::missing("valgrind")) {
        bail!("{missing}");
    }
    shell::run("cargo run --release --locked --manifest-path bench/fleet/Cargo.toml -- --out docs/performance")?;
    Ok(true)
}

/// Measures columns: the kernel, the command, and the engines of others where their Python packages are installed. Writes
/// a page of the results.
pub(crate) fn columns() -> Result<bool> {
    const REPORT: &str = "docs/performance/columns.md";
    shell::run("cargo build --profile dist --package comity-cli --features parquet")?;
    shell::run("cargo build --release --locked --manifest-path bench/columns/Cargo.toml")?;
    let (comity, files) = (target::folder().join("dist/comity"), target::folder().join("columns"));
    let options = format!("--comity {} --files {} --report {REPORT}", comity.display(), files.display());
    let measured = run_built("comity-bench-columns", &options);
    // A missed target fails at the end, so that the page has all results.
    python::bench_columns(&files, REPORT)?;
    measured.map(|()| true)
}

/// Compares every real file for all URLs, and prints how long that takes.
pub(crate) fn meaning() -> Result<bool> {
    build()?;
    let comity = build_comity()?;
    run_built("bench", &format!("meaning --comity {}", comity.display()))?;
    Ok(true)
}

/// Measures audits of access logs, beside other programs that are installed.
pub(crate) fn audit() -> Result<bool> {
    let folder = target::folder().join("audit");
    bench_audit::run(&build_comity()?, &folder, Path::new("docs/performance/audit.md"))?;
    Ok(true)
}

/// Counts instructions and compares them with the budgets. With the option `--quick`, it leaves out the workload that
/// takes as long as all others together; with `--bless`, it updates the budgets.
pub(crate) fn gate(option: &str) -> Result<bool> {
    if let Some(missing) = gate_missing() {
        bail!("{missing}");
    }
    // Without the peers, which are in another crate.
    shell::run("cargo build --release --locked --manifest-path bench/gate/Cargo.toml")?;
    run_built("comity-bench-gate", option)?;
    Ok(true)
}

/// Returns a note if a tool of the gate is missing.
pub(crate) fn gate_missing() -> Missing {
    packages::missing("valgrind").or_else(|| machine::file("bench/Cargo.toml"))
}

/// Builds the command as it is released, and returns its path.
fn build_comity() -> Result<PathBuf> {
    shell::run("cargo build --profile dist --package comity-cli")?;
    Ok(target::folder().join("dist/comity"))
}

fn build() -> Result<()> {
    shell::run("cargo build --release --locked --manifest-path bench/Cargo.toml")
}

/// Runs a program that was built in the workspace of the benchmarks.
fn run_built(program: &str, arguments: &str) -> Result<()> {
    shell::run(&format!("{} {arguments}", target::of("bench").join("release").join(program).display()))
}
