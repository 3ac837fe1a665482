//! A check of the service against its `OpenAPI` description: schemathesis generates valid and invalid requests from the
//! description, and checks the responses.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::machine::Missing;
use crate::target;

const VERSION: &str = "4.32.5";

/// The number of requests that are generated for each operation in addition to those that follow from its description.
const EXAMPLES: &str = "40";

/// Returns a title and the commands that install schemathesis into the target folder, if it is missing.
pub(crate) fn install() -> Option<(String, Vec<String>)> {
    missing()?;
    let venv = venv();
    let title =
        format!("schemathesis {VERSION} with what it needs, from the package index of Python into {}", venv.display());
    let commands = vec![
        format!("python3 -m venv {}", venv.display()),
        format!("{}/bin/pip install --quiet --disable-pip-version-check schemathesis=={VERSION}", venv.display()),
    ];
    Some((title, commands))
}

/// Returns a note if schemathesis is missing.
pub(crate) fn missing() -> Missing {
    (!schemathesis().exists())
        .then(|| format!("schemathesis {VERSION} is missing; python3 with venv and pip installs it"))
}

fn venv() -> PathBuf {
    target::folder().join(format!("schemathesis-{VERSION}"))
}

fn schemathesis() -> PathBuf {
    venv().join("bin/schemathesis")
}

/// The command that builds the program for this check and for the tests of the page. Its features are those of the
/// workspace's tests, so that nothing is built twice; cargo builds the program since this test runs it.
pub(crate) const BUILD: &str = "cargo test --no-run --workspace --all-features --test load";

/// Returns the program that [`BUILD`] builds.
pub(crate) fn program() -> PathBuf {
    target::folder().join("debug/comity")
}

/// Runs schemathesis on the service of [`program`]. Fails if it finds anything.
pub(crate) fn check() -> Result<()> {
    let service = Service::start(&[])?;
    let own = std::env::current_dir()?.join("xtask/schemathesis");
    // It creates folders in its current folder.
    let place = target::folder().join("schemathesis-run");
    std::fs::create_dir_all(&place)?;
    println!("$ schemathesis run {}openapi.json", service.url);
    let status = Command::new(std::path::absolute(schemathesis())?)
        .arg("--config-file")
        .arg(own.join("schemathesis.toml"))
        .args(["run", &format!("{}openapi.json", service.url), "--max-examples", EXAMPLES, "--seed", "1"])
        .args(["--no-color", "--generation-database", "none"])
        .env("PYTHONPATH", &own)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("SCHEMATHESIS_HOOKS", "lines")
        .current_dir(place)
        .stdin(Stdio::null())
        .status()
        .context("cannot start schemathesis")?;
    ensure!(status.success(), "the service is not as it describes itself: {status}");
    Ok(())
}

/// A service that fetches from no sites, until it is dropped.
pub(crate) struct Service {
    child: Child,
    pub(crate) url: String,
}

impl Service {
    /// Starts a service with these variables in its environment.
    pub(crate) fn start(variables: &[(&str, &str)]) -> Result<Self> {
        let mut child = Command::new(program())
            .args(["serve", "--offline", "--listen", "127.0.0.1:0", "--rate", "0", "--log", "error"])
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start the service")?;
        let mut line = String::new();
        let out = child.stdout.as_mut().context("its output")?;
        BufReader::new(out).read_line(&mut line)?;
        let url = line.trim().trim_start_matches("Listening on ").to_owned();
        Ok(Self { child, url })
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
