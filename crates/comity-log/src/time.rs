//! The times of lines.

use std::borrow::Cow;

/// The time of a line, as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum LogTime<'l> {
    /// The line has none.
    #[default]
    Unknown,
    /// A date and a time in one text, such as `01/Nov/2026:09:30:00 +0100`, `2026-11-01T09:30:00Z`, or seconds since 1970.
    Text(Cow<'l, [u8]>),
    /// A date and a time in UTC in two texts, such as `2026-11-01` and `09:30:00`.
    Utc(&'l [u8], &'l [u8]),
}

/// Reads the times of lines, in seconds since 1970 in UTC. Consecutive lines often have the same time, so it remembers the
/// last one.
#[derive(Clone, Debug, Default)]
pub struct LogClock {
    text: Vec<u8>,
    seconds: Option<i64>,
}

impl LogClock {
    /// Returns the time in seconds, without their fraction. Returns `None` for a text that is not a time, or that does not
    /// state its zone.
    pub fn seconds(&mut self, stamp: &LogTime<'_>) -> Option<i64> {
        match stamp {
            LogTime::Unknown => None,
            LogTime::Text(text) => {
                if self.text != **text {
                    self.seconds = any(text);
                    self.text.clear();
                    self.text.extend_from_slice(text);
                }
                self.seconds
            }
            LogTime::Utc(date, time) => Some(day(date, b'-')? * 86_400 + time_of_day(time)?.0),
        }
    }
}

/// Reads a time in one of the notations of servers.
fn any(text: &[u8]) -> Option<i64> {
    match text {
        [_, _, b'/', ..] => common(text),
        [_, _, _, _, b'-', ..] => rfc3339(text),
        _ => unix(text),
    }
}

/// Reads `01/Nov/2026:09:30:00 +0100`.
fn common(text: &[u8]) -> Option<i64> {
    const MONTHS: [&[u8; 3]; 12] =
        [b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"];
    let (month, _) = (1..).zip(MONTHS).find(|(_, month)| text.get(3..6) == Some(&month[..]))?;
    if text.get(6) != Some(&b'/') || text.get(11) != Some(&b':') {
        return None;
    }
    let day = days(number(text.get(7..11)?)?, month, number(text.get(..2)?)?)?;
    let (seconds, rest) = time_of_day(text.get(12..)?)?;
    Some(day * 86_400 + seconds - offset(rest.strip_prefix(b" ")?)?)
}

/// Reads `2026-11-01T09:30:00.123+01:00`.
fn rfc3339(text: &[u8]) -> Option<i64> {
    let (date, rest) = text.split_at_checked(10)?;
    let [b'T' | b't' | b' ', time @ ..] = rest else { return None };
    let (seconds, zone) = time_of_day(time)?;
    Some(day(date, b'-')? * 86_400 + seconds - offset(zone)?)
}

/// Reads seconds since 1970, or milli-, micro- or nanoseconds, which have more digits.
fn unix(text: &[u8]) -> Option<i64> {
    /// Seconds have at most eleven digits until the year 5138.
    const UNITS: [(usize, i64); 4] = [(11, 1), (14, 1_000), (17, 1_000_000), (19, 1_000_000_000)];
    let whole = text.split(|byte| *byte == b'.').next()?;
    let unit = UNITS.iter().find(|(digits, _)| whole.len() <= *digits)?.1;
    Some(number(whole)? / unit)
}

/// Reads `2026-11-01` as the number of days since 1970.
fn day(text: &[u8], separator: u8) -> Option<i64> {
    let [y1, y2, y3, y4, s1, m1, m2, s2, d1, d2] = *text else { return None };
    if s1 != separator || s2 != separator {
        return None;
    }
    days(number(&[y1, y2, y3, y4])?, number(&[m1, m2])?, number(&[d1, d2])?)
}

/// Reads `09:30:00` or `09:30:00.123`, and returns the seconds and the rest of the text.
fn time_of_day(text: &[u8]) -> Option<(i64, &[u8])> {
    let [h1, h2, b':', m1, m2, b':', s1, s2, rest @ ..] = text else { return None };
    let (hour, minute, second) = (number(&[*h1, *h2])?, number(&[*m1, *m2])?, number(&[*s1, *s2])?);
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let fraction = match rest {
        [b'.' | b',', digits @ ..] => 1 + digits.iter().take_while(|digit| digit.is_ascii_digit()).count(),
        _ => 0,
    };
    // A leap second is the last second of its minute.
    Some((hour * 3_600 + minute * 60 + second.min(59), &rest[fraction..]))
}

/// Reads `Z`, `+0100` or `+01:00`, in seconds east of UTC.
fn offset(text: &[u8]) -> Option<i64> {
    let (sign, h1, h2, m1, m2) = match *text {
        [b'Z' | b'z'] => return Some(0),
        [sign, h1, h2, m1, m2] | [sign, h1, h2, b':', m1, m2] => (sign, h1, h2, m1, m2),
        _ => return None,
    };
    let (hours, minutes) = (number(&[h1, h2])?, number(&[m1, m2])?);
    let seconds = (hours < 24 && minutes < 60).then_some(hours * 3_600 + minutes * 60)?;
    match sign {
        b'+' => Some(seconds),
        b'-' => Some(-seconds),
        _ => None,
    }
}

fn number(digits: &[u8]) -> Option<i64> {
    let is_number = !digits.is_empty() && digits.len() <= 19 && digits.iter().all(u8::is_ascii_digit);
    is_number.then(|| digits.iter().fold(0_i64, |n, digit| n.wrapping_mul(10).wrapping_add(i64::from(digit - b'0'))))
}

/// Returns the number of days since 1970 of a date of the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    // Years that start in March have the leap day at their end.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    Some(
        year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + (month * 153 + 2) / 5 + day
            - 1
            - 719_468,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<i64> {
        LogClock::default().seconds(&LogTime::Text(text.as_bytes().into()))
    }

    #[test]
    fn all_notations_of_a_moment_are_equal() {
        for text in [
            "01/Nov/2026:09:30:07 +0000",
            "01/Nov/2026:10:30:07 +0100",
            "31/Oct/2026:23:30:07 -1000",
            "2026-11-01T09:30:07Z",
            "2026-11-01T09:30:07.999Z",
            "2026-11-01 15:00:07+05:30",
            "1793525407",
            "1793525407.123",
            "1793525407123",
            "1793525407123456789",
        ] {
            assert_eq!(read(text), Some(1_793_525_407), "{text}");
        }
        assert_eq!(LogClock::default().seconds(&LogTime::Utc(b"2026-11-01", b"09:30:07")), Some(1_793_525_407));
    }

    #[test]
    fn other_texts_are_no_times() {
        for text in [
            "",
            "-",
            "01/Nov/2026:09:30:07",
            "2026-11-01T09:30:07",
            "29/Feb/2026:09:30:07 +0000",
            "01/Foo/2026:09:30:07 +0000",
            "2026-11-01T24:30:07Z",
            "01/Nov/2026:09:30:07 +9900",
            "99999999999999999999",
            "1e9",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read("29/Feb/2024:00:00:00 +0000"), Some(1_709_164_800));
        assert_eq!(read("01/Jan/1970:00:00:00 +0000"), Some(0));
        assert_eq!(read("31/Dec/2016:23:59:60 +0000"), Some(1_483_228_799));
    }
}
