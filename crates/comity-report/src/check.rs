//! Questions that are answered by a given file, or by the files of the sites themselves.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::sync::Arc;

use comity::{Crawler, Dialect, Explanation, Robots, Rules, Verdict};
use comity_fetch::{CheckError, Client, Decision, SiteRobots};

use crate::answer::{CheckRow, Explain, SiteRef, verdict_or_policy};
use crate::copy::CopyFacts;
use crate::crawler_query::CrawlerQuery;
use crate::document::CheckDocument;
use crate::lines;
use crate::operator::{OperatorAnswer, OperatorAnswers, OperatorQuestion, Readings};
use crate::question::{Question, Questions};

/// Questions that are answered by a given file: crawlers, and the URLs to check for each of them.
#[derive(Debug)]
pub struct FileCheck {
    body: Vec<u8>,
    robots: Robots,
    crawlers: Vec<CrawlerQuery>,
    /// The compiled rules of each crawler, in the order of `crawlers`.
    rules: Vec<Rules>,
    questions: Questions,
    /// The lines of the file in printable form, computed when the first one is needed.
    lines: OnceCell<Vec<String>>,
    /// The file as parsed in the dialects of the crawlers' operators.
    readings: RefCell<Readings>,
}

/// A question and its answer.
#[derive(Clone, Copy, Debug)]
#[must_use]
#[non_exhaustive]
pub struct Answered<'a> {
    /// The URL that was checked.
    pub question: &'a Question,
    /// The crawler that the URL was checked for.
    pub crawler: &'a CrawlerQuery,
    /// The rules of the crawler.
    pub rules: &'a Rules,
    /// The answer.
    pub verdict: Verdict,
}

impl Answered<'_> {
    /// Returns true if the answer is allowed or disallowed.
    #[must_use]
    pub fn has_verdict(&self) -> bool {
        self.verdict.is_allowed() || self.verdict.is_disallowed()
    }
}

impl FileCheck {
    /// Parses the file and compiles the rules of each crawler.
    pub fn new(body: Vec<u8>, dialect: &Dialect, crawlers: Vec<CrawlerQuery>, questions: Questions) -> Self {
        let robots = Robots::parse_with(&body, dialect);
        let rules = crawlers.iter().map(|crawler| robots.rules_for(&crawler.as_crawler())).collect();
        Self { body, robots, crawlers, rules, questions, lines: OnceCell::new(), readings: RefCell::default() }
    }

    /// Returns the bytes of the file.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// Returns the parsed file.
    pub fn robots(&self) -> &Robots {
        &self.robots
    }

    /// Returns the crawlers to check for.
    pub fn crawlers(&self) -> &[CrawlerQuery] {
        &self.crawlers
    }

    /// Returns the URLs, and the site of the file.
    pub fn questions(&self) -> &Questions {
        &self.questions
    }

    /// Returns the document of all answers. `answers` is the list of their rows, or serializes as one.
    pub fn document<R>(&self, answers: R) -> CheckDocument<'_, R> {
        let document = CheckDocument::without_fetch(self.robots.dialect(), &self.questions, answers);
        CheckDocument { size: Some(self.robots.size()), copy: Some(CopyFacts::given(&self.body)), ..document }
    }

    /// Returns the answers by URL, then by crawler. They are computed lazily.
    pub fn answers(&self) -> impl Iterator<Item = Answered<'_>> {
        self.questions.list.iter().flat_map(|question| self.answers_to(question))
    }

    /// Returns the answers to another question, by crawler. They are computed lazily. A URL of another site than that
    /// of the questions is out of scope.
    pub fn answers_to<'a>(&'a self, question: &'a Question) -> impl Iterator<Item = Answered<'a>> {
        let asked = question.asked_in(self.robots.dialect());
        let foreign = (!self.questions.is_in_scope(question)).then(Verdict::out_of_scope);
        self.crawlers.iter().zip(&self.rules).map(move |(crawler, rules)| Answered {
            question,
            crawler,
            rules,
            verdict: foreign.unwrap_or_else(|| rules.check(asked)),
        })
    }

    /// Returns the reasons for an answer.
    pub fn explain(&self, answer: &Answered<'_>) -> Explanation {
        self.robots.explain(&answer.crawler.as_crawler(), answer.question.asked_in(self.robots.dialect()))
    }

    /// Returns the answer by the dialect of the crawler's own operator, if it is another one.
    #[must_use]
    pub fn operator_answer(&self, answer: &Answered<'_>) -> Option<OperatorAnswer> {
        let used = self.robots.dialect();
        let asked = |dialect: &Dialect| answer.question.asked_in(dialect);
        let question = OperatorQuestion::new(answer.crawler.profile()?, used, answer.verdict)?;
        self.readings.borrow_mut().answer(&self.body, &question, asked)
    }

    /// Returns a line of the file in printable form, without white space at its ends.
    #[must_use]
    pub fn line(&self, number: u32) -> Option<&str> {
        let lines = self.lines.get_or_init(|| lines::shown(&self.body, self.robots.dialect()));
        lines.get(number as usize - 1).map(String::as_str)
    }

    /// Returns the document of an answer, with its question.
    pub fn row<'a>(&'a self, answer: &Answered<'a>, explain: Explain) -> CheckRow<'a> {
        let delay = answer.rules.crawl_delay().filter(|_| answer.has_verdict());
        CheckRow {
            url: &answer.question.typed,
            asked: answer.question.shown_in(self.robots.dialect()),
            agent: answer.crawler.token(),
            known: answer.crawler.profile().is_some(),
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

/// Questions that are answered by the files of the sites themselves, which a client fetches or has stored.
#[derive(Clone, Debug)]
pub struct LiveCheck {
    client: Client,
    dialect: Dialect,
    crawlers: Vec<CrawlerQuery>,
    questions: Questions,
    operators: Arc<OperatorAnswers>,
    /// The error of an answer about a site that the client's address rules refuse.
    refusal: &'static str,
}

impl LiveCheck {
    /// Creates a check. `dialect` must be the one in which the client parses files. `refusal` is the error of an answer
    /// about a site that the client's address rules refuse.
    pub fn new(
        client: Client,
        dialect: &Dialect,
        crawlers: Vec<CrawlerQuery>,
        questions: Questions,
        refusal: &'static str,
    ) -> Self {
        Self { client, dialect: *dialect, crawlers, questions, operators: Arc::default(), refusal }
    }

    /// Returns the client.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Returns the dialect in which files are parsed.
    pub fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    /// Returns the crawlers to check for.
    pub fn crawlers(&self) -> &[CrawlerQuery] {
        &self.crawlers
    }

    /// Returns the URLs.
    pub fn questions(&self) -> &Questions {
        &self.questions
    }

    /// Returns the robots.txt of a question's site. Fetches it if the stored copy has expired.
    pub async fn find(&self, question: &Question) -> Result<SiteRobots, CheckError> {
        match question.on_site(self.questions.site.as_ref()) {
            Some(url) => self.client.robots(&url).await,
            None => self.client.robots(&question.typed).await,
        }
    }

    /// Decides a question by the robots.txt of its site.
    pub fn decide(&self, site: &SiteRobots, question: &Question, crawler: &CrawlerQuery) -> Decision {
        site.check_as_is(&crawler.as_crawler(), &question.asked_on(site.origin(), &self.dialect))
    }

    /// Returns the answer by the dialect of the crawler's own operator, if rules decided and it is another one.
    #[must_use]
    pub fn operator_answer(
        &self,
        decision: &Decision,
        question: &Question,
        crawler: &CrawlerQuery,
    ) -> Option<OperatorAnswer> {
        let asked_in = |dialect: &Dialect| question.asked_in(dialect);
        let differing = OperatorQuestion::new(crawler.profile()?, &self.dialect, decision.verdict()?)?;
        self.operators.answer(decision.site(), &differing, asked_in)
    }

    /// Returns the reasons for a decision, if rules decided.
    #[must_use]
    pub fn explain(&self, decision: &Decision, question: &Question, crawler: &CrawlerQuery) -> Option<Explanation> {
        explain(decision, &crawler.as_crawler(), question.asked_in(&self.dialect))
    }

    /// Returns the document of an answer, with its question, and the decision that it is based on. If the site's file
    /// was not found, the document contains the error and there is no decision.
    pub fn row<'a>(
        &'a self,
        question: &'a Question,
        crawler: &'a CrawlerQuery,
        found: &'a Result<SiteRobots, CheckError>,
        explain: Explain,
    ) -> (CheckRow<'a>, Option<Decision>) {
        let (asked, agent) = (question.shown_in(&self.dialect), crawler.token());
        let known = crawler.profile().is_some();
        let site = match found {
            Ok(site) => site,
            Err(error) => {
                let row = CheckRow {
                    known,
                    site: Some(SiteRef { origin: None }),
                    error: Some(error.to_string()),
                    ..CheckRow::new(&question.typed, asked, agent, verdict_or_policy(None))
                };
                return (row, None);
            }
        };
        let decision = self.decide(site, question, crawler);
        let delay = decision.verdict().and_then(|_| site.robots().crawl_delay(&crawler.as_crawler()));
        let row = CheckRow {
            known,
            crawl_delay: delay.map(|found| found.delay.as_secs_f64()),
            operator_answer: self.operator_answer(&decision, question, crawler),
            explanation: explain.of(|| self.explain(&decision, question, crawler)),
            ..CheckRow::of_site(&question.typed, asked, agent, site, &decision.outcome(), self.refusal)
        };
        (row, Some(decision))
    }
}

/// Returns the reasons for a decision, if rules decided.
fn explain(decision: &Decision, crawler: &Crawler<'_>, asked: &str) -> Option<Explanation> {
    let verdict = decision.verdict()?;
    let has_verdict = verdict.is_allowed() || verdict.is_disallowed();
    has_verdict.then(|| decision.site().robots().explain(crawler, asked))
}
