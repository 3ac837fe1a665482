//! The dialects and crawlers that a comparison or a claim is about.

use std::fmt;

use comity::{Crawler, Crawlers, Dialect};
use comity_meaning::Budget;

use crate::crawler_query::CrawlerQuery;

/// The dialects and crawlers that a comparison or a claim is about, and the work that it may take.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ProofScope<'a> {
    /// The dialects. If there are none, each crawler is checked in the dialect of its operator, and those that are not
    /// in the table are checked in the standard dialect.
    pub dialects: &'a [Dialect],
    /// The crawlers. If there are none, all crawlers are checked.
    pub agents: &'a [CrawlerQuery],
    /// The table of known crawlers.
    pub crawlers: &'a Crawlers,
    /// The budget for the work in each dialect.
    pub budget: Budget,
    keep_going: KeepGoing<'a>,
}

/// A caller's function that returns false to end the work early.
#[derive(Clone, Copy)]
struct KeepGoing<'a>(&'a dyn Fn() -> bool);

impl fmt::Debug for KeepGoing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeepGoing")
    }
}

impl<'a> ProofScope<'a> {
    /// Returns a scope of all crawlers, those of the table and all others, each in the dialect of its operator.
    pub fn new(crawlers: &'a Crawlers) -> Self {
        Self { dialects: &[], agents: &[], crawlers, budget: Budget::default(), keep_going: KeepGoing(&|| true) }
    }

    /// Sets the dialects. Defaults to each operator's own.
    #[must_use]
    pub fn dialects(mut self, dialects: &'a [Dialect]) -> Self {
        self.dialects = dialects;
        self
    }

    /// Sets the crawlers. Defaults to all.
    #[must_use]
    pub fn agents(mut self, agents: &'a [CrawlerQuery]) -> Self {
        self.agents = agents;
        self
    }

    /// Sets the budget of each dialect. Defaults to [`Budget::default`].
    #[must_use]
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// Works for as long as `keep_going` returns true. After it has returned false, the rest is undecided, as if the
    /// budget were used up, and lists may be incomplete. It is called at bounded intervals, some milliseconds apart. By
    /// default, only the budget limits the work.
    #[must_use]
    pub fn keep_going(mut self, keep_going: &'a dyn Fn() -> bool) -> Self {
        self.keep_going = KeepGoing(keep_going);
        self
    }

    /// Returns the caller's function that ends the work early.
    pub(crate) fn watch(&self) -> &'a dyn Fn() -> bool {
        self.keep_going.0
    }

    /// Returns false if the caller ends the work.
    pub(crate) fn goes_on(&self) -> bool {
        (self.keep_going.0)()
    }

    /// Returns the number of dialects. The work in each dialect may use the whole budget.
    pub fn dialect_count(&self) -> usize {
        self.used_dialects().len()
    }

    /// Returns true if each crawler is checked only in the dialect of its operator.
    pub(crate) fn is_by_operator(&self) -> bool {
        self.dialects.is_empty()
    }

    /// Returns the dialects, the standard one first.
    pub(crate) fn used_dialects(&self) -> Vec<Dialect> {
        if !self.dialects.is_empty() {
            return self.dialects.to_vec();
        }
        let mut dialects = Vec::new();
        let of_agents = self.agents.iter().map(|agent| agent.profile().map_or(Dialect::STANDARD, |row| row.dialect));
        let of_all = [Dialect::STANDARD].into_iter().chain(self.crawlers.iter().map(|row| row.dialect));
        let all: Vec<Dialect> = if self.agents.is_empty() { of_all.collect() } else { of_agents.collect() };
        for dialect in all {
            if !dialects.contains(&dialect) {
                dialects.push(dialect);
            }
        }
        dialects
    }

    /// Returns the crawlers as [`Crawler`]s of the engine.
    pub(crate) fn engine_crawlers(&self) -> Vec<Crawler<'a>> {
        self.agents.iter().map(CrawlerQuery::as_crawler).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::diff::Diff;
    use crate::prove::{ClaimKind, ClaimText, Proof, ProofOutcome};

    /// Comparisons and claims take many steps, ask the caller again and again, and end when the caller says so.
    #[test]
    fn callers_end_the_work() {
        let table = Crawlers::builtin();
        let agents = [CrawlerQuery::new("*", Some(&table))];
        let rules: String = (0..800).map(|n| format!("Disallow: /{n}/*x\nAllow: /{n}/*y\n")).collect();
        let old = format!("User-agent: *\n{rules}").into_bytes();
        let new = format!("User-agent: *\n{}", rules.replace("*x", "*z")).into_bytes();
        let claims = [ClaimText::new(ClaimKind::AllAllowed, "/", vec!["/*x".to_owned()])];
        let urls: Vec<String> = (0..100).map(|n| format!("/{n}/x")).collect();
        let small = [b"User-agent: *\nDisallow: /\n".as_slice(), b"".as_slice()];
        // Each returns how much of the work was done.
        let works: [&dyn Fn(&ProofScope<'_>) -> usize; 3] = [
            // Descriptions come last. Those that were not finished say that they are not exact.
            &|scope| {
                let diff = Diff::new(&old, &new, scope);
                let exact = diff.changes.iter().filter(|change| change.exact).count();
                if diff.undecided.is_empty() { 1 + exact } else { 0 }
            },
            &|scope| usize::from(Proof::new(&old, &claims, scope).unwrap().outcome == ProofOutcome::Held),
            &|scope| {
                let mut diff = Diff::new(small[0], small[1], scope);
                diff.count(small[0], small[1], &urls, scope);
                usize::from(diff.listed.is_some_and(|listed| listed.count == 100))
            },
        ];
        for work in works {
            let calls = |most: usize| {
                let asked = Cell::new(0);
                let keep_going = || {
                    asked.set(asked.get() + 1);
                    asked.get() < most
                };
                let done = work(&ProofScope::new(&table).agents(&agents).keep_going(&keep_going));
                (done, asked.get())
            };
            let (whole, all) = calls(usize::MAX);
            assert!(whole > 0 && all > 10, "{all}");
            for most in [1, all / 2] {
                let (done, asked) = calls(most);
                assert!(done < whole && asked <= most + 2, "{asked} of {most}, {done} of {whole}");
            }
        }
    }
}
