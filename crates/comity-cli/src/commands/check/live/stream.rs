//! The questions, with the robots.txt files of their sites, which are found many at a time.

use std::io::IsTerminal;
use std::pin::pin;
use std::thread;
use std::time::Duration;

use anyhow::Result;
use comity_fetch::{CheckError, SiteRobots};
use comity_report::Question;
use futures_util::{Stream, StreamExt, stream};
use indicatif::{ProgressBar, ProgressStyle};
use tokio::sync::mpsc;

use super::Check;
use crate::input::rows::{Asked, Invalid, Rows};
use crate::outcome::Lost;
use crate::render::waiting::Waiting;

/// The number of questions that wait for their sites at the same time. The client limits fetches separately.
const MAX_CONCURRENT_QUESTIONS: usize = 512;

/// A question and the robots.txt of its site, or an entry of a list that is no URL.
pub(super) enum Found {
    Site(Question, Result<SiteRobots, CheckError>),
    Invalid(Invalid),
}

/// The display on standard error while answers are waited for.
pub(super) enum Progress {
    Bar(ProgressBar),
    /// A line, for each answer that takes long.
    Line,
    Nothing,
}

impl Progress {
    pub(super) fn is_bar(&self) -> bool {
        matches!(self, Self::Bar(_))
    }

    async fn next(&self, found: &mut (impl Stream<Item = Found> + Unpin)) -> Option<Found> {
        match self {
            Self::Line => Waiting::until("the next answer", found.next()).await,
            Self::Bar(_) | Self::Nothing => found.next().await,
        }
    }
}

impl Check {
    /// Finds the robots.txt of a question's site.
    ///
    /// A refusal by our own address rules is cached like any failure, but the rules may have changed since. So a
    /// refusal from before this run is tried again. The site sees no request as long as it is refused.
    pub(super) async fn find(&self, question: &Question) -> Result<SiteRobots, CheckError> {
        let site = self.asked.find(question).await?;
        let is_old = site.attempt().is_some_and(|attempt| attempt.ended < self.began);
        if comity_report::is_refused(&site) && is_old && !self.asked.client().is_offline() {
            return self.asked.client().fetch(site.origin()).await;
        }
        Ok(site)
    }

    /// Passes all questions to `put`, in their order, with the files of their sites. Returns the lists that could not
    /// be read.
    pub(super) async fn each(&self, progress: &Progress, mut put: impl FnMut(Found) -> Result<()>) -> Result<Lost> {
        let (sender, mut listed) = mpsc::channel(MAX_CONCURRENT_QUESTIONS);
        // Reading a pipe may take long, and must not delay the answers.
        let reader = self.lists.clone().map(|(lists, raw)| {
            thread::spawn(move || {
                let mut rows = Rows::new(&lists, raw);
                for asked in rows.by_ref() {
                    if sender.blocking_send(asked).is_err() {
                        break;
                    }
                }
                rows.lost
            })
        });
        let listed = stream::poll_fn(move |context| listed.poll_recv(context));
        let found = stream::iter(self.questions().iter().cloned().map(Asked::Url))
            .chain(listed)
            .map(async |asked| match asked {
                Asked::Url(question) => {
                    let site = self.find(&question).await;
                    Found::Site(question, site)
                }
                Asked::Invalid(invalid) => Found::Invalid(invalid),
            })
            .buffered(MAX_CONCURRENT_QUESTIONS);
        let mut found = pin!(found);
        while let Some(found) = progress.next(&mut found).await {
            if let Progress::Bar(bar) = progress {
                bar.inc(1);
            }
            put(found)?;
        }
        if let Progress::Bar(bar) = progress {
            bar.finish_and_clear();
        }
        Ok(reader.map_or_else(Lost::default, Lost::join))
    }

    /// Returns a bar; or lines, if the user sees rows of the table appear, or if there are only a few questions.
    pub(super) fn progress(&self, shows_rows: bool) -> Progress {
        /// Fewer questions than this are answered before a bar is useful.
        const MIN_QUESTIONS_FOR_BAR: usize = 20;
        let questions = self.questions().len();
        let sees_rows = shows_rows && std::io::stdout().is_terminal();
        let is_small = self.lists.is_none() && questions < MIN_QUESTIONS_FOR_BAR;
        if is_small || sees_rows || !std::io::stderr().is_terminal() {
            return Progress::Line;
        }
        let (bar, template) = if self.lists.is_some() {
            (ProgressBar::no_length(), "{pos} URLs, {elapsed}")
        } else {
            (ProgressBar::new(questions as u64), "{bar:40} {pos} of {len} URLs, {elapsed}")
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        // Without ticks, nothing is drawn before the first answer.
        bar.enable_steady_tick(Duration::from_secs(1));
        Progress::Bar(bar)
    }
}
