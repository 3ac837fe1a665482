//! What is remembered of an origin between attempts.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use comity::{Origin, SIZE_LIMIT};

use crate::event::Event;
use crate::policy::Row;
use crate::time::Time;

/// All that a [`Site`](crate::Site) remembers, to be stored: the last good copy, apart from how the last attempt ended.
///
/// Serialized (feature `serde`), it contains the [body](GoodCopy::body) of the copy. A store that keeps bodies apart
/// serializes the record [without it](Self::without_body), and puts it back.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Record {
    /// Whose robots.txt it is, as an origin's text.
    pub origin: String,
    /// The name of the policy that was in force.
    pub policy: String,
    /// The last good copy. A definite answer that there is no file, or that it is denied, ends it.
    pub copy: Option<GoodCopy>,
    /// The last attempt.
    pub last: Option<Attempt>,
    /// The time after the last attempt until the next one is due, by the policy in force. It is a span, so that a store can
    /// measure it by a clock of its own. `None` before the first attempt, and in records of older versions.
    #[cfg_attr(feature = "serde", serde(default))]
    pub fresh_for: Option<Duration>,
    /// Since when the file has been unreachable: the first failure after the last answer.
    pub failing_since: Option<Time>,
    /// How many attempts in a row have left it unreachable.
    pub failures: u32,
    /// The days on which attempts have failed since then. `None` in records of versions that did not count them: those
    /// count as one day.
    #[cfg_attr(feature = "serde", serde(default))]
    pub failed_days: Option<FailedDays>,
    /// Whether the site's pages answer, as the caller said last, and when.
    pub answers: Option<(bool, Time)>,
}

/// How many distinct days, in UTC, have had a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[allow(clippy::exhaustive_structs, reason = "a counter, and no more")]
pub struct FailedDays {
    /// How many there were.
    pub count: u32,
    /// The latest of them, in days since the start of 1970. Earlier days are not counted later, so a clock that is set
    /// back and forth counts none twice.
    pub latest: u64,
}

impl FailedDays {
    /// Returns the count with one more failure, which ended then.
    ///
    /// A stored count of 0 is read as 1, as [`Record::failed_days`] reads it: an outage begins with a failure.
    fn and(self, ended: Time) -> Self {
        let (day, count) = (ended.as_unix_day(), self.count.max(1));
        if day > self.latest { Self { count: count.saturating_add(1), latest: day } } else { self }
    }
}

/// A robots.txt as it was fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct GoodCopy {
    /// Where it came from: other than the origin's own address after redirects.
    pub url: String,
    /// When its bytes came.
    pub fetched: Time,
    /// When the site last said that it is still good; else as `fetched`.
    pub confirmed: Time,
    /// How long its sender says that it may be used.
    pub lifetime: Option<Duration>,
    /// Its `ETag`, to ask whether it is still good.
    pub etag: Option<String>,
    /// Its `Last-Modified`, for the same.
    pub last_modified: Option<String>,
    /// What it was served as; a lint's concern, no verdict's.
    pub content_type: Option<String>,
    /// Its bytes, decoded: at most [`LIMIT`](crate::LIMIT) of them.
    ///
    /// They are serialized as Base64. A copy that was serialized without them, by an older version or by
    /// [`Record::without_body`], [has no body](Self::has_body) until it is put back, and everything is disallowed.
    #[cfg_attr(feature = "serde", serde(with = "body", default = "body::lost"))]
    pub body: Arc<[u8]>,
}

impl GoodCopy {
    /// Returns false for a copy without its body. Such a copy counts for nothing: the file is due at once, and until it is
    /// fetched everything is disallowed.
    pub fn has_body(&self) -> bool {
        !Arc::ptr_eq(&self.body, &LOST)
    }

    /// Whether the file is larger than what counts, so that `body` is only its beginning.
    pub fn is_cut(&self) -> bool {
        self.body.len() > SIZE_LIMIT
    }
}

/// The placeholder of missing bodies, told from files by its address. An empty one would allow everything to those who
/// parse it all the same.
static LOST: LazyLock<Arc<[u8]>> = LazyLock::new(|| Arc::from(*b"User-agent: *\nDisallow: /\n"));

/// Bodies as Base64; `null` without one.
#[cfg(feature = "serde")]
mod body {
    use std::sync::Arc;

    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD as BASE64;
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    use super::LOST;

    pub(super) fn lost() -> Arc<[u8]> {
        Arc::clone(&LOST)
    }

    pub(super) fn serialize<S: Serializer>(body: &Arc<[u8]>, serializer: S) -> Result<S::Ok, S::Error> {
        let text = (!Arc::ptr_eq(body, &LOST)).then(|| BASE64.encode(body));
        text.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<[u8]>, D::Error> {
        match Option::<String>::deserialize(deserializer)? {
            Some(text) => BASE64.decode(text).map(Arc::from).map_err(D::Error::custom),
            None => Ok(lost()),
        }
    }
}

/// An attempt to fetch the file, and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Attempt {
    /// When it began.
    pub began: Time,
    /// When it ended.
    pub ended: Time,
    /// How it ended.
    pub event: Event,
    /// More about a failure, in the words of whoever met it.
    pub detail: Option<String>,
    /// The addresses that were asked for the file, in turn; the first is the origin's own.
    pub hops: Vec<Hop>,
    /// How long the last answer may be used, as its sender says.
    pub lifetime: Option<Duration>,
    /// How long the sender asks to be left alone.
    pub retry_after: Option<Duration>,
}

/// One request for the file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Hop {
    /// What was asked for.
    pub url: String,
    /// The status of the answer, HTTP's or FTP's; none if none came.
    pub status: Option<u16>,
}

impl Record {
    /// Creates the record of an origin that was never asked.
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

    /// Returns on how many distinct days, in UTC, attempts have failed since the last answer: 0 if none has.
    ///
    /// An outage of which the days were not counted has had one.
    #[must_use]
    pub fn failed_days(&self) -> u32 {
        match (self.failing_since, self.failed_days) {
            (None, _) => 0,
            (Some(_), None) => 1,
            (Some(_), Some(days)) => days.count.max(1),
        }
    }

    /// Returns the record without the body of its copy, for stores that keep bodies apart.
    #[must_use]
    pub fn without_body(&self) -> Self {
        let mut record = self.clone();
        if let Some(copy) = &mut record.copy {
            copy.body = Arc::clone(&LOST);
        }
        record
    }

    /// Returns the last good copy, if it has its body.
    pub fn whole_copy(&self) -> Option<&GoodCopy> {
        self.copy.as_ref().filter(|copy| copy.has_body())
    }

    /// Counts an attempt that left the file unreachable, before it becomes the last one.
    ///
    /// An outage begins with it if there is none, or if the last attempt was refused by the caller's own rules about
    /// addresses: those refusals were no attempts of the site's, and their time must not become permission.
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
        // Nothing has been failing since later than now, whatever the clock said before.
        let began = attempt.began.min(now);
        self.failing_since = Some(since.map_or(began, |since| since.min(began)));
        self.failures = self.failures.saturating_add(1);
    }

    /// Ends the outage: the site answered.
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

        let mut record = Record::new(&"http://a.test".parse().unwrap());
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
