//! The facts about a site's robots.txt.

use std::fmt;
use std::time::{Duration, SystemTime};

use comity_fetch::store::Version;
use comity_fetch::{Access, Hop, Row, Rung, SiteRobots, Time};
use serde::{Serialize, Serializer};

use crate::lines::looks_like;

/// A time that is written as RFC 3339 text, such as `2026-11-21T09:30:00Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp(Time);

impl From<Time> for Stamp {
    fn from(time: Time) -> Self {
        Self(time)
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// The last second of the year 9999.
        const MAX_SECONDS: u64 = 253_402_300_799;
        let seconds = (self.0.as_unix_millis() / 1000).min(MAX_SECONDS);
        humantime::format_rfc3339_seconds(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).fmt(f)
    }
}

impl Serialize for Stamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Returns a time as RFC 3339 text, such as `2026-11-21T09:30:00Z`.
pub fn stamp(time: Time) -> String {
    Stamp(time).to_string()
}

/// Returns the URL that the rules came from, or the standard URL of the site's robots.txt if there are none.
pub fn robots_url(site: &SiteRobots) -> String {
    site.copy().map_or_else(|| site.origin().robots_url(), |copy| copy.url.clone())
}

/// Returns the kind of the file in force, if it does not look like a robots.txt.
pub(crate) fn kind(site: &SiteRobots) -> Option<&'static str> {
    let in_force = site.copy().filter(|_| site.ruling().access == Access::Rules);
    in_force.and_then(|copy| looks_like(site.robots(), &copy.body))
}

/// Returns the `Content-Encoding` of the file in force, if it is none that the client decodes. Such a file was read as it
/// is. Returns `None` if another program fetched the file.
pub fn unknown_coding(site: &SiteRobots) -> Option<&str> {
    let ruling = site.ruling();
    let last = site.exchanges().last().filter(|_| ruling.access == Access::Rules && ruling.rung.is_none())?;
    (last.problem.is_none() && !last.is_probe).then(|| last.unknown_coding()).flatten()
}

/// The facts about a site's robots.txt, and the access that follows from them.
#[derive(Clone, Debug, Serialize)]
#[must_use]
#[non_exhaustive]
pub struct SiteFacts {
    /// The site of the file.
    pub origin: String,
    /// The URL that the rules came from, or the standard URL of the site's robots.txt if there are none.
    pub robots_url: String,
    /// The access: by rules, everything allowed, or everything disallowed.
    pub access: Access,
    /// The result of the last fetch in words.
    pub event: String,
    /// The last status, if there was one.
    pub status: Option<u16>,
    /// The row of the policy that decided.
    pub row: Row,
    /// The clause of a standard or the page of documentation that the row is based on.
    pub source: &'static str,
    /// The step of the policy for how long the file has been unreachable; `null` if it is not unreachable.
    pub rung: Option<Rung>,
    /// The name of the policy.
    pub policy: &'static str,
    /// The error of the last attempt in words, if there was one.
    pub detail: Option<String>,
    /// The requests of the last attempt, in order.
    pub hops: Vec<Hop>,
    /// The size of the copy in bytes.
    pub size: Option<usize>,
    /// The time at which the copy was fetched.
    pub fetched: Option<String>,
    /// The seconds since the site last confirmed the copy.
    pub age: Option<u64>,
    /// The time at which the last attempt ended.
    pub asked: Option<String>,
    /// The time at which the file is due to be fetched again.
    pub due: String,
    /// True if the file was due and was not fetched. This happens only offline.
    pub overdue: bool,
    /// The kind of the file in force, such as `gzip data`, if it does not look like a robots.txt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub looks_like: Option<&'static str>,
    /// The `Content-Encoding` of the file in force, if it is not known: the file was read as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown_coding: Option<String>,
}

impl SiteFacts {
    /// Returns the facts that a client has about a site.
    pub fn of(site: &SiteRobots) -> Self {
        let (ruling, attempt) = (site.ruling(), site.attempt());
        let hops = attempt.map_or(&[][..], |attempt| &attempt.hops);
        Self {
            origin: site.origin().to_string(),
            robots_url: robots_url(site),
            access: ruling.access,
            event: ruling.event.to_string(),
            status: hops.last().and_then(|hop| hop.status),
            row: ruling.row,
            source: ruling.row.source(),
            rung: ruling.rung,
            policy: ruling.policy,
            detail: attempt.and_then(|attempt| attempt.detail.clone()),
            hops: hops.to_vec(),
            size: site.copy().map(|copy| copy.body.len()),
            fetched: site.copy().map(|copy| stamp(copy.fetched)),
            age: site.age().map(|age| age.as_secs()),
            asked: attempt.map(|attempt| stamp(attempt.ended)),
            due: stamp(site.due()),
            overdue: site.is_overdue(),
            looks_like: kind(site),
            unknown_coding: unknown_coding(site).map(str::to_owned),
        }
    }
}

/// The fetched versions of a site's robots.txt.
#[derive(Clone, Debug, Serialize)]
#[allow(clippy::exhaustive_structs, reason = "callers construct it")]
pub struct SiteVersions {
    /// The site.
    pub origin: String,
    /// The versions, the newest first; empty if the file was not fetched.
    pub versions: Vec<VersionFacts>,
}

/// A version of a site's robots.txt, or another result that held for a time.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct VersionFacts {
    /// The time at which this version or result was first seen.
    pub first_seen: String,
    /// The time at which this version or result was last seen.
    pub last_seen: String,
    /// The result of the fetch in words.
    pub event: String,
    /// The URL that the bytes came from.
    pub url: Option<String>,
    /// The number of bytes.
    pub size: Option<usize>,
    /// The SHA-256 hash of the bytes.
    pub hash: Option<String>,
}

impl VersionFacts {
    /// Returns the facts about the last fetch of a site, as one version; `None` without a fetch.
    #[must_use]
    pub fn last(site: &SiteRobots) -> Option<Self> {
        let ended = stamp(site.attempt()?.ended);
        let copy = site.copy().filter(|_| site.ruling().rung.is_none() && site.ruling().access == Access::Rules);
        Some(Self {
            first_seen: ended.clone(),
            last_seen: ended,
            event: site.ruling().event.to_string(),
            url: copy.map(|copy| copy.url.clone()),
            size: copy.map(|copy| copy.body.len()),
            hash: copy.and(site.hash()).map(|hash| hash.to_string()),
        })
    }

    /// Returns the facts about a version in a store.
    pub fn of(version: &Version) -> Self {
        let copy = version.copy.as_ref();
        Self {
            first_seen: stamp(version.first_seen),
            last_seen: stamp(version.last_seen),
            event: version.event.to_string(),
            url: copy.map(|copy| copy.url.clone()),
            size: copy.map(|copy| copy.size),
            hash: copy.map(|copy| copy.hash.to_string()),
        }
    }
}
