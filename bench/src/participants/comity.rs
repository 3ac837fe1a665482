//! comity, twice: in the dialect of Google's parser, which is the reference, and in the standard dialect, which is the
//! default.

use comity::{Crawler, Dialect, Robots, Rules};

use super::Engine;
use crate::work::{Body, Question};

#[derive(Debug)]
pub(super) struct Comity<const STANDARD: bool>(Dialect);

pub(super) const GOOGLE_PARSER: Comity<false> = Comity(Dialect::GOOGLE_PARSER);
pub(super) const STANDARD: Comity<true> = Comity(Dialect::STANDARD);

impl<const STANDARD: bool> Engine for Comity<STANDARD> {
    const NAME: &'static str = if STANDARD { "comity, STANDARD" } else { "comity" };
    type Parsed<'a> = Robots;
    type Prepared<'a> = Rules;

    fn version(&self) -> &'static str {
        if STANDARD { "this tree, dialect STANDARD" } else { "this tree, dialect GOOGLE_PARSER" }
    }

    fn parse<'a>(&self, body: &'a Body, _: &'a str) -> Option<Robots> {
        Some(Robots::parse_with(&body.bytes, &self.0))
    }

    fn prepare<'a>(&self, body: &'a Body, agent: &'a str) -> Option<Rules> {
        Some(Robots::parse_with(&body.bytes, &self.0).rules_for(&Crawler::literal(agent)))
    }

    fn decide(&self, rules: &Rules, question: &Question) -> Option<bool> {
        rules.check(&question.url).answer().is_allowed()
    }

    fn one_shot(&self, body: &Body, agent: &str, question: &Question) -> Option<bool> {
        self.0.decide(&body.bytes, &Crawler::literal(agent), &question.url).answer().is_allowed()
    }
}
