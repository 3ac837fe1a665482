//! The crawlers that requests claim to be from.

use std::collections::HashMap;

use comity::user_agent::{self, candidates};
use comity::{Crawlers, Governed, Profile};
use comity_log::LogText;
use foldhash::fast::RandomState;

/// The maximum number of headers that are remembered, and of their bytes. Beyond it, the table is emptied.
const MAX_HEADERS: usize = 65_536;
const MAX_HEADER_BYTES: usize = 8 << 20;
/// The maximum length of a header that is remembered, in bytes.
const MAX_HEADER_LEN: usize = 1_024;
/// The maximum number of crawlers; all others are [`OTHERS`].
const MAX_CRAWLERS: usize = 4_096;
/// The maximum length of a name in bytes.
const MAX_NAME_LEN: usize = 100;

/// The index of the row of all crawlers beyond the limit.
pub(crate) const OTHERS: usize = 0;

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

/// A crawler that requests claim to be from.
#[derive(Clone, Debug)]
pub(crate) struct Claimed<'a> {
    pub(crate) name: String,
    pub(crate) profile: Option<&'a Profile>,
    pub(crate) standing: Standing,
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
    table: &'a Crawlers,
    headers: HashMap<Box<[u8]>, Option<Claim>, RandomState>,
    header_bytes: usize,
    crawlers: Vec<Claimed<'a>>,
    /// By their names in lower case.
    indexes: HashMap<String, usize>,
}

impl<'a> Claims<'a> {
    pub(crate) fn new(table: &'a Crawlers) -> Self {
        let others = Claimed { name: String::new(), profile: None, standing: Standing::Others };
        let (headers, indexes) = (HashMap::default(), HashMap::new());
        Self { table, headers, header_bytes: 0, crawlers: vec![others], indexes }
    }

    pub(crate) fn crawlers(&self) -> &[Claimed<'a>] {
        &self.crawlers
    }

    /// Returns the claim of a header; `None` for a browser, or a header without a name.
    pub(crate) fn of(&mut self, header: &LogText<'_>) -> Option<Claim> {
        if let Some(claim) = self.headers.get(header.raw()) {
            return *claim;
        }
        let claim = self.read(&String::from_utf8_lossy(&header.sent()));
        let raw = header.raw();
        if raw.len() <= MAX_HEADER_LEN {
            if self.headers.len() == MAX_HEADERS || self.header_bytes > MAX_HEADER_BYTES {
                self.headers.clear();
                self.header_bytes = 0;
            }
            self.header_bytes += raw.len();
            self.headers.insert(raw.into(), claim);
        }
        claim
    }

    fn read(&mut self, header: &str) -> Option<Claim> {
        let names = candidates(header, self.table);
        let first = names.first()?;
        let mut operators = names.iter().filter_map(|name| self.table.find(name)).map(|profile| &profile.operator);
        let names_several = operators.next().is_some_and(|one| operators.any(|other| other != one));
        Some(Claim { crawler: self.index(first), names_several })
    }

    /// Returns the index of a crawler, and adds it if it is new.
    fn index(&mut self, name: &str) -> usize {
        let profile = self.table.find(name);
        let name = profile.map_or(name, |profile| &profile.token);
        let key = name.to_ascii_lowercase();
        if let Some(index) = self.indexes.get(&key) {
            // The spelling that is shown does not depend on the order of lines.
            let shown = &mut self.crawlers[*index].name;
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
        self.crawlers.push(Claimed { name: name.to_owned(), profile, standing });
        self.indexes.insert(key, self.crawlers.len() - 1);
        self.crawlers.len() - 1
    }
}
