//! Questions about a site whose access does not depend on rules. The result of the fetch answers them.

use comity::{Dialect, Verdict};
use comity_fetch::{Access, CheckOutcome};

use crate::answer::{CheckRow, verdict_or_policy};
use crate::crawler_query::CrawlerQuery;
use crate::document::CheckDocument;
use crate::question::{Question, Questions};

/// Questions about a site without rules, where one answer applies to all of its URLs.
#[derive(Clone, Debug)]
pub struct AccessCheck {
    access: Access,
    dialect: Dialect,
    crawlers: Vec<CrawlerQuery>,
    questions: Questions,
}

impl AccessCheck {
    /// Creates a check by the access to a site without rules. `dialect` determines the form in which URLs are shown.
    pub fn new(access: Access, dialect: &Dialect, crawlers: Vec<CrawlerQuery>, questions: Questions) -> Self {
        Self { access, dialect: *dialect, crawlers, questions }
    }

    /// Returns the URLs, and the site that paths belong to.
    pub fn questions(&self) -> &Questions {
        &self.questions
    }

    /// Returns the document of all answers. `answers` is the list of their rows, or serializes as one.
    pub fn document<R>(&self, answers: R) -> CheckDocument<'_, R> {
        CheckDocument::without_fetch(&self.dialect, &self.questions, answers)
    }

    /// Returns the answers by URL, then by crawler. A URL of another site is out of scope.
    pub fn rows(&self) -> impl Iterator<Item = CheckRow<'_>> {
        let crawlers = &self.crawlers;
        self.questions
            .list
            .iter()
            .flat_map(move |question| crawlers.iter().map(move |crawler| self.row(question, crawler)))
    }

    fn row<'a>(&'a self, question: &'a Question, crawler: &'a CrawlerQuery) -> CheckRow<'a> {
        let url = question.asked_in(&self.dialect);
        let verdict = if self.questions.is_in_scope(question) {
            verdict_or_policy(Some(&CheckOutcome::without_rules(self.access, crawler.as_crawler().governed(), url)))
        } else {
            Verdict::out_of_scope().into()
        };
        CheckRow {
            known: crawler.profile().is_some(),
            ..CheckRow::new(&question.typed, question.shown_in(&self.dialect), crawler.token(), verdict)
        }
    }
}
