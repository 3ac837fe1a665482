//! Ends connections on which the server keeps sending without progress.
//!
//! Interim responses (1xx) and most frames of HTTP/2 may come in any number, and the libraries read all of them. A deadline
//! would end that after seconds of CPU time, so they are counted.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use comity_policy::Failure;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::received::Received;
use crate::transport::error::TransportError;

/// The maximum number of heads of a response: interim ones, the final one, and in HTTP/2 the trailers. Real servers
/// send two or three.
const MAX_HEADS: u32 = 100;

/// The maximum number of HTTP/2 frames without data. A real server sends a dozen, and a `PING` for each window of a
/// long body.
const MAX_IDLE_FRAMES: u32 = 1000;

/// The counters of one connection, and what it received last.
#[derive(Debug, Default)]
pub(super) struct Meter {
    heads: AtomicU32,
    idle_frames: AtomicU32,
    /// Used by HTTP/1.1 alone.
    received: Mutex<Received>,
}

impl Meter {
    pub(super) fn count_head(&self) {
        self.heads.fetch_add(1, Ordering::Relaxed);
    }

    /// Begins the count for another response. What the server sent before it, on an idle connection, is over.
    pub(super) fn begin(&self) {
        self.heads.store(0, Ordering::Relaxed);
        self.idle_frames.store(0, Ordering::Relaxed);
        *self.received() = Received::default();
    }

    pub(super) fn received(&self) -> MutexGuard<'_, Received> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count_idle_frame(&self) {
        self.idle_frames.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the error, if a counter is above its limit.
    pub(super) fn problem(&self) -> Option<TransportError> {
        let excess = self.excess()?;
        Some(TransportError::new(
            Failure::InvalidResponse,
            format!("the server keeps sending without progress: {excess}"),
        ))
    }

    /// Returns what was received in excess, if a counter is above its limit.
    pub(super) fn excess(&self) -> Option<String> {
        if self.heads.load(Ordering::Relaxed) > MAX_HEADS {
            Some(format!("more than {MAX_HEADS} heads of one answer"))
        } else if self.idle_frames.load(Ordering::Relaxed) > MAX_IDLE_FRAMES {
            Some(format!("more than {MAX_IDLE_FRAMES} frames without data"))
        } else {
            None
        }
    }
}

/// A connection with reads that fail once a counter of its meter is above its limit.
#[derive(Debug)]
pub(super) struct Metered<L> {
    link: L,
    meter: Arc<Meter>,
    /// The frames of HTTP/2. For HTTP/1.1, the parser reports its heads to the meter.
    frames: Option<Frames>,
}

impl<L> Metered<L> {
    pub(super) fn http1(link: L, meter: Arc<Meter>) -> Self {
        Self { link, meter, frames: None }
    }

    pub(super) fn http2(link: L, meter: Arc<Meter>) -> Self {
        Self { link, meter, frames: Some(Frames::default()) }
    }
}

impl<L: AsyncRead + Unpin> AsyncRead for Metered<L> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let before = buffer.filled().len();
        if this.meter.problem().is_none() {
            ready!(Pin::new(&mut this.link).poll_read(cx, buffer))?;
        }
        let came = &buffer.filled()[before..];
        match &mut this.frames {
            Some(frames) => frames.count(came, &this.meter),
            None => this.meter.received().add(came),
        }
        Poll::Ready(this.meter.problem().map_or(Ok(()), |problem| Err(io::Error::other(problem))))
    }
}

impl<L: AsyncWrite + Unpin> AsyncWrite for Metered<L> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.link).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.link).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.link).poll_shutdown(cx)
    }
}

/// Finds the frame headers in a stream of bytes (RFC 9113 §4.1).
#[derive(Debug, Default)]
struct Frames {
    header: [u8; 9],
    /// The number of bytes of `header` that have been received.
    read: usize,
    /// The number of bytes of the payload that are still to come.
    left: usize,
}

/// Frame types (RFC 9113 §6).
const DATA: u8 = 0;
const HEADERS: u8 = 1;

impl Frames {
    fn count(&mut self, mut bytes: &[u8], meter: &Meter) {
        while !bytes.is_empty() {
            let wanted = if self.left > 0 { self.left } else { self.header.len() - self.read };
            let (came, rest) = bytes.split_at(wanted.min(bytes.len()));
            bytes = rest;
            if self.left > 0 {
                self.left -= came.len();
                continue;
            }
            self.header[self.read..][..came.len()].copy_from_slice(came);
            self.read += came.len();
            if self.read == self.header.len() {
                self.frame(meter);
            }
        }
    }

    fn frame(&mut self, meter: &Meter) {
        let [high, middle, low, kind, ..] = self.header;
        // The library itself ends connections that carry `DATA` without data.
        if kind != DATA {
            meter.count_idle_frame();
        }
        if kind == HEADERS {
            meter.count_head();
        }
        self.left = u32::from_be_bytes([0, high, middle, low]) as usize;
        self.read = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(kind: u8, payload: &[u8]) -> Vec<u8> {
        let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
        [&length[1..], &[kind, 0, 0, 0, 0, 1], payload].concat()
    }

    /// Checks that the result does not depend on how the network splits the bytes.
    #[test]
    fn frames_are_counted() {
        let frames = [
            frame(4, b""),
            frame(HEADERS, b"abc"),
            frame(DATA, &[0; 300]),
            frame(0xbb, &vec![0; 70_000]),
            frame(DATA, b""),
        ];
        let bytes = [frames.concat(), frame(HEADERS, b"")].concat();
        for size in (1..1000).chain([bytes.len()]) {
            let (mut frames, meter) = (Frames::default(), Meter::default());
            for piece in bytes.chunks(size) {
                frames.count(piece, &meter);
            }
            let counted = (meter.heads.into_inner(), meter.idle_frames.into_inner());
            assert_eq!(counted, (2, 4), "in pieces of {size}");
            assert_eq!((frames.read, frames.left), (0, 0));
        }
    }

    #[test]
    fn bounds() {
        let meter = Meter::default();
        for _ in 0..MAX_HEADS {
            meter.count_head();
        }
        for _ in 0..MAX_IDLE_FRAMES {
            meter.count_idle_frame();
        }
        assert_eq!(meter.problem(), None);
        meter.count_idle_frame();
        assert!(meter.problem().unwrap().detail.contains("more than 1000 frames without data"));
        meter.count_head();
        assert!(meter.problem().unwrap().detail.contains("more than 100 heads"));
    }
}
