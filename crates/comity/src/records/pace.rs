//! The pace of requests: delays, rates and windows, combined into the time when the next request may start.

use alloc::vec::Vec;
use core::time::Duration;

use crate::crawler::identity::Crawler;
use crate::crawler::profile::DelaySupport;
use crate::crawler::selection::Selection;
use crate::document::{CrawlDelay, Robots};
use crate::records::{Meaning, RequestRate, Window};

/// The pace that a site asks for: it tells when the next request may start.
///
/// It does no I/O and has no clock: the caller passes the current time, and the time when the last request started, as
/// the time since the start of 1970 in UTC (`SystemTime::now().duration_since(UNIX_EPOCH)`).
///
/// A site can only slow a crawler down, never forbid a URL in this way, however large its numbers.
/// [`at_most`](Self::at_most) limits the slowdown.
///
/// ```
/// use comity::{Crawler, Robots};
/// use std::time::Duration;
///
/// let robots = Robots::parse(b"User-agent: *\nCrawl-delay: 2\nRequest-rate: 1/60s 0800-1800\n");
/// let pace = robots.pace(&Crawler::ANY).at_least(Duration::from_secs(5));
///
/// let at = |hour: u64, second: u64| Duration::from_secs(hour * 3_600 + second);
/// assert_eq!(pace.next_start(None, at(3, 0)), at(3, 0)); // the first request may start at once
/// assert_eq!(pace.next_start(Some(at(3, 0)), at(3, 1)), at(3, 5)); // our own minimum, which is longer than the delay
/// assert_eq!(pace.next_start(Some(at(9, 0)), at(9, 1)), at(9, 60)); // during the day, the rate applies
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Pace {
    own: Duration,
    most: Option<Duration>,
    delay: Option<CrawlDelay>,
    /// The longest interval of the rates that apply at all hours.
    interval: Duration,
    /// The rates that apply at certain hours.
    rates: Vec<(Window, Duration)>,
    visits: Vec<Window>,
}

/// The maximum number of windows of each kind. No real file has more than two. Further rates apply at all hours, and
/// further visiting hours are ignored, so that the crawler is too slow rather than too fast.
const MAX_LIMITS: usize = 16;

impl Pace {
    /// Returns a pace without any limit.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the minimum time between two requests, whatever the site asks for. Defaults to zero.
    pub fn at_least(mut self, interval: Duration) -> Self {
        self.own = interval;
        self
    }

    /// Sets the maximum time between two requests that the site can ask for. Defaults to no maximum.
    pub fn at_most(mut self, interval: Duration) -> Self {
        self.most = Some(interval);
        self
    }

    /// Sets the delay. Defaults to none.
    pub fn with_delay(mut self, delay: CrawlDelay) -> Self {
        self.delay = Some(delay);
        self
    }

    /// Adds a rate. Of several rates that apply at the same time, the slowest is used.
    pub fn with_rate(mut self, rate: RequestRate) -> Self {
        match rate.window {
            Some(window) if self.rates.len() < MAX_LIMITS => self.rates.push((window, rate.interval())),
            _ => self.interval = self.interval.max(rate.interval()),
        }
        self
    }

    /// Adds a window for visits. Without one, visits may be at any time.
    pub fn with_visits(mut self, window: Window) -> Self {
        if self.visits.len() < MAX_LIMITS {
            self.visits.push(window);
        }
        self
    }

    /// Returns the delay and the line that contains it.
    pub fn delay(&self) -> Option<CrawlDelay> {
        self.delay
    }

    /// Returns the windows for visits. If there are none, visits may be at any time.
    pub fn visits(&self) -> &[Window] {
        &self.visits
    }

    /// Returns the time between two requests at a given time.
    pub fn interval(&self, now: Duration) -> Duration {
        let rates = self.rates.iter().filter(|(window, _)| window.contains(now)).map(|(_, interval)| *interval);
        rates.fold(self.always(), |longest, interval| longest.max(self.bounded(interval)))
    }

    /// Returns the interval that applies at all hours.
    fn always(&self) -> Duration {
        let delay = self.delay.map_or(Duration::ZERO, |asked| asked.delay);
        self.bounded(delay.max(self.interval))
    }

    /// Limits an interval that the site asks for to the minimum and maximum.
    fn bounded(&self, interval: Duration) -> Duration {
        interval.min(self.most.unwrap_or(Duration::MAX)).max(self.own)
    }

    /// Returns the time when the next request may start, which is not before `now`. `last` is the time when the last
    /// one started, if any.
    ///
    /// A site may ask for more time than a clock can represent. The result is [`Duration::MAX`] then; see
    /// [`at_most`](Self::at_most).
    pub fn next_start(&self, last: Option<Duration>, now: Duration) -> Duration {
        let after = |interval: Duration| last.map_or(Duration::ZERO, |last| last.saturating_add(interval));
        let first = now.max(after(self.always()));
        // All limits repeat daily, except that each rate is satisfied at some time. So search one day, and then the day
        // after each of those times.
        let mut days = alloc::vec![first];
        days.extend(self.rates.iter().map(|(_, interval)| after(self.bounded(*interval))).filter(|end| *end > first));
        days.sort_unstable();
        days.iter().find_map(|day| self.first_within_a_day(*day, after)).unwrap_or(Duration::MAX)
    }

    /// Returns the first time from `from` on, and within a day, at which a request may start.
    fn first_within_a_day(&self, from: Duration, after: impl Fn(Duration) -> Duration) -> Option<Duration> {
        let may_start = |time: &Duration| {
            (self.visits.is_empty() || self.visits.iter().any(|window| window.contains(*time)))
                && self
                    .rates
                    .iter()
                    .all(|(window, interval)| !window.contains(*time) || *time >= after(self.bounded(*interval)))
        };
        // A request can only become possible when a window opens, when the window of a rate ends, or when the rate is
        // satisfied.
        let opens = self.visits.iter().map(|window| window.next_start(from));
        let ends = self.rates.iter().map(|(window, _)| window.next_end(from));
        let reached = self.rates.iter().map(|(_, interval)| after(self.bounded(*interval)));
        let day = from..=from.saturating_add(Duration::from_secs(86_400));
        let times = core::iter::once(from).chain(opens).chain(ends).chain(reached);
        times.filter(|time| day.contains(time) && may_start(time)).min()
    }
}

impl Robots {
    /// Returns the pace that this crawler is asked to keep: [`crawl_delay`](Self::crawl_delay), and the rates and
    /// windows of its groups. Where the dialect or the crawler ignores delays, rates and windows are ignored too.
    ///
    /// ```
    /// use comity::{Crawler, Robots};
    /// use std::time::{Duration, SystemTime, UNIX_EPOCH};
    ///
    /// let robots = Robots::parse(b"User-agent: *\nRequest-rate: 1/10s\nDisallow: /cart/\n");
    /// let pace = robots.pace(&Crawler::ANY).at_most(Duration::from_secs(60)); // the site cannot ask for more
    /// let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    /// assert_eq!(pace.next_start(Some(now), now) - now, Duration::from_secs(10));
    /// ```
    pub fn pace(&self, crawler: &Crawler<'_>) -> Pace {
        let mut pace = Pace { delay: self.crawl_delay(crawler), ..Pace::new() };
        if !self.obeys_pace(crawler) {
            return pace;
        }
        let selection = Selection::new(self.document(), crawler);
        let groups: Vec<usize> = selection.groups(self.document()).map(|group| group.index()).collect();
        for record in self.records() {
            if record.group().is_none_or(|group| groups.binary_search(&group).is_err()) {
                continue;
            }
            match record.meaning() {
                Meaning::RequestRate(rate) => pace = pace.with_rate(rate),
                Meaning::VisitTime(window) => pace = pace.with_visits(window),
                _ => {}
            }
        }
        pace
    }

    fn obeys_pace(&self, crawler: &Crawler<'_>) -> bool {
        let ignores = crawler.profile().is_some_and(|profile| profile.crawl_delay == DelaySupport::Ignored);
        !ignores && self.dialect().crawl_delay != crate::dialect::CrawlDelayFrom::Nowhere
    }
}
