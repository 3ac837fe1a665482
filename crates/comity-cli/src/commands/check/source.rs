//! The files that answer: one that was given, or those of the sites, which are found many at a time.

use std::io::IsTerminal;
use std::mem;
use std::pin::pin;
use std::thread;
use std::time::{Duration, SystemTime};

use anyhow::Result;
use comity::Origin;
use comity_fetch::{CheckError, Client, SiteRobots, Stats, Time};
use comity_report::{Check, Question, Questions};
use futures_util::{Stream, StreamExt, stream};
use indicatif::{ProgressBar, ProgressStyle};
use tokio::runtime::Runtime;
use tokio::sync::mpsc;

use super::answers::{Found, Out};
use crate::args::{self, UrlLists};
use crate::input::rows::{Asked, Invalid, MAX_AHEAD, Rows};
use crate::input::{file, live, question};
use crate::outcome::Lost;
use crate::render::waiting::Waiting;

/// The number of questions that wait for their sites at the same time. The client limits fetches separately.
const MAX_CONCURRENT_QUESTIONS: usize = 512;

pub(super) enum Source {
    Given(Box<Given>),
    Sites(Box<Live>),
}

/// A file, and the lists with more URLs.
pub(super) struct Given {
    /// The name of the file in messages.
    pub(super) name: String,
    pub(super) site: SiteRobots,
    rows: Rows,
}

/// A client that finds the files of sites.
pub(super) struct Live {
    client: Client,
    /// The lists with more URLs, and true if their URLs are used unchanged.
    lists: Option<(UrlLists, bool)>,
    began: Time,
    is_quiet: bool,
    /// `None` after the last answer.
    runtime: Option<Runtime>,
}

impl Source {
    /// Returns the source that the arguments name, and the questions in them. Returns `None` if the only lists could not
    /// be read, which was reported.
    pub(super) fn new(args: &args::Check) -> Result<Option<(Self, Questions)>> {
        let (dialect, origin) = (args.dialect.dialect, args.origin.as_deref());
        if args.robots.is_some() {
            let (name, body) = match &args.robots {
                Some(path) if args.quiet => (file::name(path), file::read_robots(path, &dialect)?),
                path => file::robots(path.as_deref(), &dialect)?,
            };
            let mut rows = Rows::new(&args.lists, args.raw);
            let questions = question::of_file(&args.url, &args.lists, &mut rows, origin, args.raw)?;
            let Some(questions) = questions else { return Ok(None) };
            let site = Check::new(&dialect, Vec::new(), questions.clone()).given(body);
            return Ok(Some((Self::Given(Box::new(Given { name, site, rows })), questions)));
        }
        let questions = question::live(&args.url, &args.lists, origin, args.raw)?;
        // Only URLs given as arguments are trusted, not those in a file.
        let on_site = |question: &Question| Origin::of(&question.on_site(questions.site.as_ref())?).ok();
        let typed: Vec<Origin> = questions.list.iter().filter_map(on_site).chain(questions.site.clone()).collect();
        let runtime = live::runtime()?;
        let inside = runtime.enter();
        let mut builder = live::client(&args.live, &args.keeping, &dialect, typed.iter())?;
        builder = builder.offline(args.freshness.offline);
        if let Some(age) = args.freshness.max_age {
            builder = builder.max_age(age);
        }
        let client = builder.build()?;
        drop(inside);
        let lists = (!args.lists.is_empty()).then(|| (args.lists.clone(), args.raw));
        let (began, is_quiet) = (Time::from(SystemTime::now()), args.quiet);
        let live = Live { client, lists, began, is_quiet, runtime: Some(runtime) };
        Ok(Some((Self::Sites(Box::new(live)), questions)))
    }

    pub(super) fn given(&self) -> Option<&Given> {
        match self {
            Self::Given(given) => Some(given),
            Self::Sites(_) => None,
        }
    }

    /// Returns the policy that decides where there are no rules.
    pub(super) fn policy(&self) -> Option<&'static str> {
        match self {
            Self::Given(_) => None,
            Self::Sites(live) => Some(live.client.policy().name),
        }
    }

    /// Returns the numbers of the client, if there is one.
    pub(super) fn stats(&self) -> Option<Stats> {
        match self {
            Self::Given(_) => None,
            Self::Sites(live) => Some(live.client.stats()),
        }
    }

    /// Passes all questions to `put`, in their order, with the files that answer. Returns the lists that could not be
    /// read. `out` is flushed before a list is read on, and after each answer of a site, unless a bar shows the progress.
    pub(super) fn each(
        &mut self,
        check: &Check,
        out: Option<&Out>,
        put: impl FnMut(Found) -> Result<()>,
    ) -> Result<Lost> {
        match self {
            Self::Given(given) => given.each(check, out, put),
            Self::Sites(live) => {
                let runtime = live.runtime.take().map_or_else(live::runtime, Ok)?;
                let lost = runtime.block_on(live.each(check, out, put));
                // All results are stored already. Do not wait long for the tasks that still run.
                runtime.shutdown_timeout(Duration::from_secs(1));
                lost
            }
        }
    }
}

impl Given {
    fn each(&mut self, check: &Check, out: Option<&Out>, mut put: impl FnMut(Found) -> Result<()>) -> Result<Lost> {
        if let Some(out) = out.cloned() {
            self.rows.set_before_read(move || out.show());
        }
        let has_site = check.questions().site.is_some();
        let typed = check.questions().list.iter().cloned().map(Asked::Url);
        for asked in typed.chain(self.rows.by_ref()) {
            put(match asked {
                Asked::Url(Question { typed, .. }) if !has_site && Origin::of(&typed).is_ok() => {
                    let error = format!(
                        "the first {MAX_AHEAD} lines name no site, so it is not known if the file is of this one: give \
                         --origin"
                    );
                    Found::Invalid(Invalid { typed, error })
                }
                Asked::Url(question) => Found::Site(question, Ok(self.site.clone())),
                Asked::Invalid(invalid) => Found::Invalid(invalid),
            })?;
        }
        Ok(mem::take(&mut self.rows.lost))
    }
}

impl Live {
    async fn each(&self, check: &Check, out: Option<&Out>, mut put: impl FnMut(Found) -> Result<()>) -> Result<Lost> {
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
        let questions = &check.questions().list;
        let found = stream::iter(questions.iter().cloned().map(Asked::Url))
            .chain(listed)
            .map(async |asked| match asked {
                Asked::Url(question) => {
                    let site = self.find(check, &question).await;
                    Found::Site(question, site)
                }
                Asked::Invalid(invalid) => Found::Invalid(invalid),
            })
            .buffered(MAX_CONCURRENT_QUESTIONS);
        let mut found = pin!(found);
        let progress = self.progress(questions, out.is_some());
        while let Some(found) = progress.next(&mut found).await {
            put(found)?;
            match (&progress, out) {
                (Progress::Bar(bar), _) => bar.inc(1),
                (_, Some(out)) => out.show(),
                (_, None) => {}
            }
        }
        if let Progress::Bar(bar) = progress {
            bar.finish_and_clear();
        }
        Ok(reader.map_or_else(Lost::default, Lost::join))
    }

    /// Finds the robots.txt of a question's site.
    ///
    /// A refusal by our own address rules is cached like any failure, but the rules may have changed since. So a
    /// refusal from before this run is tried again. The site sees no request as long as it is refused.
    async fn find(&self, check: &Check, question: &Question) -> Result<SiteRobots, CheckError> {
        let site = check.find(&self.client, question).await?;
        let is_old = site.attempt().is_some_and(|attempt| attempt.ended < self.began);
        if comity_report::is_refused(&site) && is_old && !self.client.is_offline() {
            return self.client.fetch(site.origin()).await;
        }
        Ok(site)
    }

    /// Returns a bar; or lines, if the user sees answers appear, or if there are only a few questions.
    fn progress(&self, questions: &[Question], shows_rows: bool) -> Progress {
        /// Fewer questions than this are answered before a bar is useful.
        const MIN_QUESTIONS_FOR_BAR: usize = 20;
        let sees_rows = shows_rows && std::io::stdout().is_terminal();
        if self.is_quiet {
            return Progress::Nothing;
        }
        let is_small = self.lists.is_none() && questions.len() < MIN_QUESTIONS_FOR_BAR;
        if is_small || sees_rows || !std::io::stderr().is_terminal() {
            let name = match questions {
                [only] if self.lists.is_none() => only.typed.clone(),
                _ => "the next answer".to_owned(),
            };
            return Progress::Line(name);
        }
        let (bar, template) = if self.lists.is_some() {
            (ProgressBar::no_length(), "{pos} URLs, {elapsed}")
        } else {
            (ProgressBar::new(questions.len() as u64), "{bar:40} {pos} of {len} URLs, {elapsed}")
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        // Without ticks, nothing is drawn before the first answer.
        bar.enable_steady_tick(Duration::from_secs(1));
        Progress::Bar(bar)
    }
}

/// The display on standard error while answers are waited for.
enum Progress {
    Bar(ProgressBar),
    /// A line for each answer that takes long, which says what is waited for.
    Line(String),
    Nothing,
}

impl Progress {
    async fn next(&self, found: &mut (impl Stream<Item = Found> + Unpin)) -> Option<Found> {
        match self {
            Self::Line(name) => Waiting::until(name, found.next()).await,
            Self::Bar(_) | Self::Nothing => found.next().await,
        }
    }
}
