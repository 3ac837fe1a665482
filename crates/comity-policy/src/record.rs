//! What is remembered of an origin between attempts.

use std::sync::Arc;
use std::time::Duration;

use comity::{Origin, SIZE_LIMIT};

use crate::event::Event;
use crate::time::Time;

/// All that a [`Site`](crate::Site) remembers, to be stored as it is: the last good copy, apart from how the last
/// attempt ended.
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
    /// Whether the site's pages answer, as the caller said last, and when.
    pub answers: Option<(bool, Time)>,
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
    /// Its bytes, decoded: at most [`LIMIT`](crate::LIMIT) of them. They are not serialized: a store keeps them apart
    /// and puts them back. Until then, everything is disallowed here.
    #[cfg_attr(feature = "serde", serde(skip, default = "lost"))]
    pub body: Arc<[u8]>,
}

impl GoodCopy {
    /// Whether the file is larger than what counts, so that `body` is only its beginning.
    pub fn is_cut(&self) -> bool {
        self.body.len() > SIZE_LIMIT
    }
}

/// What stands for a body that was not put back: nothing would be everything allowed.
#[cfg(feature = "serde")]
fn lost() -> Arc<[u8]> {
    Arc::from(*b"User-agent: *\nDisallow: /\n")
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
            answers: None,
        }
    }
}
