//! The target folders, as cargo states them: `CARGO_TARGET_DIR` or a configuration file can move them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use serde_json::Value;

/// Returns the target folder of the workspace.
pub(crate) fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| of("."))
}

/// Returns the target folder of the workspace in this folder, relative to the current folder if it is inside of it.
/// Returns cargo's default if cargo does not state it: the commands that use it fail then, and print the reason.
pub(crate) fn of(workspace: &str) -> PathBuf {
    stated(workspace).unwrap_or_else(|| Path::new(workspace).join("target"))
}

fn stated(workspace: &str) -> Option<PathBuf> {
    // `shell` looks for programs in the target folder, so it cannot run this command.
    let output = Command::new("cargo")
        .args(["metadata", "--no-deps", "--format-version", "1", "--manifest-path"])
        .arg(Path::new(workspace).join("Cargo.toml"))
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let metadata: Value = serde_json::from_slice(&output.stdout).ok()?;
    let folder = Path::new(metadata["target_directory"].as_str()?);
    // Without quotes, a command cannot contain the path of a clone with a space in it.
    let current = std::env::current_dir().ok()?;
    Some(folder.strip_prefix(current).unwrap_or(folder).to_owned())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{of, stated};

    #[test]
    fn cargo_states_the_folder() {
        let stated = stated("..").expect("cargo metadata names the folder");
        assert!(stated.is_absolute(), "{}", stated.display());
        assert_eq!(of(".."), stated);
        assert_eq!(of("no-such-folder"), Path::new("no-such-folder/target"));
    }
}
