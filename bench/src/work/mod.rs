//! What is worked on: always the same, given the same files.

mod corpus;
pub(crate) mod fixable;
mod generator;
mod golden;
mod growth;
mod hostile;
mod questions;
mod random;
mod synthetic;

use std::rc::Rc;

use anyhow::{Result, bail};
use comity::{Content, Crawler, Dialect, SourceText};
use url::{Position, Url};

pub(crate) use self::golden::Recorded;
pub(crate) use self::random::Random;
use crate::scale::Scale;

/// A robots.txt, in both forms that parsers take.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    /// Its UTF-8, with replacement characters for what is none.
    pub(crate) text: String,
}

impl Body {
    fn new(name: impl Into<String>, bytes: Vec<u8>) -> Rc<Self> {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Rc::new(Self { name: name.into(), bytes, text })
    }

    /// Its user-agent lines and rules alone.
    fn rules_alone(&self) -> Rc<Self> {
        let text = SourceText::new(&self.bytes, &Dialect::GOOGLE_PARSER);
        let lines =
            text.lines().filter(|line| matches!(line.content, Content::UserAgent { .. } | Content::Rule { .. }));
        Self::new(&self.name, lines.flat_map(|line| [line.text, b"\n"].concat()).collect())
    }
}

/// A URL, in all forms that parsers take.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) url: String,
    /// Path and query.
    pub(crate) path: String,
    /// The same path and query on [`SITE`], for parsers that compare sites before they look at rules.
    pub(crate) on_site: Option<Url>,
    /// A well-formed absolute web URL: parsers may differ about others without being wrong.
    pub(crate) is_clean: bool,
    /// The reference's answer; comity's in the dialect `GOOGLE_PARSER` where none is recorded.
    pub(crate) expected: bool,
}

/// Whose files they all are, for those who must know.
pub(crate) const SITE: &str = "https://www.example.com";

impl Question {
    /// A question and its recorded answer.
    pub(crate) fn new(url: String, expected: bool) -> Self {
        let parsed = Url::parse(&url).ok();
        let path = match &parsed {
            Some(parsed) => parsed[Position::BeforePath..Position::AfterQuery].to_owned(),
            None => url.split('#').next().unwrap_or_default().to_owned(),
        };
        let on_site = parsed.as_ref().and_then(|_| Url::parse(&format!("{SITE}{path}")).ok());
        let is_clean = parsed.is_some_and(|parsed| matches!(parsed.scheme(), "http" | "https")) && is_well_formed(&url);
        Self { url, path, on_site, is_clean, expected }
    }
}

/// Whether all that follows the scheme is made of what RFC 3986 allows.
fn is_well_formed(url: &str) -> bool {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest).as_bytes();
    let digits = |at: usize| rest.get(at + 1..at + 3).is_some_and(|pair| pair.iter().all(u8::is_ascii_hexdigit));
    let allowed = |(at, &octet): (usize, &u8)| match octet {
        b'%' => digits(at),
        _ => octet.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&octet),
    };
    !rest.is_empty() && rest.iter().enumerate().all(allowed)
}

/// One file, one crawler, and what it asks.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) body: Rc<Body>,
    pub(crate) agent: String,
    pub(crate) questions: Vec<Question>,
}

/// One measurement of a workload: the only one, a point of a curve, or a hostile file.
#[derive(Debug)]
pub(crate) struct Point {
    /// Its place on the curve.
    pub(crate) x: Option<u32>,
    pub(crate) label: String,
    pub(crate) cases: Vec<Case>,
}

impl Point {
    fn only(cases: Vec<Case>) -> Vec<Self> {
        vec![Self { x: None, label: String::new(), cases }]
    }

    /// How many of the model's units it has.
    pub(crate) fn questions(&self) -> usize {
        self.cases.iter().map(|case| case.questions.len()).sum()
    }
}

/// Whether this work is made of files as sites have them, which no parser takes for ever for.
pub(crate) fn is_ordinary(work: &str) -> bool {
    matches!(work, "every-file" | "largest-files")
}

/// Who asks, unless the work is about that.
pub(crate) const AGENT: &str = "Googlebot";

/// The files, and what is recorded about them.
#[derive(Debug)]
pub(crate) struct Library {
    pub(crate) bodies: Vec<Rc<Body>>,
    pub(crate) recorded: Recorded,
    /// Where the files are from, for people.
    pub(crate) origin: String,
    pub(crate) scale: Scale,
}

impl Library {
    /// The reference data if it is there, else generated files with the same distribution.
    pub(crate) fn open(scale: Scale, generated: bool) -> Result<Self> {
        if !generated && let Some(files) = Self::real_files(scale)? {
            return Ok(Self { recorded: Recorded::load(&files.bodies)?, ..files });
        }
        let bodies = generator::files(scale.files.unwrap_or(3_000));
        let origin = format!("{} generated files with the published distribution", bodies.len());
        Ok(Self { bodies, recorded: Recorded::default(), origin, scale })
    }

    /// Real files alone, without what is recorded about them; nothing if the reference data is not there.
    pub(crate) fn real_files(scale: Scale) -> Result<Option<Self>> {
        let Some(mut bodies) = corpus::load()? else { return Ok(None) };
        scale.thin(&mut bodies);
        let origin = format!("{} real files", bodies.len());
        Ok(Some(Self { bodies, recorded: Recorded::default(), origin, scale }))
    }

    /// No files: enough for work that is made up.
    pub(crate) fn without_files(scale: Scale) -> Self {
        Self { bodies: Vec::new(), recorded: Recorded::default(), origin: String::new(), scale }
    }

    /// Work by the name that definitions use.
    pub(crate) fn make(&self, work: &str) -> Result<Vec<Point>> {
        let questions = self.scale.questions;
        Ok(match work {
            "every-file" => Point::only(self.every_file()),
            "largest-files" => Point::only(self.largest_files()),
            "many-rules" => Point::only(vec![synthetic::many_rules(questions)]),
            "stars-anchored" => Point::only(vec![synthetic::stars(true)]),
            "stars" => Point::only(vec![synthetic::stars(false)]),
            "rules" => growth::rules(questions),
            "path" => growth::path(questions),
            "wildcards" => growth::wildcards(questions),
            "agents" => growth::agents(questions),
            "hostile" => hostile::files(),
            _ => bail!("no work is called `{work}`"),
        })
    }

    /// One question for each file: a recorded one if there are any.
    pub(crate) fn every_file(&self) -> Vec<Case> {
        let one = |(index, body): (usize, &Rc<Body>)| {
            let recorded = self.recorded.clean_question(&body.name, AGENT, index);
            let question = recorded.unwrap_or_else(|| {
                case(body, AGENT, questions::urls(body, &self.bodies, index, 1)).questions.swap_remove(0)
            });
            Case { body: Rc::clone(body), agent: AGENT.into(), questions: vec![question] }
        };
        self.bodies.iter().enumerate().map(one).collect()
    }

    /// Many questions for each of the largest files.
    fn largest_files(&self) -> Vec<Case> {
        let mut order: Vec<usize> = (0..self.bodies.len()).collect();
        order.sort_by_key(|&index| std::cmp::Reverse(self.bodies[index].bytes.len()));
        order.truncate(self.scale.largest);
        let many = |index: usize| {
            let body = &self.bodies[index];
            let urls = questions::urls(body, &self.bodies, index, self.scale.questions);
            case(body, AGENT, urls)
        };
        order.into_iter().map(many).collect()
    }

    /// Each file without its sitemaps and other records, which not all participants keep.
    pub(crate) fn rules_alone(&self) -> Vec<Case> {
        let alone = |case: Case| Case { body: case.body.rules_alone(), ..case };
        self.every_file().into_iter().map(alone).collect()
    }

    /// Files with many questions each, to compare all participants with the reference.
    pub(crate) fn examination(&self) -> Vec<Vec<Case>> {
        if let Some(cases) = self.recorded.examination(&self.bodies) {
            return cases;
        }
        let mut files = Vec::new();
        for (index, body) in self.bodies.iter().enumerate() {
            let urls = questions::urls(body, &self.bodies, index, 10);
            files.push([AGENT, "Bingbot", "UnseenBot"].map(|agent| case(body, agent, urls.clone())).into());
        }
        files
    }
}

/// A case whose answers are not recorded.
fn case(body: &Rc<Body>, agent: &str, urls: Vec<String>) -> Case {
    // Compiled once: some of these files make one answer slow.
    let rules = comity::Robots::parse_with(&body.bytes, &Dialect::GOOGLE_PARSER).rules_for(&Crawler::literal(agent));
    let question = |url: String| {
        let expected = rules.check(&url).is_allowed();
        Question::new(url, expected)
    };
    Case { body: Rc::clone(body), agent: agent.into(), questions: urls.into_iter().map(question).collect() }
}
