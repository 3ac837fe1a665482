//! A check that the crates can be published, and their publication. In the check, each crate is packed, and built from
//! its package.

use std::fs;

use anyhow::{Context, Result, ensure};

use crate::workspace::Workspace;
use crate::{shell, target};

/// The files that each published crate has in addition to its sources. Licenses are copies: symbolic links are not
/// packed on every system.
const LICENSES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// Packs all published crates, unpacks them, and checks that they compile together.
///
/// `cargo package` verifies packages itself, but leaves them in the cargo home, and builds with that copy the next
/// time, even if the sources have changed. So the packages are compiled in a separate workspace, in the target folder.
/// `cargo check` finds files that are missing in a package; that the sources can be linked is known from the tests.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let packages = target::folder().join("package");
    let unpacked = packages.join("unpacked");
    let published = workspace.published();
    let names: Vec<&str> = published.iter().map(|package| package.name()).collect();
    shell::run(&format!("cargo package --allow-dirty --no-verify -p {}", names.join(" -p ")))?;

    if unpacked.exists() {
        fs::remove_dir_all(&unpacked).with_context(|| unpacked.display().to_string())?;
    }
    fs::create_dir_all(&unpacked).with_context(|| unpacked.display().to_string())?;
    let mut manifest = String::from("[workspace]\nresolver = \"3\"\nmembers = [\"*\"]\n\n[patch.crates-io]\n");
    for package in &published {
        let folder = format!("{}-{}", package.name(), package.version());
        shell::run(&format!("tar -xzf {}/{folder}.crate -C {}", packages.display(), unpacked.display()))?;
        for file in LICENSES.into_iter().chain(["README.md"]) {
            let path = unpacked.join(&folder).join(file);
            ensure!(path.is_file(), "the package of {} has no {file}", package.name());
        }
        manifest += &format!("{} = {{ path = \"{folder}\" }}\n", package.name());
    }
    manifest += &profiles(&fs::read_to_string("Cargo.toml")?);
    fs::write(unpacked.join("Cargo.toml"), manifest)?;
    // The versions of dependencies that the tests ran with.
    fs::copy("Cargo.lock", unpacked.join("Cargo.lock"))?;
    shell::run(&format!(
        "CARGO_TARGET_DIR={} cargo check --workspace --all-features --manifest-path {}/Cargo.toml",
        target::folder().display(),
        unpacked.display()
    ))
}

/// Returns the profiles of a manifest, where they are the last part. With the same profiles and target folder, the
/// dependencies need not be checked again.
fn profiles(manifest: &str) -> String {
    let start = manifest.find("\n[profile.").unwrap_or(manifest.len());
    manifest[start..].to_owned()
}

/// Publishes all crates, or only checks that they could be published.
///
/// # Errors
///
/// If the workspace has no `repository`. Nothing is published then.
pub(crate) fn publish(is_dry_run: bool) -> Result<()> {
    for package in Workspace::load()?.published() {
        check_repository(package.name(), package.field("repository"))?;
    }
    shell::run(if is_dry_run { "cargo publish --workspace --dry-run" } else { "cargo publish --workspace" })
}

/// Refuses a crate without the address of its repository.
pub(crate) fn check_repository(name: &str, repository: Option<&str>) -> Result<()> {
    let repository = repository.unwrap_or_default();
    ensure!(
        repository.starts_with("https://"),
        "{name}: expected the https: address of the repository, found `{repository}`: set `repository` under \
         [workspace.package] in Cargo.toml, and inherit it in the crate"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{LICENSES, check_repository, profiles};
    use crate::workspace::{Workspace, root};

    #[test]
    fn published_crates_have_the_licenses_and_a_readme() {
        let workspace = Workspace::load().unwrap();
        let published = workspace.published();
        assert!(published.len() > 5, "{} published crates", published.len());
        for package in published {
            let folder = package.folder();
            for license in LICENSES {
                let path = folder.join(license);
                assert!(!path.is_symlink(), "{} is a link", path.display());
                let text = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                assert!(text == fs::read(root().join(license)).unwrap(), "{} is not the root's", path.display());
            }
            let readme = folder.join("README.md");
            let text = fs::read_to_string(&readme).unwrap_or_else(|error| panic!("{}: {error}", readme.display()));
            assert!(text.contains(package.name()), "{} does not name the crate", readme.display());
            for field in ["description", "license", "readme", "repository", "rust_version"] {
                assert!(package.field(field).is_some(), "{} has no {field}", package.name());
            }
        }
    }

    #[test]
    fn the_profiles_are_the_end_of_the_manifest() {
        let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
        let profiles = profiles(&manifest);
        let tables: Vec<&str> = profiles.lines().filter(|line| line.starts_with('[')).collect();
        assert!(tables.contains(&"[profile.dev]"), "{profiles}");
        assert!(tables.iter().all(|table| table.starts_with("[profile.")), "{profiles}");
    }

    #[test]
    fn nothing_is_published_without_a_repository() {
        for unset in [None, Some(""), Some("TODO")] {
            let refused = check_repository("comity", unset).unwrap_err().to_string();
            assert!(refused.contains("set `repository`"), "{refused}");
        }
        check_repository("comity", Some("https://git.example/comity")).unwrap();
    }
}
