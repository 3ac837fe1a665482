//! Whether the service is as it describes itself: schemathesis makes up requests from the description, right and wrong
//! ones, and looks at what comes back.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::bench::target;
use crate::machine::Missing;
use crate::shell;

const VERSION: &str = "4.32.5";

/// Requests that are made up for each operation, beside those that follow from its description; always the same.
const EXAMPLES: &str = "40";

/// Installs schemathesis where cargo builds to, once; what is missing for that.
pub(crate) fn missing() -> Missing {
    if program().exists() {
        return None;
    }
    let venv = venv();
    let pip = venv.join("bin/pip");
    let installed = shell::run(&format!("python3 -m venv {}", venv.display())).and_then(|()| {
        shell::run(&format!("{} install --quiet --disable-pip-version-check schemathesis=={VERSION}", pip.display()))
    });
    installed.err().map(|error| format!("schemathesis needs python3 with venv and pip: {error:#}"))
}

fn venv() -> PathBuf {
    target("target").join(format!("schemathesis-{VERSION}"))
}

fn program() -> PathBuf {
    venv().join("bin/schemathesis")
}

/// Fails if it finds anything.
pub(crate) fn check() -> Result<()> {
    shell::run("cargo build -p comity-cli")?;
    let service = Service::start()?;
    let own = std::env::current_dir()?.join("xtask/schemathesis");
    // It leaves folders where it runs.
    let place = target("target").join("schemathesis-run");
    std::fs::create_dir_all(&place)?;
    println!("$ schemathesis run {}openapi.json", service.url);
    let status = Command::new(std::path::absolute(program())?)
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

/// A service that asks no sites, until it is dropped.
struct Service {
    child: Child,
    url: String,
}

impl Service {
    fn start() -> Result<Self> {
        let mut child = Command::new(target("target").join("debug/comity"))
            .args(["serve", "--offline", "--listen", "127.0.0.1:0", "--rate", "0", "--log", "error"])
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
