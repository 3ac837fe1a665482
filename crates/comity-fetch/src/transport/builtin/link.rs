//! A connection, whatever it goes through.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Bytes in both directions: by TCP, by TLS, through a proxy, or all of it.
pub(super) type Link = Box<dyn Stream>;

pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin + fmt::Debug {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin + fmt::Debug> Stream for S {}

/// A link that hears nothing until it has spoken.
///
/// Some servers speak first: a busy one its 503, or one that is no web server its greeting. What they say is the answer,
/// but the HTTP client would take it for noise on a connection that nobody uses, if it came before the request was out.
#[derive(Debug)]
pub(super) struct Asking {
    link: Link,
    has_asked: bool,
    waiting: Option<Waker>,
}

impl Asking {
    pub(super) fn new(link: Link) -> Self {
        Self { link, has_asked: false, waiting: None }
    }
}

impl AsyncRead for Asking {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.has_asked {
            return Pin::new(&mut self.link).poll_read(cx, buffer);
        }
        self.waiting = Some(cx.waker().clone());
        Poll::Pending
    }
}

impl AsyncWrite for Asking {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.link).poll_write(cx, bytes);
        // Failing to speak is no reason not to listen: the server may have said why.
        if written.is_ready() {
            self.has_asked = true;
            if let Some(waiting) = self.waiting.take() {
                waiting.wake();
            }
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.link).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.link).poll_shutdown(cx)
    }
}
