//! `/v1/batch`: questions as JSON Lines in, answers as JSON Lines out, while the questions arrive.

mod answerer;
mod array;
mod order;

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use comity::{Dialect, Origin};
use comity_fetch::{CheckError, SiteRobots};
use futures_util::future::BoxFuture;
use futures_util::stream::{self, FuturesUnordered};
use futures_util::{FutureExt, StreamExt};
use http::header::{CONTENT_TYPE, HeaderName};
use http::{HeaderValue, Uri};
use memchr::memchr;

use crate::admission::scheduler::Waiting;
use crate::api::ask;
use crate::api::extract::body::{Lines, Piece};
use crate::api::extract::query;
use crate::client_addr::ClientAddr;
use crate::egress::Account;
use crate::problem::Problem;
use crate::state::State;
use answerer::{Answerer, LineState, complain};
use order::Order;

/// The size of a chunk of answers.
const CHUNK_BYTES: usize = 64 << 10;
/// The maximum time of a step. After it, other tasks run.
const MAX_STEP_TIME: Duration = Duration::from_millis(2);
/// The minimum size of a line that is answered on another thread, because it may take long.
const COSTLY_LINE_BYTES: usize = 64 << 10;
/// The maximum number of bytes of lines that wait and of answers that wait for answers before them, in total.
const MAX_HELD_BYTES: usize = 4 << 20;
/// The maximum number of sites and of lines on other threads that are waited for at the same time.
const MAX_WAITING: usize = 256;

/// Answers to a stream of questions
///
/// A line is an object: `url` and one of `agent` (a literal token), `agents` (several, merged) and `crawler` (a name
/// that is looked up), and, to answer by a file instead of the URL's own site, `robots` or `robots_b64`. It comes back
/// with `allowed`, `line`, `names_crawler`, `reason` and `copy` (the first digits of the hash of the site's file); all other
/// fields are kept.
///
/// Many URLs of one site fit into one line: with `origin` and `urls` instead of `url`, `allowed` and `lines` are lists.
///
/// An error in a line is reported in its `error`, with its number as `input_line`, and does not end the batch. Send and
/// read at the same time: the service reads no more than it can answer.
///
/// As `application/json`, questions are an array, and so are their answers. The array is limited like all documents;
/// for any number of questions, use lines.
pub(crate) async fn batch(state: State, uri: Uri, lines: Lines) -> Result<Response, Problem> {
    let [dialect, ordered] = query::parse(&uri, ["dialect", "ordered"])?;
    let is_ordered = query::boolean("ordered", ordered.as_deref(), true)?;
    let dialect = ask::dialect(dialect.as_deref())?;
    let name =
        |dialect: Option<Dialect>, or: &Dialect| HeaderValue::from_static(dialect.map_or(or.name, |one| one.name));
    let is_array = lines.is_array();
    let kind = if is_array { "application/json" } else { "application/x-ndjson" };
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static(kind)),
        (HeaderName::from_static("comity-policy"), HeaderValue::from_static(state.client.policy().name)),
        (HeaderName::from_static("comity-dialect"), name(dialect, &Dialect::STANDARD)),
        (HeaderName::from_static("comity-site-dialect"), name(dialect, state.client.dialect())),
    ];
    let batch = Batch::new(state, lines, dialect, is_ordered);
    // The batch makes progress only while its answers are read.
    let answers = stream::unfold(batch, async |mut batch| {
        let answers = batch.next().await?;
        Some((Ok::<_, Infallible>(answers), batch))
    });
    let body = if is_array { Body::from_stream(array::of_lines(answers)) } else { Body::from_stream(answers) };
    Ok((headers, body).into_response())
}

/// A batch in progress.
struct Batch {
    state: State,
    dialect: Option<Dialect>,
    is_ordered: bool,
    input: Lines,
    has_ended: bool,
    /// Bytes of lines that have arrived and are not processed yet.
    came: Bytes,
    /// The number of the last processed line.
    number: u64,
    answerer: Answerer,
    order: Order,
    /// Lines that wait for their site.
    held: HashMap<Origin, Vec<PendingLine>>,
    /// Lines whose sites have arrived. They are answered before all lines that have not been processed yet.
    ready: VecDeque<ReadyLines>,
    /// The size of the lines that wait, or whose sites have arrived.
    held_bytes: usize,
    waiting: FuturesUnordered<BoxFuture<'static, BatchEvent>>,
    out: Vec<u8>,
}

/// A line whose answer is not ready: it waits for its site, or is being answered on another thread.
struct PendingLine {
    line: Bytes,
    number: u64,
    /// The slot of the line's answer, if answers are sent in the order of their questions.
    place: Option<u64>,
}

/// Lines whose site has arrived.
struct ReadyLines {
    found: Result<SiteRobots, CheckError>,
    lines: VecDeque<PendingLine>,
}

/// An event that a batch waits for.
enum BatchEvent {
    Site(Origin, Result<SiteRobots, CheckError>),
    /// The answer to a line that takes long.
    Answer(PendingLine, Vec<u8>),
}

impl Batch {
    fn new(state: State, input: Lines, dialect: Option<Dialect>, is_ordered: bool) -> Self {
        Self {
            answerer: Answerer::new(state.clone(), dialect),
            state,
            dialect,
            is_ordered,
            input,
            has_ended: false,
            came: Bytes::new(),
            number: 0,
            order: Order::default(),
            held: HashMap::new(),
            ready: VecDeque::new(),
            held_bytes: 0,
            waiting: FuturesUnordered::new(),
            out: Vec::new(),
        }
    }

    /// Returns the next answers; `None` at the end.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            self.step();
            // A client that asks one question at a time needs its answer before it sends the next.
            if !self.out.is_empty() {
                return Some(std::mem::take(&mut self.out).into());
            }
            if self.can_answer_ready() || (!self.came.is_empty() && self.has_room()) {
                tokio::task::yield_now().await;
                continue;
            }
            let reads = self.came.is_empty() && !self.has_ended && self.has_room();
            if !reads && self.waiting.is_empty() {
                return None;
            }
            tokio::select! {
                biased;
                Some(arrived) = self.waiting.next(), if !self.waiting.is_empty() => self.take(arrived),
                piece = self.input.next(), if reads => self.read(piece),
            }
        }
    }

    /// Returns true if another line may be processed, even if it has to wait.
    fn has_room(&self) -> bool {
        self.held_bytes + self.order.bytes() < MAX_HELD_BYTES && self.waiting.len() < MAX_WAITING
    }

    /// Returns true if a line whose site has arrived may be answered, even if this takes another thread.
    fn can_answer_ready(&self) -> bool {
        !self.ready.is_empty() && self.waiting.len() < MAX_WAITING
    }

    fn read(&mut self, piece: Result<Option<Piece>, Problem>) {
        match piece {
            Ok(Some(Piece::Lines(lines))) => self.came = lines,
            Ok(Some(Piece::TooLong)) => {
                self.number += 1;
                let most = self.state.limits.batch_line_bytes;
                self.complain(&format!("expected a line of at most {most} bytes, found a longer one"));
            }
            Ok(None) => self.has_ended = true,
            Err(problem) => {
                self.has_ended = true;
                self.number += 1;
                self.complain(problem.detail());
            }
        }
    }

    fn complain(&mut self, error: &str) {
        let out = self.order.now(&mut self.out);
        let before = out.len();
        complain(&error, self.number, out);
        let bytes = out.len() - before;
        self.order.count(bytes);
    }

    /// Answers lines that have arrived, for at most [`MAX_STEP_TIME`].
    fn step(&mut self) {
        /// The clock is checked after this many lines, and after each line that may have taken long.
        const LINES_PER_CLOCK_CHECK: u64 = 16;
        const SLOW_LINE_BYTES: usize = 4 << 10;
        let began = Instant::now();
        self.answerer.begin_step();
        self.answer_ready(began);
        while self.ready.is_empty() && !self.came.is_empty() && self.has_room() && self.out.len() < CHUNK_BYTES {
            let end = memchr(b'\n', &self.came).map_or(self.came.len(), |end| end + 1);
            let line = self.came.split_to(end);
            self.number += 1;
            self.answer(&line);
            if (self.number.is_multiple_of(LINES_PER_CLOCK_CHECK) || line.len() > SLOW_LINE_BYTES)
                && began.elapsed() > MAX_STEP_TIME
            {
                break;
            }
        }
    }

    fn answer(&mut self, line: &Bytes) {
        let mut text = line.trim_ascii();
        if self.number == 1 {
            text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
        }
        if text.is_empty() {
            return;
        }
        let text = line.slice_ref(text);
        if text.len() > COSTLY_LINE_BYTES {
            let held = self.hold(text);
            self.set_apart(held, None);
            return;
        }
        let out = self.order.now(&mut self.out);
        let before = out.len();
        match self.answerer.answer(&text, self.number, !self.is_ordered, out) {
            LineState::Answered => {
                let bytes = out.len() - before;
                self.order.count(bytes);
            }
            LineState::Long(site) => {
                let held = self.hold(Bytes::copy_from_slice(&text));
                self.set_apart(held, site);
            }
            LineState::Waiting(origin) => {
                // A copy, because the line would keep alive all those that arrived with it.
                let held = self.hold(Bytes::copy_from_slice(&text));
                self.held
                    .entry(origin.clone())
                    .or_insert_with(|| {
                        let (state, client) = (self.state.clone(), self.input.client());
                        let asking = async move {
                            let site = state.robots(&Account::new(client), &origin).await;
                            BatchEvent::Site(origin, site)
                        };
                        self.waiting.push(asking.boxed());
                        Vec::new()
                    })
                    .push(held);
            }
        }
    }

    fn hold(&mut self, line: Bytes) -> PendingLine {
        self.held_bytes += line.len();
        PendingLine { line, number: self.number, place: self.is_ordered.then(|| self.order.open()) }
    }

    fn set_apart(&mut self, held: PendingLine, site: Option<Box<SiteRobots>>) {
        let client = self.input.client();
        self.waiting.push(answer_apart(self.state.clone(), client, self.dialect, self.is_ordered, held, site).boxed());
    }

    /// Takes an answer, or makes the lines that waited for a site ready for the next steps.
    fn take(&mut self, arrived: BatchEvent) {
        match arrived {
            BatchEvent::Answer(held, answer) => self.release(&held, answer),
            BatchEvent::Site(origin, found) => {
                let lines = self.held.remove(&origin).unwrap_or_default().into();
                self.ready.push_back(ReadyLines { found, lines });
            }
        }
    }

    /// Answers lines whose sites have arrived, until [`MAX_STEP_TIME`] is over.
    fn answer_ready(&mut self, began: Instant) {
        while self.can_answer_ready()
            && let Some(mut ready) = self.ready.pop_front()
        {
            // In each step, because a step starts without the sites of the last one.
            if let Ok(site) = &ready.found {
                self.answerer.learn(site.clone());
            }
            while let Some(held) = ready.lines.pop_front() {
                self.answer_held(held, &ready.found);
                let is_over = began.elapsed() > MAX_STEP_TIME;
                if is_over || self.out.len() >= CHUNK_BYTES || self.waiting.len() >= MAX_WAITING {
                    if !ready.lines.is_empty() {
                        self.ready.push_front(ready);
                    }
                    return;
                }
            }
        }
    }

    /// Answers a line whose site has arrived.
    fn answer_held(&mut self, held: PendingLine, found: &Result<SiteRobots, CheckError>) {
        let mut answer = Vec::new();
        match found {
            Ok(_) => match self.answerer.answer(&held.line, held.number, !self.is_ordered, &mut answer) {
                LineState::Answered => {}
                LineState::Long(site) => {
                    self.set_apart(held, site);
                    return;
                }
                // Cannot happen: the site has just been added.
                LineState::Waiting(_) => {
                    complain(&"its site could not be reached: ask again", held.number, &mut answer);
                }
            },
            Err(error) => answerer::refuse(&held.line, error, held.number, &mut answer),
        }
        self.release(&held, answer);
    }

    fn release(&mut self, held: &PendingLine, answer: Vec<u8>) {
        self.held_bytes -= held.line.len();
        match held.place {
            Some(place) => self.order.fill(place, answer, &mut self.out),
            None => self.out.extend_from_slice(&answer),
        }
    }
}

/// Answers a line that takes long on another thread. `read` is its site as the batch has read it, if it has: rules that
/// are compiled for it here are in the client's cache for the next lines.
async fn answer_apart(
    state: State,
    client: ClientAddr,
    dialect: Option<Dialect>,
    is_ordered: bool,
    held: PendingLine,
    mut read: Option<Box<SiteRobots>>,
) -> BatchEvent {
    let mut site = None;
    // Once without its site, and a second time with it.
    for _ in 0..2 {
        let (line, number, found, read) = (held.line.clone(), held.number, site.take(), read.take());
        let mut answerer = Answerer::new(state.clone(), dialect).apart();
        // At most `MAX_WAITING` lines of a batch wait.
        let work = state.compute(client, Waiting::Unbounded, move || {
            if let Some(site) = found {
                answerer.learn(site);
            }
            if let Some(site) = read {
                answerer.learn_read(*site);
            }
            let mut answer = Vec::new();
            let became = answerer.answer(&line, number, !is_ordered, &mut answer);
            (became, answer)
        });
        let origin = match work.await {
            Ok((LineState::Answered, answer)) => return BatchEvent::Answer(held, answer),
            Ok((LineState::Waiting(origin), _)) => origin,
            Ok((LineState::Long(_), _)) => break,
            Err(problem) => return complaint(held, problem.detail()),
        };
        match state.robots(&Account::new(client), &origin).await {
            Ok(found) => site = Some(found),
            Err(error) => {
                let mut answer = Vec::new();
                answerer::refuse(&held.line, &error, held.number, &mut answer);
                return BatchEvent::Answer(held, answer);
            }
        }
    }
    complaint(held, "its site could not be reached: ask again")
}

fn complaint(held: PendingLine, error: &str) -> BatchEvent {
    let mut answer = Vec::new();
    complain(&error, held.number, &mut answer);
    BatchEvent::Answer(held, answer)
}
