//! The answers of one robots.txt to one question, and the output that they are written to.

use std::cell::RefCell;
use std::io::{self, BufWriter, StdoutLock, Write};
use std::rc::Rc;

use anstream::AutoStream;
use comity::Answer;
use comity_fetch::{CheckError, SiteRobots};
use comity_report::{Answered, Check, CheckRow, CrawlerQuery, Explain, Question, verdict_or_policy};

use crate::input::rows::Invalid;
use crate::outcome::Outcome;

/// A question and the robots.txt that answers it, or an entry of a list that is no URL.
pub(super) enum Found {
    Site(Question, Result<SiteRobots, CheckError>),
    Invalid(Invalid),
}

/// The answer for one crawler, or an entry of a list that is no URL.
#[derive(Clone, Copy)]
pub(super) enum Item<'a> {
    Answer(Answered<'a>),
    Invalid(&'a Invalid, &'a CrawlerQuery),
}

impl Found {
    /// Returns the answers, by crawler.
    pub(super) fn items<'a>(&'a self, check: &'a Check) -> impl Iterator<Item = Item<'a>> {
        let (answers, invalid) = match self {
            Self::Site(question, site) => (Some(check.answers_to(question, site.as_ref())), None),
            Self::Invalid(invalid) => (None, Some(check.crawlers().iter().map(move |one| Item::Invalid(invalid, one)))),
        };
        answers.into_iter().flatten().map(Item::Answer).chain(invalid.into_iter().flatten())
    }

    /// Returns the outcome of the answers.
    pub(super) fn outcome(&self, check: &Check) -> Outcome {
        self.items(check).map(|item| Outcome::of(item.answer())).max().unwrap_or(Outcome::Yes)
    }
}

impl<'a> Item<'a> {
    pub(super) fn answer(&self) -> Option<Answer> {
        match self {
            Self::Answer(answer) => answer.answer(),
            Self::Invalid(..) => None,
        }
    }

    pub(super) fn row(&self, explain: Explain) -> CheckRow<'a> {
        match self {
            Self::Answer(answer) => answer.row(explain),
            Self::Invalid(invalid, asker) => {
                let mut row = CheckRow::new(&invalid.typed, &invalid.typed, asker.token(), verdict_or_policy(None));
                row.known = asker.profile().is_some();
                row.error = Some(invalid.error.clone());
                row
            }
        }
    }
}

/// Standard output, which is flushed before a list is read on, and before a site is waited for.
#[derive(Clone)]
pub(super) struct Out(Rc<RefCell<BufWriter<AutoStream<StdoutLock<'static>>>>>);

impl Out {
    pub(super) fn new() -> Self {
        Self(Rc::new(RefCell::new(BufWriter::new(anstream::stdout().lock()))))
    }

    /// Flushes the output. The next write reports an error again.
    pub(super) fn show(&self) {
        let _ = self.clone().flush();
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.borrow_mut().flush()
    }
}
