//! Records other than rules that differ between two files.

use std::collections::BTreeSet;

use comity::{Crawler, Robots};
use serde::Serialize;

use crate::scope::ProofScope;

/// The records other than rules that differ. They change no answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DiffBeside {
    /// The sitemaps that only one of the files names.
    pub sitemaps: DiffSitemaps,
    /// The crawl-delays that differ, for the first 500 crawlers that were compared.
    pub crawl_delay: Vec<DiffDelay>,
}

/// The sitemaps that only one of two files names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DiffSitemaps {
    /// The sitemaps that only the new file names.
    pub added: Vec<String>,
    /// The sitemaps that only the old file names.
    pub removed: Vec<String>,
}

/// A crawl-delay that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DiffDelay {
    /// The crawlers that the crawl-delay applies to.
    pub crawlers: Vec<String>,
    /// The crawl-delay of the old file, in seconds; `null` if there is none.
    pub old: Option<f64>,
    /// The crawl-delay of the new file, in seconds; `null` if there is none.
    pub new: Option<f64>,
}

/// The maximum number of crawlers whose crawl-delays are compared. There is a limit because the whole file is searched
/// for each of them.
const MAX_DELAYS: usize = 500;

/// Compares the records other than rules: the sitemaps, and the crawl-delay of each of these crawlers. A crawl-delay is
/// taken from the file in the dialect of the crawler's operator, or in the first dialect if that is not in scope. If the
/// caller ends the work, the crawl-delays of the other crawlers are missing.
pub(super) fn compare(bodies: [&[u8]; 2], names: &[String], scope: &ProofScope<'_>) -> DiffBeside {
    let dialects = scope.used_dialects();
    let files: Vec<[Robots; 2]> =
        dialects.iter().map(|dialect| bodies.map(|body| Robots::parse_with(body, dialect))).collect();
    let Some(first) = files.first() else { return DiffBeside::default() };
    let [old, new] = first.each_ref().map(|file| {
        file.sitemaps().map(|record| String::from_utf8_lossy(record.value()).into_owned()).collect::<BTreeSet<_>>()
    });
    let sitemaps = DiffSitemaps {
        added: new.difference(&old).cloned().collect(),
        removed: old.difference(&new).cloned().collect(),
    };
    let mut crawl_delay: Vec<DiffDelay> = Vec::new();
    for name in names.iter().take(MAX_DELAYS).take_while(|_| scope.goes_on()) {
        let profile = scope.crawlers.find(name);
        let crawler = profile.map_or_else(|| Crawler::literal(name), Crawler::from);
        let own = |files: &&[Robots; 2]| Some(files[0].dialect()) == profile.map(|row| &row.dialect);
        let files = files.iter().find(own).unwrap_or(first);
        let [old, new] = files.each_ref().map(|file| file.crawl_delay(&crawler).map(|found| found.delay.as_secs_f64()));
        if old == new {
            continue;
        }
        match crawl_delay.iter_mut().find(|known| (known.old, known.new) == (old, new)) {
            Some(known) => known.crawlers.push(name.clone()),
            None => crawl_delay.push(DiffDelay { crawlers: vec![name.clone()], old, new }),
        }
    }
    DiffBeside { sitemaps, crawl_delay }
}
