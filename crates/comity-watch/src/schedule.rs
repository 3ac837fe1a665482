//! The schedule: when each site is looked at. Pure functions of what is known about a site.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use comity_fetch::{Attempt, StoredRecord, Time};

/// The shortest time between two looks at a site.
pub const MIN_EVERY: Duration = Duration::from_secs(60);

/// The time between looks, if nothing is configured.
pub const DEFAULT_EVERY: Duration = Duration::from_secs(24 * 60 * 60);

/// The extra looks after news or a first failure: what was a slip of the hand is often corrected within minutes.
const EXTRA_LOOKS: [Duration; 2] = [Duration::from_secs(2 * 60), Duration::from_secs(10 * 60)];

/// The longest time that a site can ask for with `max-age` or `Retry-After`.
const MAX_ASKED: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The time of a look at a site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Due {
    pub(crate) at: Time,
    /// The milliseconds by which a program that is started at intervals may look earlier. Otherwise, a look that is due
    /// seconds after the start would wait for the next one.
    early: u32,
}

impl Due {
    /// Returns a look at a time, and not before.
    pub(crate) fn at(at: Time) -> Self {
        Self { at, early: 0 }
    }

    /// Returns true if a program that is started at intervals may look now.
    pub(crate) fn is_near(self, now: Time) -> bool {
        self.at <= now + Duration::from_millis(self.early.into())
    }
}

/// Returns the next look: at [`Time::default`] if there was none.
///
/// Looks are at fixed points of time, which the name of the origin chooses, so that many sites are spread evenly and a late
/// look delays no other one. `every` is the time between looks, if it is configured; then, the site's `max-age` does not
/// lengthen it. `news` is the time of the last news. `report_after` is the time after which an outage is reported, unless
/// the present one was.
pub(crate) fn next_look(
    every: Option<Duration>,
    record: &StoredRecord,
    news: Option<Time>,
    report_after: Option<Duration>,
) -> Due {
    let Some(last) = &record.last else { return Due::default() };
    let looked = last.ended;
    let mut next = on_grid(looked, every.unwrap_or(DEFAULT_EVERY).max(MIN_EVERY), &record.origin);
    if every.is_none() {
        next = next.max(looked + last.lifetime.unwrap_or_default().min(MAX_ASKED));
    }
    let after_news = news.into_iter().flat_map(|news| EXTRA_LOOKS.map(|later| news + later));
    // With the one that failed first, two of these make the three attempts that a report needs.
    let after_failure = record.failing_since.zip(report_after).into_iter();
    let after_failure =
        after_failure.flat_map(|(since, after)| [EXTRA_LOOKS[0], EXTRA_LOOKS[1], after].map(|later| since + later));
    let extra = after_news.chain(after_failure).filter(|extra| *extra > looked).min();
    let next = extra.map_or(next, |extra| next.min(extra));
    let (next, earliest) = (next.max(earliest(last)), earliest(last));
    // A tenth of the wait.
    let early = (next.since(looked) / 10).min(MAX_EARLY).min(next.since(earliest));
    Due { at: next, early: u32::try_from(early.as_millis()).unwrap_or(0) }
}

/// The longest time by which a look may be early.
pub(crate) const MAX_EARLY: Duration = Duration::from_secs(5 * 60);

/// Returns the time before which a site must not be looked at again.
fn earliest(last: &Attempt) -> Time {
    last.ended + last.retry_after.unwrap_or_default().clamp(MIN_EVERY, MAX_ASKED)
}

/// Returns the first point of an origin's grid that is more than half an interval after a time.
fn on_grid(after: Time, every: Duration, origin: &str) -> Time {
    let every = u64::try_from(every.as_millis()).unwrap_or(u64::MAX).max(1);
    let phase = fold(origin) % every;
    let after = after.as_unix_millis().saturating_add(every / 2);
    let steps = after.saturating_sub(phase) / every + 1;
    Time::from_unix_millis(steps.saturating_mul(every).saturating_add(phase))
}

/// Hashes a text (FNV-1a, and a last step that spreads the low bits).
fn fold(text: &str) -> u64 {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16
}

/// Sites by the time of their next look, 16 bytes each.
#[derive(Debug, Default)]
pub(crate) struct Queue(BinaryHeap<Reverse<(Due, u32)>>);

impl Queue {
    /// Adds a site, by its number.
    pub(crate) fn add(&mut self, next: Due, site: u32) {
        self.0.push(Reverse((next, site)));
    }

    /// Removes the site that has been due for longest, and returns it with the time when it was due.
    pub(crate) fn pop(&mut self, now: Time) -> Option<(Due, u32)> {
        let Reverse((next, _)) = self.0.peek()?;
        if next.at > now { None } else { self.0.pop().map(|Reverse(due)| due) }
    }

    /// Returns the time when the next site is due.
    pub(crate) fn next(&self) -> Option<Time> {
        self.0.peek().map(|Reverse((next, _))| next.at)
    }

    /// Returns the number of sites that are due, and for how long the first of them has been.
    pub(crate) fn late(&self, now: Time) -> (usize, Duration) {
        let due = self.0.iter().filter(|Reverse((next, _))| next.at <= now).count();
        (due, self.next().filter(|next| *next > Time::default()).map_or(Duration::ZERO, |next| now.since(next)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn a_grid_has_its_interval() {
        for origin in ["https://a.test", "https://b.test"] {
            let first = on_grid(Time::from_unix_seconds(1_800_000_000), HOUR, origin);
            // A look that is late by less than half an interval does not move the next one.
            for late in [0, 1, 60, 1799] {
                let next = on_grid(first + Duration::from_secs(late), HOUR, origin);
                assert_eq!(next.since(first), HOUR, "{late}");
            }
            // One that is early neither.
            let early = Time::from_unix_millis(first.as_unix_millis() - 299_000);
            assert_eq!(on_grid(early, HOUR, origin).since(first), HOUR);
        }
    }

    #[test]
    fn origins_are_spread_evenly() {
        let mut minutes = [0; 60];
        for number in 0..60_000 {
            let next = on_grid(Time::default(), HOUR, &format!("https://site-{number}.test"));
            minutes[usize::try_from(next.as_unix_millis() % 3_600_000 / 60_000).unwrap()] += 1;
        }
        assert!(minutes.iter().all(|count| (850..1150).contains(count)), "{minutes:?}");
    }

    #[test]
    fn the_longest_due_site_is_the_first() {
        let mut queue = Queue::default();
        let at = Time::from_unix_seconds;
        for (next, site) in [(30, 1), (10, 2), (20, 3)] {
            queue.add(Due::at(at(next)), site);
        }
        assert_eq!(queue.pop(at(9)), None);
        assert_eq!(queue.late(at(25)), (2, Duration::from_secs(15)));
        assert_eq!(
            [queue.pop(at(25)), queue.pop(at(25)), queue.pop(at(25))],
            [Some((Due::at(at(10)), 2)), Some((Due::at(at(20)), 3)), None]
        );
        assert_eq!(queue.next(), Some(at(30)));
    }
}
