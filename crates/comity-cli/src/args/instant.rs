//! Times that the user types.

use comity_fetch::Time;
use comity_page::Moment;

/// Reads a time with its zone, or a day, which starts in UTC. The seconds may be missing.
pub(super) fn seconds(text: &str) -> Result<i64, String> {
    let states_zone = |time: &str| time.is_empty() || time.ends_with(['Z', 'z']) || time.contains(['+', '-']);
    let is_ours = text.get(10..).is_some_and(states_zone) && text.as_bytes()[4] == b'-';
    let moment = Moment::parse(text.as_bytes()).filter(|_| is_ours);
    moment.map(Moment::unix_seconds).ok_or_else(|| {
        format!("expected a day, or a time with its zone, such as 2026-11-01 or 2026-11-01T09:30Z, found `{text}`")
    })
}

/// Reads a time as [`seconds`] does; it may have a fraction of a second in UTC.
pub(super) fn time(text: &str) -> Result<Time, String> {
    if let Ok(exact) = humantime::parse_rfc3339(text) {
        return Ok(exact.into());
    }
    let seconds = u64::try_from(seconds(text)?);
    seconds.map(Time::from_unix_seconds).map_err(|_| format!("expected a time after 1970, found `{text}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_state_their_zone() {
        for (text, expected) in [
            ("2026-11-01", 1_793_491_200),
            ("2026-11-01T09:30Z", 1_793_525_400),
            ("2026-11-01T09:30:00Z", 1_793_525_400),
            ("2026-11-01T10:30+01:00", 1_793_525_400),
            ("2026-11-01T04:30-05:00", 1_793_525_400),
        ] {
            assert_eq!(seconds(text), Ok(expected), "{text}");
        }
        for text in
            ["", "today", "2026-11-01T09:30", "2026-13-01", "1793525400", "01/Nov/2026:09:30:00 +0000", "äöüäöüäöü"]
        {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
