//! Installation of missing programs that some steps need, which is announced first.

use crate::packages;
use crate::tools::{AUDITABLE, CYCLONEDX, DENY, FUZZ, MUTANTS, NEXTEST, SEMVER, Tool, folder};
use crate::{clients, described, fuzz, javascript, page, python, release, semver, shell};

/// A missing program, and the commands that install it.
struct Install {
    title: String,
    commands: Vec<String>,
}

/// Installs missing programs: Debian packages if that is possible, the others into the target folder. Prints the list
/// first. If `installs` is false, it only prints the list. Steps without their programs are skipped later.
pub(crate) fn run(installs: bool, is_long: bool) {
    let missing = missing(is_long);
    if missing.is_empty() {
        return;
    }
    println!("== setup");
    println!("Some steps need programs that are missing here:");
    for install in &missing {
        println!("  {}", install.title);
    }
    if !installs {
        println!("They are not installed (--no-install). The steps that need them are skipped.\n");
        return;
    }
    println!("They are installed now. `cargo xtask test --no-install` skips the steps that need them instead.");
    install(&missing);
    println!();
}

/// Installs what is missing for a release. What then still is missing fails where it is used.
pub(crate) fn for_release() {
    let mut missing = Vec::from_iter(debian());
    missing.extend([AUDITABLE, CYCLONEDX].into_iter().filter_map(cargo_tool));
    missing.extend(release::python_tools().map(|(title, commands)| Install { title, commands }));
    for install in &missing {
        println!("missing, and installed now: {}", install.title);
    }
    install(&missing);
}

fn install(missing: &[Install]) {
    for install in missing {
        if let Err(error) = install.commands.iter().try_for_each(|command| shell::run(command)) {
            println!("{error:#}: the steps that need it are skipped");
        }
    }
}

/// Returns the packages of Debian that are missing, if they can be installed.
fn debian() -> Option<Install> {
    let names = packages::installable()?;
    let update = "apt-get update --quiet".to_owned();
    let install = format!(
        "DEBIAN_FRONTEND=noninteractive apt-get install --quiet --yes --no-install-recommends {}",
        names.join(" ")
    );
    let title = format!("packages of Debian: {}", names.join(", "));
    Some(Install { title, commands: vec![update, install] })
}

/// Returns the installation of a cargo subcommand, if it is missing.
fn cargo_tool(tool: Tool) -> Option<Install> {
    tool.missing()?;
    let title = format!("{}, built from source into {}", tool.title(), folder().display());
    Some(Install { title, commands: vec![tool.command()] })
}

fn missing(is_long: bool) -> Vec<Install> {
    let mut missing = Vec::from_iter(debian());
    let mut tools = vec![NEXTEST, DENY];
    if fuzz::toolchain_missing().is_none() {
        tools.push(FUZZ);
    }
    if is_long {
        tools.extend([MUTANTS, AUDITABLE, CYCLONEDX]);
        if semver::baseline().is_some() {
            tools.push(SEMVER);
        }
    }
    missing.extend(tools.into_iter().filter_map(cargo_tool));
    let mut installs = vec![described::install(), clients::install(), python::install()];
    if is_long {
        installs.push(release::python_tools());
    }
    missing.extend(installs.into_iter().flatten().map(|(title, commands)| Install { title, commands }));
    for (title, command) in page::install().into_iter().chain(javascript::install()) {
        missing.push(Install { title, commands: vec![command] });
    }
    missing
}
