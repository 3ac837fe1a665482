//! The participants: one adapter for each parser, and the two loops that run all of them.
//!
//! An adapter does what the documentation of its parser recommends, in the fastest way that the parser offers. It gets
//! questions in the form that it needs (see [`Question`]): converting bytes to text, and text to a `Url`, is not timed.

mod comity;
mod cylon;
mod in_process;
mod limits;
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

/// A parser, in this process or another one, or a part of the work.
pub(crate) trait Participant {
    fn name(&self) -> &'static str;

    /// Returns the version, and the options that were chosen.
    fn version(&self) -> &str;

    /// Does the work and returns the answers, without timing it. Catches panics, and stops when it takes longer than
    /// `cap`.
    fn verify(&mut self, model: Model, cases: &[Case], cap: Duration) -> Answers;

    /// Does the work `passes` times and returns the time. Must only be called for work that [`verify`](Self::verify)
    /// completed.
    fn time(&mut self, model: Model, cases: &[Case], passes: u32) -> Option<Timing>;

    /// Returns the memory that the participant holds and allocates, if it can be counted.
    fn footprint(&mut self, cases: &[Case]) -> Option<Footprint>;
}

/// A parser that runs in this process, as its adapter presents it, or a part of the work.
pub(crate) trait Engine {
    const NAME: &'static str;

    /// The result of parsing.
    type Parsed<'a>;
    /// The form of a file that answers many questions for one crawler.
    type Prepared<'a>;

    fn version(&self) -> &'static str;

    /// Returns true if the parsed file borrows from the body, or is the body.
    fn keeps_body(&self) -> bool {
        false
    }

    /// Parses a body, if the parser does so separately from answering. Returns `None` if it rejects the body.
    fn parse<'a>(&self, body: &'a Body, agent: &'a str) -> Option<Self::Parsed<'a>>;

    /// Prepares a body for many questions for one crawler.
    fn prepare<'a>(&self, body: &'a Body, agent: &'a str) -> Option<Self::Prepared<'a>>;

    /// Returns true if the crawler may fetch the URL. Returns `None` if the parser rejects the question.
    fn decide(&self, prepared: &Self::Prepared<'_>, question: &Question) -> Option<bool>;

    /// Parses a body and answers one question.
    fn one_shot(&self, body: &Body, agent: &str, question: &Question) -> Option<bool> {
        self.decide(&self.prepare(body, agent)?, question)
    }
}

/// The answer to one question.
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
    /// The answers. There are fewer than questions if the work was not completed in time.
    pub(crate) given: Vec<Answer>,
    pub(crate) took: Duration,
    pub(crate) in_time: bool,
    /// The number of bodies whose parsing panicked, in workloads without questions.
    pub(crate) panicked_bodies: usize,
}

/// The time that the work took, for all passes together.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Timing {
    /// The time for preparing files and dropping the results. Zero if it is not measured separately.
    pub(crate) build: Duration,
    pub(crate) rest: Duration,
}

/// A participant, or the reason why it does not take part.
pub(crate) type Invited = Result<Box<dyn Participant>, Skipped>;

/// A participant that does not take part, and the reason.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Skipped {
    pub(crate) name: &'static str,
    pub(crate) why: String,
}

/// Returns all participants.
pub(crate) fn all() -> Vec<Invited> {
    let scripts = [
        Script::start("protego (Python)", "python3", "protego_adapter.py"),
        Script::start("urllib.robotparser (Python)", "python3", "urllib_robotparser.py"),
        Script::start("robots-parser (JavaScript)", "node", "robots_parser.js"),
    ];
    of_this_process().into_iter().map(Ok).chain(scripts).collect()
}

/// Returns the participants that are written in Rust, and run in this process.
pub(crate) fn of_this_process() -> Vec<Box<dyn Participant>> {
    vec![
        Box::new(InProcess(comity::GOOGLE_PARSER)),
        Box::new(InProcess(comity::STANDARD)),
        Box::new(InProcess(robotstxt::Robotstxt)),
        Box::new(InProcess(robotxt::Robotxt)),
        Box::new(InProcess(texting_robots::TextingRobots)),
        Box::new(InProcess(robots_txt::RobotsTxt)),
        Box::new(InProcess(cylon::Cylon)),
    ]
}

/// Returns the parts of the work, which a workload can name as its limits.
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
