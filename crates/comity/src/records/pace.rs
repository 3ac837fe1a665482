//! How often a crawler may come: delays, rates and windows, as one answer to "when may the next request start?"

use alloc::vec::Vec;
use core::time::Duration;

use crate::crawler::identity::Crawler;
use crate::crawler::profile::DelaySupport;
use crate::crawler::selection::Selection;
use crate::document::{CrawlDelay, Robots};
use crate::records::{Meaning, RequestRate, Window};

/// When the next request to a site may start.
///
/// It does no I/O and has no clock: the caller says what time it is, as the time since the start of 1970 in UTC (what
/// `SystemTime::now().duration_since(UNIX_EPOCH)` gives), and when the last request started.
///
/// What a site wishes only ever makes a crawler slower; it never forbids anything, however large the number.
/// [`at_most`](Self::at_most) says how much slower one is willing to be.
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
/// assert_eq!(pace.next_start(Some(at(3, 0)), at(3, 1)), at(3, 5)); // our own minimum: more than was asked for
/// assert_eq!(pace.next_start(Some(at(9, 0)), at(9, 1)), at(9, 60)); // by day, the rate counts
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Pace {
    own: Duration,
    most: Option<Duration>,
    delay: Option<CrawlDelay>,
    /// Of those that always hold, the longest.
    interval: Duration,
    /// Those that hold at certain hours.
    rates: Vec<(Window, Duration)>,
    visits: Vec<Window>,
}

/// How many windows of each kind are looked at. No real file has more than two; of further rates the window is
/// ignored, and further visiting hours are, so that a crawler is rather too polite.
const MAX_LIMITS: usize = 16;

impl Pace {
    /// As fast as you like.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same, but never faster than this, whatever the site wishes.
    pub fn at_least(mut self, interval: Duration) -> Self {
        self.own = interval;
        self
    }

    /// The same, but no wish of the site makes it wait longer than this between two requests.
    pub fn at_most(mut self, interval: Duration) -> Self {
        self.most = Some(interval);
        self
    }

    /// The same with a delay.
    pub fn with_delay(mut self, delay: CrawlDelay) -> Self {
        self.delay = Some(delay);
        self
    }

    /// The same with one more rate. Of several that hold at the same time, the slowest counts.
    pub fn with_rate(mut self, rate: RequestRate) -> Self {
        match rate.window {
            Some(window) if self.rates.len() < MAX_LIMITS => self.rates.push((window, rate.interval())),
            _ => self.interval = self.interval.max(rate.interval()),
        }
        self
    }

    /// The same with one more window to come in.
    pub fn with_visits(mut self, window: Window) -> Self {
        if self.visits.len() < MAX_LIMITS {
            self.visits.push(window);
        }
        self
    }

    /// The delay that is asked for, and the line that asks for it.
    pub fn delay(&self) -> Option<CrawlDelay> {
        self.delay
    }

    /// The windows to come in; none, if any time will do.
    pub fn visits(&self) -> &[Window] {
        &self.visits
    }

    /// The time between two requests at a certain time.
    pub fn interval(&self, now: Duration) -> Duration {
        let rates = self.rates.iter().filter(|(window, _)| window.contains(now)).map(|(_, interval)| *interval);
        rates.fold(self.always(), |longest, interval| longest.max(self.bounded(interval)))
    }

    /// The one that holds at any time.
    fn always(&self) -> Duration {
        let delay = self.delay.map_or(Duration::ZERO, |asked| asked.delay);
        self.bounded(delay.max(self.interval))
    }

    /// What the site wishes, within what we allow.
    fn bounded(&self, interval: Duration) -> Duration {
        interval.min(self.most.unwrap_or(Duration::MAX)).max(self.own)
    }

    /// When the next request may start, not before now; `last` is when the last one started, if there was one.
    ///
    /// A site may ask for more than a clock can hold. The answer then is the end of time, [`Duration::MAX`]; see
    /// [`at_most`](Self::at_most).
    pub fn next_start(&self, last: Option<Duration>, now: Duration) -> Duration {
        let after = |interval: Duration| last.map_or(Duration::ZERO, |last| last.saturating_add(interval));
        let first = now.max(after(self.always()));
        // What holds repeats itself from day to day, but for the rates, which come to an end. So look at a day, then
        // at the days from each of these ends.
        let mut days = alloc::vec![first];
        days.extend(self.rates.iter().map(|(_, interval)| after(self.bounded(*interval))).filter(|end| *end > first));
        days.sort_unstable();
        days.iter().find_map(|day| self.first_within_a_day(*day, after)).unwrap_or(Duration::MAX)
    }

    /// The first time from this one on, and before the same time tomorrow, at which a request may start.
    fn first_within_a_day(&self, from: Duration, after: impl Fn(Duration) -> Duration) -> Option<Duration> {
        let may_start = |time: &Duration| {
            (self.visits.is_empty() || self.visits.iter().any(|window| window.contains(*time)))
                && self
                    .rates
                    .iter()
                    .all(|(window, interval)| !window.contains(*time) || *time >= after(self.bounded(*interval)))
        };
        // It can only become possible when a window opens, when the window of a rate ends, or when the rate does.
        let opens = self.visits.iter().map(|window| window.next_start(from));
        let ends = self.rates.iter().map(|(window, _)| window.next_end(from));
        let reached = self.rates.iter().map(|(_, interval)| after(self.bounded(*interval)));
        let day = from..=from.saturating_add(Duration::from_secs(86_400));
        let times = core::iter::once(from).chain(opens).chain(ends).chain(reached);
        times.filter(|time| day.contains(time) && may_start(time)).min()
    }
}

impl Robots {
    /// The pace that this crawler is asked to keep: [`crawl_delay`](Self::crawl_delay), and the rates and windows of
    /// its groups. A crawler that ignores delays, by the dialect or by the table, ignores these too.
    pub fn pace(&self, crawler: &Crawler<'_>) -> Pace {
        let mut pace = Pace { delay: self.crawl_delay(crawler), ..Pace::new() };
        if !self.heeds_pace(crawler) {
            return pace;
        }
        let selection = Selection::new(self.document(), *crawler);
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

    fn heeds_pace(&self, crawler: &Crawler<'_>) -> bool {
        let ignores = crawler.profile().is_some_and(|profile| profile.crawl_delay == DelaySupport::Ignored);
        !ignores && self.dialect().crawl_delay != crate::dialect::CrawlDelayFrom::Nowhere
    }
}
