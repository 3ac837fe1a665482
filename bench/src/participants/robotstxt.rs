//! robotstxt, the port of Google's parser. It parses the file again for each question, and has no other operation.

use robotstxt::{DefaultMatcher, RobotsParseHandler};

use super::Engine;
use crate::work::{Body, Question};

#[derive(Debug)]
pub(super) struct Robotstxt;

impl Engine for Robotstxt {
    const NAME: &'static str = "robotstxt";
    type Parsed<'a> = ();
    type Prepared<'a> = (&'a str, &'a str);

    fn version(&self) -> &'static str {
        "0.3.0"
    }

    fn keeps_body(&self) -> bool {
        true
    }

    fn parse<'a>(&self, body: &'a Body, _: &'a str) -> Option<()> {
        robotstxt::parse_robotstxt(&body.text, &mut Counter(0));
        Some(())
    }

    fn prepare<'a>(&self, body: &'a Body, agent: &'a str) -> Option<Self::Prepared<'a>> {
        Some((&body.text, agent))
    }

    fn decide(&self, &(body, agent): &Self::Prepared<'_>, question: &Question) -> Option<bool> {
        Some(DefaultMatcher::default().one_agent_allowed_by_robots(body, agent, &question.url))
    }
}

/// The least that a handler can do: it counts the records.
struct Counter(usize);

impl RobotsParseHandler for Counter {
    fn handle_robots_start(&mut self) {}
    fn handle_robots_end(&mut self) {
        std::hint::black_box(self.0);
    }
    fn handle_user_agent(&mut self, _: u32, value: &str) {
        self.0 += value.len();
    }
    fn handle_allow(&mut self, _: u32, value: &str) {
        self.0 += value.len();
    }
    fn handle_disallow(&mut self, _: u32, value: &str) {
        self.0 += value.len();
    }
    fn handle_sitemap(&mut self, _: u32, value: &str) {
        self.0 += value.len();
    }
    fn handle_unknown_action(&mut self, _: u32, _: &str, value: &str) {
        self.0 += value.len();
    }
}
