//! Who takes part: one adapter each, and the two loops that drive them all.
//!
//! An adapter does what its parser's documentation tells a user to do, by the cheapest way that it offers. Questions
//! come to it in whatever form it takes (see [`Question`]): turning bytes into text and text into a `Url` is not timed.

mod comity;
mod cylon;
mod in_process;
mod limits;
mod robotparser;
mod robots_txt;
mod robotstxt;
mod robotxt;
mod script;
mod texting_robots;

use std::time::Duration;

use serde::Serialize;

use self::in_process::InProcess;
use self::script::Script;
use crate::definition::Model;
use crate::memory::Footprint;
use crate::work::{Body, Case, Question};

/// A parser, wherever it runs; or a part of the work.
pub(crate) trait Participant {
    fn name(&self) -> &'static str;

    /// Its version, and what was chosen where it offers a choice.
    fn version(&self) -> &str;

    /// Does the work without a clock, every step guarded, and gives up when it takes too long.
    fn verify(&mut self, model: Model, cases: &[Case], cap: Duration) -> Answers;

    /// Does the work so many times and takes the time. Only for work that [`verify`](Self::verify) got through.
    fn time(&mut self, model: Model, cases: &[Case], passes: u32) -> Option<Timing>;

    /// What it holds and allocates, if that can be counted.
    fn footprint(&mut self, cases: &[Case]) -> Option<Footprint>;
}

/// A parser of this process, as its adapter shows it; or a part of the work.
pub(crate) trait Engine {
    const NAME: &'static str;

    /// What parsing gives.
    type Parsed<'a>;
    /// What many questions for one crawler are put to.
    type Prepared<'a>;

    fn version(&self) -> &'static str;

    /// Whether what it makes of a body borrows from the body, or is the body.
    fn keeps_body(&self) -> bool {
        false
    }

    /// Parses, if it does so apart from answering. `None`: it refuses the body.
    fn parse<'a>(&self, body: &'a Body, agent: &'a str) -> Option<Self::Parsed<'a>>;

    /// Makes ready for many questions of one crawler.
    fn prepare<'a>(&self, body: &'a Body, agent: &'a str) -> Option<Self::Prepared<'a>>;

    /// May the crawler fetch this? `None`: it refuses the question.
    fn decide(&self, prepared: &Self::Prepared<'_>, question: &Question) -> Option<bool>;

    /// Parses and answers one question.
    fn one_shot(&self, body: &Body, agent: &str, question: &Question) -> Option<bool> {
        self.decide(&self.prepare(body, agent)?, question)
    }
}

/// One answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Allowed,
    Disallowed,
    Refused,
    Panicked,
}

impl From<Option<bool>> for Answer {
    fn from(allowed: Option<bool>) -> Self {
        match allowed {
            Some(true) => Self::Allowed,
            Some(false) => Self::Disallowed,
            None => Self::Refused,
        }
    }
}

/// The answers to the questions of all cases, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers {
    /// Fewer than there are questions if it was not done in time.
    pub(crate) given: Vec<Answer>,
    pub(crate) took: Duration,
    pub(crate) in_time: bool,
    /// Bodies whose parsing panicked, where nothing is asked.
    pub(crate) panicked_bodies: usize,
}

/// How long the work took, all passes together.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Timing {
    /// Making ready and letting go; zero where that is not told apart.
    pub(crate) build: Duration,
    pub(crate) rest: Duration,
}

/// A participant, or why it does not take part.
pub(crate) type Invited = Result<Box<dyn Participant>, Skipped>;

/// Who does not take part, and why.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Skipped {
    pub(crate) name: &'static str,
    pub(crate) why: String,
}

/// All participants.
pub(crate) fn all() -> Vec<Invited> {
    let scripts = [
        Script::start("protego (Python)", "python3", "protego_adapter.py"),
        Script::start("urllib.robotparser (Python)", "python3", "urllib_robotparser.py"),
        Script::start("robots-parser (JavaScript)", "node", "robots_parser.js"),
    ];
    of_this_process().into_iter().map(Ok).chain(scripts).collect()
}

/// Those that are Rust.
pub(crate) fn of_this_process() -> Vec<Box<dyn Participant>> {
    vec![
        Box::new(InProcess(comity::GOOGLE_PARSER)),
        Box::new(InProcess(comity::STANDARD)),
        Box::new(InProcess(robotstxt::Robotstxt)),
        Box::new(InProcess(robotxt::Robotxt)),
        Box::new(InProcess(texting_robots::TextingRobots)),
        Box::new(InProcess(robots_txt::RobotsTxt)),
        Box::new(InProcess(robotparser::Robotparser)),
        Box::new(InProcess(cylon::Cylon)),
    ]
}

/// The parts of the work alone, which a workload can name as its limits.
pub(crate) fn limits() -> Vec<Box<dyn Participant>> {
    vec![
        Box::new(InProcess(limits::OverBody::<limits::Memcpy>::default())),
        Box::new(InProcess(limits::OverBody::<limits::Lines>::default())),
        Box::new(InProcess(limits::OverBody::<limits::Tokenizer>::default())),
        Box::new(InProcess(limits::Lookup)),
    ]
}

pub(crate) fn is_of_this_process(name: &str) -> bool {
    of_this_process().iter().any(|one| one.name() == name)
}
