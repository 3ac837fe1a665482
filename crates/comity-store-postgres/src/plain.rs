//! Connections without TLS, on which the password is not sent in clear text or as MD5.
//!
//! The server chooses how the password is sent. Without TLS, that may be anybody: an attacker on the network, or another
//! user of the machine who listens while the database is down. PostgreSQL's own library has `require_auth` for this;
//! tokio-postgres has no such option. So the requests of the server are read on their way, and an unsafe one ends the
//! connection before it is answered.

use std::future::{Ready, ready};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};

/// The message of the error. The failure of the store recognizes it.
pub(crate) const REFUSED: &str = "the server asks for the password in an unsafe form";

/// Makes connections that are guarded instead of encrypted. It takes the place of TLS with `sslnegotiation=direct`: then,
/// no byte is sent before the stream is handed over.
#[derive(Clone, Copy)]
pub(crate) struct Plain;

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for Plain {
    type Stream = Guarded<S>;
    type TlsConnect = Self;
    type Error = io::Error;

    fn make_tls_connect(&mut self, _: &str) -> io::Result<Self> {
        Ok(Self)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for Plain {
    type Stream = Guarded<S>;
    type Error = io::Error;
    type Future = Ready<io::Result<Guarded<S>>>;

    fn connect(self, stream: S) -> Self::Future {
        ready(Ok(Guarded { stream, guard: Guard::default() }))
    }
}

/// A connection whose server may ask for the password by SCRAM only, unless it is trusted.
pub(crate) struct Guarded<S> {
    stream: S,
    guard: Guard,
}

impl<S> Guarded<S> {
    /// Returns a connection to a server that may ask for the password in any form. TLS is trusted: its certificate proves
    /// that the server is the one that the caller named, and nobody else can read the password.
    pub(crate) fn trusted(stream: S) -> Self {
        Self { stream, guard: Guard { is_over: true, ..Guard::default() } }
    }
}

/// Reads the messages of a server until it has accepted the user.
#[derive(Default)]
struct Guard {
    /// The start of the current message: its type, its length, and for a request its kind.
    head: Vec<u8>,
    /// The number of bytes until the next message.
    rest: usize,
    is_over: bool,
}

impl Guard {
    const TYPE_AND_LENGTH: usize = 5;
    const WITH_KIND: usize = 9;

    fn read(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !self.is_over && !bytes.is_empty() {
            let skipped = self.rest.min(bytes.len());
            self.rest -= skipped;
            bytes = &bytes[skipped..];
            let Some((&byte, more)) = bytes.split_first() else { break };
            bytes = more;
            self.head.push(byte);
            let is_request = self.head[0] == b'R';
            if self.head.len() < if is_request { Self::WITH_KIND } else { Self::TYPE_AND_LENGTH } {
                continue;
            }
            let number = |at: usize| u32::from_be_bytes([0, 1, 2, 3].map(|byte| self.head[at + byte]));
            if is_request {
                match number(Self::TYPE_AND_LENGTH) {
                    0 => self.is_over = true,
                    // SASL, of which the client has SCRAM only.
                    10..=12 => {}
                    _ => return Err(io::Error::new(io::ErrorKind::PermissionDenied, REFUSED)),
                }
            }
            // The length counts itself, and not the type.
            self.rest = (number(1) as usize + 1).saturating_sub(self.head.len());
            self.head.clear();
        }
        Ok(())
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Guarded<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Guarded<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        let this = &mut *self;
        let polled = Pin::new(&mut this.stream).poll_read(cx, into);
        if let Poll::Ready(Ok(())) = polled {
            this.guard.read(&into.filled()[before..])?;
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Guarded<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(kind: u32, more: &[u8]) -> Vec<u8> {
        let length = u32::try_from(8 + more.len()).unwrap();
        [b"R", &length.to_be_bytes()[..], &kind.to_be_bytes()[..], more].concat()
    }

    #[test]
    fn only_scram_is_answered() {
        let notice = [b"N", &8_u32.to_be_bytes()[..], b"R\0\0\0"].concat();
        let scram = [request(10, b"SCRAM-SHA-256\0\0"), request(11, b"r=1"), request(12, b"v=1"), request(0, b"")];
        let scram = [notice.clone(), scram.concat()].concat();
        let later = request(3, b"");
        for (bytes, is_safe) in [
            (scram.clone(), true),
            ([scram, later].concat(), true),
            (request(0, b""), true),
            (request(3, b""), false),
            (request(5, b"salt"), false),
            (request(7, b""), false),
            ([notice, request(3, b"")].concat(), false),
            ([request(10, b"SCRAM-SHA-256\0\0"), request(3, b"")].concat(), false),
        ] {
            for size in 1..=bytes.len() {
                let mut guard = Guard::default();
                let read = bytes.chunks(size).try_for_each(|chunk| guard.read(chunk));
                assert_eq!(read.is_ok(), is_safe, "{bytes:?} by {size}");
            }
        }
    }
}
