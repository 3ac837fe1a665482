//! Records other than user-agent lines and rules, and their meanings.
//!
//! Records are stored unparsed; a value is parsed on request. Whatever the value, a record neither starts nor ends a
//! group (RFC 9309 §2.2.4), and the text of an invalid record is kept.

mod clean_param;
mod pace;
mod rate;
mod signal;
pub mod structured;
mod usage;

use core::fmt;
use core::time::Duration;

pub use clean_param::CleanParam;
pub use pace::Pace;
pub use rate::{RequestRate, Window};
pub use signal::{ContentSignal, Signal, Signals};
pub use usage::{ContentUsage, Preference, Preferences, StatedPreference, Usage};

use crate::document::{Record, Robots};
use crate::escape::Escaped;
use crate::parse::directive::{Field, is_space, trim};

/// The parsed value of a record. Returned by [`Record::meaning`].
///
/// ```
/// use comity::{Meaning, Robots};
///
/// let robots = Robots::parse(b"User-agent: *\nRequest-rate: 1/10s 1800-1900\nVisit-time: at night\n");
/// let meanings: Vec<String> = robots.records().map(|record| record.meaning().to_string()).collect();
/// assert_eq!(meanings, [
///     "1 document in 10 s, from 18:00 to 19:00 UTC",
///     "not understood: expected a window in UTC such as 0600-0845",
/// ]);
/// assert!(matches!(robots.records().nth(1).unwrap().meaning(), Meaning::NotUnderstood { .. }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Meaning<'a> {
    /// `Sitemap`: an absolute URL, on any host. It applies to every crawler.
    Sitemap(&'a [u8]),
    /// `Crawl-delay`: the time between two requests. See [`Robots::crawl_delay`] for the one that applies to a crawler.
    CrawlDelay(Duration),
    /// `Request-rate`: documents per time, optionally at certain hours.
    RequestRate(RequestRate),
    /// `Visit-time`: the hours for visits.
    VisitTime(Window),
    /// `Clean-param`: query parameters that do not change the page. It applies to every crawler that supports it,
    /// wherever it is in the file.
    CleanParam(CleanParam<'a>),
    /// `Host`: the preferred mirror, as a host or an origin. It applies to every crawler that supports it.
    Host(&'a [u8]),
    /// `Content-Signal`: the permitted uses of content, for one group.
    ContentSignal(ContentSignal<'a>),
    /// `Content-Usage`: the permitted uses of content by the drafts of the AIPREF group, for one group and some paths.
    ContentUsage(ContentUsage<'a>),
    /// `License`: the absolute URL of a license (RSL 1.0). It applies to every crawler, wherever it is in the file.
    License(&'a [u8]),
    /// A record with an invalid value. [`Record::value`] returns the value.
    #[non_exhaustive]
    NotUnderstood {
        /// The expected form of the value.
        expected: &'static str,
    },
    /// A record with any other name. Its value is text.
    Text(&'a [u8]),
}

impl<'a> Record<'a> {
    /// Parses the value. The time is proportional to its length.
    pub fn meaning(&self) -> Meaning<'a> {
        let value = self.value();
        let (meaning, expected) = match self.field() {
            Field::Sitemap => (is_absolute(value).then_some(Meaning::Sitemap(value)), "expected an absolute URL"),
            Field::License => (is_absolute(value).then_some(Meaning::License(value)), "expected an absolute URL"),
            Field::CrawlDelay => (self.crawl_delay().map(Meaning::CrawlDelay), "expected a number of seconds"),
            Field::RequestRate => (
                RequestRate::parse(value).map(Meaning::RequestRate),
                "expected documents per time such as 1/10s, perhaps with a window such as 0600-0845",
            ),
            Field::VisitTime => {
                (Window::parse(value).map(Meaning::VisitTime), "expected a window in UTC such as 0600-0845")
            }
            Field::CleanParam => (
                CleanParam::parse(value).map(Meaning::CleanParam),
                "expected names of parameters such as a&b, perhaps with a path, in at most 500 characters",
            ),
            Field::Host => (is_host(value).then_some(Meaning::Host(value)), "expected a host"),
            Field::ContentSignal => (
                ContentSignal::parse(value).map(Meaning::ContentSignal),
                "expected signals such as ai-train=no, optionally after a path",
            ),
            Field::ContentUsage => (
                ContentUsage::parse(value).map(Meaning::ContentUsage),
                "expected preferences such as train-ai=n, optionally after a path",
            ),
            _ => (Some(Meaning::Text(value)), ""),
        };
        meaning.unwrap_or(Meaning::NotUnderstood { expected })
    }
}

impl Robots {
    /// Returns the `License` records that are absolute URLs. They belong to no group.
    ///
    /// ```
    /// use comity::Robots;
    ///
    /// let robots = Robots::parse(b"License: https://example.com/license.xml\nLicense: ask us\n");
    /// let urls: Vec<&[u8]> = robots.licenses().map(|record| record.value()).collect();
    /// assert_eq!(urls, [b"https://example.com/license.xml"]);
    /// ```
    pub fn licenses(&self) -> impl Iterator<Item = Record<'_>> {
        self.records().filter(|record| matches!(record.meaning(), Meaning::License(_)))
    }
}

/// Returns true if a text has the form of an absolute URL: a scheme, `://`, and something after it.
fn is_absolute(url: &[u8]) -> bool {
    let Some(colon) = memchr::memchr(b':', url) else { return false };
    let (scheme, rest) = url.split_at(colon);
    let is_scheme = scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && scheme.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
    is_scheme && rest.strip_prefix(b"://").is_some_and(|rest| !matches!(rest, [] | [b'/' | b'?' | b'#', ..]))
}

/// Returns true if a text has the form of a host, optionally with a scheme, a port and the path `/`.
fn is_host(value: &[u8]) -> bool {
    let lower = |prefix: &[u8]| value.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
    let scheme = [&b"https://"[..], b"http://"].into_iter().find(|scheme| lower(scheme)).map_or(0, <[u8]>::len);
    let authority = value[scheme..].strip_suffix(b"/").unwrap_or(&value[scheme..]);
    let (host, port) = match memchr::memrchr(b':', authority) {
        Some(colon) if !authority.ends_with(b"]") => (&authority[..colon], Some(&authority[colon + 1..])),
        _ => (authority, None),
    };
    let is_host = match host {
        [b'[', address @ .., b']'] => {
            !address.is_empty() && address.iter().all(|b| b.is_ascii_hexdigit() || matches!(b, b':' | b'.'))
        }
        name => {
            let is_label = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | 0x80..);
            !name.is_empty() && name.split(|b| *b == b'.').all(|label| !label.is_empty() && label.iter().all(is_label))
        }
    };
    is_host && port.is_none_or(|port| (1..=5).contains(&port.len()) && port.iter().all(u8::is_ascii_digit))
}

/// Splits a value into a path at its start, if there is one, and the rest. The path ends before the first white space.
fn path_and_rest(value: &[u8]) -> (Option<&[u8]>, &[u8]) {
    if value.first() != Some(&b'/') {
        return (None, value);
    }
    let end = value.iter().position(|b| is_space(*b)).unwrap_or(value.len());
    (Some(&value[..end]), trim(&value[end..]))
}

impl fmt::Display for Meaning<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sitemap(text) | Self::Host(text) | Self::License(text) | Self::Text(text) => Escaped(text).fmt(f),
            Self::CrawlDelay(delay) => write!(f, "{} s between requests", delay.as_secs_f64()),
            Self::RequestRate(rate) => rate.fmt(f),
            Self::VisitTime(window) => window.fmt(f),
            Self::CleanParam(clean) => clean.fmt(f),
            Self::ContentSignal(signal) => signal.fmt(f),
            Self::ContentUsage(usage) => usage.fmt(f),
            Self::NotUnderstood { expected } => write!(f, "not understood: {expected}"),
        }
    }
}
