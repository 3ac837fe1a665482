//! A check of the metrics by Prometheus' own tool, in both formats.

use std::io::Write as _;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::described::Service;
use crate::machine::Missing;
use crate::{packages, shell, target};

/// Returns a note if the tool is missing.
pub(crate) fn missing() -> Missing {
    packages::missing("promtool")
}

/// Requests the metrics in both formats, and lets the tool read them.
pub(crate) fn check() -> Result<()> {
    let service = Service::start(&[])?;
    let text = metrics(&service, "text/plain;version=0.0.4")?;
    let mut child = Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("cannot start promtool")?;
    child.stdin.take().context("its input")?.write_all(text.as_bytes())?;
    let found = child.wait_with_output()?;
    // It prints advice with the exit code 3, and with 0 in other versions.
    let said = [found.stdout, found.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    ensure!(found.status.success() && said.trim().is_empty(), "promtool check metrics: {}\n{said}", found.status);

    // The only command of promtool that reads OpenMetrics needs times.
    let openmetrics = metrics(&service, "application/openmetrics-text;version=1.0.0")?;
    if !openmetrics.ends_with("# EOF\n") {
        bail!("expected OpenMetrics, found {}", openmetrics.lines().next().unwrap_or_default());
    }
    let lines = openmetrics.lines().map(|line| {
        let time = if line.starts_with('#') { "" } else { " 1700000000" };
        format!("{line}{time}\n")
    });
    let folder = target::folder().join("promtool-run");
    std::fs::create_dir_all(&folder)?;
    let file = folder.join("metrics.txt");
    std::fs::write(&file, lines.collect::<String>())?;
    shell::run(&format!(
        "promtool tsdb create-blocks-from openmetrics {} {}",
        file.display(),
        folder.join("data").display()
    ))
}

/// Returns the metrics in the format that this header prefers.
fn metrics(service: &Service, accept: &str) -> Result<String> {
    let url = format!("{}metrics", service.url);
    let output = Command::new("curl")
        .args(["--silent", "--show-error", "--fail", "--header", &format!("Accept: {accept}"), &url])
        .output()
        .context("cannot start curl")?;
    ensure!(output.status.success(), "GET {url}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?)
}
