//! The sequence of actions for sending bytes with faults.
//!
//! A [`ReplyActions`] iterates over the bytes of a reply and returns the next action. It performs no I/O, so that HTTP/1.1,
//! HTTP/2 and FTP share it.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;

use crate::frame::Frame;
use crate::gate::Gate;

/// Bytes in pieces, possibly endless.
pub(crate) type Pieces = Box<dyn Iterator<Item = Bytes> + Send>;

/// A place in a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum At {
    /// Before the first byte.
    Start,
    /// Within the headers, after the status line. HTTP/2 sends headers as a whole, so this is before them.
    Headers,
    /// After this number of bytes after the headers, including those of the chunked coding. A number beyond the end
    /// means the end.
    Body(u64),
    /// After the last byte.
    End,
}

/// A fault at a place.
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

/// A number of bytes at a time, from a place on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drip {
    pub(crate) from: At,
    pub(crate) bytes: usize,
    pub(crate) every: Duration,
}

/// The ends of a reply's parts, in bytes from its start.
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

/// The next action.
#[derive(Debug)]
pub(crate) enum ReplyAction {
    Send(Bytes),
    Wait(Duration),
    Fault(Fault),
}

/// The actions for one reply. The iterator ends with `None`.
pub(crate) struct ReplyActions {
    pieces: Pieces,
    piece: Bytes,
    sent: u64,
    faults: VecDeque<(u64, Fault)>,
    drip: Option<(u64, Drip)>,
    dripped: bool,
}

impl ReplyActions {
    pub(crate) fn new(pieces: Pieces, layout: Layout, faults: &[(At, Fault)], drip: Option<Drip>) -> Self {
        let mut faults: Vec<_> = faults.iter().map(|(at, fault)| (layout.offset(*at), fault.clone())).collect();
        // Stable: faults at the same place happen in the order in which they were added.
        faults.sort_by_key(|(offset, _)| *offset);
        ReplyActions {
            pieces,
            piece: Bytes::new(),
            sent: 0,
            faults: faults.into(),
            drip: drip.map(|drip| (layout.offset(drip.from), drip)),
            dripped: false,
        }
    }
}

impl Iterator for ReplyActions {
    type Item = ReplyAction;

    fn next(&mut self) -> Option<ReplyAction> {
        if let (true, Some((_, drip))) = (std::mem::take(&mut self.dripped), self.drip) {
            return Some(ReplyAction::Wait(drip.every));
        }
        if self.faults.front().is_some_and(|(offset, _)| *offset <= self.sent) {
            return self.faults.pop_front().map(|(_, fault)| ReplyAction::Fault(fault));
        }
        while self.piece.is_empty() {
            match self.pieces.next() {
                Some(piece) => self.piece = piece,
                None => return self.faults.pop_front().map(|(_, fault)| ReplyAction::Fault(fault)),
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
        Some(ReplyAction::Send(self.piece.split_to(most)))
    }
}
