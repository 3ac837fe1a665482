//! The crawlers that requests claim to be from.

use std::collections::HashMap;

use comity::Governed;
use comity::user_agent::{self, candidates};
use foldhash::fast::RandomState;

use crate::audit::Audit;
use crate::identity::Verifier;
use crate::tally::CrawlerTally;

/// The maximum size of the table of headers, and the size of an entry without its header, in bytes. Beyond it, the table is
/// emptied.
const MAX_HEADER_BYTES: usize = 12 << 20;
const ENTRY_BYTES: usize = 64;
/// The maximum number of crawlers; all others are [`OTHERS`].
const MAX_CRAWLERS: usize = 4_096;
/// The maximum length of a name in bytes.
const MAX_NAME_LEN: usize = 100;

/// The index of the row of all crawlers beyond the limit.
const OTHERS: usize = 0;

/// The meaning of a disallowed request of a crawler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Standing {
    /// A violation.
    Bound,
    /// The file is advice to it: its operator states that it may bypass the file, or it is a program that is not known to be
    /// a crawler.
    Advised,
    /// robots.txt does not govern it.
    NotGoverned,
    /// Its token sends no requests, so these are from somebody else.
    ControlToken,
    /// The row of crawlers beyond a limit, which are not judged.
    Others,
}

/// A crawler that requests claim to be from, and its counts.
#[derive(Debug)]
pub(crate) struct Claimed<'a> {
    pub(crate) tally: CrawlerTally,
    /// `None` if it is not in the table.
    pub(crate) verifier: Option<Verifier<'a>>,
    /// False if it is not reported.
    pub(crate) is_selected: bool,
    /// True if its violations are kept.
    pub(crate) is_shown: bool,
    /// True if a Crawl-delay applies to it; `None` if that was not asked yet.
    pub(crate) is_paced: Option<bool>,
}

impl<'a> Claimed<'a> {
    fn new(audit: &'a Audit, name: &str, standing: Standing) -> Self {
        let profile = audit.table.find(name);
        let verifier = profile.map(|profile| Verifier::new(profile, &audit.ranges, &audit.dns));
        let is = |other: &String| other.eq_ignore_ascii_case(name);
        let is_selected = audit.agents.is_empty() || audit.agents.iter().any(is);
        let is_shown = audit.shown.as_ref().is_some_and(is);
        Self { tally: CrawlerTally::new(name, standing), verifier, is_selected, is_shown, is_paced: None }
    }
}

/// The claim of a header.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claim {
    /// The index of the crawler.
    pub(crate) crawler: usize,
    /// True if the header names crawlers of several operators, so nobody can be accused.
    pub(crate) names_several: bool,
}

/// The claims of the headers so far.
#[derive(Debug)]
pub(crate) struct Claims<'a> {
    audit: &'a Audit,
    headers: HashMap<Box<[u8]>, Option<Claim>, RandomState>,
    header_bytes: usize,
    pub(crate) crawlers: Vec<Claimed<'a>>,
    /// By their names in lower case.
    indexes: HashMap<String, usize>,
}

impl<'a> Claims<'a> {
    pub(crate) fn new(audit: &'a Audit) -> Self {
        let crawlers = vec![Claimed::new(audit, "", Standing::Others)];
        Self { audit, headers: HashMap::default(), header_bytes: 0, crawlers, indexes: HashMap::new() }
    }

    /// Returns the claim of a header; `None` for a browser, or a header without a name.
    pub(crate) fn of(&mut self, header: &[u8]) -> Option<Claim> {
        if let Some(claim) = self.headers.get(header) {
            return *claim;
        }
        let claim = self.read(&String::from_utf8_lossy(header));
        if self.header_bytes > MAX_HEADER_BYTES {
            self.headers.clear();
            self.header_bytes = 0;
        }
        self.header_bytes += header.len() + ENTRY_BYTES;
        self.headers.insert(header.into(), claim);
        claim
    }

    fn read(&mut self, header: &str) -> Option<Claim> {
        let names = candidates(header, &self.audit.table);
        let first = names.first()?;
        let mut operators =
            names.iter().filter_map(|name| self.audit.table.find(name)).map(|profile| &profile.operator);
        let names_several = operators.next().is_some_and(|one| operators.any(|other| other != one));
        Some(Claim { crawler: self.index(first), names_several })
    }

    /// Returns the index of a crawler, and adds it if it is new.
    fn index(&mut self, name: &str) -> usize {
        let profile = self.audit.table.find(name);
        let name = profile.map_or(name, |profile| &profile.token);
        let key = name.to_ascii_lowercase();
        if let Some(index) = self.indexes.get(&key) {
            // The spelling that is shown does not depend on the order of lines.
            let shown = &mut self.crawlers[*index].tally.name;
            if profile.is_none() && name < shown.as_str() {
                name.clone_into(shown);
            }
            return *index;
        }
        if self.crawlers.len() == MAX_CRAWLERS || name.len() > MAX_NAME_LEN {
            return OTHERS;
        }
        let standing = match profile.map(|profile| profile.governed) {
            Some(Governed::MayBypass) => Standing::Advised,
            Some(Governed::No) => Standing::NotGoverned,
            Some(Governed::ControlToken) => Standing::ControlToken,
            None if !user_agent::is_named_like_a_crawler(name) => Standing::Advised,
            _ => Standing::Bound,
        };
        self.crawlers.push(Claimed::new(self.audit, name, standing));
        self.indexes.insert(key, self.crawlers.len() - 1);
        self.crawlers.len() - 1
    }
}
