//! robotparser, which parses all groups, and patterns into tokens.

use robotparser::model::RobotsTxt;
use robotparser::parser::parse_robots_txt;
use robotparser::service::RobotsTxtService;
use url::Origin;

use super::Engine;
use crate::work::{Body, Question};

#[derive(Debug)]
pub(super) struct Robotparser;

impl Engine for Robotparser {
    const NAME: &'static str = "robotparser";
    type Parsed<'a> = RobotsTxt;
    type Prepared<'a> = (RobotsTxt, &'a str);

    fn version(&self) -> &'static str {
        "0.11.0"
    }

    fn parse<'a>(&self, body: &'a Body, _: &'a str) -> Option<RobotsTxt> {
        let origin = Origin::Tuple("https".into(), url::Host::Domain("www.example.com".into()), 443);
        Some(parse_robots_txt(origin, &body.text).get_result())
    }

    fn prepare<'a>(&self, body: &'a Body, agent: &'a str) -> Option<Self::Prepared<'a>> {
        Some((self.parse(body, agent)?, agent))
    }

    fn decide(&self, (robots, agent): &Self::Prepared<'_>, question: &Question) -> Option<bool> {
        Some(robots.can_fetch(agent, question.on_site.as_ref()?))
    }
}
