//! A check that each name of a public type is defined in one crate of the workspace only.
//!
//! It reads the lines that start with `pub struct`, `pub enum`, `pub trait`, `pub type` or `pub union`. The lint
//! `unreachable_pub` makes sure that these are the types that users can reach.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Result, ensure};

use crate::page::files;

/// The keywords that define types.
const KEYWORDS: [&str; 5] = ["struct", "enum", "trait", "type", "union"];

/// Fails if two of these crates define a public type of the same name. A crate is given by its folder.
pub(crate) fn check(crates: &[String]) -> Result<()> {
    let mut defined = BTreeMap::new();
    for folder in crates {
        for (path, bytes) in files(&Path::new(folder).join("src"))? {
            if path.extension().is_some_and(|extension| extension == "rs") {
                add(&mut defined, folder, &String::from_utf8_lossy(&bytes));
            }
        }
    }
    let problems = repeated(&defined);
    ensure!(problems.is_empty(), "docs/glossary.md has one meaning for each name:\n{}", problems.join("\n"));
    Ok(())
}

/// Adds the public types that a file of this crate defines.
fn add(defined: &mut BTreeMap<String, BTreeSet<String>>, folder: &str, text: &str) {
    for name in text.lines().filter_map(public_type) {
        defined.entry(name.to_owned()).or_default().insert(folder.to_owned());
    }
}

/// Returns the name of the public type that a line defines.
fn public_type(line: &str) -> Option<&str> {
    let line = line.trim_start().strip_prefix("pub ")?;
    let (keyword, rest) = line.strip_prefix("unsafe ").unwrap_or(line).split_once(' ')?;
    let end = rest.find(|character: char| !character.is_alphanumeric() && character != '_').unwrap_or(rest.len());
    KEYWORDS.contains(&keyword).then_some(&rest[..end])
}

/// Returns a message for each name that more than one crate defines.
fn repeated(defined: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let repeated = defined.iter().filter(|(_, folders)| folders.len() > 1);
    let message = |(name, folders): (&String, &BTreeSet<String>)| {
        let folders: Vec<&str> = folders.iter().map(String::as_str).collect();
        format!("`{name}` is a public type of {}: rename all but one", folders.join(" and "))
    };
    repeated.map(message).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_two_crates_are_found() {
        let mut defined = BTreeMap::new();
        add(
            &mut defined,
            "crates/a",
            "pub struct Page<'a> {\npub(crate) enum Rule {}\npub fn page() {}\npub type Row = u8;",
        );
        add(&mut defined, "crates/b", "    pub enum Page {\nstruct Rule;\n/// pub struct Row;\npub trait Store {}");
        add(&mut defined, "crates/b", "pub trait Store {}");
        assert_eq!(repeated(&defined), ["`Page` is a public type of crates/a and crates/b: rename all but one"]);
    }
}
