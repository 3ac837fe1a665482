//! Parses the dates that people write after `unavailable_after`: RFC 822 and its successors, RFC 850, ISO 8601, and
//! mixed forms.

use std::fmt;

/// A moment, in seconds since the start of 1970 in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct Moment(i64);

impl Moment {
    /// Returns the seconds since the start of 1970 in UTC. Negative for earlier moments.
    pub fn unix_seconds(self) -> i64 {
        self.0
    }

    /// Parses a date, with or without a time. The zone defaults to UTC, and the time to the start of the day.
    ///
    /// ```
    /// use comity_page::Moment;
    ///
    /// let moment = Moment::parse(b"Friday, 25-Jun-10 15:00:00 PST").unwrap();
    /// assert_eq!(moment, Moment::parse(b"2010-06-25T23:00:00Z").unwrap());
    /// assert_eq!(moment.to_string(), "2010-06-25 23:00:00 UTC");
    /// ```
    pub fn parse(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?.trim();
        let mut date = Date::default();
        for word in text.split([' ', '\t', ',']).filter(|word| !word.is_empty()) {
            date.word(word)?;
        }
        date.moment()
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (day, second) = (self.0.div_euclid(DAY), self.0.rem_euclid(DAY));
        let (year, month, day) = civil(day);
        let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
        write!(f, "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
    }
}

const DAY: i64 = 86_400;

/// The parts of a date that were read so far.
#[derive(Default)]
struct Date {
    year: Option<i64>,
    month: Option<i64>,
    day: Option<i64>,
    /// The time in seconds since the start of the day.
    time: Option<i64>,
    /// The offset of the zone in seconds east of UTC.
    zone: Option<i64>,
    weekday: bool,
}

impl Date {
    /// Reads one word. Returns `None` if it cannot be a part of this date.
    fn word(&mut self, word: &str) -> Option<()> {
        if word.contains(':') && !word.starts_with(['+', '-']) {
            // 2010-06-25T15:00:00Z
            return match word.split_once(['T', 't']) {
                Some((date, time)) => self.day_of_calendar(date).and_then(|()| self.time_and_zone(time)),
                None => self.time_and_zone(word),
            };
        }
        if word.starts_with(['+', '-']) {
            return set(&mut self.zone, offset(word)?);
        }
        if word.bytes().all(|b| b.is_ascii_digit()) {
            return self.number(word);
        }
        if word.contains('-') {
            return self.day_of_calendar(word);
        }
        let letters = word.strip_suffix('.').unwrap_or(word);
        if let Some(month) = named(letters, &MONTHS) {
            return set(&mut self.month, month);
        }
        if named(letters, &WEEKDAYS).is_some() {
            return (!std::mem::replace(&mut self.weekday, true)).then_some(());
        }
        set(&mut self.zone, zone(letters)?)
    }

    /// Reads `2010-06-25`, `25-Jun-10` or `25-Jun-2010`.
    fn day_of_calendar(&mut self, text: &str) -> Option<()> {
        if text.len() == 8 && text.bytes().all(|b| b.is_ascii_digit()) {
            return self.number(text);
        }
        let mut parts = text.split('-');
        let (first, month, last) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() {
            return None;
        }
        let (year, day) = if first.len() == 4 { (first, last) } else { (last, first) };
        let month = match digits(month) {
            Some(month) if first.len() == 4 => month,
            Some(_) => return None, // ambiguous, such as 06-07-10
            None => named(month, &MONTHS)?,
        };
        set(&mut self.year, full_year(year)?)?;
        set(&mut self.month, month)?;
        set(&mut self.day, digits(day).filter(|_| day.len() <= 2)?)
    }

    /// Reads a number without separators: a day, a year, or `20100625`.
    fn number(&mut self, word: &str) -> Option<()> {
        let number = digits(word)?;
        match word.len() {
            8 => {
                set(&mut self.year, number / 10_000)?;
                set(&mut self.month, number / 100 % 100)?;
                set(&mut self.day, number % 100)
            }
            4 => set(&mut self.year, number),
            1 | 2 if self.day.is_none() => set(&mut self.day, number),
            2 => set(&mut self.year, full_year(word)?),
            _ => None,
        }
    }

    /// Reads `15:00`, `15:00:00` or `15:00:00.25`, optionally with `Z` or an offset after it.
    fn time_and_zone(&mut self, text: &str) -> Option<()> {
        let end = text.find(|c: char| !c.is_ascii_digit() && c != ':' && c != '.').unwrap_or(text.len());
        let (time, zone_text) = text.split_at(end);
        match zone_text {
            "" => {}
            "Z" | "z" => set(&mut self.zone, 0)?,
            other => set(&mut self.zone, offset(other)?)?,
        }
        let mut parts = time.split(':');
        let mut part = |most: i64| {
            let part = parts.next()?;
            let number = digits(part).filter(|_| part.len() == 2 || part.len() == 1)?;
            (number <= most).then_some(number)
        };
        let (hour, minute) = (part(24)?, part(59)?);
        let second = match parts.next() {
            None => 0,
            Some(second) => {
                let (whole, fraction) = second.split_once('.').unwrap_or((second, "0"));
                digits(fraction)?;
                digits(whole).filter(|second| whole.len() == 2 && *second <= 60)? // a leap second may be written
            }
        };
        if parts.next().is_some() || hour == 24 && (minute, second) != (0, 0) {
            return None;
        }
        set(&mut self.time, hour * 3_600 + minute * 60 + second)
    }

    fn moment(&self) -> Option<Moment> {
        let (year, month, day) = (self.year?, self.month?, self.day?);
        let is_day = (1..=12).contains(&month) && day >= 1 && day <= days_of(year, month);
        let seconds = days_since_1970(year, month, day) * DAY + self.time.unwrap_or(0) - self.zone.unwrap_or(0);
        is_day.then_some(Moment(seconds))
    }
}

/// Sets a part that is not set yet. Returns `None` if it is set already.
fn set(place: &mut Option<i64>, value: i64) -> Option<()> {
    place.is_none().then(|| *place = Some(value))
}

fn digits(text: &str) -> Option<i64> {
    let is_number = (1..=9).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| text.bytes().fold(0, |number, digit| number * 10 + i64::from(digit - b'0')))
}

/// Returns a year with its century. Two digits mean a year from 1970 to 2069 (RFC 6265 §5.1.1).
fn full_year(text: &str) -> Option<i64> {
    let year = digits(text)?;
    match text.len() {
        4 => Some(year),
        2 => Some(if year < 70 { 2000 + year } else { 1900 + year }),
        _ => None,
    }
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// Returns the position of a name in a list, from 1. The name may be abbreviated to three letters or more.
fn named(text: &str, names: &[&str]) -> Option<i64> {
    let is_it =
        |name: &&str| text.len() >= 3 && name.get(..text.len()).is_some_and(|start| start.eq_ignore_ascii_case(text));
    (1..).zip(names).find(|(_, name)| is_it(name)).map(|(place, _)| place)
}

/// Returns the offset of a named zone in seconds east of UTC: the zones of RFC 822 §5.1, and common ones of Europe. A
/// name with several meanings is not a zone.
fn zone(name: &str) -> Option<i64> {
    const ZONES: [(&str, i64); 20] = [
        ("UT", 0),
        ("UTC", 0),
        ("GMT", 0),
        ("Z", 0),
        ("EST", -5),
        ("EDT", -4),
        ("CST", -6),
        ("CDT", -5),
        ("MST", -7),
        ("MDT", -6),
        ("PST", -8),
        ("PDT", -7),
        ("WET", 0),
        ("WEST", 1),
        ("CET", 1),
        ("CEST", 2),
        ("EET", 2),
        ("EEST", 3),
        ("MSK", 3),
        ("JST", 9),
    ];
    ZONES.iter().find(|(zone, _)| zone.eq_ignore_ascii_case(name)).map(|(_, hours)| hours * 3_600)
}

/// Parses `+0200`, `+02:00` or `+02`. Returns seconds.
fn offset(text: &str) -> Option<i64> {
    let (sign, rest) = match text.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = match rest.len() {
        2 => (rest, "00"),
        4 => rest.split_at_checked(2)?,
        5 => rest.split_once(':')?,
        _ => return None,
    };
    let (hours, minutes) = (digits(hours).filter(|_| hours.len() == 2)?, digits(minutes)?);
    (hours <= 23 && minutes <= 59).then_some(sign * (hours * 3_600 + minutes * 60))
}

fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns the number of days since the start of 1970 in the Gregorian calendar. Years start with March here, so that
/// the leap day is the last one.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// Returns the year, month and day of a number of days since 1970.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_there_and_back() {
        for days in (-200_000..2_900_000).step_by(7) {
            let (year, month, day) = civil(days);
            assert_eq!(days_since_1970(year, month, day), days);
            assert!((1..=12).contains(&month) && day >= 1 && day <= days_of(year, month));
        }
        assert_eq!(civil(0), (1970, 1, 1));
    }

    #[test]
    fn dates() {
        for (text, expected) in [
            ("25 Jun 2010 15:00:00 PST", "2010-06-25 23:00:00 UTC"),
            ("Friday, 25-Jun-10 15:00:00 PST", "2010-06-25 23:00:00 UTC"),
            ("Fri, 25 Jun 2010 15:00:00 +0200", "2010-06-25 13:00:00 UTC"),
            ("Fri, 25 Jun 10 15:00 GMT", "2010-06-25 15:00:00 UTC"),
            ("2010-06-25", "2010-06-25 00:00:00 UTC"),
            ("20100625", "2010-06-25 00:00:00 UTC"),
            ("2010-06-25T15:00:00Z", "2010-06-25 15:00:00 UTC"),
            ("2010-06-25T15:00:00.123+02:00", "2010-06-25 13:00:00 UTC"),
            ("2010-06-25 15:00:00 -0830", "2010-06-25 23:30:00 UTC"),
            ("2010-06-25T15:00-05", "2010-06-25 20:00:00 UTC"),
            ("2010-06-25T24:00", "2010-06-26 00:00:00 UTC"),
            ("Sun Nov  6 08:49:37 1994", "1994-11-06 08:49:37 UTC"),
            ("June 25, 2010", "2010-06-25 00:00:00 UTC"),
            ("1 Sept. 2030", "2030-09-01 00:00:00 UTC"),
            ("29 Feb 2000", "2000-02-29 00:00:00 UTC"),
        ] {
            assert_eq!(Moment::parse(text.as_bytes()).map(|m| m.to_string()).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "",
            "tomorrow",
            "2010",
            "2010-06",
            "31 Jun 2010",
            "29 Feb 1900",
            "2010-13-01",
            "25 Jun 2010 25:00",
            "25 Jun 2010 15:00 noindex",
            "25 Jun 2010 all",
            "25 Jun 2010 15:00 XYZ",
            "06-07-10",
            "06/07/2010",
            "25 Jun 2010 15:00:61",
            "25 Jun 2010 2011",
            "25 Jun 2010T15:00",
            "2010-06-25T15:00:00+99:99",
            "\u{e9}",
        ] {
            assert_eq!(Moment::parse(text.as_bytes()), None, "{text}");
        }
    }
}
