//! Judgments compared with a naive model, which knows the meaning of each file and looks at answers instead of versions.

use std::collections::BTreeSet;

use comity_watch::AlertKind;
use proptest::prelude::*;

use crate::history::{Answer, Watched, kinds, minute};

/// Files, the paths that they block, and their sitemaps. Some have the same meaning.
const FILES: [(&str, &[&str], &[&str]); 8] = [
    ("", &[], &[]),
    ("# nothing\n", &[], &[]),
    ("User-agent: *\nDisallow: /a\n", &["/a"], &[]),
    ("User-agent: *\nDisallow: /a # why\nDisallow:\n", &["/a"], &[]),
    ("User-agent: *\nDisallow: /a\nDisallow: /b\n", &["/a", "/b"], &[]),
    ("User-agent: *\nDisallow: /b\n", &["/b"], &[]),
    ("User-agent: *\nDisallow: /b\n\nSitemap: https://shop.example/s.xml\n", &["/b"], &["s"]),
    ("User-agent: *\nDisallow: /\n", &["/", "/a", "/b"], &[]),
];

/// A site's answer: the number of a file, no file, or a failure.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Said {
    File(usize),
    Absent,
    Down,
}

#[derive(Default)]
struct Model {
    /// The definite answers so far: each with the times when it was first and last seen.
    runs: Vec<(Said, u64, u64)>,
    flapped: Option<u64>,
    is_closed: bool,
    failing: Option<(u64, u32)>,
    reported: Option<u64>,
    /// The alerts about versions since the last judgment.
    pending: Vec<AlertKind>,
    is_judged: bool,
}

impl Model {
    fn look(&mut self, now: u64, said: Said) {
        if said == Said::Down {
            let (since, count) = self.failing.unwrap_or((now, 0));
            self.failing = Some((since, count + 1));
            return;
        }
        self.failing = None;
        let Some(&(before, ..)) = self.runs.last() else {
            self.runs.push((said, now, now));
            return;
        };
        if before == said {
            self.runs.last_mut().unwrap().2 = now;
            return;
        }
        let is_old = self.runs.iter().any(|(other, _, last)| *other == said && now - last <= 90 * 24 * 60);
        self.runs.push((said, now, now));
        if self.is_judged {
            self.change(now, before, said, is_old);
        }
    }

    fn change(&mut self, now: u64, before: Said, said: Said, is_old: bool) {
        let meaning = |said| match said {
            Said::File(number) => FILES[number],
            _ => FILES[0],
        };
        let ((_, old, old_maps), (_, new, new_maps)) = (meaning(before), meaning(said));
        if said == Said::Absent {
            self.is_closed = false;
        }
        if said != Said::Absent && (old, old_maps) == (new, new_maps) {
            self.pending.push(AlertKind::Text);
            return;
        }
        if is_old {
            if self.flapped.is_none_or(|last| now - last > 24 * 60) {
                self.pending.push(AlertKind::Alternates);
            }
            self.flapped = Some(now);
            return;
        }
        if said == Said::Absent {
            self.pending.push(AlertKind::Gone);
            return;
        }
        let [old, new] = [old, new].map(|paths| paths.iter().collect::<BTreeSet<_>>());
        let is_closed = new.contains(&"/");
        if is_closed && !self.is_closed {
            self.pending.push(AlertKind::Leftover);
        }
        self.is_closed = is_closed;
        if new.difference(&old).next().is_some() {
            self.pending.push(AlertKind::Blocked);
        }
        if old.difference(&new).next().is_some() {
            self.pending.push(AlertKind::Allowed);
        }
        if old_maps != new_maps {
            self.pending.push(AlertKind::Records);
        }
    }

    fn judged(&mut self, now: u64) -> Vec<AlertKind> {
        if !self.is_judged && !self.runs.is_empty() {
            self.is_judged = true;
            if self.runs.last().is_some_and(|(said, ..)| *said == Said::File(7)) {
                self.is_closed = true;
                self.pending.push(AlertKind::Leftover);
            }
        }
        let mut alerts = std::mem::take(&mut self.pending);
        if let Some(since) = self.reported
            && self.failing.map(|(since, _)| since) != Some(since)
        {
            self.reported = None;
            alerts.push(AlertKind::Back);
        }
        if let Some((since, count)) = self.failing
            && self.reported.is_none()
            && count >= 3
            && now - since >= 30
        {
            self.reported = Some(since);
            alerts.push(AlertKind::Unreachable);
        }
        alerts.sort_unstable();
        alerts
    }
}

fn said() -> impl Strategy<Value = Said> {
    prop_oneof![6 => (0..FILES.len()).prop_map(Said::File), 1 => Just(Said::Absent), 2 => Just(Said::Down)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if std::env::var_os("COMITY_LONG_TESTS").is_some() { 20_000 } else { 300 }))]

    /// Sites that change, fail and go back and forth, and watchers that sleep through some of it.
    #[test]
    fn judgments_are_those_of_the_model(
        looks in prop::collection::vec((said(), prop_oneof![1..90_u64, 1..3000_u64, 1..60_000_u64], any::<bool>()), 1..24)
    ) {
        let (mut site, mut model, mut now) = (Watched::new(), Model::default(), 0);
        for (number, (said, wait, is_judged)) in looks.iter().enumerate() {
            now += wait;
            let answer = match said {
                Said::File(number) => Answer::File(FILES[*number].0),
                Said::Absent => Answer::Status(404),
                Said::Down => Answer::Status(503),
            };
            site.look(minute(now), &answer);
            model.look(now, *said);
            if *is_judged || number == 0 {
                let alerts = site.judged(minute(now));
                prop_assert_eq!(kinds(&alerts), model.judged(now), "look {}", number);
            }
        }
    }
}
