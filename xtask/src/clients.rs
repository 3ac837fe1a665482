//! Checks of the `OpenAPI` description by its users: validators, and clients that are generated from it.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::described::Service;
use crate::machine::Missing;
use crate::{packages, shell, target};

/// The packages of Python, with their versions.
const PYTHON: [&str; 2] = ["openapi-python-client==0.29.1", "openapi-spec-validator==0.9.0"];

/// The packages of Node, with their versions.
const NODE: [&str; 5] = [
    "@redocly/cli@2.77.0",
    "@types/node@20.19.43",
    "openapi-fetch@0.17.0",
    "openapi-typescript@7.13.0",
    "typescript@5.9.3",
];

/// The token of the service that the clients ask.
const TOKEN: &str = "a-token-for-tests";

/// Returns a title and the commands that install the tools into the target folder, if they are missing.
pub(crate) fn install() -> Option<(String, Vec<String>)> {
    missing()?;
    let (venv, node) = (folder().join("python"), folder().join("node"));
    let (venv, node) = (venv.display(), node.display());
    let (python, npm) = (PYTHON.join(" "), NODE.join(" "));
    let title = format!("generators of OpenAPI clients, {python} {npm}, into {}", folder().display());
    let commands = vec![
        format!("python3 -m venv {venv}"),
        format!("{venv}/bin/pip install --quiet --disable-pip-version-check {python}"),
        format!("mkdir -p {node}"),
        format!("npm install --prefix {node} --no-audit --no-fund {npm}"),
    ];
    Some((title, commands))
}

/// Returns a note if a tool is missing.
pub(crate) fn missing() -> Missing {
    let programs =
        ["python/bin/openapi-python-client", "python/bin/openapi-spec-validator", "node/node_modules/.bin/tsc"];
    let is_missing = programs.iter().any(|program| !folder().join(program).exists());
    packages::missing("npm").or_else(|| {
        is_missing
            .then(|| "generators of clients are missing; python3 with venv and pip, and npm, install them".to_owned())
    })
}

/// The folder of the tools. Its name changes with their versions.
fn folder() -> PathBuf {
    target::folder().join("openapi-clients-1")
}

/// Validates the description, and runs a generated client in Python and one in TypeScript.
pub(crate) fn check() -> Result<()> {
    let tools = std::path::absolute(folder())?;
    let root = std::env::current_dir()?;
    let (own, description) = (root.join("xtask/clients"), root.join("crates/comity-server/openapi.json"));
    let (own, description) = (own.display(), description.display());
    let (python, node) = (tools.join("python/bin"), tools.join("node/node_modules/.bin"));
    let (python, node) = (python.display(), node.display());
    shell::run(&format!("{python}/openapi-spec-validator {description}"))?;
    shell::run(&format!(
        "REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true {node}/redocly lint --config {own}/redocly.yaml \
         --max-problems 100 {description}"
    ))?;

    let service = Service::start(&[("COMITY_TOKEN", TOKEN)])?;
    let made = tools.join("made");
    std::fs::create_dir_all(&made)?;
    shell::run(&format!(
        "{python}/openapi-python-client generate --path {description} --output-path {}/python --overwrite",
        made.display()
    ))?;
    ask(Command::new(tools.join("python/bin/python"))
        .arg(root.join("xtask/clients/check.py"))
        .args([&service.url, TOKEN])
        .env("PYTHONPATH", made.join("python")))?;

    // Node finds packages in the folders above the program.
    let work = tools.join("node/client");
    std::fs::create_dir_all(&work)?;
    std::fs::copy(root.join("xtask/clients/check.ts"), work.join("check.ts"))?;
    std::fs::write(work.join("package.json"), "{\"type\": \"module\"}\n")?;
    shell::run(&format!("{node}/openapi-typescript {description} --output {}/schema.d.ts", work.display()))?;
    // The compiler looks for types of Node above the current folder, where they are only by accident.
    shell::run(&format!(
        "{node}/tsc --strict --target es2022 --module nodenext --skipLibCheck --types node \
         --typeRoots {1}/node/node_modules/@types --outDir {0}/out {0}/check.ts",
        work.display(),
        tools.display()
    ))?;
    ask(Command::new("node").arg(work.join("out/check.js")).args([&service.url, TOKEN]))
}

/// Runs a program that asks the service.
fn ask(program: &mut Command) -> Result<()> {
    println!("$ {program:?}");
    let status = program.stdin(Stdio::null()).status().context("cannot start the client")?;
    ensure!(status.success(), "a generated client does not work: {status}");
    Ok(())
}
