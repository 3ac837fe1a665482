//! The image of a container: the program, the certificates of the public authorities, and nothing else.
//!
//! buildah makes it, by `packaging/Containerfile`. The format is that of Docker, since images of OCI have no health
//! check. buildah writes a random host name and identifier into such an image, so these are removed.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::archive::Tar;
use super::sums::sha256;
use super::tree::{self, Mode, gzip};
use super::{Release, files};
use crate::links::Repository;
use crate::shell;

/// The certificates of the package ca-certificates. Those that were added to this machine are elsewhere.
const CERTIFICATES: &str = "/usr/share/ca-certificates/mozilla";

/// The path where programs look for certificates.
const BUNDLE: &str = "etc/ssl/certs/ca-certificates.crt";

/// Writes the image, as `podman load` and `docker load` read it. Podman of Debian 12 reads it only after `gunzip`.
pub(crate) fn write(release: &Release, program: &Path) -> Result<()> {
    let context = release.folder("image")?;
    let root = context.join("root");
    tree::copy(program, &root.join("usr/bin/comity"), Mode::Program)?;
    tree::write(&root.join(BUNDLE), &certificates()?, Mode::Data)?;
    for license in ["LICENSE-APACHE", "LICENSE-MIT"] {
        tree::copy(license, &root.join("usr/share/doc/comity").join(license), Mode::Data)?;
    }
    let name = format!("localhost/comity:{}", release.version);
    let source = Repository::of_workspace()?;
    let source = source.map(|found| format!("--label org.opencontainers.image.source={} ", found.address));
    // A storage of its own, so that no image of this machine is used or replaced.
    let storage = release.folder("image-storage")?;
    let storage = storage.display();
    let buildah = format!("buildah --storage-driver vfs --root {storage}/root --runroot {storage}/run");
    shell::run(&format!(
        "{buildah} build --quiet --format docker --isolation chroot --no-cache --identity-label=false --platform linux/{} --timestamp {} \
         --label org.opencontainers.image.version={} --label org.opencontainers.image.title=comity {}--tag {name} \
         --file packaging/Containerfile {}",
        release.platform.debian.unwrap_or_default(),
        release.date,
        release.version,
        source.unwrap_or_default(),
        context.display()
    ))?;
    let archive = context.join("image.tar");
    shell::run(&format!("{buildah} push --quiet {name} docker-archive:{}", archive.display()))?;
    let image = reproducible(&fs::read(&archive)?, &format!("comity:{}", release.version), release.date)?;
    let path = release.artifact(&release.image_name());
    fs::write(&path, gzip(&image)?).with_context(|| path.display().to_string())
}

/// Returns all certificates in one file.
fn certificates() -> Result<Vec<u8>> {
    let files = files(Path::new(CERTIFICATES)).context("install the package ca-certificates")?;
    let mut bundle = Vec::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "crt")) {
        let certificate = fs::read(file).with_context(|| file.display().to_string())?;
        bundle.extend_from_slice(certificate.trim_ascii_end());
        bundle.push(b'\n');
    }
    ensure!(!bundle.is_empty(), "no certificates are in {CERTIFICATES}: install the package ca-certificates");
    Ok(bundle)
}

/// Returns the image in an archive, without what buildah chose at random.
fn reproducible(archive: &[u8], name: &str, date: u64) -> Result<Vec<u8>> {
    let files = entries(archive)?;
    let file = |name: &str| files.get(name).with_context(|| format!("the image has no {name}"));
    let manifest: Value = serde_json::from_slice(file("manifest.json")?)?;
    let mut config: Value = serde_json::from_slice(file(text(&manifest[0]["Config"])?)?)?;
    let fields = config.as_object_mut().context("the configuration of the image is no object")?;
    fields.remove("container");
    fields.remove("container_config");
    if let Some(config) = fields.get_mut("config").and_then(Value::as_object_mut) {
        config.remove("Hostname");
    }
    let config = serde_json::to_vec(&config)?;
    let config_name = format!("{}.json", sha256(&config));
    let layers = manifest[0]["Layers"].as_array().context("the image has no layers")?;
    let layers = layers.iter().map(text).collect::<Result<Vec<_>>>()?;
    let manifest = json!([{ "Config": config_name, "RepoTags": [name], "Layers": layers }]);

    let mut tar = Tar::new(date);
    for layer in layers {
        tar.file(layer, file(layer)?, Mode::Data)?;
    }
    tar.file(&config_name, &config, Mode::Data)?;
    tar.file("manifest.json", &serde_json::to_vec(&manifest)?, Mode::Data)?;
    tar.end()
}

/// Returns the files of an archive.
pub(crate) fn entries(archive: &[u8]) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::new();
    for entry in tar::Archive::new(archive).entries()? {
        let mut entry = entry?;
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes)?;
        files.insert(entry.path()?.display().to_string(), bytes);
    }
    Ok(files)
}

fn text(value: &Value) -> Result<&str> {
    value.as_str().with_context(|| format!("expected a name in the manifest of the image, found {value}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_random_is_in_an_image() {
        let image = |host: &str| {
            let config = json!({
                "container": host,
                "container_config": { "Hostname": host },
                "config": { "Hostname": host, "User": "65534:65534" },
            });
            let mut tar = Tar::new(1);
            tar.file("layer.tar", b"layer", Mode::Data).unwrap();
            tar.file(&format!("{host}.json"), &serde_json::to_vec(&config).unwrap(), Mode::Data).unwrap();
            let manifest = json!([{ "Config": format!("{host}.json"), "Layers": ["layer.tar"] }]);
            tar.file("manifest.json", &serde_json::to_vec(&manifest).unwrap(), Mode::Data).unwrap();
            reproducible(&tar.end().unwrap(), "comity:1", 1).unwrap()
        };
        let first = image("a26f6ee641b3");
        assert_eq!(first, image("760e0fbb9d53"));
        let files = entries(&first).unwrap();
        assert_eq!(files["layer.tar"], b"layer");
        let manifest: Value = serde_json::from_slice(&files["manifest.json"]).unwrap();
        let config: Value = serde_json::from_slice(&files[manifest[0]["Config"].as_str().unwrap()]).unwrap();
        assert_eq!(config, json!({ "config": { "User": "65534:65534" } }));
    }
}
