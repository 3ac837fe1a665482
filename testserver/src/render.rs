//! Rendering of replies as HTTP/1.1 (RFC 9112).

use bytes::Bytes;

use crate::reply::{BadChunk, Body, Field, Flood, Framing, Reply, Start};
use crate::wire::{Fault, Layout, Pieces, ReplyActions};

/// The size up to which bodies are sent with their head in one write.
const MAX_INLINE_BODY: usize = 16 * 1024;

/// The size of chunks in bytes if the reply does not set one.
const DEFAULT_CHUNK_BYTES: usize = 16 * 1024;

/// Renders a reply. Also returns true if another reply may follow on the same connection.
pub(crate) fn render(reply: &Reply, with_body: bool) -> (ReplyActions, bool) {
    let framing = framing(reply);
    let mut head = Head::new(reply);
    head.fields(reply, framing);
    let layout = head.layout();
    let pieces = match (reply.flood, &reply.body) {
        (Some(flood), _) => head.flooded(flood),
        (None, _) if !with_body => once(head.bytes),
        (None, Body::Whole(body))
            if body.len() <= MAX_INLINE_BODY && is_plain(framing) && reply.trailing.is_empty() =>
        {
            head.bytes.extend_from_slice(body);
            once(head.bytes)
        }
        (None, _) => {
            Box::new(once(head.bytes).chain(body(reply, framing)).chain(std::iter::once(reply.trailing.clone())))
        }
    };
    (ReplyActions::new(pieces, layout, &reply.faults, reply.drip), keeps_alive(reply, framing))
}

fn once(bytes: Vec<u8>) -> Pieces {
    Box::new(std::iter::once(Bytes::from(bytes)))
}

/// Returns the framing, with `Honest` resolved.
pub(crate) fn framing(reply: &Reply) -> Framing {
    match (reply.framing, &reply.body) {
        (Framing::Honest, Body::Whole(body)) if body.is_empty() && has_no_content(reply) => Framing::Honest,
        (Framing::Honest, Body::Whole(body)) => Framing::Length(body.len() as u64),
        (Framing::Honest, Body::Generated(_)) => Framing::Chunked(DEFAULT_CHUNK_BYTES, None),
        (framing, _) => framing,
    }
}

fn has_no_content(reply: &Reply) -> bool {
    matches!(reply.start, Start::Status(100..=199 | 204 | 304))
}

fn is_plain(framing: Framing) -> bool {
    !matches!(framing, Framing::Chunked(..))
}

/// Returns true if the connection stays open: if the client can find the end of the reply, and the reply does not end
/// the connection.
fn keeps_alive(reply: &Reply, framing: Framing) -> bool {
    let honest = match framing {
        Framing::Honest => !matches!(reply.start, Start::Status(100..=199)),
        Framing::Length(_) => matches!(reply.framing, Framing::Honest),
        Framing::Chunked(_, bad) => bad.is_none(),
        Framing::Close => false,
    };
    let ends = reply
        .faults
        .iter()
        .any(|(_, fault)| matches!(fault, Fault::Cut | Fault::Reset | Fault::GoAway | Fault::Frames(..)));
    let closes = reply.field("Connection").is_some_and(|value| value.eq_ignore_ascii_case(b"close"));
    honest && !ends && !closes
}

/// Everything before the body.
struct Head {
    bytes: Vec<u8>,
    status_line: usize,
}

impl Head {
    fn new(reply: &Reply) -> Self {
        let mut bytes = Vec::with_capacity(512);
        for status in &reply.interim {
            bytes.extend_from_slice(format!("HTTP/1.1 {status:03} \r\n\r\n").as_bytes());
        }
        match &reply.start {
            // The reason phrase may be empty (RFC 9112 §4).
            Start::Status(status) => bytes.extend_from_slice(format!("HTTP/1.1 {status:03} \r\n").as_bytes()),
            Start::Line(line) => bytes.extend_from_slice(&[line, b"\r\n".as_slice()].concat()),
            Start::Body => {}
        }
        Head { status_line: bytes.len(), bytes }
    }

    fn fields(&mut self, reply: &Reply, framing: Framing) {
        if matches!(reply.start, Start::Body) {
            return;
        }
        for field in &reply.fields {
            match field {
                Field::Pair(name, value) => self.field(name, value),
                Field::Line(line) => self.line(&[line]),
            }
        }
        if let Some(codings) = reply.content_encoding() {
            self.field(b"Content-Encoding", codings.as_bytes());
        }
        match framing {
            Framing::Length(length) => self.field(b"Content-Length", length.to_string().as_bytes()),
            Framing::Chunked(..) => self.field(b"Transfer-Encoding", b"chunked"),
            Framing::Honest | Framing::Close => {}
        }
        if reply.flood.is_none() {
            self.line(&[]);
        }
    }

    fn field(&mut self, name: &[u8], value: &[u8]) {
        self.line(&[name, b": ", value]);
    }

    fn line(&mut self, parts: &[&[u8]]) {
        for part in parts {
            self.bytes.extend_from_slice(part);
        }
        self.bytes.extend_from_slice(b"\r\n");
    }

    fn layout(&self) -> Layout {
        Layout { status_line: self.status_line as u64, head: self.bytes.len() as u64 }
    }

    fn flooded(mut self, flood: Flood) -> Pieces {
        match flood {
            Flood::Line => {
                self.bytes.extend_from_slice(b"X-Flood: ");
                Box::new(once(self.bytes).chain(std::iter::repeat(Bytes::from_static(&[b'a'; 4096]))))
            }
            Flood::Lines => {
                let lines = |n: u64| (n * 64..).take(64).map(|n| format!("X-Flood-{n}: a\r\n")).collect::<String>();
                Box::new(once(self.bytes).chain((0..).map(lines).map(Bytes::from)))
            }
            Flood::Interim => Box::new(std::iter::repeat(Bytes::from_static(b"HTTP/1.1 103 \r\nLink: </a>\r\n\r\n"))),
            Flood::ChunkExtension => {
                self.bytes.extend_from_slice(b"\r\n1;");
                Box::new(once(self.bytes).chain(std::iter::repeat(Bytes::from_static(&[b'a'; 4096]))))
            }
            Flood::Trailers => {
                self.bytes.extend_from_slice(b"\r\n0\r\n");
                Box::new(once(self.bytes).chain(std::iter::repeat(Bytes::from_static(b"X-Flood: a\r\n"))))
            }
        }
    }
}

/// Returns the content without its framing.
pub(crate) fn pieces(reply: &Reply) -> Pieces {
    match &reply.body {
        Body::Whole(bytes) => Box::new(std::iter::once(bytes.clone())),
        Body::Generated(pieces) => pieces(),
    }
}

fn body(reply: &Reply, framing: Framing) -> Pieces {
    let pieces = pieces(reply);
    match framing {
        Framing::Chunked(size, bad) => {
            Box::new(Chunks { pieces: Some(pieces), piece: Bytes::new(), size, bad, sent: 0 })
        }
        _ => pieces,
    }
}

/// The chunked coding.
struct Chunks {
    /// `None` after the last one.
    pieces: Option<Pieces>,
    piece: Bytes,
    size: usize,
    bad: Option<BadChunk>,
    sent: usize,
}

impl Iterator for Chunks {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        while self.piece.is_empty() {
            match self.pieces.as_mut()?.next() {
                Some(piece) => self.piece = piece,
                None => return Some(self.end()),
            }
        }
        let data = self.piece.split_to(self.piece.len().min(self.size.max(1)));
        Some(self.chunk(&data))
    }
}

impl Chunks {
    fn chunk(&mut self, data: &[u8]) -> Bytes {
        self.sent += 1;
        let bad = self.bad.filter(|_| self.sent == 2);
        let size = match bad {
            Some(BadChunk::Size) => "zz".to_owned(),
            Some(BadChunk::HugeSize) => "F".repeat(17),
            _ => format!("{:x}", data.len()),
        };
        let end: &[u8] = if bad == Some(BadChunk::Garbage) { b"??" } else { b"\r\n" };
        Bytes::from([size.as_bytes(), b"\r\n", data, end].concat())
    }

    fn end(&mut self) -> Bytes {
        self.pieces = None;
        match self.bad {
            Some(BadChunk::Unterminated) => Bytes::new(),
            // A short body had no second chunk that could be bad.
            Some(_) if self.sent < 2 => {
                self.sent = 1;
                self.chunk(b"bad")
            }
            _ => Bytes::from_static(b"0\r\n\r\n"),
        }
    }
}
