//! What is known of a site's robots.txt.

use std::fmt;
use std::time::{Duration, SystemTime};

use comity_fetch::store::Version;
use comity_fetch::{Access, Row, Rung, SiteRobots, Time};
use serde::{Serialize, Serializer};

/// A time as text for programs (RFC 3339), such as `2026-11-21T09:30:00Z`.
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

/// Returns a time as text for programs (RFC 3339), such as `2026-11-21T09:30:00Z`.
pub fn stamp(time: Time) -> String {
    Stamp(time).to_string()
}

/// Where the rules came from; the file's own address if there are none.
pub fn robots_url(site: &SiteRobots) -> String {
    site.copy().map_or_else(|| site.origin().robots_url(), |copy| copy.url.clone())
}

/// What is known of a site's robots.txt, and what counts because of it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[must_use]
#[non_exhaustive]
pub struct SiteFacts {
    /// Whose file it is.
    pub origin: String,
    /// Where the rules came from; the file's own address if there are none.
    pub robots_url: String,
    /// What counts.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub access: Access,
    /// What happened.
    #[serde(flatten)]
    pub event: EventFacts,
    /// Which row of the policy decided.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub row: Row,
    /// The clause or page that the row rests on.
    pub source: &'static str,
    /// How long it has been unreachable, in the policy's steps; none if it is not.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub rung: Option<Rung>,
    /// The policy's name.
    pub policy: &'static str,
    /// What went wrong, if something did.
    pub detail: Option<String>,
    /// Where the last attempt led.
    pub hops: Vec<HopFacts>,
    /// Bytes of the last good copy.
    pub size: Option<usize>,
    /// When the copy's bytes came.
    pub fetched: Option<String>,
    /// Seconds since the site last said that the copy is good.
    pub age: Option<u64>,
    /// When the last attempt ended.
    pub asked: Option<String>,
    /// When the file is next asked for.
    pub due: String,
    /// It should have been asked for again, and was not: only offline.
    pub overdue: bool,
}

/// What happened when the file was asked for.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct EventFacts {
    /// In words.
    pub event: String,
    /// The last status, if there was one.
    pub status: Option<u16>,
}

/// One request of an attempt, in brief.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct HopFacts {
    /// What was asked for.
    pub url: String,
    /// The status, if there was an answer.
    pub status: Option<u16>,
}

impl SiteFacts {
    /// What a client knows.
    pub fn of(site: &SiteRobots) -> Self {
        let (ruling, attempt) = (site.ruling(), site.attempt());
        let hops = attempt.map_or(&[][..], |attempt| &attempt.hops);
        Self {
            origin: site.origin().to_string(),
            robots_url: robots_url(site),
            access: ruling.access,
            event: EventFacts { event: ruling.event.to_string(), status: hops.last().and_then(|hop| hop.status) },
            row: ruling.row,
            source: ruling.row.source(),
            rung: ruling.rung,
            policy: ruling.policy,
            detail: attempt.and_then(|attempt| attempt.detail.clone()),
            hops: hops.iter().map(|hop| HopFacts { url: hop.url.clone(), status: hop.status }).collect(),
            size: site.copy().map(|copy| copy.body.len()),
            fetched: site.copy().map(|copy| stamp(copy.fetched)),
            age: site.age().map(|age| age.as_secs()),
            asked: attempt.map(|attempt| stamp(attempt.ended)),
            due: stamp(site.due()),
            overdue: site.is_overdue(),
        }
    }
}

/// A version of a site's robots.txt, or another result that held for a time.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct VersionFacts {
    /// When it was first found.
    pub first_seen: String,
    /// When it was last found.
    pub last_seen: String,
    /// What happened, in words.
    pub event: String,
    /// Where the bytes came from.
    pub url: Option<String>,
    /// How many there are.
    pub size: Option<usize>,
    /// Their hash.
    pub hash: Option<String>,
}

impl VersionFacts {
    /// What a store remembers.
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
