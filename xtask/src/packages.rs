//! Programs of the system that some tests need.

use std::path::Path;

use crate::machine::Missing;
use crate::shell;

/// Each program and the packages of Debian that bring it.
const PROGRAMS: [(&str, &str); 9] = [
    ("c++", "g++"),
    // It brings no fonts of its own.
    ("chromium", "chromium fonts-dejavu-core"),
    ("nginx", "nginx"),
    ("node", "nodejs"),
    ("npm", "npm"),
    ("squid", "squid"),
    ("tinyproxy", "tinyproxy"),
    ("valgrind", "valgrind"),
    ("vsftpd", "vsftpd"),
];

/// Installs what is missing where that may be done: as root on Debian. Elsewhere, the steps that need it say so and are
/// skipped.
pub(crate) fn install() {
    let missing: Vec<&str> = PROGRAMS.iter().filter(|(program, _)| !is_there(program)).map(|(_, name)| *name).collect();
    let is_root = shell::output("id -u").is_some_and(|id| id.trim() == "0");
    if missing.is_empty() || !is_root || !Path::new("/etc/debian_version").exists() {
        return;
    }
    let names = missing.join(" ");
    println!("== system packages");
    println!("These packages are needed by some tests, and are installed now: {names}");
    let installed = shell::run("apt-get update --quiet").and_then(|()| {
        shell::run(&format!(
            "DEBIAN_FRONTEND=noninteractive apt-get install --quiet --yes --no-install-recommends {names}"
        ))
    });
    if let Err(error) = installed {
        println!("{error:#}: the steps that need them are skipped");
    }
    println!();
}

/// What is missing for a test that needs this program.
pub(crate) fn missing(program: &str) -> Missing {
    let package = PROGRAMS.iter().find(|(name, _)| *name == program).map_or(program, |(_, package)| package);
    (!is_there(program)).then(|| format!("`{program}` is not there: install {package}"))
}

/// Whether a program is where programs are. Those of daemons are not in everybody's path.
fn is_there(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/sbin".into(), "/usr/local/sbin".into()]);
    folders.map(|folder| folder.join(program)).any(|file| file.is_file())
}
