//! Bodies of answers, which hold the resources of the request until the client has received them.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::body::Body;
use bytes::Bytes;
use http_body::{Body as _, Frame, SizeHint};

use crate::admission::memory::Grant;
use crate::connection;

/// The body of an answer, which holds its request and its memory until the client has received it.
#[derive(Debug)]
pub(crate) struct CountedBody {
    body: Body,
    /// The rest of a piece that is sent in parts.
    rest: Bytes,
    /// The progress of a body that was complete from the start: when sending began, how much has been sent, and how
    /// long it may stall.
    pace: Option<Pace>,
    held: AnswerResources,
}

/// The resources that are released when the answer has been sent.
#[derive(Debug)]
enum AnswerResources {
    /// Released when the body has been read. For a small answer over HTTP/1, which is written as a whole.
    UntilRead { _under_way: connection::Request },
    /// Released when the connection has dropped all parts of the body. For other answers, whose parts the connection
    /// may keep long after it has read the body. With HTTP/2, the client determines how long.
    UntilTaken(Arc<SharedResources>),
}

#[derive(Debug)]
struct SharedResources {
    /// Records the progress of the client.
    parts: connection::Parts,
    _memory: Option<Grant>,
    _request: connection::Request,
}

/// A part of an answer that has been handed to the connection.
struct CountedPart {
    part: Bytes,
    _under_way: Arc<SharedResources>,
}

impl AsRef<[u8]> for CountedPart {
    fn as_ref(&self) -> &[u8] {
        &self.part
    }
}

/// The progress of a client that receives an answer.
#[derive(Debug)]
struct Pace {
    began: Instant,
    sent: u64,
    patience: Duration,
}

impl Pace {
    /// The minimum rate, in bytes per second over the whole answer.
    const MIN_RATE: u64 = 16 << 10;

    fn is_too_slow(&self) -> bool {
        self.began.elapsed() > self.patience + Duration::from_secs(self.sent / Self::MIN_RATE)
    }
}

impl CountedBody {
    /// The maximum number of bytes that are handed over at once: their progress is not visible until the client has
    /// received them.
    const MAX_PART: usize = 64 << 10;

    pub(super) fn new(body: Body, memory: Option<Grant>, under_way: connection::Request, patience: Duration) -> Self {
        let pace = memory.is_some().then(|| Pace { began: Instant::now(), sent: 0, patience });
        let is_small = memory.is_none() && body.size_hint().exact().is_some();
        // A small HTTP/1 answer is written as a whole, and a failure of that is noticed.
        let held = if is_small && !under_way.is_http2() {
            AnswerResources::UntilRead { _under_way: under_way }
        } else {
            let parts = under_way.in_parts();
            AnswerResources::UntilTaken(Arc::new(SharedResources { parts, _memory: memory, _request: under_way }))
        };
        Self { body, rest: Bytes::new(), pace, held }
    }

    /// Returns the first part of a piece, and keeps the rest for later.
    fn part(&mut self, mut piece: Bytes) -> Bytes {
        let part = piece.split_to(piece.len().min(Self::MAX_PART));
        self.rest = piece;
        if let Some(pace) = &mut self.pace {
            pace.sent += part.len() as u64;
        }
        match &self.held {
            AnswerResources::UntilRead { .. } => part,
            AnswerResources::UntilTaken(under_way) => {
                under_way.parts.handed_over();
                Bytes::from_owner(CountedPart { part, _under_way: Arc::clone(under_way) })
            }
        }
    }
}

impl http_body::Body for CountedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = self.get_mut();
        if let AnswerResources::UntilTaken(under_way) = &this.held {
            under_way.parts.taken();
        }
        if this.pace.as_ref().is_some_and(Pace::is_too_slow) {
            return Poll::Ready(Some(Err(axum::Error::new("the client takes the answer too slowly"))));
        }
        if !this.rest.is_empty() {
            let rest = std::mem::take(&mut this.rest);
            return Poll::Ready(Some(Ok(Frame::data(this.part(rest)))));
        }
        Pin::new(&mut this.body).poll_frame(context).map(|frame| {
            frame.map(|frame| {
                frame.map(|frame| match frame.into_data() {
                    Ok(piece) => Frame::data(this.part(piece)),
                    Err(other) => other,
                })
            })
        })
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (mut hint, rest) = (self.body.size_hint(), self.rest.len() as u64);
        match hint.exact() {
            Some(exact) => hint.set_exact(exact + rest),
            None => hint.set_lower(hint.lower() + rest),
        }
        hint
    }
}
