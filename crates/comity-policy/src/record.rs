//! Records: the state of an origin that is stored between attempts.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use comity::{Origin, SIZE_LIMIT};

use crate::event::Event;
use crate::policy::Row;
use crate::time::Time;

/// The state of a [`Site`](crate::Site), to be stored: the last good copy and, separately, the last attempt.
///
/// When serialized (feature `serde`), it contains the [body](GoodCopy::body) of the copy. A store that keeps bodies
/// separately serializes the record [without it](Self::without_body) and restores it on loading.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct StoredRecord {
    /// The origin that the robots.txt governs, as text.
    pub origin: String,
    /// The name of the policy at the last attempt.
    pub policy: String,
    /// The last good copy. It is removed by a definite answer that the file is absent or denied.
    pub copy: Option<GoodCopy>,
    /// The last attempt.
    pub last: Option<Attempt>,
    /// The time between the last attempt and the next one that is due, by the policy at the last attempt. It is a
    /// duration, so that a store can measure it with its own clock. `None` before the first attempt, and in records of
    /// older versions.
    #[cfg_attr(feature = "serde", serde(default))]
    pub fresh_for: Option<Duration>,
    /// The time since which the file has been unreachable: the first failure after the last answer.
    pub failing_since: Option<Time>,
    /// The number of consecutive attempts that left it unreachable.
    pub failures: u32,
    /// The days with failed attempts since then. `None` in records of versions that did not count them, which is
    /// treated as one day.
    #[cfg_attr(feature = "serde", serde(default))]
    pub failed_days: Option<FailedDays>,
    /// The caller's last report on whether the site's pages answer, and its time.
    pub answers: Option<(bool, Time)>,
}

/// The number of distinct UTC days with a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[allow(clippy::exhaustive_structs, reason = "a plain counter")]
pub struct FailedDays {
    /// The number of days.
    pub count: u32,
    /// The latest of these days, in days since the start of 1970. Earlier days are not counted afterwards, so that a
    /// clock that is set back and forth counts no day twice.
    pub latest: u64,
}

impl FailedDays {
    /// Returns the count after one more failure, which ended at `ended`.
    ///
    /// A stored count of 0 is treated as 1, as in [`StoredRecord::failed_days`], since an outage starts with a failure.
    fn and(self, ended: Time) -> Self {
        let (day, count) = (ended.as_unix_day(), self.count.max(1));
        if day > self.latest { Self { count: count.saturating_add(1), latest: day } } else { self }
    }
}

/// A copy of a robots.txt, as it was fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct GoodCopy {
    /// The URL that it was fetched from. After redirects, it differs from the origin's own.
    pub url: String,
    /// The time when its bytes were fetched.
    pub fetched: Time,
    /// The time when the site last confirmed it; equal to `fetched` if it never did.
    pub confirmed: Time,
    /// The lifetime that the sender stated.
    pub lifetime: Option<Duration>,
    /// The `ETag`, for conditional requests.
    pub etag: Option<String>,
    /// The `Last-Modified` date, for conditional requests.
    pub last_modified: Option<String>,
    /// The `Content-Type`. It matters to lints, not to verdicts.
    pub content_type: Option<String>,
    /// The decoded bytes, at most [`BODY_LIMIT`](crate::BODY_LIMIT).
    ///
    /// They are serialized as Base64. A copy that was serialized without them, by an older version or by
    /// [`StoredRecord::without_body`], [has no body](Self::has_body), and everything is disallowed until it is restored.
    #[cfg_attr(feature = "serde", serde(with = "body", default = "body::lost"))]
    pub body: Arc<[u8]>,
}

impl GoodCopy {
    /// Creates the copy of a file that the caller has, and that was not fetched. Its times are the start of 1970.
    pub fn given(origin: &Origin, body: impl Into<Arc<[u8]>>) -> Self {
        Self {
            url: origin.robots_url(),
            fetched: Time::default(),
            confirmed: Time::default(),
            lifetime: None,
            etag: None,
            last_modified: None,
            content_type: None,
            body: body.into(),
        }
    }

    /// Returns false if the body is missing. Such a copy is not used: the file is due immediately, and everything is
    /// disallowed until it is fetched.
    pub fn has_body(&self) -> bool {
        !Arc::ptr_eq(&self.body, &MISSING_BODY)
    }

    /// Returns true if the file is larger than the size limit, so that `body` contains only its beginning.
    pub fn is_cut(&self) -> bool {
        self.body.len() > SIZE_LIMIT
    }
}

/// The placeholder for missing bodies, identified by its address. It disallows everything, since an empty one would
/// allow everything if it were parsed by mistake.
static MISSING_BODY: LazyLock<Arc<[u8]>> = LazyLock::new(|| Arc::from(*b"User-agent: *\nDisallow: /\n"));

/// Serialization of bodies: Base64, or `null` if the body is missing.
#[cfg(feature = "serde")]
mod body {
    use std::sync::Arc;

    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD as BASE64;
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    use super::MISSING_BODY;

    pub(super) fn lost() -> Arc<[u8]> {
        Arc::clone(&MISSING_BODY)
    }

    pub(super) fn serialize<S: Serializer>(body: &Arc<[u8]>, serializer: S) -> Result<S::Ok, S::Error> {
        let text = (!Arc::ptr_eq(body, &MISSING_BODY)).then(|| BASE64.encode(body));
        text.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<[u8]>, D::Error> {
        match Option::<String>::deserialize(deserializer)? {
            Some(text) => BASE64.decode(text).map(Arc::from).map_err(D::Error::custom),
            None => Ok(lost()),
        }
    }
}

/// An attempt to fetch the file, and its result.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Attempt {
    /// The start time.
    pub began: Time,
    /// The end time.
    pub ended: Time,
    /// The event that ended it.
    pub event: Event,
    /// The details of a failure, as text for people.
    pub detail: Option<String>,
    /// The requests for the file, in order. The first one is to the origin itself.
    pub hops: Vec<Hop>,
    /// The lifetime that the sender of the last response stated.
    pub lifetime: Option<Duration>,
    /// The delay that the sender asked for with `Retry-After`.
    pub retry_after: Option<Duration>,
}

/// One request for the file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Hop {
    /// The URL that was requested.
    pub url: String,
    /// The HTTP status or FTP reply code of the response. `None` if there was no response.
    pub status: Option<u16>,
}

impl StoredRecord {
    /// Creates the record of an origin without any attempt.
    pub fn new(origin: &Origin) -> Self {
        Self {
            origin: origin.to_string(),
            policy: String::new(),
            copy: None,
            last: None,
            fresh_for: None,
            failing_since: None,
            failures: 0,
            failed_days: None,
            answers: None,
        }
    }

    /// Returns the number of distinct UTC days with failed attempts since the last answer, which is 0 if no attempt
    /// failed.
    ///
    /// If an older version did not count the days of an outage, it returns 1.
    #[must_use]
    pub fn failed_days(&self) -> u32 {
        match (self.failing_since, self.failed_days) {
            (None, _) => 0,
            (Some(_), None) => 1,
            (Some(_), Some(days)) => days.count.max(1),
        }
    }

    /// Returns the record without the body of its copy, for stores that keep bodies separately.
    #[must_use]
    pub fn without_body(&self) -> Self {
        let mut record = self.clone();
        if let Some(copy) = &mut record.copy {
            copy.body = Arc::clone(&MISSING_BODY);
        }
        record
    }

    /// Returns the last good copy, unless its body is missing.
    pub fn whole_copy(&self) -> Option<&GoodCopy> {
        self.copy.as_ref().filter(|copy| copy.has_body())
    }

    /// Counts an attempt that left the file unreachable. Must be called before it is stored as the last attempt.
    ///
    /// It starts an outage if there is none, or if the last attempt was refused by the caller's own address rules:
    /// those attempts never reached the site, and their time must not become permission.
    pub(crate) fn count_failure(&mut self, attempt: &Attempt, now: Time) {
        let is_refusal = |event| Row::of(event) == Row::Refused;
        let was_refused = self.last.as_ref().is_some_and(|last| is_refusal(last.event));
        let since = self.failing_since.filter(|_| !was_refused || is_refusal(attempt.event));
        self.failed_days = Some(match (since, self.failed_days, &self.last) {
            (None, ..) => FailedDays { count: 1, latest: now.as_unix_day() },
            (Some(_), Some(days), _) => days.and(now),
            (Some(since), None, last) => {
                let latest = last.as_ref().map_or(since, |last| last.ended.max(since));
                FailedDays { count: 1, latest: latest.as_unix_day() }.and(now)
            }
        });
        // The start is not in the future, even if the clock was set back.
        let began = attempt.began.min(now);
        self.failing_since = Some(since.map_or(began, |since| since.min(began)));
        self.failures = self.failures.saturating_add(1);
    }

    /// Ends the outage after an answer of the site.
    pub(crate) fn end_failures(&mut self) {
        (self.failing_since, self.failures, self.failed_days) = (None, 0, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_count_of_no_failed_days_is_read_as_one() {
        let stored = FailedDays { count: 0, latest: 20_000 };
        let at = |day: u64| Time::from_unix_seconds(day * 24 * 60 * 60);
        assert_eq!(stored.and(at(20_001)), FailedDays { count: 2, latest: 20_001 });

        let mut record = StoredRecord::new(&"http://a.test".parse().unwrap());
        (record.failing_since, record.failed_days) = (Some(at(20_000)), Some(stored));
        assert_eq!(record.failed_days(), 1);
    }

    #[test]
    fn a_copy_is_cut_if_it_has_more_than_counts() {
        for (len, is_cut) in [(0, false), (SIZE_LIMIT - 1, false), (SIZE_LIMIT, false), (SIZE_LIMIT + 1, true)] {
            let copy = GoodCopy {
                url: String::new(),
                fetched: Time::from_unix_seconds(0),
                confirmed: Time::from_unix_seconds(0),
                lifetime: None,
                etag: None,
                last_modified: None,
                content_type: None,
                body: vec![b'#'; len].into(),
            };
            assert_eq!(copy.is_cut(), is_cut, "{len}");
        }
    }
}
