//! Installation of missing programs that some steps need, which is announced first.

use crate::packages;
use crate::tools::{DENY, FUZZ, MUTANTS, NEXTEST, SEMVER, folder};
use crate::{clients, described, fuzz, page, python, semver, shell};

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
    for install in missing {
        if let Err(error) = install.commands.iter().try_for_each(|command| shell::run(command)) {
            println!("{error:#}: the steps that need it are skipped");
        }
    }
    println!();
}

fn missing(is_long: bool) -> Vec<Install> {
    let mut missing = Vec::new();
    if let Some(names) = packages::installable() {
        let update = "apt-get update --quiet".to_owned();
        let install = format!(
            "DEBIAN_FRONTEND=noninteractive apt-get install --quiet --yes --no-install-recommends {}",
            names.join(" ")
        );
        let title = format!("packages of Debian: {}", names.join(", "));
        missing.push(Install { title, commands: vec![update, install] });
    }
    let mut tools = vec![NEXTEST, DENY];
    if fuzz::toolchain_missing().is_none() {
        tools.push(FUZZ);
    }
    if is_long {
        tools.push(MUTANTS);
        if semver::baseline().is_some() {
            tools.push(SEMVER);
        }
    }
    for tool in tools.into_iter().filter(|tool| tool.missing().is_some()) {
        let title = format!("{}, built from source into {}", tool.title(), folder().display());
        missing.push(Install { title, commands: vec![tool.command()] });
    }
    for (title, commands) in [described::install(), clients::install(), python::install()].into_iter().flatten() {
        missing.push(Install { title, commands });
    }
    if let Some((title, command)) = page::install() {
        missing.push(Install { title, commands: vec![command] });
    }
    missing
}
