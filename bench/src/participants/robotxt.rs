//! robotxt, which parses for one crawler.

use robotxt::Robots;

use super::Engine;
use crate::work::{Body, Question};

#[derive(Debug)]
pub(super) struct Robotxt;

impl Engine for Robotxt {
    const NAME: &'static str = "robotxt";
    type Parsed<'a> = Robots;
    type Prepared<'a> = Robots;

    fn version(&self) -> &'static str {
        "0.7.0"
    }

    fn parse<'a>(&self, body: &'a Body, agent: &'a str) -> Option<Robots> {
        Some(Robots::parse(&body.bytes, agent))
    }

    fn prepare<'a>(&self, body: &'a Body, agent: &'a str) -> Option<Robots> {
        self.parse(body, agent)
    }

    fn decide(&self, robots: &Robots, question: &Question) -> Option<bool> {
        Some(robots.is_allowed(&question.path))
    }
}
