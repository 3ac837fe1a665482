//! What is remembered of an origin between attempts.

use std::sync::Arc;
#[cfg(feature = "serde")]
use std::sync::LazyLock;
use std::time::Duration;

use comity::{Origin, SIZE_LIMIT};

use crate::event::Event;
use crate::policy::Row;
use crate::time::Time;

/// All that a [`Site`](crate::Site) remembers, to be stored: the last good copy, apart from how the last attempt ended.
///
/// Serialized (feature `serde`), it is without the [body](GoodCopy::body) of the copy: store that as well, and put it back.
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
    fn and(self, ended: Time) -> Self {
        let day = ended.as_unix_day();
        if day > self.latest { Self { count: self.count.saturating_add(1), latest: day } } else { self }
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
    /// They are not serialized: a store keeps them apart and puts them back. Until then the copy
    /// [has no body](Self::has_body), and everything is disallowed.
    #[cfg_attr(feature = "serde", serde(skip, default = "lost"))]
    pub body: Arc<[u8]>,
}

impl GoodCopy {
    /// Returns false for a copy that was deserialized, until its body is put back. Such a copy counts for nothing: the file
    /// is due at once, and until it is fetched everything is disallowed.
    pub fn has_body(&self) -> bool {
        #[cfg(feature = "serde")]
        return !Arc::ptr_eq(&self.body, &LOST);
        #[cfg(not(feature = "serde"))]
        true
    }

    /// Whether the file is larger than what counts, so that `body` is only its beginning.
    pub fn is_cut(&self) -> bool {
        self.body.len() > SIZE_LIMIT
    }
}

/// The placeholder of bodies that were not put back, told from files by its address. An empty one would allow everything
/// to those who parse it all the same.
#[cfg(feature = "serde")]
static LOST: LazyLock<Arc<[u8]>> = LazyLock::new(|| Arc::from(*b"User-agent: *\nDisallow: /\n"));

#[cfg(feature = "serde")]
fn lost() -> Arc<[u8]> {
    Arc::clone(&LOST)
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
    /// Of an origin that nothing is known about yet.
    pub fn new(origin: &Origin) -> Self {
        Self {
            origin: origin.to_string(),
            policy: String::new(),
            copy: None,
            last: None,
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
