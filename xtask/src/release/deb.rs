//! The package of Debian. `dpkg-deb` is enough: the program needs no library, so there is nothing to compute.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::pages::Pages;
use super::tree::{self, Mode, file_name, gzip};
use super::{Release, files};
use crate::links::Repository;
use crate::shell;

/// The completions of each shell, and the paths where Debian expects them.
const COMPLETIONS: [(&str, &str); 3] = [
    ("comity.bash", "usr/share/bash-completion/completions/comity"),
    ("comity.fish", "usr/share/fish/vendor_completions.d/comity.fish"),
    ("_comity", "usr/share/zsh/vendor-completions/_comity"),
];

/// Writes the package.
pub(crate) fn write(release: &Release, program: &Path, pages: &Pages) -> Result<()> {
    let root = release.folder("deb")?;
    tree::copy(program, &root.join("usr/bin/comity"), Mode::Program)?;
    for page in files(&pages.manual)? {
        let path = root.join(format!("usr/share/man/man1/{}.gz", file_name(&page)));
        tree::write(&path, &gzip(&fs::read(&page)?)?, Mode::Data)?;
    }
    for (name, path) in COMPLETIONS {
        tree::copy(pages.completions.join(name), &root.join(path), Mode::Data)?;
    }
    tree::copy("packaging/comity.service", &root.join("lib/systemd/system/comity.service"), Mode::Data)?;
    tree::copy("packaging/deb/default", &root.join("etc/default/comity"), Mode::Data)?;
    let doc = root.join("usr/share/doc/comity");
    tree::copy("packaging/deb/copyright", &doc.join("copyright"), Mode::Data)?;
    tree::copy("LICENSE-MIT", &doc.join("LICENSE-MIT"), Mode::Data)?;
    tree::copy("README.md", &doc.join("README.md"), Mode::Data)?;
    tree::write(&doc.join("changelog.gz"), &gzip(&fs::read("CHANGELOG.md")?)?, Mode::Data)?;

    let control = root.join("DEBIAN");
    tree::write(&control.join("control"), description(release, installed_kibibytes(&root)?)?.as_bytes(), Mode::Data)?;
    tree::write(&control.join("conffiles"), b"/etc/default/comity\n", Mode::Data)?;
    for script in ["postinst", "postrm", "prerm"] {
        tree::copy(format!("packaging/deb/{script}"), &control.join(script), Mode::Program)?;
    }
    // One thread: with several, the compressed bytes would depend on their number.
    shell::run(&format!(
        "SOURCE_DATE_EPOCH={} dpkg-deb --root-owner-group -Zxz --threads-max=1 --build {} {}",
        release.date,
        root.display(),
        release.artifact(&release.deb_name()).display()
    ))
}

/// Returns the control file.
fn description(release: &Release, kibibytes: u64) -> Result<String> {
    let repository = Repository::of_workspace()?;
    let link = repository.map(|found| format!("Homepage: {}\n", found.address)).unwrap_or_default();
    Ok(format!(
        "Package: comity\n\
         Version: {}\n\
         Architecture: {}\n\
         Maintainer: the authors of comity <noreply@comity.invalid>\n\
         Installed-Size: {kibibytes}\n\
         Recommends: ca-certificates\n\
         {link}\
         Section: web\n\
         Priority: optional\n\
         Description: robots.txt: may this crawler fetch this URL, and exactly why?\n \
         The command comity reads robots.txt files and names the line that decides.\n \
         It checks live sites, finds and fixes mistakes, compares two files for all\n \
         URLs, and proves claims. The unit comity.service, which is not started by\n \
         default, is its HTTP service.\n",
        release.version,
        release.platform.debian.unwrap_or_default()
    ))
}

/// Returns the size of the files, as dpkg computes it.
fn installed_kibibytes(root: &Path) -> Result<u64> {
    let (mut folders, mut kibibytes) = (vec![root.to_owned()], 0);
    while let Some(folder) = folders.pop() {
        for path in files(&folder)? {
            let metadata = fs::metadata(&path).with_context(|| path.display().to_string())?;
            if metadata.is_dir() {
                kibibytes += 1;
                folders.push(path);
            } else {
                kibibytes += metadata.len().div_ceil(1024);
            }
        }
    }
    Ok(kibibytes)
}
