//! The workspace's metadata, from `cargo metadata`.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::shell;

/// Returns the folder of the workspace.
pub(crate) fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// The packages of the workspace and its dependencies, with all features.
#[derive(Debug)]
pub(crate) struct Workspace(Value);

impl Workspace {
    pub(crate) fn load() -> Result<Self> {
        let json = shell::output("cargo metadata --format-version 1 --all-features")
            .context("`cargo metadata` failed; run it to see why")?;
        Ok(Self(serde_json::from_str(&json).context("`cargo metadata` printed no JSON")?))
    }

    /// Returns the crates that are published.
    pub(crate) fn published(&self) -> Vec<Package<'_>> {
        self.members().filter(|package| package.0["publish"].is_null()).collect()
    }

    /// Returns the folders of all crates.
    pub(crate) fn folders(&self) -> Vec<&Path> {
        self.members().map(Package::folder).collect()
    }

    pub(crate) fn members(&self) -> impl Iterator<Item = Package<'_>> {
        let members: Vec<&str> = items(&self.0["workspace_members"]).filter_map(Value::as_str).collect();
        items(&self.0["packages"]).map(Package).filter(move |package| members.contains(&package.id()))
    }

    pub(crate) fn package(&self, id: &str) -> Option<Package<'_>> {
        items(&self.0["packages"]).map(Package).find(|package| package.id() == id)
    }

    /// Returns the packages that compiling this one needs: its normal and its build dependencies.
    pub(crate) fn dependencies(&self, id: &str) -> Vec<&str> {
        items(&self.0["resolve"]["nodes"])
            .filter(|node| node["id"] == id)
            .flat_map(|node| items(&node["deps"]))
            .filter(|dependency| items(&dependency["dep_kinds"]).any(|kind| kind["kind"] != "dev"))
            .filter_map(|dependency| dependency["pkg"].as_str())
            .collect()
    }
}

/// A package, as `cargo metadata` describes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Package<'a>(&'a Value);

impl<'a> Package<'a> {
    pub(crate) fn id(self) -> &'a str {
        self.0["id"].as_str().unwrap_or_default()
    }

    pub(crate) fn name(self) -> &'a str {
        self.0["name"].as_str().unwrap_or_default()
    }

    pub(crate) fn version(self) -> &'a str {
        self.0["version"].as_str().unwrap_or_default()
    }

    /// Returns a string field of its manifest.
    pub(crate) fn field(self, name: &str) -> Option<&'a str> {
        self.0[name].as_str()
    }

    /// Returns the folder of its manifest.
    pub(crate) fn folder(self) -> &'a Path {
        let manifest = Path::new(self.0["manifest_path"].as_str().unwrap_or_default());
        manifest.parent().unwrap_or(manifest)
    }

    /// Returns its `rust-version`.
    pub(crate) fn rust_version(self) -> Option<&'a str> {
        self.0["rust_version"].as_str()
    }

    /// Returns its features, except `default`.
    pub(crate) fn features(self) -> Vec<&'a str> {
        let features = self.0["features"].as_object().into_iter().flatten();
        features.map(|(name, _)| name.as_str()).filter(|&name| name != "default").collect()
    }
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
