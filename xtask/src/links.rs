//! Links to the repository, which all follow from one setting: `repository` under `[workspace.package]` in `Cargo.toml`.
//!
//! Crates inherit it, workflows and the GitHub action know the repository that they run in, and packages and the site get
//! it when they are built. Other files have copies, since their readers know no setting: Markdown between
//! `<!-- link: NAME -->` and `<!-- end -->`, and a line in the manifests of packages. `cargo xtask links` writes them, and a
//! step of `cargo xtask lint` compares them. While the setting is empty, the texts have no link.

use std::fs;

use anyhow::{Context, Result, bail, ensure};

use crate::workspace::{Workspace, root};

/// The repository, as its address names it.
#[derive(Clone, Debug)]
pub(crate) struct Repository {
    /// The address, without a slash at its end.
    pub(crate) address: String,
    owner: String,
    pub(crate) name: String,
}

impl Repository {
    /// Returns the repository of the setting. Returns none while it is empty.
    pub(crate) fn of_workspace() -> Result<Option<Self>> {
        let workspace = Workspace::load()?;
        let package = workspace.published().into_iter().find(|package| package.name() == "comity");
        let address = package.context("the workspace has no crate `comity`")?.field("repository").unwrap_or_default();
        if address.is_empty() { Ok(None) } else { Self::parse(address).map(Some) }
    }

    /// Parses `https://HOST/OWNER/NAME`.
    pub(crate) fn parse(address: &str) -> Result<Self> {
        let parts: Vec<&str> = address.strip_prefix("https://").unwrap_or_default().split('/').collect();
        let [_, owner, name] = parts[..] else {
            bail!("`repository` in Cargo.toml: expected https://HOST/OWNER/NAME, found `{address}`")
        };
        Ok(Self { address: address.to_owned(), owner: owner.to_owned(), name: name.to_owned() })
    }

    /// Returns a text with the parts of the address in place of their names.
    fn fill(&self, text: &str) -> String {
        let owner = self.owner.to_lowercase();
        // The registry of images and the host of the site take lower case only.
        text.replace("{repository}", &self.address)
            .replace("{owner}", &self.owner)
            .replace("{image}", &format!("{owner}/{}", self.name.to_lowercase()))
            .replace("{site}", &format!("https://{owner}.github.io/{}", self.name))
            .replace("{name}", &self.name)
    }
}

/// A part of a text, as it is without and with a repository.
struct Text {
    name: &'static str,
    without: &'static str,
    with: &'static str,
}

const TEXTS: [Text; 10] = [
    Text {
        name: "tester",
        without: "which `comity serve` shows",
        with: "which `comity serve` shows, and [a page to try it]({site}/try/)",
    },
    Text {
        name: "archive",
        without: "unpack `comity-VERSION-x86_64-unknown-linux-gnu.tar.gz`",
        with: "`curl -L {repository}/releases/download/vVERSION/comity-VERSION-x86_64-unknown-linux-gnu.tar.gz \\| tar -xz`",
    },
    Text {
        name: "image",
        without: "`gunzip -c comity-VERSION-image-amd64.tar.gz \\| podman load`",
        with: "`podman run -p 9309:9309 ghcr.io/{image}:VERSION`",
    },
    Text { name: "brew", without: "the formula `comity.rb`", with: "`brew install {owner}/tap/comity`" },
    Text {
        name: "attestation",
        without: "`gh attestation verify` with the owner of the repository",
        with: "`gh attestation verify --repo {owner}/{name}`",
    },
    Text {
        name: "action",
        without: "`uses:` names a copy of comity's repository in yours, here `./comity`.",
        with: "`uses: {owner}/{name}@v0` is this action; `./comity` is a copy of the repository in yours.",
    },
    Text {
        name: "starter",
        without: "`.github/workflows/robots.yml`; write the owner of comity's repository for `OWNER`",
        with: "`.github/workflows/robots.yml`; it uses the action of `{owner}/{name}`",
    },
    Text { name: "hooks", without: "`repo:` names the repository of comity.", with: "`repo: {repository}` has them." },
    Text {
        name: "advisories",
        without: "the private security advisories of the repository, under \"Security\"",
        with: "[the private security advisories of the repository]({repository}/security/advisories/new)",
    },
    Text {
        name: "issue",
        without: "the issue template \"Wrong verdict\"",
        with: "[the issue template \"Wrong verdict\"]({repository}/issues/new?template=wrong-verdict.yml)",
    },
];

/// The files with such texts.
const MARKED: [&str; 6] =
    ["CONTRIBUTING.md", "README.md", "SECURITY.md", "docs/install.md", "docs/linting.md", "examples/ci/README.md"];

/// Lines of manifests: the file, the line before it, and the line. Without a repository, the line is not there.
const LINES: [(&str, &str, &str); 4] = [
    ("js/package.json", "  \"license\": \"MIT OR Apache-2.0\",", "  \"repository\": \"git+{repository}.git\","),
    ("python/pyproject.toml", PYTHON_LICENSE, PYTHON_LINE),
    ("python/client/pyproject.toml", PYTHON_LICENSE, PYTHON_LINE),
    ("python/columns/pyproject.toml", PYTHON_LICENSE, PYTHON_LINE),
];
const PYTHON_LICENSE: &str = "license = \"MIT OR Apache-2.0\"";
const PYTHON_LINE: &str = "urls = { Repository = \"{repository}\" }";

/// A name of the repository in an example, which cannot be marked: readers copy it.
struct Name {
    file: &'static str,
    /// The text before the last such name, and the text after it.
    start: &'static str,
    end: &'static str,
    without: &'static str,
    with: &'static str,
}

const NAMES: [Name; 2] = [
    Name {
        file: "docs/linting.md",
        start: "  - repo: ",
        end: "\n",
        without: "https://github.com/OWNER/comity",
        with: "{repository}",
    },
    Name {
        file: "examples/ci/github.yml",
        start: "- uses: ",
        end: "@v",
        without: "OWNER/comity",
        with: "{owner}/{name}",
    },
];

/// Writes all links.
pub(crate) fn write() -> Result<()> {
    for (file, text) in files(Repository::of_workspace()?.as_ref())? {
        fs::write(root().join(file), text).with_context(|| file.to_owned())?;
    }
    Ok(())
}

/// Fails if a file does not follow the setting.
pub(crate) fn check() -> Result<()> {
    let mut differ = Vec::new();
    for (file, text) in files(Repository::of_workspace()?.as_ref())? {
        if fs::read_to_string(root().join(file))? != text {
            differ.push(file);
        }
    }
    ensure!(
        differ.is_empty(),
        "these do not follow `repository` in Cargo.toml: {}; run `cargo xtask links`",
        differ.join(", ")
    );
    Ok(())
}

/// Returns the files with links, as they should be.
fn files(repository: Option<&Repository>) -> Result<Vec<(&'static str, String)>> {
    let read = |file: &str| fs::read_to_string(root().join(file)).with_context(|| file.to_owned());
    let mut files = Vec::new();
    for file in MARKED {
        files.push((file, marked(&read(file)?, repository).with_context(|| file.to_owned())?));
    }
    for name in NAMES {
        let place = files.iter().position(|(file, _)| *file == name.file);
        let text = place.map_or_else(|| read(name.file), |place| Ok(files.swap_remove(place).1))?;
        files.push((name.file, named(&text, &name, repository).with_context(|| name.file.to_owned())?));
    }
    for (file, before, line) in LINES {
        files.push((file, with_line(&read(file)?, before, line, repository).with_context(|| file.to_owned())?));
    }
    Ok(files)
}

const START: &str = "<!-- link: ";
const END: &str = "<!-- end -->";

/// Returns a Markdown text with its links. Fails if it has none, or one that is not known.
fn marked(text: &str, repository: Option<&Repository>) -> Result<String> {
    let mut parts = text.split(START);
    let mut whole = parts.next().unwrap_or_default().to_owned();
    let mut count = 0;
    for part in parts {
        let (name, rest) = part.split_once(" -->").context("expected ` -->` after the name of a link, found none")?;
        let found = TEXTS.iter().find(|text| text.name == name);
        let found = found.with_context(|| format!("`{name}` is no link of xtask/src/links.rs"))?;
        let (_, rest) = rest.split_once(END).with_context(|| format!("expected `{END}` after `{name}`, found none"))?;
        let link = repository.map_or_else(|| found.without.to_owned(), |repository| repository.fill(found.with));
        whole += &format!("{START}{name} -->{link}{END}{rest}");
        count += 1;
    }
    ensure!(count > 0, "expected `{START}NAME -->`, found none");
    Ok(whole)
}

/// Returns a text with the name of the repository.
fn named(text: &str, name: &Name, repository: Option<&Repository>) -> Result<String> {
    let Name { start, end, without, with, .. } = name;
    let (before, rest) = text.rsplit_once(start).with_context(|| format!("expected `{start}`, found none"))?;
    let (_, after) = rest.split_once(end).with_context(|| format!("expected `{end}` after `{start}`, found none"))?;
    let link = repository.map_or_else(|| (*without).to_owned(), |repository| repository.fill(with));
    Ok(format!("{before}{start}{link}{end}{after}"))
}

/// Returns a manifest with the line after another one, or without the line.
fn with_line(text: &str, before: &str, line: &str, repository: Option<&Repository>) -> Result<String> {
    let start = line.split('"').next().unwrap_or_default();
    // `"repository":` in JSON starts with a quote itself.
    let start = if start.trim().is_empty() { line.split(':').next().unwrap_or_default() } else { start };
    let mut lines: Vec<String> = text.lines().filter(|other| !other.starts_with(start)).map(str::to_owned).collect();
    let place = lines.iter().position(|other| other == before);
    let place = place.with_context(|| format!("expected the line `{before}`, found none"))?;
    if let Some(repository) = repository {
        lines.insert(place + 1, repository.fill(line));
    }
    Ok(lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Repository {
        Repository::parse("https://git.example/Some-One/comity").unwrap()
    }

    #[test]
    fn every_file_follows_the_setting() {
        check().unwrap();
    }

    #[test]
    fn all_links_follow_and_are_taken_back() {
        let take_back = |file: &str, text: &str| {
            let mut text = match LINES.iter().find(|(other, ..)| *other == file) {
                Some((_, before, line)) => with_line(text, before, line, None).unwrap(),
                None if MARKED.contains(&file) => marked(text, None).unwrap(),
                None => text.to_owned(),
            };
            for name in NAMES.iter().filter(|name| name.file == file) {
                text = named(&text, name, None).unwrap();
            }
            text
        };
        let (without, with) = (files(None).unwrap(), files(Some(&example())).unwrap());
        for ((file, without), (_, with)) in without.iter().zip(&with) {
            assert!(!without.contains("git.example"), "{file}");
            assert!(with.contains("Some-One") || with.contains("some-one"), "{file}:\n{with}");
            assert!(!with.contains("{repository}") && !with.contains("{owner}"), "{file}");
            assert!(!with.contains("OWNER"), "{file}:\n{with}");
            assert_eq!(take_back(file, with), *without, "{file}");
        }
    }

    #[test]
    fn every_text_is_used() {
        let all: String = MARKED.iter().map(|file| fs::read_to_string(root().join(file)).unwrap()).collect();
        for text in TEXTS {
            assert!(all.contains(&format!("{START}{} -->", text.name)), "no file has the link {}", text.name);
        }
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for wrong in
            ["git@git.example:a/b", "https://git.example/a", "https://git.example/a/b/c", "http://git.example/a/b"]
        {
            let refused = Repository::parse(wrong).unwrap_err().to_string();
            assert!(refused.contains("expected https://HOST/OWNER/NAME"), "{refused}");
        }
        let unknown = marked("<!-- link: no -->x<!-- end -->", None).unwrap_err().to_string();
        assert!(unknown.contains("`no` is no link"), "{unknown}");
    }
}
