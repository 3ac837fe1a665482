//! A row of the table: one kind of comparison, its results and its times.

use std::time::Duration;

use comity::{Crawlers, Dialect, Robots};
use comity_meaning::{Comparison, Difference, Outcome};
use rustix::time::{ClockId, clock_gettime};

use super::pairs::Pair;
use super::sampled;

/// Returns the processor time that this thread has taken. Other programs on the machine do not add to it.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Processor times of pieces of work.
#[derive(Debug, Default)]
pub(super) struct Times(Vec<Duration>);

impl Times {
    pub(super) fn of<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let start = processor_time();
        let result = work();
        self.0.push(processor_time().saturating_sub(start));
        result
    }

    /// Returns a percentile in milliseconds. The 100th is the greatest time.
    pub(super) fn percentile(&mut self, percent: usize) -> f64 {
        self.0.sort_unstable();
        let index = self.0.len().saturating_sub(1) * percent / 100;
        self.0.get(index).map_or(0.0, |time| time.as_secs_f64() * 1e3)
    }

    /// Returns the share of the times below ten milliseconds, in percent.
    fn below_ten(&self) -> f64 {
        let below = self.0.iter().filter(|time| time.as_millis() < 10).count();
        100.0 * below as f64 / self.0.len().max(1) as f64
    }

    pub(super) fn total(&self) -> f64 {
        self.0.iter().sum::<Duration>().as_secs_f64()
    }

    pub(super) fn print(mut self, what: &str) {
        println!("| {what} | {} | | | | {} |", self.0.len(), self.cells());
    }

    fn cells(&mut self) -> String {
        let [p50, p99, worst] = [50, 99, 100].map(|percent| self.percentile(percent));
        format!("{p50:.3} | {p99:.2} | {worst:.1} | {:.2} % | {:.2}", self.below_ten(), self.total())
    }
}

/// The greatest times that a kind of comparison may take, in milliseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) p50: f64,
    pub(super) p99: f64,
    pub(super) worst: f64,
}

impl Limits {
    /// For comparisons of a real file with another version of it.
    pub(super) const VERSIONS: Self = Self { p50: 0.1, p99: 10.0, worst: 300.0 };
    /// For comparisons of two real files that have nothing to do with each other.
    pub(super) const UNRELATED: Self = Self { p50: 0.2, ..Self::VERSIONS };
    /// For hostile files of 500 kB.
    pub(super) const HOSTILE: Self = Self { p50: 2_000.0, p99: 2_000.0, worst: 2_000.0 };
}

/// One kind of comparison.
#[derive(Debug, Default)]
pub(super) struct Row {
    pub(super) times: Times,
    same: usize,
    differ: usize,
    undecided: usize,
    /// Differences that are one change.
    in_one_change: usize,
}

impl Row {
    pub(super) fn compare(&mut self, pair: &Pair, dialect: &Dialect) -> Difference {
        let [old, new] = pair.each_ref().map(|body| Robots::parse_with(body, dialect));
        self.add(|| Comparison::new(&old, &new).run())
    }

    pub(super) fn add(&mut self, work: impl FnOnce() -> Difference) -> Difference {
        let found = self.times.of(work);
        match found.outcome() {
            _ if !found.is_complete() => self.undecided += 1,
            Outcome::Same => self.same += 1,
            _ => self.differ += 1,
        }
        self.in_one_change += usize::from(found.changes.len() == 1);
        found
    }

    /// Adds the results and times of another row.
    pub(super) fn merge(&mut self, other: Self) {
        self.times.0.extend(other.times.0);
        self.same += other.same;
        self.differ += other.differ;
        self.undecided += other.undecided;
        self.in_one_change += other.in_one_change;
    }

    /// Returns the share of the differences that are one change, in percent.
    pub(super) fn one_change(&self) -> f64 {
        100.0 * self.in_one_change as f64 / self.differ.max(1) as f64
    }

    pub(super) fn print(&mut self, what: &str) {
        let (pairs, cells) = (self.times.0.len(), self.times.cells());
        println!("| {what} | {pairs} | {} | {} | {} | {cells} |", self.same, self.differ, self.undecided);
    }

    /// Prints the row, and returns what exceeds the limits.
    pub(super) fn judge(mut self, what: &str, limits: Limits) -> Vec<String> {
        self.print(what);
        let [p50, p99, worst] = [50, 99, 100].map(|percent| self.times.percentile(percent));
        let mut wrong = Vec::new();
        for (name, time, limit) in [("p50", p50, limits.p50), ("p99", p99, limits.p99), ("worst", worst, limits.worst)]
        {
            if time > limit {
                wrong.push(format!("{what}: {name} is {time:.3} ms, at most {limit} ms"));
            }
        }
        if self.times.below_ten() < 99.0 && limits.p99 <= 10.0 {
            wrong.push(format!("{what}: {:.2} % take less than 10 ms, at least 99 %", self.times.below_ten()));
        }
        if self.undecided > 0 && limits.p99 <= 10.0 {
            wrong.push(format!("{what}: {} are undecided", self.undecided));
        }
        wrong
    }
}

/// The former comparison by samples.
#[derive(Debug, Default)]
pub(super) struct Sampled {
    times: Times,
    same: usize,
    differ: usize,
    /// Pairs that are called the same although the exact comparison found a difference.
    pub(super) missed: usize,
    /// Pairs with a sampled difference that the exact comparison did not find.
    pub(super) unconfirmed: usize,
}

impl Sampled {
    pub(super) fn compare(&mut self, pair: &Pair, dialect: &Dialect, exact: &Difference, table: &Crawlers) {
        let [old, new] = pair.each_ref().map(|body| Robots::parse_with(body, dialect));
        let found = self.times.of(|| sampled::difference(&old, &new, table)).is_some();
        let is_different = !exact.changes.is_empty();
        self.same += usize::from(!found);
        self.differ += usize::from(found);
        self.missed += usize::from(!found && is_different);
        self.unconfirmed += usize::from(found && !is_different);
    }

    pub(super) fn print(mut self, what: &str) {
        let (pairs, cells) = (self.times.0.len(), self.times.cells());
        println!("| {what}, by samples | {pairs} | {} | {} | 0 | {cells} |", self.same, self.differ);
    }
}
