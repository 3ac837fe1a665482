//! The package of Debian: unpacked into an empty root, and installed into a copy of this system that is thrown away.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::super::Release;
use super::site::Site;
use super::{Answer, ROBOTS, asks, installed, installs};
use crate::shell;

/// Makes a copy of this system in memory and on disk only where it differs, makes it the root, and runs a script there.
const COPY: &str = "\
work=$1; shift; mkdir -p \"$work/upper\" \"$work/inner\" \"$work/root\" && \
mount -t overlay overlay -o \"lowerdir=/,upperdir=$work/upper,workdir=$work/inner\" \"$work/root\" && \
mount -t proc proc \"$work/root/proc\" && mount --bind /dev \"$work/root/dev\" && \
exec chroot \"$work/root\" sh -euc \"$@\"";

/// Installs, uses, removes and purges the package. `$1` is its path. Prints the milliseconds of the installation first,
/// without those in which man-db reads the manual pages of all packages.
const LIFE: &str = "\
start=$(date +%s%N)
dpkg --no-triggers --install \"$1\" >/dev/null
echo $(( ($(date +%s%N) - start) / 1000000 ))
dpkg --configure --pending >/dev/null
test \"$(comity --version)\" = \"comity $2\"
test -z \"$(dpkg --verify comity)\"
gzip --test /usr/share/man/man1/comity*.1.gz
man --pager=cat comity-check | grep --quiet -- --agent
bash -c '. /usr/share/bash-completion/completions/comity; complete -p comity' | grep --quiet comity
systemd-analyze verify --man=yes /lib/systemd/system/comity.service
systemd-analyze security --offline=yes --threshold=30 /lib/systemd/system/comity.service >/dev/null
echo 'COMITY_OPTIONS=--offline' > /etc/default/comity
dpkg --remove comity >/dev/null
test ! -e /usr/bin/comity
test -e /etc/default/comity
dpkg --purge comity >/dev/null
test ! -e /etc/default/comity
echo purged";

pub(crate) fn check(release: &Release, site: &Site) -> Result<()> {
    let deb = release.artifact(&release.deb_name());
    let root = release.folder("deb-root")?;
    installs("the package of Debian, unpacked", || {
        shell::run(&format!("dpkg-deb --extract {} {}", deb.display(), root.display()))
    })?;
    fs::write(root.join("robots.txt"), ROBOTS)?;
    asks(site, "/robots.txt", |arguments| {
        let mut command = Command::new("chroot");
        command
            .arg(&root)
            .arg("/usr/bin/comity")
            .args(arguments)
            .env_clear()
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        command
    })?;
    let work = release.folder("deb-system")?;
    let mut life = Command::new("unshare");
    life.args(["--mount", "sh", "-euc", COPY, "sh"]).arg(&work).args([LIFE, "sh"]).arg(&deb).arg(&release.version);
    let ended = Answer::of(&mut life)?;
    ensure!(ended.code == Some(0) && ended.out.ends_with("purged\n"), "{}{}", ended.out, ended.err);
    let millis = ended.out.lines().next().and_then(|line| line.parse().ok()).context("the script printed no time")?;
    installed("the package of Debian, by dpkg", Duration::from_millis(millis))?;
    refused(release, &deb)
}

/// A package that is damaged or of another architecture installs nothing, and neither does one on a read-only system.
fn refused(release: &Release, deb: &Path) -> Result<()> {
    let folder = release.folder("deb-refused")?;
    let damaged = folder.join("damaged.deb");
    let bytes = fs::read(deb)?;
    fs::write(&damaged, &bytes[..bytes.len() / 2])?;
    let other = folder.join("other.deb");
    of_another_architecture(release, deb, &other)?;
    for (deb, before, message) in [
        (damaged.as_path(), "true", "error processing archive"),
        (&other, "true", "does not match system"),
        (deb, "mount -o remount,ro /", "Read-only file system"),
    ] {
        let script = format!(
            "{before} && ! dpkg --install \"$1\" && ! command -v comity && test ! -e /lib/systemd/system/comity.service"
        );
        let work = release.folder("deb-refused-system")?;
        let mut command = Command::new("unshare");
        command.args(["--mount", "sh", "-euc", COPY, "sh"]).arg(work).args([&script, "sh"]).arg(deb);
        let ended = Answer::of(&mut command)?;
        ensure!(ended.code == Some(0) && ended.err.contains(message), "{ended:?}");
    }
    Ok(())
}

/// Writes the package for an architecture that is not this machine's.
fn of_another_architecture(release: &Release, deb: &Path, to: &Path) -> Result<()> {
    let root = release.folder("deb-other")?;
    let (root, own) = (root.display(), release.platform.debian.unwrap_or_default());
    let other = if own == "amd64" { "arm64" } else { "amd64" };
    shell::run(&format!("dpkg-deb --raw-extract {} {root}", deb.display()))?;
    let control = format!("{root}/DEBIAN/control");
    let changed = fs::read_to_string(&control)?
        .replace(&format!("\nArchitecture: {own}\n"), &format!("\nArchitecture: {other}\n"));
    fs::write(&control, changed)?;
    shell::run(&format!("dpkg-deb -Znone --build {root} {}", to.display()))
}
