//! Bodies of requests, limited in size, time and memory.

use std::time::Duration;

use axum::body::Body;
use axum::extract::{FromRequest, FromRequestParts, Request};
use bytes::{Bytes, BytesMut};
use comity::Escaped;
use http_body::Body as _;
use http_body_util::BodyExt;
use memchr::{memchr, memrchr};
use serde_json::value::RawValue;
use tokio::time::{Instant, timeout, timeout_at};

use crate::admission::memory::{Grant, Memory};
use crate::admission::scheduler::Waiting;
use crate::admission::{AdmissionPermit, BatchSlot};
use crate::api::extract::{COSTLY_DOCUMENT_BYTES, expect_type};
use crate::client_addr::ClientAddr;
use crate::problem::Problem;
use crate::state::State;

/// Reads a whole body, no longer than [`ServerLimits::body_bytes`](crate::ServerLimits::body_bytes). The permit holds
/// its memory until the request is answered.
///
/// # Errors
///
/// If the body is too long, does not arrive in time, or breaks off, or if there is no memory for it.
pub(crate) async fn read(mut body: Body, state: &State, permit: &AdmissionPermit) -> Result<Bytes, Problem> {
    let (max, patience) = (state.limits.body_bytes, state.limits.body_timeout);
    let too_large =
        || Problem::too_large(format!("expected a body of at most {max} bytes: ask about less at once")).with_max(max);
    let announced = body.size_hint();
    if announced.lower() > max as u64 {
        return Err(too_large());
    }
    let announced = announced.exact().and_then(|bytes| usize::try_from(bytes).ok());
    let _arriving = permit.await_body()?;
    let deadline = Instant::now() + patience;
    let mut all = Vec::new();
    loop {
        let Ok(frame) = timeout_at(deadline, body.frame()).await else {
            let seconds = patience.as_secs_f32();
            return Err(Problem::slow_body(format!("the body was not complete within {seconds} seconds")));
        };
        let Some(frame) = frame else { break };
        let Ok(bytes) = data(frame)? else { continue };
        let length = all.len() + bytes.len();
        if length > max {
            return Err(too_large());
        }
        if all.is_empty() && body.is_end_stream() {
            // Most bodies arrive in one piece, which need not be copied.
            permit.hold(&state.bodies, bytes.len()).await?;
            return Ok(bytes);
        }
        // A copy: a piece may be a small part of the connection's buffer, which it would keep alive. The capacity is
        // what has arrived, or twice that: a client that announces much and sends little must not take memory from
        // others.
        if length > all.capacity() {
            let capacity = length.next_power_of_two().max(1 << 10).min(announced.unwrap_or(max)).max(length);
            permit.hold(&state.bodies, capacity - all.capacity()).await?;
            all.reserve_exact(capacity - all.len());
        }
        all.extend_from_slice(&bytes);
    }
    Ok(all.into())
}

/// Returns the data of a frame; nothing for a frame of another kind.
fn data(frame: Result<http_body::Frame<Bytes>, axum::Error>) -> Result<Result<Bytes, ()>, Problem> {
    let frame = frame.map_err(|error| {
        Problem::bad_request(format!("the body broke off: {}", Escaped(error.to_string().as_bytes())))
    })?;
    Ok(frame.into_data().map_err(|_| ()))
}

/// The lines of a body as they arrive, for an answer that is sent meanwhile. The body may have any number of lines,
/// each of at most [`ServerLimits::batch_line_bytes`](crate::ServerLimits::batch_line_bytes).
#[derive(Debug)]
pub(crate) struct Lines {
    body: Body,
    /// The bytes that have arrived, and are added to the buffer as soon as the client may use memory for them.
    came: Option<Bytes>,
    buffer: BytesMut,
    /// The number of bytes at the start of the buffer in which no line end was found, so that they are not searched again.
    searched: usize,
    /// True while the rest of a line that was too long is skipped.
    is_skipping: bool,
    has_ended: bool,
    most: usize,
    patience: Duration,
    memory: Memory,
    held: Option<Grant>,
    client: ClientAddr,
    /// True if the lines came as an array, which is answered with an array.
    is_array: bool,
    /// The memory of an array, all of which is read before the first answer. Released on drop.
    _array: Option<Grant>,
    _slot: BatchSlot,
}

/// A piece of a body.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Whole lines with their ends; the last line of the body may have none.
    Lines(Bytes),
    /// A line that was too long, and was skipped.
    TooLong,
}

impl Lines {
    /// The number of bytes in the buffer that need no grant.
    const FREE_BYTES: usize = 64 << 10;

    /// Returns true if the body is a JSON array instead of lines.
    pub(crate) fn is_array(&self) -> bool {
        self.is_array
    }

    /// Returns the client's address.
    pub(crate) fn client(&self) -> ClientAddr {
        self.client
    }

    /// Returns the lines that have arrived, at least one; `None` at the end. Waits for the client until the timeout. If
    /// the future is dropped, nothing is lost.
    pub(crate) async fn next(&mut self) -> Result<Option<Piece>, Problem> {
        loop {
            if let Some(piece) = self.take() {
                return Ok(Some(piece));
            }
            if self.has_ended {
                return Ok(None);
            }
            if let Some(bytes) = &self.came {
                let bytes = bytes.clone();
                self.add(&bytes).await?;
                self.came = None;
                continue;
            }
            let Ok(frame) = timeout(self.patience, self.body.frame()).await else {
                let seconds = self.patience.as_secs_f32();
                return Err(Problem::slow_body(format!("nothing came for {seconds} seconds")));
            };
            let Some(frame) = frame else {
                self.has_ended = true;
                continue;
            };
            self.came = data(frame)?.ok();
        }
    }

    async fn add(&mut self, bytes: &Bytes) -> Result<(), Problem> {
        let needed = (self.buffer.len() + bytes.len()).saturating_sub(Self::FREE_BYTES);
        let held = self.held.as_ref().map_or(0, Grant::bytes);
        if needed > held {
            let more = self.memory.take(self.client, needed - held).await?;
            match &mut self.held {
                Some(held) => held.merge(more),
                none => *none = Some(more),
            }
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    /// Removes the whole lines from the buffer and returns them.
    fn take(&mut self) -> Option<Piece> {
        if self.is_skipping {
            let end = memchr(b'\n', &self.buffer);
            match end {
                Some(end) => drop(self.buffer.split_to(end + 1)),
                None => self.buffer.clear(),
            }
            if end.is_none() && !self.has_ended {
                return None;
            }
            self.is_skipping = false;
            return Some(Piece::TooLong);
        }
        let last = memrchr(b'\n', &self.buffer[self.searched..]).map(|end| self.searched + end + 1);
        let end = if self.has_ended { self.buffer.len() } else { last.unwrap_or_default() };
        if end > 0 {
            self.searched = 0;
            let lines = self.buffer.split_to(end).freeze();
            if self.buffer.is_empty() {
                self.held = None;
            }
            return Some(Piece::Lines(lines));
        }
        self.searched = self.buffer.len();
        if self.buffer.len() > self.most {
            self.is_skipping = true;
            self.searched = 0;
            self.buffer = BytesMut::new();
            self.held = None;
        }
        None
    }
}

impl FromRequest<State> for Lines {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &State) -> Result<Self, Problem> {
        let (mut parts, mut body) = request.into_parts();
        let kind = expect_type(&parts, &["application/x-ndjson", "application/jsonl", "application/json"])?;
        let is_array = kind == "application/json";
        let Ok(permit) = AdmissionPermit::from_request_parts(&mut parts, state).await;
        let client = permit.client();
        let slot = state.admission.batch(client)?;
        let limits = &state.limits;
        let mut array = None;
        if is_array {
            let lines = read_array(body, state, &permit).await?;
            array = Some(state.bodies.take(client, lines.len()).await?);
            body = Body::from(lines);
        }
        Ok(Self {
            body,
            came: None,
            buffer: BytesMut::new(),
            searched: 0,
            is_skipping: false,
            has_ended: false,
            most: limits.batch_line_bytes,
            patience: limits.body_timeout,
            memory: state.bodies.clone(),
            held: None,
            client,
            is_array,
            _array: array,
            _slot: slot,
        })
    }
}

/// Reads a JSON array, and returns its elements as lines.
async fn read_array(body: Body, state: &State, permit: &AdmissionPermit) -> Result<Vec<u8>, Problem> {
    let bytes = read(body, state, permit).await?;
    let size = bytes.len();
    let to_lines = move || {
        let elements: Vec<&RawValue> = serde_json::from_slice(&bytes)?;
        let mut lines = Vec::with_capacity(bytes.len());
        for element in elements {
            // Between the tokens of JSON, all white space means the same; within strings, there are no line ends.
            lines.extend(element.get().bytes().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { byte }));
            lines.push(b'\n');
        }
        Ok(lines)
    };
    let lines: Result<_, serde_json::Error> = if size > COSTLY_DOCUMENT_BYTES {
        state.compute(permit.client(), Waiting::Bounded, to_lines).await?
    } else {
        to_lines()
    };
    lines.map_err(|error| {
        Problem::bad_request(format!("expected an array of questions: {}", Escaped(error.to_string().as_bytes())))
    })
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use futures_util::stream;
    use proptest::prelude::*;

    use super::*;
    use crate::ServerLimits;
    use crate::admission::Admission;

    /// Returns the pieces of a body that arrives in these chunks.
    fn pieces(most: usize, chunks: &[Vec<u8>]) -> Vec<Piece> {
        let admission = Admission::new(&ServerLimits::default());
        let chunks: Vec<_> = chunks.iter().map(|chunk| Ok::<_, Infallible>(Bytes::from(chunk.clone()))).collect();
        let client = ClientAddr { address: [127, 0, 0, 1].into() };
        let mut lines = Lines {
            body: Body::from_stream(stream::iter(chunks)),
            came: None,
            buffer: BytesMut::new(),
            searched: 0,
            is_skipping: false,
            has_ended: false,
            most,
            patience: Duration::from_secs(10),
            memory: Memory::new(1 << 20, 1 << 20, Duration::ZERO),
            held: None,
            client,
            is_array: false,
            _array: None,
            _slot: admission.batch(client).unwrap(),
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let mut pieces = Vec::new();
            while let Some(piece) = lines.next().await.unwrap() {
                pieces.push(piece);
            }
            pieces
        })
    }

    proptest! {
        /// The lines of a body do not depend on how it is cut into chunks; those that are too long are skipped and
        /// counted.
        #[test]
        fn lines_are_whole(chunks in prop::collection::vec(prop::collection::vec(prop::sample::select(b"ab\n".to_vec()), 0..40), 0..12)) {
            const MAX_LINE_BYTES: usize = 8;
            let body = chunks.concat();
            let mut expected: Vec<&[u8]> = body.split(|&byte| byte == b'\n').collect();
            if expected.last() == Some(&&b""[..]) {
                expected.pop();
            }
            let found = pieces(MAX_LINE_BYTES, &chunks);
            let mut lines: Vec<Option<Vec<u8>>> = Vec::new();
            for piece in &found {
                match piece {
                    Piece::TooLong => lines.push(None),
                    Piece::Lines(bytes) => {
                        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
                        lines.extend(bytes.split(|&byte| byte == b'\n').map(|line| Some(line.to_vec())));
                    }
                }
            }
            prop_assert_eq!(lines.len(), expected.len());
            for (line, expected) in lines.iter().zip(expected) {
                match line {
                    Some(line) => prop_assert_eq!(&line[..], expected),
                    None => prop_assert!(expected.len() > MAX_LINE_BYTES),
                }
            }
        }
    }

    #[test]
    fn a_long_line_is_passed_over_and_not_kept() {
        let chunk = vec![b'a'; 50_000];
        let chunks = [chunk.clone(), chunk.clone(), chunk, b"\nb\n".to_vec(), b"c".to_vec()];
        let lines = |text: &'static str| Piece::Lines(Bytes::from(text));
        assert_eq!(pieces(60_000, &chunks), [Piece::TooLong, lines("b\n"), lines("c")]);
    }
}
