//! Creates documents within limits of time and size, on threads where long work delays nobody.

use std::cell::Cell;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::response::Response;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderValue, VARY};
use serde::ser::{Error as _, SerializeSeq};
use serde::{Serialize, Serializer};

use crate::api::extract::Caller;
use crate::compression::{MIN_BYTES, ONCE, compress};
use crate::problem::Problem;
use crate::processor_time;
use crate::state::State;

/// The limits for one answer, which one thread works out.
#[derive(Debug)]
pub(crate) struct Budget {
    /// The processor time that the answer may take.
    time: Duration,
    /// The processor time of the thread when the work started.
    started: Duration,
    /// The time of the next look at the processor time.
    next_look: Cell<Instant>,
    bytes: usize,
    /// True when the client has gone away.
    gone: Arc<AtomicBool>,
    #[cfg(test)]
    checks: Arc<crate::state::Checks>,
}

impl Budget {
    /// Returns the budget of an answer that this thread begins to work out. `gone` is true when the client has gone away.
    fn start(state: &State, gone: Arc<AtomicBool>) -> Self {
        Self {
            time: state.limits.answer_time,
            started: processor_time::of_this_thread(),
            next_look: Cell::new(Instant::now()),
            bytes: state.limits.answer_bytes,
            gone,
            #[cfg(test)]
            checks: Arc::clone(&state.checks),
        }
    }

    /// Returns true if the work should continue.
    pub(crate) fn is_left(&self) -> bool {
        let is_left = self.has_time() && !self.gone.load(Ordering::Relaxed);
        #[cfg(test)]
        self.checks.count(is_left);
        is_left
    }

    /// Returns true if the work has taken less processor time than it may. On a busy machine, an answer takes longer than
    /// that, but not more of this time, so what is refused does not depend on what others ask.
    fn has_time(&self) -> bool {
        /// The maximum time between two looks, so that no limit exceeds the range of the clock.
        const MAX_INTERVAL: Duration = Duration::from_secs(60);
        // A thread cannot use more processor time than has passed, so this is called thousands of times for each look,
        // which is a system call.
        let now = Instant::now();
        if now < self.next_look.get() {
            return true;
        }
        let left = self.time.saturating_sub(processor_time::of_this_thread().saturating_sub(self.started));
        self.next_look.set(now + left.min(MAX_INTERVAL));
        !left.is_zero()
    }

    /// Checks that there is time left.
    ///
    /// # Errors
    ///
    /// If there is none, or the client has gone away.
    pub(crate) fn check(&self) -> Result<(), Problem> {
        if self.is_left() { Ok(()) } else { Err(self.over()) }
    }

    /// Writes a document as JSON.
    ///
    /// # Errors
    ///
    /// If the document is too large, or the time runs out: this is checked for each of its [`Rows`], and at intervals.
    pub(crate) fn json(&self, document: &impl Serialize) -> Result<Vec<u8>, Problem> {
        self.check()?;
        let mut out = Bounded { json: Vec::with_capacity(1024), budget: self, next_check: Bounded::CHECK_INTERVAL };
        match serde_json::to_writer(&mut out, document) {
            Ok(()) => Ok(out.json),
            Err(error) if error.is_io() && self.is_left() => {
                let max = self.bytes;
                Err(Problem::too_large(format!("the answer would have more than {max} bytes: ask for less at once"))
                    .with_max(max))
            }
            Err(_) => Err(self.over()),
        }
    }

    /// Returns the problem for an answer that took too much processor time.
    pub(crate) fn over(&self) -> Problem {
        let seconds = self.time.as_secs_f64();
        Problem::too_large(format!(
            "the answer takes more than {seconds} seconds of processor time to work out: ask for less at once"
        ))
        .with("seconds", seconds)
    }
}

/// A writer that accepts as many bytes as the budget allows.
struct Bounded<'b> {
    json: Vec<u8>,
    budget: &'b Budget,
    /// The length at which the clock is checked again.
    next_check: usize,
}

impl Bounded<'_> {
    const CHECK_INTERVAL: usize = 64 << 10;
}

impl Write for Bounded<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.json.len() + bytes.len() > self.budget.bytes {
            return Err(io::Error::other("too large"));
        }
        if self.json.len() > self.next_check {
            self.next_check = self.json.len() + Self::CHECK_INTERVAL;
            if !self.budget.is_left() {
                return Err(io::Error::other("the time is over"));
            }
        }
        self.json.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Rows that are computed while they are written, as long as there is time.
pub(crate) struct Rows<'b, I> {
    budget: &'b Budget,
    rows: Cell<Option<I>>,
}

impl<'b, I> Rows<'b, I> {
    pub(crate) fn new(budget: &'b Budget, rows: I) -> Self {
        Self { budget, rows: Cell::new(Some(rows)) }
    }
}

impl<I: Iterator<Item: Serialize>> Serialize for Rows<'_, I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        for row in self.rows.take().into_iter().flatten() {
            list.serialize_element(&row)?;
            if !self.budget.is_left() {
                return Err(S::Error::custom("the time is over"));
            }
        }
        list.end()
    }
}

/// Sets its flag when it is dropped, which happens when the client goes away.
struct SetOnDrop(Arc<AtomicBool>);

impl Drop for SetOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Answers with a document. Small work is done here; other work waits for its turn on separate threads.
pub(crate) async fn document(
    caller: &Caller,
    is_little: bool,
    make: impl FnOnce(&State, &Budget) -> Result<Vec<u8>, Problem> + Send + 'static,
) -> Result<Response, Problem> {
    let gone = Arc::new(AtomicBool::new(false));
    let _set_on_drop = SetOnDrop(Arc::clone(&gone));
    let (state, prefers_gzip) = (caller.state.clone(), caller.prefers_gzip);
    let work = move || make(&state, &Budget::start(&state, gone));
    if !is_little {
        return caller.compute(move || Ok(encode(work()?, prefers_gzip))).await?;
    }
    let json = work()?;
    if prefers_gzip && json.len() > MAX_QUICK_BYTES {
        return caller.compute(move || encode(json, prefers_gzip)).await;
    }
    Ok(encode(json, prefers_gzip))
}

/// The maximum size of a document that is compressed without delaying others.
const MAX_QUICK_BYTES: usize = 32 << 10;

/// Returns a document as a response, compressed if the client prefers that.
pub(crate) fn encode(json: Vec<u8>, prefers_gzip: bool) -> Response {
    if json.len() < MIN_BYTES {
        return respond(json);
    }
    let gzipped = if prefers_gzip { compress(&json, ONCE).ok() } else { None };
    let is_gzipped = gzipped.is_some();
    let mut response = respond(gzipped.unwrap_or(json));
    let headers = response.headers_mut();
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    if is_gzipped {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}

/// Returns true if a question about a file of `bytes` bytes is little work.
pub(crate) fn is_little(bytes: usize, questions: usize) -> bool {
    bytes <= 16 << 10 && questions <= 16
}

/// Returns true if a question is little work although it reads the file several times.
pub(crate) fn is_little_in_depth(bytes: usize, questions: usize) -> bool {
    is_little(4 * bytes, 4 * questions)
}

/// Returns JSON as a response.
pub(crate) fn respond(json: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(json));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(time: Duration) -> Budget {
        Budget {
            time,
            started: processor_time::of_this_thread(),
            next_look: Cell::new(Instant::now()),
            bytes: usize::MAX,
            gone: Arc::default(),
            checks: Arc::default(),
        }
    }

    #[test]
    fn only_work_takes_time_from_the_budget() {
        let time = Duration::from_millis(100);
        let budget = budget(time);
        std::thread::sleep(2 * time);
        assert!(budget.is_left(), "the thread did not work");
        let started = processor_time::of_this_thread();
        while budget.is_left() {}
        // Less than the whole time only by what the lines before the loop took.
        let worked = processor_time::of_this_thread().saturating_sub(started);
        assert!(worked >= time / 2, "{worked:?}");
        assert!(!budget.is_left() && budget.check().is_err_and(|problem| problem.code() == "too-large"));
    }

    #[test]
    fn any_time_is_a_limit() {
        assert!(!budget(Duration::ZERO).is_left());
        assert!(budget(Duration::MAX).is_left());
    }
}
