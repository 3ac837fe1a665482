//! Counts the names in the user-agent lines of real files: the crawler table has those that are frequent, or
//! `other_names.toml` states why it does not.

use crate::shared;

use std::collections::{BTreeMap, BTreeSet};

use comity::{Crawlers, Robots};

/// The minimum number of files that contain a name.
const MIN_FILES: usize = 11;

#[test]
fn the_table_has_the_names_of_real_files() {
    let table = Crawlers::builtin();
    let others: BTreeMap<String, Vec<String>> = toml::from_str(include_str!("../other_names.toml")).unwrap();
    let others: BTreeSet<String> = others.into_values().flatten().map(|name| name.to_ascii_lowercase()).collect();
    for name in &others {
        assert!(table.find(name).is_none(), "the table has `{name}`, so other_names.toml need not explain it");
    }
    let Some(folder) = shared::path("corpus") else { return };
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let body = std::fs::read(file.unwrap().path()).unwrap();
        let robots = Robots::parse(&body);
        let agents =
            robots.groups().flat_map(|group| group.agents().map(|agent| name(agent.value())).collect::<Vec<_>>());
        for name in agents.collect::<BTreeSet<_>>() {
            *counts.entry(name).or_default() += 1;
        }
    }
    counts.remove("*");
    let frequent = |name: &str| counts.get(name).is_some_and(|files| *files >= MIN_FILES);
    let unexplained: Vec<_> =
        counts.keys().filter(|name| frequent(name) && table.find(name).is_none() && !others.contains(*name)).collect();
    assert!(unexplained.is_empty(), "neither the table nor other_names.toml has {unexplained:?}");
    let rare: Vec<_> = others.iter().filter(|name| !frequent(name)).collect();
    assert!(rare.is_empty(), "fewer than {MIN_FILES} files contain {rare:?}");
    assert!(counts.keys().filter(|name| frequent(name)).count() > 200);
}

/// Returns the name in a user-agent line in lower case, without its version.
fn name(value: &[u8]) -> String {
    let value = String::from_utf8_lossy(value).to_ascii_lowercase();
    let name = value.split('/').next().unwrap_or_default().trim();
    match name.rsplit_once(' ') {
        Some((name, version)) if version.trim_start_matches(['v', '.']).starts_with(|c: char| c.is_ascii_digit()) => {
            name
        }
        _ => name,
    }
    .trim()
    .to_owned()
}
