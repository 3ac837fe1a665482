//! The input of the workloads. It is always the same for the same files.

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

/// A robots.txt, in the two forms that parsers take.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    /// The text in UTF-8. Replacement characters represent invalid bytes.
    pub(crate) text: String,
}

impl Body {
    fn new(name: impl Into<String>, bytes: Vec<u8>) -> Rc<Self> {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Rc::new(Self { name: name.into(), bytes, text })
    }

    /// Returns the body with only its user-agent lines and rules.
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
    /// The path and query of the URL.
    pub(crate) path: String,
    /// The same path and query on [`SITE`], for parsers that compare sites before they evaluate rules.
    pub(crate) on_site: Option<Url>,
    /// True for a well-formed absolute web URL. For other URLs, parsers may give different answers, and none of them is
    /// wrong.
    pub(crate) is_clean: bool,
    /// The answer of the reference. If none is recorded, comity's answer in the dialect `GOOGLE_PARSER`.
    pub(crate) expected: bool,
}

/// The site of all files, for parsers that need one.
pub(crate) const SITE: &str = "https://www.example.com";

impl Question {
    /// Creates a question with its expected answer.
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

/// Returns true if the part after the scheme only contains characters that RFC 3986 allows.
fn is_well_formed(url: &str) -> bool {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest).as_bytes();
    let digits = |at: usize| rest.get(at + 1..at + 3).is_some_and(|pair| pair.iter().all(u8::is_ascii_hexdigit));
    let allowed = |(at, &octet): (usize, &u8)| match octet {
        b'%' => digits(at),
        _ => octet.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&octet),
    };
    !rest.is_empty() && rest.iter().enumerate().all(allowed)
}

/// A file, a crawler, and the questions for it.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) body: Rc<Body>,
    pub(crate) agent: String,
    pub(crate) questions: Vec<Question>,
}

/// A measurement of a workload: the only one, a point of a curve, or a hostile file.
#[derive(Debug)]
pub(crate) struct Point {
    /// The horizontal position on the curve.
    pub(crate) x: Option<u32>,
    pub(crate) label: String,
    pub(crate) cases: Vec<Case>,
}

impl Point {
    fn only(cases: Vec<Case>) -> Vec<Self> {
        vec![Self { x: None, label: String::new(), cases }]
    }

    /// Returns the number of questions.
    pub(crate) fn questions(&self) -> usize {
        self.cases.iter().map(|case| case.questions.len()).sum()
    }
}

/// Returns true if the work consists of ordinary files, which no parser takes forever for.
pub(crate) fn is_ordinary(work: &str) -> bool {
    matches!(work, "every-file" | "largest-files")
}

/// The crawler of the questions, in all work that does not vary the crawler.
pub(crate) const AGENT: &str = "Googlebot";

/// The files and their recorded answers.
#[derive(Debug)]
pub(crate) struct Library {
    pub(crate) bodies: Vec<Rc<Body>>,
    pub(crate) recorded: Recorded,
    /// The origin of the files, as text for people.
    pub(crate) origin: String,
    pub(crate) scale: Scale,
}

impl Library {
    /// Opens the reference data. If it is missing, generates files with the same distribution.
    pub(crate) fn open(scale: Scale, generated: bool) -> Result<Self> {
        if !generated && let Some(files) = Self::real_files(scale)? {
            return Ok(Self { recorded: Recorded::load(&files.bodies)?, ..files });
        }
        let bodies = generator::files(scale.files.unwrap_or(3_000));
        let origin = format!("{} generated files with the published distribution", bodies.len());
        Ok(Self { bodies, recorded: Recorded::default(), origin, scale })
    }

    /// Opens the real files without their recorded answers. Returns `None` if the reference data is missing.
    pub(crate) fn real_files(scale: Scale) -> Result<Option<Self>> {
        let Some(mut bodies) = corpus::load()? else { return Ok(None) };
        scale.thin(&mut bodies);
        let origin = format!("{} real files", bodies.len());
        Ok(Some(Self { bodies, recorded: Recorded::default(), origin, scale }))
    }

    /// Returns a library without files, which is sufficient for synthetic work.
    pub(crate) fn without_files(scale: Scale) -> Self {
        Self { bodies: Vec::new(), recorded: Recorded::default(), origin: String::new(), scale }
    }

    /// Returns the points of the work that a definition names.
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

    /// Returns one question for each file: a recorded one if there is any.
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

    /// Returns many questions for each of the largest files.
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

    /// Returns each file without its sitemaps and other records, which some participants do not keep.
    pub(crate) fn rules_alone(&self) -> Vec<Case> {
        let alone = |case: Case| Case { body: case.body.rules_alone(), ..case };
        self.every_file().into_iter().map(alone).collect()
    }

    /// Returns files with many questions each, to compare all participants with the reference.
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

/// Returns a case whose answers are not recorded.
fn case(body: &Rc<Body>, agent: &str, urls: Vec<String>) -> Case {
    // The rules are compiled once, because a single answer is slow for some of these files.
    let rules = comity::Robots::parse_with(&body.bytes, &Dialect::GOOGLE_PARSER).rules_for(&Crawler::literal(agent));
    let question = |url: String| {
        let expected = rules.check(&url).is_allowed();
        Question::new(url, expected)
    };
    Case { body: Rc::clone(body), agent: agent.into(), questions: urls.into_iter().map(question).collect() }
}
