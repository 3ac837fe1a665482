//! `texting_robots`, which compiles the rules of one crawler to regular expressions.

use texting_robots::Robot;

use super::Engine;
use crate::work::{Body, Question};

#[derive(Debug)]
pub(super) struct TextingRobots;

impl Engine for TextingRobots {
    const NAME: &'static str = "texting_robots";
    type Parsed<'a> = Robot;
    type Prepared<'a> = Robot;

    fn version(&self) -> &'static str {
        "0.2.2"
    }

    fn parse<'a>(&self, body: &'a Body, agent: &'a str) -> Option<Robot> {
        Robot::new(agent, &body.bytes).ok()
    }

    fn prepare<'a>(&self, body: &'a Body, agent: &'a str) -> Option<Robot> {
        self.parse(body, agent)
    }

    fn decide(&self, robot: &Robot, question: &Question) -> Option<bool> {
        Some(robot.allowed(&question.url))
    }
}
