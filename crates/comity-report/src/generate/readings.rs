//! A file as the crawlers of each operator read it.

use std::collections::BTreeSet;

use comity::{Crawler, Crawlers, Dialect, Robots};

/// A file, parsed in the dialect of each operator.
pub(super) struct Readings<'a> {
    table: &'a Crawlers,
    /// The file in each dialect, the standard one first.
    files: Vec<Robots>,
}

impl<'a> Readings<'a> {
    pub(super) fn new(text: &[u8], table: &'a Crawlers) -> Self {
        let mut dialects = vec![Dialect::STANDARD];
        for profile in table {
            if !dialects.contains(&profile.dialect) {
                dialects.push(profile.dialect);
            }
        }
        Self { table, files: dialects.iter().map(|dialect| Robots::parse_with(text, dialect)).collect() }
    }

    /// Returns the file in each dialect, the standard one first.
    pub(super) fn files(&self) -> &[Robots] {
        &self.files
    }

    pub(super) fn crawler<'t>(&'t self, token: &'t str) -> Crawler<'t> {
        self.table.find(token).map_or(Crawler::literal(token), Crawler::from)
    }

    /// Returns the file in the dialect of a crawler's operator. The standard dialect is that of all other crawlers.
    pub(super) fn robots(&self, crawler: &Crawler<'_>) -> &Robots {
        let dialect = crawler.profile().map_or(Dialect::STANDARD, |profile| profile.dialect);
        self.files.iter().find(|file| *file.dialect() == dialect).unwrap_or(&self.files[0])
    }

    /// Returns the crawlers that the file names in the dialects of their operators, without `*`.
    pub(super) fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        let mut seen = BTreeSet::new();
        for file in &self.files {
            for group in file.groups() {
                for agent in group.agents().filter(|agent| !agent.is_any()) {
                    for name in [agent.token(), agent.value()] {
                        let Ok(name) = std::str::from_utf8(name) else { continue };
                        let crawler = self.crawler(name);
                        // A line with more than a token need not name the crawler with that token.
                        let is_named = || {
                            agent.token() == agent.value()
                                || file.groups_for(&crawler).any(|other| other.index() == group.index())
                        };
                        let is_own = self.robots(&crawler).dialect() == file.dialect();
                        if !name.is_empty() && is_own && is_named() && seen.insert(name.to_ascii_lowercase()) {
                            names.push(name.to_owned());
                        }
                    }
                }
            }
        }
        names
    }
}

/// Returns each name that a user-agent line of a file may mean, without `*`.
pub(super) fn mentioned(robots: &Robots) -> BTreeSet<Vec<u8>> {
    let agents = robots.groups().flat_map(|group| group.agents()).filter(|agent| !agent.is_any());
    agents.flat_map(|agent| [agent.token(), agent.value()]).map(<[u8]>::to_ascii_lowercase).collect()
}
