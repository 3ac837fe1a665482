//! Replies, with or without faults.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use crate::coding::Coding;
use crate::frame::Frame;
use crate::gate::Gate;
use crate::request::Request;
use crate::wire::{At, Drip, Fault, Pieces, Repeat};

/// An answer, with all its faults.
///
/// It starts as the reply of a good server, and methods add faults:
///
/// ```
/// use std::time::Duration;
/// use comity_testserver::{At, Coding, Reply};
///
/// // A redirect.
/// Reply::redirect(301, "http://b.test/robots.txt");
/// // 10 GiB of zeros in a few MB, made while they are sent.
/// Reply::ok("").zeros(10 << 30).encoded(Coding::Gzip);
/// // Half of the body, then a TCP reset.
/// Reply::ok("User-agent: *\nDisallow: /\n").reset(At::Body(13));
/// // Ten bytes every 50 ms, and one chunk that never ends.
/// Reply::ok("User-agent: *").chunked(8).drip(At::Start, 10, Duration::from_millis(50)).stall(At::Body(20));
/// ```
///
/// HTTP/2 has no status line, no chunks and no length to misstate. Faults that only HTTP/1.1 can have are skipped
/// there, and a reply with headers that HTTP/2 cannot carry resets its stream.
#[derive(Clone, Debug)]
#[must_use]
pub struct Reply {
    pub(crate) start: Start,
    pub(crate) fields: Vec<Field>,
    pub(crate) body: Body,
    pub(crate) codings: Vec<Coding>,
    pub(crate) framing: Framing,
    pub(crate) interim: Vec<u16>,
    pub(crate) flood: Option<Flood>,
    pub(crate) trailing: Bytes,
    pub(crate) conditional: bool,
    pub(crate) faults: Vec<(At, Fault)>,
    pub(crate) drip: Option<Drip>,
}

/// The start of a reply.
#[derive(Clone, Debug)]
pub(crate) enum Start {
    Status(u16),
    Line(Bytes),
    /// With the body: there is no head at all.
    Body,
}

#[derive(Clone, Debug)]
pub(crate) enum Field {
    Pair(Bytes, Bytes),
    Line(Bytes),
}

/// The content. Generated content may be endless.
#[derive(Clone)]
pub(crate) enum Body {
    Whole(Bytes),
    Generated(Arc<dyn Fn() -> Pieces + Send + Sync>),
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Body::Whole(bytes) => bytes.fmt(f),
            Body::Generated(_) => f.write_str("generated"),
        }
    }
}

/// The marking of the body's end.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Framing {
    /// `Content-Length`, or chunks if the length is not known.
    Honest,
    Length(u64),
    Chunked(usize, Option<BadChunk>),
    Close,
}

/// An error in the chunked coding (RFC 9112 §7.1). The first chunk is always valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadChunk {
    /// The size of the second chunk is not a hexadecimal number.
    Size,
    /// The size of the second chunk has more digits than 64 bits can hold.
    HugeSize,
    /// There are other bytes in place of a chunk's line end.
    Garbage,
    /// The last chunk, of size 0, is missing.
    Unterminated,
}

/// An endless part of a head or of the chunked coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Flood {
    /// One line.
    Line,
    /// Short lines with different names.
    Lines,
    /// Interim responses, `103 Early Hints`.
    Interim,
    /// The extension of a chunk. For a reply that is [`chunked`](Reply::chunked).
    ChunkExtension,
    /// The trailer fields after the last chunk. For a reply that is [`chunked`](Reply::chunked).
    Trailers,
}

const PIECE_BYTES: usize = 64 * 1024;

impl Reply {
    /// Returns a reply with this status, without headers and body. `0` is sent as `000`.
    pub fn status(status: u16) -> Self {
        Reply {
            start: Start::Status(status),
            fields: Vec::new(),
            body: Body::Whole(Bytes::new()),
            codings: Vec::new(),
            framing: Framing::Honest,
            interim: Vec::new(),
            flood: None,
            trailing: Bytes::new(),
            conditional: false,
            faults: Vec::new(),
            drip: None,
        }
    }

    /// Returns a reply with status 200 and a body of plain text.
    pub fn ok(body: impl Into<Bytes>) -> Self {
        Reply::status(200).header("Content-Type", "text/plain").body(body)
    }

    /// Returns a reply with this status and a `Location`, which may be any bytes.
    pub fn redirect(status: u16, location: impl AsRef<[u8]>) -> Self {
        Reply::status(status).header("Location", location)
    }

    /// Returns a reply of exactly these bytes, followed by the end of the connection.
    pub fn raw(bytes: impl Into<Bytes>) -> Self {
        Reply { start: Start::Body, framing: Framing::Close, ..Reply::status(200) }.body(bytes)
    }

    /// Returns a reply of this line and its line end, for FTP.
    pub fn line(text: impl AsRef<str>) -> Self {
        Reply::raw(format!("{}\r\n", text.as_ref()))
    }

    /// Adds a header. The same name may be added any number of times, and the value may be any bytes.
    ///
    /// `Content-Length`, `Transfer-Encoding` and `Content-Encoding` are sent in addition to the reply's own. A
    /// `Connection: close` is kept.
    pub fn header(mut self, name: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Self {
        let (name, value) = (name.as_ref(), value.as_ref());
        self.fields.push(Field::Pair(Bytes::copy_from_slice(name), Bytes::copy_from_slice(value)));
        self
    }

    /// Adds a line to the headers as it is, with a line end.
    pub fn header_line(mut self, line: impl Into<Bytes>) -> Self {
        self.fields.push(Field::Line(line.into()));
        self
    }

    /// Replaces the status line, for example with `HTTP/0.9 200 OK`. The line end is added.
    pub fn status_line(mut self, line: impl Into<Bytes>) -> Self {
        self.start = Start::Line(line.into());
        self
    }

    /// Adds an interim response before this one, such as 100 or 103.
    pub fn interim(mut self, status: u16) -> Self {
        self.interim.push(status);
        self
    }

    /// Adds an endless part, so that nothing follows it.
    pub fn flood(mut self, flood: Flood) -> Self {
        self.flood = Some(flood);
        self
    }

    /// Sets the body. It is sent with any status, even with 204, which must not have one.
    pub fn body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = Body::Whole(body.into());
        self
    }

    /// Sets a body that repeats these bytes without end.
    ///
    /// # Panics
    ///
    /// If `bytes` is empty.
    pub fn endless(self, bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        assert!(!bytes.is_empty(), "expected bytes to repeat");
        let piece = Bytes::from(bytes.repeat(PIECE_BYTES.div_ceil(bytes.len())));
        self.generated(move || Box::new(std::iter::repeat(piece.clone())))
    }

    /// Sets a body of this many zeros. With [`encoded`](Self::encoded), it is a decompression bomb.
    pub fn zeros(self, count: u64) -> Self {
        let piece = Bytes::from(vec![0; PIECE_BYTES]);
        self.generated(move || {
            let piece = piece.clone();
            Box::new((0..count).step_by(PIECE_BYTES).map(move |from| {
                let left = usize::try_from(count - from).unwrap_or(usize::MAX);
                piece.slice(..left.min(PIECE_BYTES))
            }))
        })
    }

    fn generated(mut self, pieces: impl Fn() -> Pieces + Send + Sync + 'static) -> Self {
        self.body = Body::Generated(Arc::new(pieces));
        self
    }

    /// Encodes the present body, and adds the coding to `Content-Encoding`. Several codings are applied one after the
    /// other.
    ///
    /// To claim a coding without encoding, add the header instead.
    pub fn encoded(mut self, coding: Coding) -> Self {
        self.codings.push(coding);
        match self.body.clone() {
            Body::Whole(bytes) => self.body(coding.encode(&bytes)),
            Body::Generated(pieces) => self.generated(move || coding.encode_stream(pieces())),
        }
    }

    /// Sets `Content-Length`, even to a wrong value, and ends the connection after the body.
    pub fn content_length(mut self, length: u64) -> Self {
        self.framing = Framing::Length(length);
        self
    }

    /// Sends the body without a length: it ends with the connection (RFC 9112 §6.3).
    pub fn until_close(mut self) -> Self {
        self.framing = Framing::Close;
        self
    }

    /// Sends the body in chunks of this size (RFC 9112 §7.1).
    pub fn chunked(mut self, size: usize) -> Self {
        self.framing = Framing::Chunked(size, None);
        self
    }

    /// Sends the body in chunks of this size, with an error. The connection ends after it.
    pub fn chunked_badly(mut self, size: usize, bad: BadChunk) -> Self {
        self.framing = Framing::Chunked(size, Some(bad));
        self
    }

    /// Adds bytes after the whole response, which belong to nothing.
    pub fn trailing(mut self, bytes: impl Into<Bytes>) -> Self {
        self.trailing = bytes.into();
        self
    }

    /// Answers 304 to a request with an `If-None-Match` that contains this reply's `ETag`, or, without that header,
    /// with an `If-Modified-Since` that is exactly its `Last-Modified` (RFC 9110 §13.2.2).
    pub fn conditional(mut self) -> Self {
        self.conditional = true;
        self
    }

    /// Sends nothing from there on, until the client closes the connection.
    pub fn stall(self, at: At) -> Self {
        self.fault(at, Fault::Stall)
    }

    /// Waits there.
    pub fn pause(self, at: At, time: Duration) -> Self {
        self.fault(at, Fault::Pause(time))
    }

    /// Waits there until the test opens the gate.
    pub fn hold(self, at: At, gate: &Gate) -> Self {
        self.fault(at, Fault::Hold(gate.clone()))
    }

    /// Ends the connection there, with TLS without `close_notify`.
    pub fn cut(self, at: At) -> Self {
        self.fault(at, Fault::Cut)
    }

    /// Ends the connection there by a TCP reset; with HTTP/2, only the stream by `RST_STREAM`.
    pub fn reset(self, at: At) -> Self {
        self.fault(at, Fault::Reset)
    }

    /// Ends an HTTP/2 connection there by `GOAWAY` with an error; with HTTP/1.1 the same as [`cut`](Self::cut).
    pub fn go_away(self, at: At) -> Self {
        self.fault(at, Fault::GoAway)
    }

    /// Sends these HTTP/2 frames there as they are, and nothing of the reply after them. Then the faults that were added for
    /// the same place happen, for example [`stall`](Self::stall); without any, the connection is closed with
    /// `close_notify`. With HTTP/1.1 the same as [`cut`](Self::cut).
    pub fn frames(self, at: At, frames: impl IntoIterator<Item = Frame>) -> Self {
        self.fault(at, Fault::Frames(frames.into_iter().collect(), Repeat::Once))
    }

    /// Sends this HTTP/2 frame there again and again, until the client closes the connection.
    pub fn endless_frames(self, at: At, frame: Frame) -> Self {
        self.fault(at, Fault::Frames(vec![frame], Repeat::Forever))
    }

    fn fault(mut self, at: At, fault: Fault) -> Self {
        self.faults.push((at, fault));
        self
    }

    /// Sends this many bytes at a time from there on, and waits after each.
    pub fn drip(mut self, from: At, bytes: usize, every: Duration) -> Self {
        self.drip = Some(Drip { from, bytes, every });
        self
    }

    pub(crate) fn field(&self, name: &str) -> Option<&[u8]> {
        self.fields.iter().find_map(|field| match field {
            Field::Pair(n, value) if n.eq_ignore_ascii_case(name.as_bytes()) => Some(value.as_ref()),
            _ => None,
        })
    }

    /// Returns the length of the body, if it is known.
    pub(crate) fn length(&self) -> Option<usize> {
        match &self.body {
            Body::Whole(bytes) => Some(bytes.len()),
            Body::Generated(_) => None,
        }
    }

    pub(crate) fn content_encoding(&self) -> Option<String> {
        let names: Vec<_> = self.codings.iter().map(|coding| coding.name()).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }

    /// Returns the reply to this request: itself, or 304.
    pub(crate) fn answering(self: Arc<Self>, request: &Request) -> Arc<Self> {
        if !self.conditional || !self.is_known_to(request) {
            return self;
        }
        let mut reply = Reply::clone(&self);
        reply.start = Start::Status(304);
        reply.body = Body::Whole(Bytes::new());
        reply.codings.clear();
        reply.framing = Framing::Honest;
        Arc::new(reply)
    }

    fn is_known_to(&self, request: &Request) -> bool {
        let known = |name: &str, value: &str| self.field(name).is_some_and(|own| own == value.as_bytes());
        match (request.header("If-None-Match"), request.header("If-Modified-Since")) {
            (Some(tags), _) => tags.split(',').map(str::trim).any(|tag| tag == "*" || known("ETag", tag)),
            (None, Some(date)) => known("Last-Modified", date),
            (None, None) => false,
        }
    }
}
