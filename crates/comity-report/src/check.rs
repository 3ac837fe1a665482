//! One way to ask: questions, crawlers, and the robots.txt files that answer, given or found by a client.

use std::sync::Arc;

use comity::{Answer, CrawlDelay, Dialect, Explanation, Origin, Rules, Verdict};
use comity_fetch::{Access, CheckError, CheckOutcome, Client, SiteRobots};

use crate::answer::{CheckRow, Explain, SiteRef, verdict_or_policy};
use crate::crawler_query::CrawlerQuery;
use crate::operator::{OperatorAnswer, OperatorAnswers, OperatorQuestion};
use crate::question::{Question, Questions};
use crate::refusal::is_unanswered;

/// A set of questions: whether each of some crawlers may fetch each of some URLs.
///
/// A [`SiteRobots`] answers, no matter where it comes from: [`given`](Self::given) makes one of a file,
/// [`without_file`](Self::without_file) one of an access, and [`find`](Self::find) asks a client.
///
/// ```
/// use comity::Dialect;
/// use comity_report::{Check, Explain, Question, Questions, crawler_queries};
///
/// let urls = vec![Question::new("https://shop.example/cart", false)?];
/// let crawlers = crawler_queries(&["ExampleBot"], None)?;
/// let check = Check::new(&Dialect::STANDARD, crawlers, Questions::of_file(urls, None)?);
/// let site = check.given(*b"User-agent: *\nDisallow: /cart\n");
/// let row = check.answers(Ok(&site)).next().unwrap().row(Explain::Not);
/// assert_eq!(row.text.as_deref(), Some("Disallow: /cart"));
/// # Ok::<(), comity_report::AskError>(())
/// ```
#[derive(Debug)]
pub struct Check {
    dialect: Dialect,
    crawlers: Vec<CrawlerQuery>,
    questions: Questions,
    refusal: &'static str,
    operators: OperatorAnswers,
}

impl Check {
    /// Creates a check. `dialect` must be the one in which all files are read.
    pub fn new(dialect: &Dialect, crawlers: Vec<CrawlerQuery>, questions: Questions) -> Self {
        let refusal = "the address rules of the client refuse to connect there, so the site has not answered";
        Self { dialect: *dialect, crawlers, questions, refusal, operators: OperatorAnswers::default() }
    }

    /// Sets the error of an answer about a site that the client's address rules refuse. Defaults to a sentence that
    /// names no option.
    #[must_use]
    pub fn with_refusal(self, refusal: &'static str) -> Self {
        Self { refusal, ..self }
    }

    /// Returns the dialect in which files are read.
    pub fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    /// Returns the crawlers to check for.
    pub fn crawlers(&self) -> &[CrawlerQuery] {
        &self.crawlers
    }

    /// Returns the URLs, and the site that paths belong to.
    pub fn questions(&self) -> &Questions {
        &self.questions
    }

    /// Returns a given file as the robots.txt of the questions' site. The whole file is parsed.
    pub fn given(&self, body: impl Into<Arc<[u8]>>) -> SiteRobots {
        SiteRobots::given(&self.site(), body, &self.dialect)
    }

    /// Returns the questions' site without a file, by the access that applies instead of rules.
    pub fn without_file(&self, access: Access) -> SiteRobots {
        SiteRobots::without_file(&self.site(), access)
    }

    /// Returns the site of the questions, or a placeholder: a given file may answer paths of a site that nobody named.
    fn site(&self) -> Origin {
        let placeholder = || Origin::from_normalized("http://site.invalid").expect("a normalized origin");
        self.questions.site.clone().unwrap_or_else(placeholder)
    }

    /// Returns the robots.txt of a question's site, from memory, from the store, or fetched.
    ///
    /// # Errors
    ///
    /// Those of [`Client::robots`].
    pub async fn find(&self, client: &Client, question: &Question) -> Result<SiteRobots, CheckError> {
        match question.on_site(self.questions.site.as_ref()) {
            Some(url) => client.robots(&url).await,
            None => client.robots(&question.typed).await,
        }
    }

    /// Returns the answers of one robots.txt to all questions, by URL, then by crawler. They are computed lazily.
    pub fn answers<'a>(&'a self, found: Result<&'a SiteRobots, &'a CheckError>) -> impl Iterator<Item = Answered<'a>> {
        self.questions.list.iter().flat_map(move |question| self.answers_to(question, found))
    }

    /// Returns the answers of a robots.txt to one question, by crawler. The question need not be one of the check.
    pub fn answers_to<'a>(
        &'a self,
        question: &'a Question,
        found: Result<&'a SiteRobots, &'a CheckError>,
    ) -> impl Iterator<Item = Answered<'a>> {
        self.crawlers.iter().map(move |crawler| Answered::new(self, question, crawler, found))
    }
}

/// A question about one URL and one crawler, and its answer.
#[derive(Clone, Copy, Debug)]
#[must_use]
#[non_exhaustive]
pub struct Answered<'a> {
    check: &'a Check,
    /// The URL that was checked.
    pub question: &'a Question,
    /// The crawler that the URL was checked for.
    pub crawler: &'a CrawlerQuery,
    /// The robots.txt that answers, or the reason why there is none.
    pub site: Result<&'a SiteRobots, &'a CheckError>,
    outcome: Option<CheckOutcome>,
    crawl_delay: Option<CrawlDelay>,
}

impl<'a> Answered<'a> {
    pub(crate) fn new(
        check: &'a Check,
        question: &'a Question,
        crawler: &'a CrawlerQuery,
        site: Result<&'a SiteRobots, &'a CheckError>,
    ) -> Self {
        let (mut outcome, mut crawl_delay) = (None, None);
        if let Ok(site) = site {
            let (asker, dialect) = (crawler.as_crawler(), &check.dialect);
            // The site of a given file may be a placeholder. No URL is parsed here: that alone would make the module of the
            // page without a service larger by a third.
            let scope = if site.is_given() { check.questions.site.as_ref() } else { Some(site.origin()) };
            if !question.is_in_scope_of(scope) {
                outcome = Some(CheckOutcome::out_of_scope());
            } else if site.is_given() {
                let rules = site.rules_for(&asker);
                outcome = Some(rules.check_here(question.asked_in(dialect)));
                crawl_delay = rules.rules().and_then(Rules::crawl_delay);
            } else {
                let found = site.check_here(&asker, &question.asked_on(site.origin(), dialect));
                outcome = Some(found);
                crawl_delay = found.verdict().and_then(|_| site.robots().crawl_delay(&asker));
            }
        }
        let answered = Self { check, question, crawler, site, outcome, crawl_delay };
        Self { crawl_delay: crawl_delay.filter(|_| answered.by_rules().is_some()), ..answered }
    }

    /// Returns the answer. `None` if there is no robots.txt, or if the client's address rules refused the site: that is
    /// no answer of the site.
    #[must_use]
    pub fn answer(&self) -> Option<Answer> {
        self.outcome().map(|outcome| outcome.answer())
    }

    /// Returns the answer with the verdict that it is based on, if there is an [answer](Self::answer).
    pub fn outcome(&self) -> Option<CheckOutcome> {
        let site = self.site.ok()?;
        self.outcome.filter(|outcome| !is_unanswered(site, outcome))
    }

    /// Returns the verdict, if rules decided; `None` if a policy did, or if there is no answer.
    pub fn verdict(&self) -> Option<Verdict> {
        self.outcome?.verdict()
    }

    /// Returns the verdict if it allows or disallows.
    fn by_rules(&self) -> Option<Verdict> {
        self.verdict().filter(|verdict| verdict.is_allowed() || verdict.is_disallowed())
    }

    /// Returns the reasons, if rules allow or disallow.
    #[must_use]
    pub fn explanation(&self) -> Option<Explanation> {
        let robots = self.by_rules().and(self.site.ok())?.robots();
        Some(robots.explain(&self.crawler.as_crawler(), self.question.asked_in(&self.check.dialect)))
    }

    /// Returns the delay that the file asks the crawler to keep between requests, if rules allow or disallow.
    #[must_use]
    pub fn crawl_delay(&self) -> Option<CrawlDelay> {
        self.crawl_delay
    }

    /// Returns the answer by the dialect of the crawler's own operator, if rules decided and it is another one.
    #[must_use]
    pub fn operator_answer(&self) -> Option<OperatorAnswer> {
        let differing = OperatorQuestion::new(self.crawler.profile()?, &self.check.dialect, self.verdict()?)?;
        self.check.operators.answer(self.site.ok()?, &differing, |dialect| self.question.asked_in(dialect))
    }

    /// Returns the row of the answer, as JSON and CSV show it.
    pub fn row(&self, explain: Explain) -> CheckRow<'a> {
        let (question, crawler) = (self.question, self.crawler);
        let (asked, agent) = (question.shown_in(&self.check.dialect), crawler.token());
        let row = match (self.site, &self.outcome) {
            (Ok(site), Some(outcome)) => {
                CheckRow::of_site(&question.typed, asked, agent, site, outcome, self.check.refusal)
            }
            (site, _) => CheckRow {
                site: Some(SiteRef { origin: None }),
                error: site.err().map(ToString::to_string),
                ..CheckRow::new(&question.typed, asked, agent, verdict_or_policy(None))
            },
        };
        CheckRow {
            known: crawler.profile().is_some(),
            crawl_delay: self.crawl_delay.map(|found| found.delay.as_secs_f64()),
            operator_answer: self.operator_answer(),
            explanation: explain.of(|| self.explanation()),
            ..row
        }
    }
}
