//! The watcher's own network: if most sites fail at once, it is not the sites.

use std::collections::VecDeque;
use std::time::Duration;

use comity_fetch::{Event, Failure, Time};

use crate::alert::{Alert, AlertKind};

/// The time for which looks are taken into account.
const WINDOW: Duration = Duration::from_secs(10 * 60);
/// The maximum number of looks that are taken into account.
const MAX_LOOKS: usize = 50;
/// The number of looks from which most of them, two thirds, mean something.
const MIN_LOOKS: usize = 5;
/// The number of answers in a row after which the network is back.
const ANSWERS: usize = 3;

/// The state of the own network, from the latest looks at sites that answered before.
#[derive(Debug, Default)]
pub(crate) struct Network {
    recent: VecDeque<(Time, bool)>,
    /// The time since which it has been down. A watcher stores it.
    pub(crate) down_since: Option<Time>,
}

impl Network {
    /// Creates it as it was stored.
    pub(crate) fn new(down_since: Option<Time>) -> Self {
        Self { recent: VecDeque::new(), down_since }
    }

    /// Adds a look: since when the site had been failing before it, and its result. Returns an alert if the network has just
    /// gone down.
    pub(crate) fn see(&mut self, failing_before: Option<Time>, event: Event, now: Time) -> Option<Alert> {
        let was_up = match (failing_before, self.down_since) {
            (None, _) => true,
            (Some(since), Some(down)) => since >= down,
            (Some(_), None) => false,
        };
        let is_silent = is_silent(event);
        if !was_up && is_silent {
            return None;
        }
        while self.recent.len() >= MAX_LOOKS || self.recent.front().is_some_and(|(at, _)| now.since(*at) > WINDOW) {
            self.recent.pop_front();
        }
        self.recent.push_back((now, is_silent));
        let failed = self.recent.iter().filter(|(_, is_silent)| *is_silent).count();
        let mostly = self.recent.len() >= MIN_LOOKS && failed * 3 > self.recent.len() * 2;
        if self.down_since.is_some() {
            let answered = self.recent.iter().rev().take_while(|(_, is_silent)| !is_silent).count();
            let is_up = self.recent.len() >= MIN_LOOKS && !mostly;
            if is_up || answered >= ANSWERS {
                self.down_since = None;
                self.recent.clear();
            }
            return None;
        }
        if !mostly {
            return None;
        }
        let since = self.recent.iter().find(|(_, is_silent)| *is_silent).map_or(now, |(at, _)| *at);
        self.down_since = Some(since);
        let mut alert = Alert::new(AlertKind::Network, None, &[&since.as_unix_millis().to_string()], now, since);
        alert.title =
            format!("{failed} of the last {} sites gave no answer: the network of this machine", self.recent.len());
        alert.text.push("Nothing is judged until it is back; changes in the meantime are reported then.".to_owned());
        Some(alert)
    }
}

/// Returns true if there was no answer at all. An error of the site, or of its certificate, is one.
fn is_silent(event: Event) -> bool {
    matches!(event, Event::Failed(Failure::Dns | Failure::Connect | Failure::Timeout | Failure::Reset | Failure::Other))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SILENT: Event = Event::Failed(Failure::Connect);

    fn at(seconds: u64) -> Time {
        Time::from_unix_seconds(1_800_000_000 + seconds)
    }

    #[test]
    fn most_sites_at_once_are_the_network() {
        let mut network = Network::default();
        let alerts: Vec<_> = (0..20).filter_map(|n| network.see(None, SILENT, at(n))).collect();
        assert_eq!(alerts.len(), 1, "one alert for all of them");
        assert_eq!(network.down_since, Some(at(0)));
        for n in 30..33 {
            assert!(network.down_since.is_some(), "{n}");
            assert!(network.see(Some(at(1)), Event::Found, at(n)).is_none());
        }
        assert_eq!(network.down_since, None);
    }

    #[test]
    fn sites_that_failed_before_say_nothing() {
        let mut network = Network::default();
        for n in 0..50 {
            assert!(network.see(Some(at(0)), SILENT, at(n)).is_none());
        }
        for n in 0..100 {
            let event = if n % 2 == 0 { SILENT } else { Event::Found };
            assert!(network.see(None, event, at(100 + n)).is_none(), "half of the sites are not most");
        }
        assert!((0..20).all(|n| network.see(None, SILENT, at(1000 + n * 301)).is_none()), "they do not fail at once");
        let status = Event::Status(503);
        assert!((0..20).all(|n| network.see(None, status, at(9000 + n)).is_none()), "an error is an answer");
    }
}
