//! The dialects and crawlers that a comparison or a claim is about.

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
}

impl<'a> ProofScope<'a> {
    /// Returns a scope of all crawlers, those of the table and all others, each in the dialect of its operator.
    pub fn new(crawlers: &'a Crawlers) -> Self {
        Self { dialects: &[], agents: &[], crawlers, budget: Budget::default() }
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
