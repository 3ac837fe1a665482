//! `Request-rate` and `Visit-time`, as proposed in 1996 for the second version of the robots exclusion standard. All
//! times are UTC.

use core::fmt;
use core::num::NonZeroU32;
use core::time::Duration;

use crate::parse::directive::{is_space, trim};

/// A `Request-rate` record: a number of documents per time, optionally only at certain hours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RequestRate {
    /// The number of documents.
    pub documents: NonZeroU32,
    /// The time for that number of documents.
    pub time: Duration,
    /// The hours at which the rate applies. `None` for all hours.
    pub window: Option<Window>,
}

impl RequestRate {
    /// Parses `n/m`, `n/ms`, `n/mm`, `n/mh` or `n/md`, optionally followed by a window. Neither number may be zero.
    pub(super) fn parse(value: &[u8]) -> Option<Self> {
        let end = value.iter().position(|b| is_space(*b)).unwrap_or(value.len());
        let (rate, rest) = value.split_at(end);
        let window = match trim(rest) {
            b"" => None,
            window => Some(Window::parse(window)?),
        };
        let slash = memchr::memchr(b'/', rate)?;
        let (documents, time) = (&rate[..slash], &rate[slash + 1..]);
        let (time, unit) = match time.split_last()? {
            (b's' | b'S', time) => (time, 1),
            (b'm' | b'M', time) => (time, 60),
            (b'h' | b'H', time) => (time, 3_600),
            (b'd' | b'D', time) => (time, 86_400),
            _ => (time, 1),
        };
        let documents = u32::try_from(number(documents)?).unwrap_or(u32::MAX);
        let seconds = number(time)?.saturating_mul(unit);
        (seconds > 0).then_some(())?;
        Some(Self { documents: NonZeroU32::new(documents)?, time: Duration::from_secs(seconds), window })
    }

    /// Returns the time between two requests that satisfies the rate over any period.
    pub fn interval(&self) -> Duration {
        self.time / self.documents.get()
    }
}

impl fmt::Display for RequestRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.documents.get() == 1 { "" } else { "s" };
        write!(f, "{} document{plural} in {} s", self.documents, self.time.as_secs())?;
        match self.window {
            Some(window) => write!(f, ", {window}"),
            None => Ok(()),
        }
    }
}

/// Parses digits. A number that is too large becomes the largest one.
fn number(digits: &[u8]) -> Option<u64> {
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    let add = |number: u64, digit: &u8| number.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
    is_number.then(|| digits.iter().fold(0, add))
}

/// A part of each day, in UTC and whole minutes. It may extend past midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    start: u16,
    end: u16,
}

/// The number of minutes in a day.
const MINUTES: u16 = 24 * 60;

impl Window {
    /// Parses `hhmm-hhmm`. The second time may be `2400`. The two times must differ.
    pub(super) fn parse(value: &[u8]) -> Option<Self> {
        let dash = memchr::memchr(b'-', value)?;
        let (start, end) = (minute(trim(&value[..dash]))?, minute(trim(&value[dash + 1..]))?);
        Self::new(start, end)
    }

    /// Creates a window from a minute of the day up to another one, exclusive. Returns `None` if they are equal or
    /// after the end of the day.
    pub fn new(start: u16, end: u16) -> Option<Self> {
        (start < MINUTES && end <= MINUTES && start != end).then_some(Self { start, end: end % MINUTES })
    }

    /// Returns the minute of the day at which it starts.
    pub fn start(&self) -> u16 {
        self.start
    }

    /// Returns the minute of the day at which it ends. It is less than 1440: a window that ends at midnight ends at 0.
    pub fn end(&self) -> u16 {
        self.end
    }

    /// Returns true if it contains a time, given as the time since the start of 1970 in UTC.
    pub fn contains(&self, time: Duration) -> bool {
        let minute = minute_of_day(time);
        if self.start < self.end {
            (self.start..self.end).contains(&minute)
        } else {
            minute >= self.start || minute < self.end
        }
    }

    /// Returns the first start after a time.
    pub(crate) fn next_start(self, time: Duration) -> Duration {
        next_minute(time, self.start)
    }

    /// Returns the first end after a time.
    pub(crate) fn next_end(self, time: Duration) -> Duration {
        next_minute(time, self.end)
    }
}

/// Parses `hhmm`.
fn minute(digits: &[u8]) -> Option<u16> {
    if digits.len() != 4 {
        return None;
    }
    let number = number(digits)? as u16;
    let (hour, minute) = (number / 100, number % 100);
    (hour < 24 && minute < 60 || number == 2400).then_some(hour * 60 + minute)
}

const DAY: u64 = 86_400;

fn minute_of_day(time: Duration) -> u16 {
    (time.as_secs() % DAY / 60) as u16
}

/// Returns the next time of a minute of the day.
fn next_minute(time: Duration, minute: u16) -> Duration {
    let day = time.as_secs() / DAY * DAY;
    let today = Duration::from_secs(day.saturating_add(u64::from(minute) * 60));
    if today > time { today } else { today.saturating_add(Duration::from_secs(DAY)) }
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = if self.end == 0 { MINUTES } else { self.end };
        let time = |minute: u16| alloc::format!("{:02}:{:02}", minute / 60, minute % 60);
        write!(f, "from {} to {} UTC", time(self.start), time(end))
    }
}
