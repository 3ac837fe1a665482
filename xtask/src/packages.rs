//! System programs that some tests need.

use std::fs;
use std::path::Path;

use crate::machine::Missing;
use crate::shell;

/// Each program and the packages of Debian that contain it.
const PROGRAMS: [(&str, &str); 23] = [
    ("buildah", "buildah"),
    ("c++", "g++"),
    // The package has no fonts.
    ("chromium-headless-shell", "chromium-headless-shell fonts-dejavu-core"),
    ("crun", "crun"),
    ("dpkg-deb", "dpkg"),
    ("firefox-esr", "firefox-esr"),
    ("curl", "curl"),
    ("ip", "iproute2"),
    ("nft", "nftables"),
    ("nginx", "nginx"),
    ("node", "nodejs"),
    ("npm", "npm"),
    ("nvim", "neovim"),
    ("openssl", "openssl"),
    ("pgbouncer", "pgbouncer"),
    ("postgres", "postgresql"),
    ("promtool", "prometheus"),
    ("python3", "python3 python3-venv"),
    ("shellcheck", "shellcheck"),
    ("squid", "squid"),
    ("tinyproxy", "tinyproxy"),
    ("valgrind", "valgrind"),
    ("vsftpd", "vsftpd"),
];

/// Returns the missing packages of the programs that are needed, if they can be installed here. `None` if there are none.
pub(crate) fn installable(is_needed: impl Fn(&str) -> bool) -> Option<Vec<&'static str>> {
    let missing = PROGRAMS.iter().filter(|(program, _)| is_needed(program) && !is_there(program));
    let missing: Vec<&str> = missing.map(|(_, name)| *name).collect();
    (!missing.is_empty() && can_install()).then_some(missing)
}

/// Returns true if packages can be installed: on Debian, as root.
pub(crate) fn can_install() -> bool {
    let is_root = || shell::output("id -u").is_some_and(|id| id.trim() == "0");
    Path::new("/etc/debian_version").exists() && is_root()
}

/// Returns a note if this program is missing.
pub(crate) fn missing(program: &str) -> Missing {
    let package = PROGRAMS.iter().find(|(name, _)| *name == program).map_or(program, |(_, package)| package);
    (!is_there(program)).then(|| format!("`{program}` is not there: install {package}"))
}

/// Returns true if a program is installed. Daemons are not in every user's path, and PostgreSQL has a folder for each
/// version.
fn is_there(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/sbin".into(), "/usr/local/sbin".into()]);
    let postgres = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let folders = folders.chain(postgres.map(|entry| entry.path().join("bin")));
    folders.map(|folder| folder.join(program)).any(|file| file.is_file())
}
