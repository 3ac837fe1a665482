//! The byte stream of a connection, which records the progress of both directions.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

use crate::connection::Connection;
use crate::connection::frames::FrameCounter;

/// The time for which to read on if a client continues to send after its answer.
const LINGER_TIME: Duration = Duration::from_secs(2);
/// The maximum number of bytes that are read and discarded in that time.
const MAX_LINGER_BYTES: usize = 16 << 20;

/// The byte stream of a connection.
#[derive(Debug)]
pub(crate) struct Stream<S> {
    inner: S,
    connection: Arc<Connection>,
    frames: FrameCounter,
    /// The end of lingering, once it has begun.
    lingering: Option<Pin<Box<Sleep>>>,
    /// The number of bytes discarded since.
    lingered: usize,
}

impl<S> Stream<S> {
    pub(crate) fn new(inner: S, connection: Arc<Connection>) -> Self {
        Self { inner, connection, frames: FrameCounter::new(), lingering: None, lingered: 0 }
    }
}

impl<S> Stream<S> {
    fn wrote(&mut self, written: &Poll<io::Result<usize>>) {
        self.connection.wrote(written);
        if let Poll::Ready(Ok(bytes)) = written {
            self.frames.wrote(*bytes);
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Stream<S> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        let read = Pin::new(&mut this.inner).poll_read(context, buffer);
        if read.is_ready() {
            this.connection.heard();
            if !this.frames.read(&buffer.filled()[before..]) {
                tracing::debug!("a connection sent too many frames of HTTP/2 without progress");
                return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
            }
        }
        read
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Stream<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.inner).poll_write(context, bytes);
        this.wrote(&written);
        written
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.inner).poll_write_vectored(context, bytes);
        this.wrote(&written);
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let flushed = Pin::new(&mut this.inner).poll_flush(context);
        if flushed.is_pending() {
            this.connection.blocked();
        } else {
            // The HTTP library flushes only after everything is written.
            this.connection.taken();
        }
        flushed
    }

    /// Closes the sending side, and continues to read for a while: closing a socket while bytes arrive resets the
    /// connection, and a client that sent too much would never read why that was refused.
    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.lingering.is_none() {
            ready!(Pin::new(&mut this.inner).poll_shutdown(context))?;
            if this.connection.is_told() {
                return Poll::Ready(Ok(()));
            }
        }
        let lingering = this.lingering.get_or_insert_with(|| Box::pin(tokio::time::sleep(LINGER_TIME)));
        let mut bytes = [0; 8192];
        loop {
            if lingering.as_mut().poll(context).is_ready() {
                return Poll::Ready(Ok(()));
            }
            let mut buffer = ReadBuf::new(&mut bytes);
            match ready!(Pin::new(&mut this.inner).poll_read(context, &mut buffer)) {
                Ok(()) if !buffer.filled().is_empty() && this.lingered < MAX_LINGER_BYTES => {
                    this.lingered += buffer.filled().len();
                }
                _ => return Poll::Ready(Ok(())),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncWriteExt, duplex};

    use super::*;
    use crate::connection::set::{Connections, Listed, NewClient};

    fn listed(connections: &Arc<Connections>) -> Listed {
        connections.admit(NewClient { client: [127, 0, 0, 1].into(), has_share: true }).unwrap()
    }

    #[tokio::test]
    async fn shutdown_reads_the_rest_that_a_client_sends() {
        let listed = listed(&Connections::new(1));
        let (mut client, server) = duplex(1024);
        let mut stream = Stream::new(server, Arc::clone(&listed.connection));
        let ending = tokio::spawn(async move { stream.shutdown().await });
        // More than fits into buffers, so the server reads it.
        client.write_all(&vec![b'x'; 100_000]).await.unwrap();
        drop(client);
        ending.await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn shutdown_stops_reading_at_its_limit() {
        let listed = listed(&Connections::new(1));
        let (mut client, server) = duplex(1 << 20);
        let mut stream = Stream::new(server, Arc::clone(&listed.connection));
        let ending = tokio::spawn(async move { stream.shutdown().await });
        let piece = vec![b'x'; 1 << 20];
        let mut taken = 0;
        while taken <= 2 * MAX_LINGER_BYTES && client.write_all(&piece).await.is_ok() {
            taken += piece.len();
        }
        assert!((MAX_LINGER_BYTES..2 * MAX_LINGER_BYTES).contains(&taken), "{taken}");
        ending.await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn a_connection_that_was_told_to_end_is_not_held_up() {
        let connections = Connections::new(1);
        let listed = listed(&connections);
        let (client, server) = duplex(1024);
        let mut stream = Stream::new(server, Arc::clone(&listed.connection));
        let telling = connections.finish(Duration::from_secs(20));
        let ending = async {
            stream.shutdown().await.unwrap();
            drop(listed);
        };
        let began = std::time::Instant::now();
        assert_eq!(tokio::join!(telling, ending).0, 0);
        assert!(began.elapsed() < LINGER_TIME);
        drop(client);
    }
}
