//! The parts of a response head that matter for policies.

use std::time::Duration;

use crate::time::Time;

/// The status of a response, and the header fields that affect the ruling or the record.
///
/// ```
/// use comity_policy::Head;
///
/// let head = Head::http(200).with("Cache-Control", b"max-age=600").with("Server", b"any");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    pub(crate) status: Status,
    pub(crate) location: Location,
    pub(crate) etag: Option<String>,
    pub(crate) last_modified: Option<String>,
    pub(crate) content_type: Option<String>,
    retry_after: Option<String>,
    date: Option<String>,
    expires: Option<String>,
    age: Option<u64>,
    /// The smallest `max-age` of all `Cache-Control` fields.
    max_age: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Http(u16),
    Ftp(u16),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    None,
    /// One value, as received. It need not be ASCII.
    One(String),
    /// An empty, overlong or non-text value, or several different values.
    Unusable,
}

/// The maximum length of a `Location` in bytes. Longer ones are not followed. Most servers accept request lines of 8
/// KiB.
const MAX_LOCATION: usize = 8 * 1024;
/// The maximum length of a validator or media type in bytes. Longer ones are not stored.
const MAX_FIELD: usize = 1024;

impl Head {
    /// Creates the head of an HTTP response, without header fields.
    pub fn http(status: u16) -> Self {
        Self::new(Status::Http(status))
    }

    /// Creates the head for the FTP reply that ended a request: 125 or 150 if the file follows, 550 if there is none,
    /// or the reply that refused the request.
    pub fn ftp(code: u16) -> Self {
        Self::new(Status::Ftp(code))
    }

    /// Returns the HTTP status or the FTP reply code.
    pub fn status(&self) -> u16 {
        let (Status::Http(code) | Status::Ftp(code)) = self.status;
        code
    }

    fn new(status: Status) -> Self {
        Self {
            status,
            location: Location::None,
            etag: None,
            last_modified: None,
            content_type: None,
            retry_after: None,
            date: None,
            expires: None,
            age: None,
            max_age: None,
        }
    }

    /// Adds a header field. Fields that do not matter are dropped.
    #[must_use]
    pub fn with(mut self, name: &str, value: &[u8]) -> Self {
        let is = |other| name.eq_ignore_ascii_case(other);
        if is("location") {
            self.location = match (std::mem::replace(&mut self.location, Location::None), location(value)) {
                (Location::None, Some(one)) => Location::One(one),
                (Location::One(first), Some(again)) if first == again => Location::One(first),
                _ => Location::Unusable,
            };
            return self;
        }
        let text = String::from_utf8_lossy(value);
        let text = text.trim();
        // Of fields that may occur only once, the first one is used.
        let first = |field: &mut Option<String>, text: &str| {
            field.get_or_insert_with(|| text.to_owned());
        };
        // Values that are sent back later must be unchanged.
        let is_kept = text.len() <= MAX_FIELD && std::str::from_utf8(value).is_ok();
        // An invalid date or number is kept as empty text, since it has a meaning too.
        let sense = if is_kept { text } else { "" };
        if is("etag") && is_kept {
            first(&mut self.etag, text);
        } else if is("last-modified") && is_kept {
            first(&mut self.last_modified, text);
        } else if is("content-type") && is_kept {
            first(&mut self.content_type, text);
        } else if is("retry-after") {
            first(&mut self.retry_after, sense);
        } else if is("date") {
            first(&mut self.date, sense);
        } else if is("expires") {
            first(&mut self.expires, sense);
        } else if is("age") {
            // RFC 9111 §5.1: the first member of a list is used.
            self.age = self.age.or_else(|| seconds(text.split(',').next()?.trim()));
        } else if is("cache-control") {
            for age in text.split(',').filter_map(max_age) {
                self.max_age = Some(self.max_age.map_or(age, |least| least.min(age)));
            }
        }
        self
    }

    /// Returns the lifetime that the sender states: `max-age` minus `Age`, else `Expires` minus `Date` (RFC 9111 §4.2).
    /// Invalid values mean an expired response, as that RFC recommends.
    ///
    /// ```
    /// use comity_policy::{Head, Time};
    ///
    /// let head = Head::http(200).with("Cache-Control", b"max-age=600").with("Age", b"60");
    /// assert_eq!(head.lifetime(Time::default()).unwrap().as_secs(), 540);
    /// assert_eq!(Head::http(200).lifetime(Time::default()), None);
    /// ```
    pub fn lifetime(&self, now: Time) -> Option<Duration> {
        if let Some(max_age) = self.max_age {
            return Some(Duration::from_secs(max_age.saturating_sub(self.age.unwrap_or(0))));
        }
        let expires = self.expires.as_deref()?;
        let date = self.date.as_deref().and_then(date).unwrap_or(now);
        Some(date_or_never(expires).since(date))
    }

    /// Returns the delay that the sender asks for with `Retry-After`, given in seconds or as a date (RFC 9110 §10.2.3).
    pub fn retry_after(&self, now: Time) -> Option<Duration> {
        let text = self.retry_after.as_deref()?;
        seconds(text).map(Duration::from_secs).or_else(|| Some(date(text)?.since(now)))
    }
}

fn location(value: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(value).ok()?.trim();
    // An empty reference would mean the same URL, which no server intends.
    (!text.is_empty() && value.len() <= MAX_LOCATION).then(|| text.to_owned())
}

/// Returns the maximum age in a directive of `Cache-Control`, if it sets one.
fn max_age(directive: &str) -> Option<u64> {
    let (name, value) = match directive.split_once('=') {
        Some((name, value)) => (name.trim(), Some(value.trim().trim_matches('"'))),
        None => (directive.trim(), None),
    };
    // `no-store` is about copies that answer further requests. The copy here is kept for outages of the site, and is
    // due immediately.
    if name.eq_ignore_ascii_case("no-cache") || name.eq_ignore_ascii_case("no-store") {
        return Some(0);
    }
    name.eq_ignore_ascii_case("max-age").then(|| value.and_then(seconds).unwrap_or(0))
}

/// Parses `delta-seconds`: digits only. Numbers that are too large become a large number (RFC 9111 §1.2.2).
fn seconds(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().unwrap_or(u64::from(u32::MAX)))
}

fn date(text: &str) -> Option<Time> {
    httpdate::parse_http_date(text).ok().map(Time::from)
}

fn date_or_never(text: &str) -> Time {
    date(text).unwrap_or_default()
}
