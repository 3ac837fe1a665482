//! Every cell of the policy table, with a site that shows the behavior of the row.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use comity_fetch::{Access, Client, Policy, Row, Rung, SiteRobots, StoredRecord};
use comity_policy::BODY_LIMIT;
use serde::Deserialize;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::case::{Case, Expected, Is, duration};
use crate::stage::{Allowed, Site, Stage, allowed};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LadderFile {
    step: Vec<Step>,
}

/// A step of the ladder: the access at these moments after the first failure.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Step {
    of: Is,
    at: Vec<String>,
    /// By policy; `is` applies to policies that are not named.
    without_copy: BTreeMap<String, Is>,
    with_copy: BTreeMap<String, Is>,
}

impl Step {
    fn is(&self, policy: &Policy, with_copy: bool) -> Is {
        let by_policy = if with_copy { &self.with_copy } else { &self.without_copy };
        by_policy.get(policy.name).copied().unwrap_or(by_policy["is"])
    }
}

/// The combinations that have been seen, to check at the end that none is missing.
#[derive(Debug, Default)]
struct Seen {
    cells: BTreeSet<(Row, &'static str)>,
    /// True for a refusal, the rung, true with a copy, the policy.
    rungs: BTreeSet<(bool, Rung, bool, &'static str)>,
}

/// One path through a case.
struct Run {
    case: Arc<Case>,
    ladder: Arc<Vec<Step>>,
    good: Arc<Site>,
    policy: Policy,
    /// The copy that a good site sent a day ago.
    copy: Option<StoredRecord>,
}

impl Run {
    async fn go(&self) -> Seen {
        let mut seen = Seen::default();
        let stage = Stage::new(self.policy, &self.good);
        if let Some(copy) = &self.copy {
            stage.remember(&self.case.origin, copy).await;
            stage.clock.advance(DAY);
        }
        let with_copy = self.copy.is_some();
        let site = self.case.site().await;
        stage.names.lead_to(&site, self.case.names(&site));
        let mut client = stage.client().probes(self.case.probes);
        if let Some(patience) = self.case.patience {
            client = client.connect_timeout(patience).stall_timeout(patience);
        }
        if let Some(deadline) = self.case.deadline {
            client = client.timeout(deadline);
        }
        let client = client.build().unwrap();

        let expected = self.case.expected(&self.policy);
        let robots = client.robots(&self.case.origin).await.unwrap();
        self.ended_as(&robots, &expected);
        let wait = robots.due().since(stage.clock.now());
        assert!(expected.due.has(wait), "due in {wait:?}, not {:?}", expected.due);
        if let Some(requests) = expected.requests {
            assert_eq!(site.requests(), requests);
        }
        seen.cells.insert((robots.ruling().row, self.policy.name));

        if matches!(expected.is, Is::Unreachable | Is::Refused) {
            let began = stage.clock.now();
            for step in self.ladder.iter().filter(|step| step.of == expected.is) {
                for at in &step.at {
                    stage.pass_until(began + duration(at));
                    let robots = client.robots(&self.case.origin).await.unwrap();
                    assert_eq!(robots.copy().is_some(), with_copy, "after {at}");
                    self.ended_as(&robots, &expected);
                    is(step.is(&self.policy, with_copy), allowed(&robots), &robots, at);
                    let rung = robots.ruling().rung.expect("a rung");
                    seen.rungs.insert((expected.is == Is::Refused, rung, with_copy, self.policy.name));
                }
            }
        } else {
            is(expected.is, allowed(&robots), &robots, "now");
            assert_eq!(robots.copy().is_some(), matches!(expected.is, Is::Rules | Is::Empty), "no other copy is kept");
            self.lasts(&client, &stage, &site).await;
        }
        assert_eq!(client.stats().fail_open_total, 0);
        let asked = stage.connector.asked();
        assert!(asked.iter().all(|address| address.ip().is_loopback()), "connected to {asked:?}");
        seen
    }

    fn ended_as(&self, robots: &SiteRobots, expected: &Expected) {
        let ruling = robots.ruling();
        let found = (ruling.event, name(ruling.row), ruling.policy);
        assert_eq!(found, (expected.event, expected.row.clone(), self.policy.name), "{:?}", robots.attempt());
        let (probes, requests): (Vec<_>, Vec<_>) = robots.exchanges().iter().partition(|step| step.is_probe);
        assert!(
            requests.len() <= usize::from(self.policy.redirects) + 1 && probes.len() <= 2,
            "{:?}",
            robots.exchanges()
        );
        assert!(robots.exchanges().iter().map(|step| step.bytes).sum::<u64>() <= BODY_LIMIT as u64);
    }

    /// Checks that a definite answer is used until it is due, and then fetched again.
    async fn lasts(&self, client: &Client, stage: &Stage, site: &Site) {
        let asked = site.requests();
        let due = stage.clock.now() + DAY;
        stage.pass_until_before(due);
        let robots = client.robots(&self.case.origin).await.unwrap();
        assert_eq!(site.requests(), asked, "nobody asks before time");
        stage.pass_until(due);
        let again = client.robots(&self.case.origin).await.unwrap();
        assert_eq!(again.attempt().unwrap().began, due);
        assert_eq!(again.ruling(), robots.ruling());
    }
}

#[track_caller]
fn is(expected: Is, allowed: Allowed, robots: &SiteRobots, when: &str) {
    let found = (robots.ruling().access, allowed);
    let expected = match expected {
        Is::Rules => (Access::Rules, Allowed::ByRules),
        Is::Empty => (Access::Rules, Allowed::All),
        Is::Allow => (Access::AllowAll, Allowed::All),
        Is::Disallow => (Access::DisallowAll, Allowed::Nothing),
        Is::Unreachable | Is::Refused => panic!("the ladder has to say more"),
    };
    assert_eq!(found, expected, "{when}: {}", robots.ruling());
}

/// Returns the name of a row in data files.
fn name(row: Row) -> String {
    serde_json::to_value(row).unwrap().as_str().unwrap().to_owned()
}

#[tokio::test]
async fn every_cell_is_as_the_table_says() {
    let mut cases = Vec::new();
    for file in [
        include_str!("../../testdata/cells/answers.toml"),
        include_str!("../../testdata/cells/redirects.toml"),
        include_str!("../../testdata/cells/failures.toml"),
        include_str!("../../testdata/cells/ftp.toml"),
    ] {
        cases.extend(Case::read(file));
    }
    cases.retain(|case| cfg!(feature = "ftp") || !case.is_ftp());
    let ladder: LadderFile = toml::from_str(include_str!("../../testdata/cells/ladder.toml")).unwrap();
    let ladder = Arc::new(ladder.step);
    let good = Arc::new(Site::good().await);

    let mut runs = JoinSet::new();
    let mut titles = HashMap::new();
    let at_once = Arc::new(Semaphore::new(32));
    for case in cases.into_iter().map(Arc::new) {
        let copy = if case.without_copy_only { None } else { Some(good.record(&case.origin).await) };
        for (policy, copy) in Policy::ALL.iter().flat_map(|policy| [(*policy, None), (*policy, copy.clone())]) {
            let title = format!("{} ({}{})", case.name, policy.name, if copy.is_some() { ", with a copy" } else { "" });
            let run = Run { case: case.clone(), ladder: ladder.clone(), good: good.clone(), policy, copy };
            let at_once = at_once.clone();
            let task = runs.spawn(async move {
                let _permit = at_once.acquire().await.unwrap();
                run.go().await
            });
            titles.insert(task.id(), title);
        }
    }
    let mut seen = Seen::default();
    let mut failed = Vec::new();
    while let Some(ended) = runs.join_next_with_id().await {
        match ended {
            Ok((_, of_run)) => {
                seen.cells.extend(of_run.cells);
                seen.rungs.extend(of_run.rungs);
            }
            Err(e) => failed.push(format!("{}: {e}", titles[&e.id()])),
        }
    }
    assert!(failed.is_empty(), "{} of {} runs failed:\n{}", failed.len(), titles.len(), failed.join("\n"));
    nothing_was_left_out(&seen);
}

/// Checks that each row was seen under each policy, and each rung with and without a copy.
fn nothing_was_left_out(seen: &Seen) {
    for policy in Policy::ALL.iter().map(|policy| policy.name) {
        for row in Row::ALL.iter().copied() {
            let is_there = match row {
                Row::FtpMissing | Row::FtpError => cfg!(feature = "ftp"),
                // The other policies have no probe.
                Row::ErrorForMissing => matches!(policy, "standard" | "google-2019"),
                _ => true,
            };
            assert_eq!(seen.cells.contains(&(row, policy)), is_there, "{} under {policy}", name(row));
        }
        for rung in [Rung::First, Rung::Then, Rung::Last] {
            for (refused, with_copy) in [(false, false), (false, true), (true, false), (true, true)] {
                let rung = (refused, rung, with_copy, policy);
                assert!(seen.rungs.contains(&rung), "{rung:?}");
            }
        }
    }
}
