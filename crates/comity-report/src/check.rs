//! Questions put to a file, or to the sites' own files.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::sync::Arc;

use comity::{Crawler, Dialect, Explanation, Robots, Rules, Verdict};
use comity_fetch::{CheckError, CheckOutcome, Client, Decision, SiteRobots};

use crate::answer::{CheckRow, Explain, SiteRef, verdict_or_policy};
use crate::crawler_query::CrawlerQuery;
use crate::lines;
use crate::operator::{OperatorAnswer, OperatorAnswers, OperatorQuestion, Readings};
use crate::question::{Question, Questions};

/// Questions put to a file that is at hand: who asks, about which URLs.
#[derive(Debug)]
pub struct FileCheck {
    body: Vec<u8>,
    robots: Robots,
    askers: Vec<CrawlerQuery>,
    /// Of each asker.
    rules: Vec<Rules>,
    questions: Questions,
    /// The lines of the file, once one is wanted.
    lines: OnceCell<Vec<String>>,
    /// The file as the askers' operators read it.
    readings: RefCell<Readings>,
}

/// A question and its answer.
#[derive(Clone, Copy, Debug)]
#[must_use]
#[non_exhaustive]
pub struct Answered<'a> {
    /// About which URL.
    pub question: &'a Question,
    /// Who asks.
    pub asker: &'a CrawlerQuery,
    /// The asker's rules.
    pub rules: &'a Rules,
    /// The answer.
    pub verdict: Verdict,
}

impl Answered<'_> {
    /// Whether it is yes or no.
    #[must_use]
    pub fn has_verdict(&self) -> bool {
        self.verdict.is_allowed() || self.verdict.is_disallowed()
    }
}

impl FileCheck {
    /// Parses the file and compiles each asker's rules.
    pub fn new(body: Vec<u8>, dialect: &Dialect, askers: Vec<CrawlerQuery>, questions: Questions) -> Self {
        let robots = Robots::parse_with(&body, dialect);
        let rules = askers.iter().map(|asker| robots.rules_for(&asker.crawler())).collect();
        Self { body, robots, askers, rules, questions, lines: OnceCell::new(), readings: RefCell::default() }
    }

    /// The file's bytes.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// The file, parsed.
    pub fn robots(&self) -> &Robots {
        &self.robots
    }

    /// Who asks.
    pub fn askers(&self) -> &[CrawlerQuery] {
        &self.askers
    }

    /// The URLs, and whose file it is.
    pub fn questions(&self) -> &Questions {
        &self.questions
    }

    /// By URL, then by crawler; each is worked out when its turn comes.
    pub fn answers(&self) -> impl Iterator<Item = Answered<'_>> {
        let dialect = self.robots.dialect();
        self.questions.list.iter().flat_map(move |question| {
            let asked = question.asked_in(dialect);
            let foreign = (!self.questions.is_in_scope(question)).then(Verdict::out_of_scope);
            self.askers.iter().zip(&self.rules).map(move |(asker, rules)| Answered {
                question,
                asker,
                rules,
                verdict: foreign.unwrap_or_else(|| rules.check(asked)),
            })
        })
    }

    /// The reasons of an answer.
    pub fn explain(&self, answer: &Answered<'_>) -> Explanation {
        self.robots.explain(&answer.asker.crawler(), answer.question.asked_in(self.robots.dialect()))
    }

    /// Returns the answer by the dialect of the crawler's own operator, if it is another one.
    #[must_use]
    pub fn operator_answer(&self, answer: &Answered<'_>) -> Option<OperatorAnswer> {
        let used = self.robots.dialect();
        let asked = |dialect: &Dialect| answer.question.asked_in(dialect);
        let question = OperatorQuestion::new(answer.asker.profile()?, used, answer.verdict)?;
        self.readings.borrow_mut().answer(&self.body, &question, asked)
    }

    /// A line of the file as it stands.
    #[must_use]
    pub fn line(&self, number: u32) -> Option<&str> {
        let lines = self.lines.get_or_init(|| lines::shown(&self.body, self.robots.dialect()));
        lines.get(number as usize - 1).map(String::as_str)
    }

    /// An answer, with what it was asked for.
    pub fn row<'a>(&'a self, answer: &Answered<'a>, explain: Explain) -> CheckRow<'a> {
        let delay = answer.rules.crawl_delay().filter(|_| answer.has_verdict());
        CheckRow {
            url: &answer.question.typed,
            asked: answer.question.asked_in(self.robots.dialect()),
            agent: answer.asker.token(),
            known: answer.asker.profile().is_some(),
            site: None,
            verdict: answer.verdict.into(),
            text: answer.verdict.line().and_then(|number| self.line(number)).map(Cow::Borrowed),
            crawl_delay: delay.map(|found| found.delay.as_secs_f64()),
            operator_answer: self.operator_answer(answer),
            error: None,
            explanation: explain.of(|| answer.has_verdict().then(|| self.explain(answer))),
        }
    }
}

/// Questions put to the sites' own files, fetched or remembered by a client.
#[derive(Clone, Debug)]
pub struct LiveCheck {
    client: Client,
    dialect: Dialect,
    askers: Vec<CrawlerQuery>,
    questions: Questions,
    operators: Arc<OperatorAnswers>,
}

impl LiveCheck {
    /// The dialect must be the one that the client reads files in.
    pub fn new(client: Client, dialect: &Dialect, askers: Vec<CrawlerQuery>, questions: Questions) -> Self {
        Self { client, dialect: *dialect, askers, questions, operators: Arc::default() }
    }

    /// The client.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// How files are read.
    pub fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    /// Who asks.
    pub fn askers(&self) -> &[CrawlerQuery] {
        &self.askers
    }

    /// The URLs.
    pub fn questions(&self) -> &Questions {
        &self.questions
    }

    /// Returns the robots.txt of a question's site. Fetches it if what is remembered is no longer good.
    pub async fn find(&self, question: &Question) -> Result<SiteRobots, CheckError> {
        match question.on_site(self.questions.site.as_ref()) {
            Some(url) => self.client.robots(&url).await,
            None => self.client.robots(&question.typed).await,
        }
    }

    /// Decides a question by the robots.txt of its site.
    pub fn decide(&self, site: &SiteRobots, question: &Question, asker: &CrawlerQuery) -> Decision {
        site.check_as_is(&asker.crawler(), question.asked_in(&self.dialect))
    }

    /// Returns the answer by the dialect of the crawler's own operator, if rules decided and it is another one.
    #[must_use]
    pub fn operator_answer(
        &self,
        decision: &Decision,
        question: &Question,
        asker: &CrawlerQuery,
    ) -> Option<OperatorAnswer> {
        let asked_in = |dialect: &Dialect| question.asked_in(dialect);
        let differing = OperatorQuestion::new(asker.profile()?, &self.dialect, decision.verdict()?)?;
        self.operators.answer(decision.site(), &differing, asked_in)
    }

    /// The reasons of a decision, if rules decided.
    #[must_use]
    pub fn explain(&self, decision: &Decision, question: &Question, asker: &CrawlerQuery) -> Option<Explanation> {
        explain(decision, &asker.crawler(), question.asked_in(&self.dialect))
    }

    /// An answer, with what it was asked for; or why there is none.
    pub fn row<'a>(
        &'a self,
        question: &'a Question,
        asker: &'a CrawlerQuery,
        found: &Result<SiteRobots, CheckError>,
        explain: Explain,
    ) -> (CheckRow<'a>, Option<Decision>) {
        let site = found.as_ref().ok();
        let decision = site.map(|site| self.decide(site, question, asker));
        let decided = decision.as_ref().filter(|decision| decision.verdict().is_some());
        let delay = decided.and_then(|decision| decision.site().robots().crawl_delay(&asker.crawler()));
        let row = CheckRow {
            url: &question.typed,
            asked: question.asked_in(&self.dialect),
            agent: asker.token(),
            known: asker.profile().is_some(),
            site: Some(SiteRef { origin: site.map(|site| Cow::Owned(site.origin().to_string())) }),
            text: decision
                .as_ref()
                .and_then(|decision| deciding_line(decision.site(), &decision.outcome()))
                .map(|line| Cow::Owned(line.into_owned())),
            verdict: verdict_or_policy(decision.as_ref().map(Decision::outcome).as_ref()),
            crawl_delay: delay.map(|found| found.delay.as_secs_f64()),
            operator_answer: decision.as_ref().and_then(|decision| self.operator_answer(decision, question, asker)),
            error: found.as_ref().err().map(ToString::to_string),
            explanation: explain.of(|| self.explain(decision.as_ref()?, question, asker)),
        };
        (row, decision)
    }
}

/// The reasons of a decision, if rules decided.
fn explain(decision: &Decision, crawler: &Crawler<'_>, asked: &str) -> Option<Explanation> {
    let verdict = decision.verdict()?;
    let has_verdict = verdict.is_allowed() || verdict.is_disallowed();
    has_verdict.then(|| decision.site().robots().explain(crawler, asked))
}

/// The line that decides, as it stands in the site's copy.
#[must_use]
pub fn deciding_line<'k>(site: &'k SiteRobots, outcome: &CheckOutcome) -> Option<Cow<'k, str>> {
    Some(match site.line(outcome.verdict()?.line()?)? {
        Cow::Borrowed(line) => lines::show(line),
        Cow::Owned(line) => Cow::Owned(lines::show(&line).into_owned()),
    })
}
