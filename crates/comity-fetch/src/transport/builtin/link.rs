//! The type of connections, whether direct, secured or through a proxy.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A byte stream in both directions: TCP, TLS, a tunnel through a proxy, or a combination.
pub(super) type Link = Box<dyn Stream>;

pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin + fmt::Debug {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin + fmt::Debug> Stream for S {}

/// A link that reads nothing until something was written.
///
/// Some servers send first: an overloaded one its 503, or another kind of server its greeting. That is the response,
/// but the HTTP client would treat it as unexpected data on an idle connection if it arrived before the request was
/// sent.
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
        // Reading is useful even if writing failed, because the server may have sent the reason.
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
