//! How bytes go out: what of them, when, and what happens in between.
//!
//! A [`Wire`] walks along the bytes of a reply and says what to do next. It does nothing itself, so that HTTP/1.1,
//! HTTP/2 and FTP share it.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;

use crate::frame::Frame;
use crate::gate::Gate;

/// Bytes in pieces, maybe without end.
pub(crate) type Pieces = Box<dyn Iterator<Item = Bytes> + Send>;

/// A place in a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum At {
    /// Before the first byte.
    Start,
    /// In the middle of the headers, the status line being out. HTTP/2 sends headers as a whole: before them.
    Headers,
    /// After so many bytes that follow the headers, those of the chunked coding among them. Beyond the end means the
    /// end.
    Body(u64),
    /// After the last byte.
    End,
}

/// What happens at a place.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    Pause(Duration),
    Hold(Gate),
    Stall,
    Cut,
    Reset,
    GoAway,
    /// HTTP/2 frames, once or forever.
    Frames(Vec<Frame>, Repeat),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeat {
    Once,
    Forever,
}

/// From a place on, so many bytes at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drip {
    pub(crate) from: At,
    pub(crate) bytes: usize,
    pub(crate) every: Duration,
}

/// Where the parts of a reply end, in bytes from its start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub(crate) status_line: u64,
    pub(crate) head: u64,
}

impl Layout {
    fn offset(self, at: At) -> u64 {
        match at {
            At::Start => 0,
            At::Headers => u64::midpoint(self.status_line, self.head),
            At::Body(bytes) => self.head.saturating_add(bytes),
            At::End => u64::MAX,
        }
    }
}

/// What to do next.
#[derive(Debug)]
pub(crate) enum Move {
    Send(Bytes),
    Wait(Duration),
    Fault(Fault),
}

/// The walk along the bytes of one reply. It ends with `None`.
pub(crate) struct Wire {
    pieces: Pieces,
    piece: Bytes,
    sent: u64,
    faults: VecDeque<(u64, Fault)>,
    drip: Option<(u64, Drip)>,
    dripped: bool,
}

impl Wire {
    pub(crate) fn new(pieces: Pieces, layout: Layout, faults: &[(At, Fault)], drip: Option<Drip>) -> Self {
        let mut faults: Vec<_> = faults.iter().map(|(at, fault)| (layout.offset(*at), fault.clone())).collect();
        // Stable: at the same place, in the order in which they were asked for.
        faults.sort_by_key(|(offset, _)| *offset);
        Wire {
            pieces,
            piece: Bytes::new(),
            sent: 0,
            faults: faults.into(),
            drip: drip.map(|drip| (layout.offset(drip.from), drip)),
            dripped: false,
        }
    }
}

impl Iterator for Wire {
    type Item = Move;

    fn next(&mut self) -> Option<Move> {
        if let (true, Some((_, drip))) = (std::mem::take(&mut self.dripped), self.drip) {
            return Some(Move::Wait(drip.every));
        }
        if self.faults.front().is_some_and(|(offset, _)| *offset <= self.sent) {
            return self.faults.pop_front().map(|(_, fault)| Move::Fault(fault));
        }
        while self.piece.is_empty() {
            match self.pieces.next() {
                Some(piece) => self.piece = piece,
                None => return self.faults.pop_front().map(|(_, fault)| Move::Fault(fault)),
            }
        }
        let mut most = self.piece.len() as u64;
        if let Some((offset, _)) = self.faults.front() {
            most = most.min(offset - self.sent);
        }
        if let Some((from, drip)) = self.drip {
            if self.sent >= from {
                most = most.min(drip.bytes.max(1) as u64);
                self.dripped = true;
            } else {
                most = most.min(from - self.sent);
            }
        }
        self.sent += most;
        let most = usize::try_from(most).expect("no more than the piece has");
        Some(Move::Send(self.piece.split_to(most)))
    }
}
