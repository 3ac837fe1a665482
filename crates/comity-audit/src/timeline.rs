//! The robots.txt files of a site, and the times at which each was in force.

use std::sync::Arc;
use std::time::Duration;

use comity_fetch::store::{ContentHash, MAX_COPIES, MAX_COPY_BYTES, MAX_OTHER_STATES, Version};
use comity_fetch::{Event, Policy, Time};
use comity_policy::{BODY_LIMIT, Effect, Rung};
use serde::Serialize;

use crate::report::time;

/// The time in which a crawler may use an older file (RFC 9309 §2.4): a day.
pub const GRACE: Duration = Duration::from_secs(24 * 60 * 60);

/// A robots.txt that was in force, or an answer that allows everything.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ForceVersion {
    /// The number of the version, from 1.
    pub version: usize,
    /// The answer of the site, such as `sent a robots.txt`.
    pub event: String,
    /// The size of the file in bytes.
    pub bytes: usize,
    /// The time when it was first seen, in seconds since 1970; `null` if it is assumed for all times.
    #[serde(serialize_with = "time")]
    pub first_seen: Option<i64>,
    /// The time when it was last seen; `null` if that is not known.
    #[serde(serialize_with = "time")]
    pub last_seen: Option<i64>,
    /// The bytes of the file. Empty for an answer without a file.
    #[serde(skip)]
    pub body: Arc<[u8]>,
}

impl ForceVersion {
    fn new(nth: usize, body: Arc<[u8]>, event: Event, first_seen: Option<i64>, last_seen: Option<i64>) -> Self {
        Self { version: nth + 1, event: event.to_string(), bytes: body.len(), first_seen, last_seen, body }
    }
}

/// The files that may have been in force at each time.
///
/// A file is in force from the time when it was first seen to the time when the next one was first seen. Between the last
/// time that a file was seen and the first time of the next one, nobody looked, so both count. Before the first and after the
/// last time, no file is known. A failed fetch says nothing about the file: the policy leaves the last copy in force, and
/// the next one may have been there already.
#[derive(Clone, Debug)]
pub struct Timeline {
    versions: Vec<ForceVersion>,
    spans: Vec<Span>,
    grace: i64,
}

/// A time, both ends included, in which a version may have been in force; or in which no file is known.
#[derive(Clone, Copy, Debug)]
struct Span {
    from: i64,
    to: i64,
    version: Option<u16>,
}

/// The files by which a request at some time is judged: all that may have been in force during the grace before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Known {
    /// The versions, the newest last.
    pub(crate) versions: Vec<u16>,
    /// True if no file is known for a part of that time.
    pub(crate) has_gap: bool,
}

impl Timeline {
    /// Returns a timeline with one file, which is assumed for all times.
    pub fn assumed(body: impl Into<Arc<[u8]>>) -> Self {
        Self::published(vec![(None, body.into())])
    }

    /// Returns a timeline of files that were published at these times, in seconds since 1970; `None` for a file that is assumed
    /// for all times before the next one. Each is in force until the next one.
    pub fn published(mut files: Vec<(Option<i64>, Arc<[u8]>)>) -> Self {
        files.sort_by_key(|(from, _)| *from);
        let froms: Vec<i64> = files.iter().map(|(from, _)| from.unwrap_or(i64::MIN)).collect();
        let (mut versions, mut seen) = (Vec::new(), Vec::new());
        for (nth, (from, body)) in files.into_iter().enumerate() {
            let to = froms.get(nth + 1).copied().unwrap_or(i64::MAX);
            seen.push(Span { from: froms[nth], to, version: Some(nth as u16) });
            versions.push(ForceVersion::new(nth, body, Event::Found, from, None));
        }
        Self::new(versions, &seen, i64::MIN)
    }

    /// Returns the timeline of a history, as an archive returns it, in any order. `body` returns the bytes of a file, if they
    /// are stored.
    pub fn of_history(history: &[Version], body: impl Fn(ContentHash) -> Option<Arc<[u8]>>) -> Self {
        let mut history: Vec<&Version> = history.iter().collect();
        history.sort_by_key(|version| version.first_seen);
        let (mut versions, mut spans, mut outages) = (Vec::new(), Vec::new(), Vec::new());
        for seen in &history {
            let (first, last) = (floor(seen.first_seen), ceil(seen.last_seen.max(seen.first_seen)));
            let content = match (Policy::STANDARD.effect(seen.event), &seen.copy) {
                (Effect::Rules, Some(copy)) => body(copy.hash),
                (Effect::Absent, _) => Some(Arc::from(&[][..])),
                (Effect::Unreachable, _) => {
                    outages.push((first, seen));
                    continue;
                }
                _ => None,
            };
            let version = content.map(|body| {
                versions.push(ForceVersion::new(versions.len(), body, seen.event, Some(first), Some(last)));
                (versions.len() - 1) as u16
            });
            spans.push(Span { from: first, to: last, version });
        }
        let mut timeline = Self::new(versions, &spans, known_from(&history));
        for (from, seen) in outages {
            // After 30 days without an answer, a crawler may take the file as absent (RFC 9309 §2.3.1.4).
            if let Some(allowed_from) = outage_end(seen) {
                let next = spans.iter().map(|span| span.from).filter(|next| *next >= from).min().unwrap_or(i64::MAX);
                timeline.spans.push(Span { from: allowed_from, to: next.max(allowed_from), version: None });
            }
        }
        timeline
    }

    /// Sets the time in which a crawler may use an older file. Defaults to [`GRACE`].
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = i64::try_from(grace.as_secs()).unwrap_or(i64::MAX);
        self
    }

    /// Creates a timeline of sightings, in their order, which are all that there were from a time on.
    fn new(versions: Vec<ForceVersion>, seen: &[Span], known_from: i64) -> Self {
        // Nobody looked between two sightings, so both states may have been there.
        let (mut last_seen, mut spans) = (i64::MIN, Vec::with_capacity(seen.len() + 2));
        for (nth, span) in seen.iter().enumerate() {
            let next = seen.get(nth + 1).map_or(span.to, |next| next.from);
            let from = if nth == 0 { span.from } else { span.from.min(last_seen) };
            spans.push(Span { from, to: span.to.max(next), version: span.version });
            last_seen = last_seen.max(span.to);
        }
        let first = seen.first().map_or(i64::MAX, |span| span.from).max(known_from);
        spans.push(Span { from: i64::MIN, to: first.saturating_sub(1), version: None });
        spans.push(Span { from: last_seen.saturating_add(1), to: i64::MAX, version: None });
        Self { versions, spans, grace: GRACE.as_secs().cast_signed() }
    }

    /// Returns the versions, in the order in which they were first seen.
    pub fn versions(&self) -> &[ForceVersion] {
        &self.versions
    }

    /// Returns true if one file is assumed for all times.
    pub fn is_assumed(&self) -> bool {
        self.versions.iter().any(|version| version.first_seen.is_none())
    }

    /// Returns the files by which a request at this time is judged. It has the time of its second, so it may be from the end
    /// of it.
    pub(crate) fn known_at(&self, seconds: i64) -> Known {
        let since = seconds.saturating_sub(self.grace);
        let mut known = Known::default();
        for span in self.spans.iter().filter(|span| span.from <= seconds.saturating_add(1) && since <= span.to) {
            match span.version {
                Some(version) => known.versions.push(version),
                None => known.has_gap = true,
            }
        }
        known.has_gap |= known.versions.is_empty();
        known.versions.sort_unstable();
        known.versions.dedup();
        known
    }
}

fn floor(time: Time) -> i64 {
    (time.as_unix_millis() / 1_000).cast_signed()
}

fn ceil(time: Time) -> i64 {
    time.as_unix_millis().div_ceil(1_000).cast_signed()
}

/// Returns the time from which a history is complete. A store removes the oldest versions beyond its limits, copies and other
/// states apart, so a removed state may have been between two that are left.
fn known_from(history: &[&Version]) -> i64 {
    let (copies, others): (Vec<&Version>, Vec<&Version>) = history.iter().partition(|version| version.copy.is_some());
    let bytes: usize = copies.iter().filter_map(|version| version.copy.as_ref()).map(|copy| copy.size).sum();
    let copies_are_full = copies.len() >= MAX_COPIES || bytes + BODY_LIMIT > MAX_COPY_BYTES;
    let oldest_copy = copies.first().filter(|_| copies_are_full);
    let oldest_other = others.first().filter(|_| others.len() >= MAX_OTHER_STATES);
    oldest_copy.into_iter().chain(oldest_other).map(|version| floor(version.first_seen)).max().unwrap_or(i64::MIN)
}

/// Returns the time from which an outage is so long that a crawler may take the file as absent; `None` if it ended before.
fn outage_end(seen: &Version) -> Option<i64> {
    const DAYS: Duration = Duration::from_secs(30 * 24 * 60 * 60);
    let unreachable = seen.last_seen.since(seen.first_seen);
    let is_long = Rung::after(unreachable, u32::MAX, &Policy::STANDARD) == Rung::Last;
    is_long.then(|| floor(seen.first_seen + DAYS))
}

#[cfg(test)]
mod tests {
    use comity_fetch::store::VersionCopy;

    use super::*;

    const DAY: i64 = 86_400;

    fn version(first: i64, last: i64, body: Result<&[u8], Event>) -> Version {
        let time = |seconds: i64| Time::from_unix_seconds(seconds.cast_unsigned());
        let copy = body.ok().map(|body| VersionCopy::new(String::new(), body.len(), ContentHash::of(body)));
        Version::new(time(first), time(last), body.err().unwrap_or(Event::Found), copy)
    }

    fn timeline(history: &[Version]) -> Timeline {
        let bodies = [&b"a"[..], b"b"];
        Timeline::of_history(history, |hash| bodies.iter().find(|b| ContentHash::of(b) == hash).map(|b| Arc::from(*b)))
    }

    fn known(timeline: &Timeline, seconds: i64) -> (&'static [u16], bool) {
        let known = timeline.known_at(seconds);
        (known.versions.leak(), known.has_gap)
    }

    #[test]
    fn both_files_count_where_nobody_looked() {
        let found = timeline(&[version(40 * DAY, 50 * DAY, Ok(b"b")), version(10 * DAY, 20 * DAY, Ok(b"a"))]);
        for (at, expected) in [
            (9 * DAY, (&[][..], true)),
            (10 * DAY - 1, (&[0][..], true)),
            (10 * DAY, (&[0], true)),
            (11 * DAY - 1, (&[0], true)),
            (11 * DAY, (&[0], false)),
            (20 * DAY - 2, (&[0], false)),
            (20 * DAY - 1, (&[0, 1], false)),
            (41 * DAY, (&[0, 1], false)),
            (41 * DAY + 1, (&[1], false)),
            (50 * DAY - 1, (&[1], false)),
            (50 * DAY, (&[1], true)),
            (51 * DAY + 1, (&[], true)),
        ] {
            assert_eq!(known(&found, at), expected, "{at}");
        }
    }

    #[test]
    fn failures_say_nothing_and_404_allows() {
        let down = Err(Event::Status(503));
        let found = timeline(&[
            version(10 * DAY, 20 * DAY, Ok(b"a")),
            version(21 * DAY, 22 * DAY, down),
            version(23 * DAY, 30 * DAY, Ok(b"a")),
            version(31 * DAY, 32 * DAY, Err(Event::Status(404))),
            version(33 * DAY, 100 * DAY, down),
            version(101 * DAY, 120 * DAY, Ok(b"b")),
        ]);
        assert_eq!(known(&found, 22 * DAY), (&[0, 1][..], false));
        assert_eq!(known(&found, 28 * DAY), (&[1][..], false));
        assert_eq!(known(&found, 32 * DAY), (&[1, 2, 3][..], false));
        assert!(found.versions()[2].body.is_empty());
        // Both count during the outage, and after 30 days, nothing is known.
        assert_eq!(known(&found, 60 * DAY), (&[2, 3][..], false));
        assert_eq!(known(&found, 63 * DAY), (&[2, 3][..], true));
        assert_eq!(known(&found, 102 * DAY), (&[2, 3][..], true));
        assert_eq!(known(&found, 102 * DAY + 1), (&[3][..], false));
    }

    #[test]
    fn a_history_that_was_cut_is_known_from_its_cut() {
        let states = |count: i64| -> Vec<Version> {
            let state = |n| {
                if n % 2 == 0 { Ok(&b"a"[..]) } else { Err(Event::Status(404)) }
            };
            (0..count).map(|n| version((n + 10) * DAY, (n + 10) * DAY, state(n))).collect()
        };
        assert!(!known(&timeline(&states(99)), 12 * DAY).1);
        assert!(known(&timeline(&states(100)), 12 * DAY - 1).1 && !known(&timeline(&states(100)), 13 * DAY).1);
        let lost = [version(10 * DAY, 20 * DAY, Ok(b"lost"))];
        assert_eq!(known(&timeline(&lost), 15 * DAY), (&[][..], true));
        assert_eq!(known(&timeline(&[]), 15 * DAY), (&[][..], true));
    }

    #[test]
    fn given_files_need_no_history() {
        assert_eq!(known(&Timeline::assumed(*b"a"), 0), (&[0][..], false));
        let files = vec![(Some(20 * DAY), Arc::from(*b"b")), (Some(10 * DAY), Arc::from(*b"a"))];
        let found = Timeline::published(files.clone()).grace(Duration::ZERO);
        assert_eq!(known(&found, 10 * DAY - 2), (&[][..], true));
        assert_eq!(known(&found, 10 * DAY), (&[0][..], false));
        assert_eq!(known(&found, 20 * DAY), (&[0, 1][..], false));
        assert_eq!(known(&found, 20 * DAY + 1), (&[1][..], false));
        // What was there in the day before the first one is not known.
        let found = Timeline::published(files);
        assert_eq!(known(&found, 11 * DAY - 1), (&[0][..], true));
        assert_eq!(known(&found, 11 * DAY), (&[0][..], false));
    }
}
