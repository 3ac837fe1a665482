//! The times of lines.

use comity_page::Moment;

/// Reads the times of lines, in seconds since 1970 in UTC. Consecutive lines are often of the same minute, so it remembers
/// the last one.
#[derive(Clone, Debug, Default)]
pub struct LogClock {
    /// The texts before and after the seconds, and the start of that minute.
    minute: Vec<u8>,
    zone: Vec<u8>,
    start: Option<i64>,
}

impl LogClock {
    /// Reads `01/Nov/2026:09:30:00 +0100`, `2026-11-01T09:30:00.123+01:00`, or a time since 1970, without the fraction of
    /// seconds. Returns `None` for a text that is not a time, or that does not state its zone.
    pub fn seconds(&mut self, text: &[u8]) -> Option<i64> {
        let seconds_at = match text {
            [_, _, b'/', _, _, _, b'/', _, _, _, _, b':', ..] => 18,
            [_, _, _, _, b'-', _, _, b'-', _, _, b'T' | b't' | b' ', ..] => 17,
            _ => return unix(text),
        };
        let (minute, rest) = text.split_at_checked(seconds_at)?;
        let (second, rest) = rest.split_at_checked(2)?;
        let fraction = match rest {
            [b'.' | b',', digits @ ..] => 1 + digits.iter().take_while(|digit| digit.is_ascii_digit()).count(),
            _ => 0,
        };
        let zone = &rest[fraction..];
        if self.minute != minute || self.zone != zone {
            (self.minute, self.zone) = (minute.to_vec(), zone.to_vec());
            self.start = start(minute, zone);
        }
        // A leap second is the last second of its minute.
        Some(self.start? + number(second).filter(|second| *second <= 60)?.min(59))
    }
}

/// Returns the start of a minute, such as `01/Nov/2026:09:30:` in the zone ` +0100`.
fn start(minute: &[u8], zone: &[u8]) -> Option<i64> {
    let mut date = minute.to_vec();
    if date[2] == b'/' {
        (date[2], date[6], date[11]) = (b'-', b'-', b' ');
    }
    let states_zone = matches!(zone.trim_ascii_start(), [b'Z' | b'z'] | [b'+' | b'-', ..]);
    Moment::parse(&[&date, &b"00"[..], zone].concat()).filter(|_| states_zone).map(Moment::unix_seconds)
}

/// Reads seconds since 1970, or milli-, micro- or nanoseconds, which have more digits.
fn unix(text: &[u8]) -> Option<i64> {
    /// Seconds have at most eleven digits until the year 5138.
    const UNITS: [(usize, i64); 4] = [(11, 1), (14, 1_000), (17, 1_000_000), (19, 1_000_000_000)];
    let whole = text.split(|byte| *byte == b'.').next()?;
    let unit = UNITS.iter().find(|(digits, _)| whole.len() <= *digits)?.1;
    Some(number(whole)? / unit)
}

pub(crate) fn number(digits: &[u8]) -> Option<i64> {
    str::from_utf8(digits).ok()?.parse().ok().filter(|_| digits.iter().all(u8::is_ascii_digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<i64> {
        LogClock::default().seconds(text.as_bytes())
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
