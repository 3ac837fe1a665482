//! `robots_txt`, which parses all groups. Its patterns are plain prefixes, without wildcards.

use robots_txt::Robots;
use robots_txt::matcher::SimpleMatcher;

use super::Engine;
use crate::work::{Body, Question};

#[derive(Debug)]
pub(super) struct RobotsTxt;

impl Engine for RobotsTxt {
    const NAME: &'static str = "robots_txt";
    type Parsed<'a> = Robots<'a>;
    type Prepared<'a> = (Robots<'a>, &'a str);

    fn version(&self) -> &'static str {
        "0.7.0"
    }

    fn keeps_body(&self) -> bool {
        true
    }

    fn parse<'a>(&self, body: &'a Body, _: &'a str) -> Option<Robots<'a>> {
        Some(Robots::from_str_lossy(&body.text))
    }

    fn prepare<'a>(&self, body: &'a Body, agent: &'a str) -> Option<Self::Prepared<'a>> {
        Some((self.parse(body, agent)?, agent))
    }

    /// Creates a matcher for each question, since it borrows from the parsed file. This only looks at a few rules.
    fn decide(&self, (robots, agent): &Self::Prepared<'_>, question: &Question) -> Option<bool> {
        Some(SimpleMatcher::new(&robots.choose_section(agent).rules).check_path(&question.path))
    }
}
