//! The copy of a file that an answer is based on.

use std::borrow::Cow;
use std::time::Duration;

use comity_fetch::SiteRobots;
use comity_fetch::store::ContentHash;
use serde::Serialize;

use crate::site::Stamp;

/// The copy of a robots.txt that an answer is based on.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct CopyFacts<'a> {
    /// The source of the bytes.
    pub source: CopySource,
    /// The URL that the bytes came from; `null` if they came with the question.
    pub robots_url: Option<Cow<'a, str>>,
    /// The number of bytes.
    pub bytes: usize,
    /// The SHA-256 hash of the bytes.
    pub sha256: ContentHash,
    /// The time at which the bytes were fetched.
    pub fetched: Option<Stamp>,
    /// The seconds since the site last confirmed the copy.
    pub age: Option<u64>,
}

/// The source of a copy: given with the question, fetched from the site just now, or stored before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CopySource {
    /// It came with the question.
    Given,
    /// It was fetched from the site just now.
    Fetched,
    /// It was stored before.
    Remembered,
}

/// The maximum time since the end of a fetch for which a copy is reported as fetched just now.
const MAX_FRESH_AGE: Duration = Duration::from_secs(1);

impl<'a> CopyFacts<'a> {
    /// Returns the facts of a file that came with the question.
    pub fn given(body: &[u8]) -> Self {
        let (bytes, sha256) = (body.len(), ContentHash::of(body));
        Self { source: CopySource::Given, robots_url: None, bytes, sha256, fetched: None, age: None }
    }

    /// Returns the facts of a given file, or of the last good copy of a site, if there is one.
    pub fn of(site: &'a SiteRobots) -> Option<Self> {
        let copy = site.copy()?;
        if site.is_given() {
            return Some(Self::given(&copy.body));
        }
        let is_recent = |ended| site.at().since(ended) < MAX_FRESH_AGE;
        let is_fresh = !site.exchanges().is_empty() && site.attempt().is_some_and(|attempt| is_recent(attempt.ended));
        Some(Self {
            source: if is_fresh { CopySource::Fetched } else { CopySource::Remembered },
            robots_url: Some(Cow::Borrowed(&copy.url)),
            bytes: copy.body.len(),
            sha256: site.hash()?,
            fetched: Some(Stamp::from(copy.fetched)),
            age: site.age().map(|age| age.as_secs()),
        })
    }
}
