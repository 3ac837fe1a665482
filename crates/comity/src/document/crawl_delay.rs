//! The values of `Crawl-delay`.

use core::time::Duration;

use super::{Record, Robots};
use crate::parse::directive::Field;

/// A crawl-delay and the line that contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CrawlDelay {
    /// The minimum time between the starts of two requests.
    pub delay: Duration,
    /// The line number of the record.
    pub line: u32,
}

impl Record<'_> {
    /// Returns the delay of a `Crawl-delay`: digits, optionally with a decimal point. Returns `None` for anything else,
    /// such as a negative number, a unit or a decimal comma. There is no upper limit.
    pub fn crawl_delay(&self) -> Option<Duration> {
        if self.field() == Field::CrawlDelay { parse_seconds(self.value()) } else { None }
    }
}

impl Robots {
    /// Returns the largest valid crawl-delay of these groups.
    pub(crate) fn largest_delay(&self, in_groups: impl Fn(usize) -> bool) -> Option<CrawlDelay> {
        self.records()
            .filter(|record| record.group().is_some_and(&in_groups))
            .filter_map(|record| Some(CrawlDelay { delay: record.crawl_delay()?, line: record.line() }))
            .max_by_key(|found| (found.delay, core::cmp::Reverse(found.line)))
    }
}

/// Parses decimal seconds. Digits after the nanoseconds are dropped.
fn parse_seconds(value: &[u8]) -> Option<Duration> {
    let (whole, fraction) = match value.iter().position(|b| *b == b'.') {
        Some(point) => (&value[..point], &value[point + 1..]),
        None => (value, &[][..]),
    };
    let is_number = whole.iter().chain(fraction).all(u8::is_ascii_digit) && whole.len() + fraction.len() > 0;
    if !is_number {
        return None;
    }
    let digits = |digits: &[u8]| {
        digits.iter().fold(0_u64, |number, digit| number.saturating_mul(10).saturating_add(u64::from(digit - b'0')))
    };
    let mut nanos = [b'0'; 9];
    let known = fraction.len().min(nanos.len());
    nanos[..known].copy_from_slice(&fraction[..known]);
    Some(Duration::new(digits(whole), digits(&nanos) as u32))
}
