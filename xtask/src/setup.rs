//! Installation of missing programs that some steps need, which is announced first.

use std::thread;
use std::time::Instant;

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
    let (debian, others) = (debian(), others(is_long));
    if debian.is_none() && others.is_empty() {
        return;
    }
    // Other steps print at the same time, so this is printed in one piece.
    let titles: String = debian.iter().chain(&others).map(|install| format!("  {}\n", install.title)).collect();
    let what = if installs {
        "They are installed now, beside the first steps. `cargo xtask test --no-install` skips the steps that need them \
         instead."
    } else {
        "They are not installed (--no-install). The steps that need them are skipped."
    };
    println!("== setup\nSome steps need programs that are missing here:\n{titles}{what}\n");
    if installs {
        let start = Instant::now();
        install(debian.as_ref(), &others);
        println!("== setup, beside the first steps: {:.1} s\n", start.elapsed().as_secs_f64());
    }
}

/// Installs what is missing for a release. What then still is missing fails where it is used.
pub(crate) fn for_release() {
    let debian = debian();
    let mut others: Vec<Install> = [AUDITABLE, CYCLONEDX].into_iter().filter_map(cargo_tool).collect();
    others.extend(release::python_tools().map(|(title, commands)| Install { title, commands }));
    for install in debian.iter().chain(&others) {
        println!("missing, and installed now: {}", install.title);
    }
    install(debian.as_ref(), &others);
}

/// Installs the packages of Debian, which the others may need, and then the others at the same time, since a part of
/// each is waiting for downloads.
fn install(debian: Option<&Install>, others: &[Install]) {
    let run = |install: &Install| {
        if let Err(error) = install.commands.iter().try_for_each(|command| shell::run_collected(command)) {
            println!("{error:#}: the steps that need it are skipped");
        }
    };
    debian.into_iter().for_each(run);
    thread::scope(|scope| {
        for install in others {
            scope.spawn(move || run(install));
        }
    });
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

/// Returns what is missing besides the packages of Debian.
fn others(is_long: bool) -> Vec<Install> {
    let mut tools = vec![NEXTEST, DENY];
    if is_long {
        if fuzz::toolchain_missing().is_none() {
            tools.push(FUZZ);
        }
        tools.extend([MUTANTS, AUDITABLE, CYCLONEDX]);
        if semver::baseline().is_some() {
            tools.push(SEMVER);
        }
    }
    let mut missing: Vec<Install> = tools.into_iter().filter_map(cargo_tool).collect();
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
