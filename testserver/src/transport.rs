//! Connections: accepting them, and sending with faults.

use std::io;
use std::net::SocketAddr;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinSet;

use crate::wire::{Fault, ReplyAction};

/// Thousands of clients may connect at once.
const BACKLOG: u32 = 4096;

/// A listener. Dropping it ends all its connections.
#[derive(Debug)]
pub(crate) struct Listening {
    pub(crate) addr: SocketAddr,
    _tasks: JoinSet<()>,
}

impl Listening {
    /// Starts a listener that serves each connection with `serve`.
    pub(crate) fn at<F>(
        addr: SocketAddr,
        serve: impl Fn(TcpStream, SocketAddr) -> F + Send + 'static,
    ) -> io::Result<Self>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let socket = if addr.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        socket.set_reuseaddr(true)?;
        socket.bind(addr)?;
        let listener = socket.listen(BACKLOG)?;
        let addr = listener.local_addr()?;
        let mut tasks = JoinSet::new();
        tasks.spawn(accept(listener, serve));
        Ok(Listening { addr, _tasks: tasks })
    }
}

async fn accept<F>(listener: TcpListener, serve: impl Fn(TcpStream, SocketAddr) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    // They end with this task.
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                // A client that closed the connection before it was served is not an error.
                if let Ok((stream, peer)) = accepted {
                    let _ = stream.set_nodelay(true);
                    connections.spawn(serve(stream, peer));
                }
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

/// A stream of bytes on TCP.
pub(crate) trait Transport: AsyncRead + AsyncWrite + Unpin + Send {
    fn tcp(&self) -> &TcpStream;
}

impl Transport for TcpStream {
    fn tcp(&self) -> &TcpStream {
        self
    }
}

/// The treatment of a connection after bytes were sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    Open,
    Cut,
    Reset,
}

pub(crate) async fn send(stream: &mut impl Transport, wire: impl Iterator<Item = ReplyAction>) -> io::Result<After> {
    for step in wire {
        match step {
            ReplyAction::Send(bytes) => {
                stream.write_all(&bytes).await?;
                stream.flush().await?;
            }
            ReplyAction::Wait(time) | ReplyAction::Fault(Fault::Pause(time)) => tokio::time::sleep(time).await,
            ReplyAction::Fault(Fault::Hold(gate)) => gate.pass().await,
            ReplyAction::Fault(Fault::Stall) => {
                gone(stream).await;
                return Ok(After::Cut);
            }
            ReplyAction::Fault(Fault::Cut | Fault::GoAway | Fault::Frames(..)) => return Ok(After::Cut),
            ReplyAction::Fault(Fault::Reset) => return Ok(After::Reset),
        }
    }
    Ok(After::Open)
}

/// Waits until the client has closed its side, and discards its bytes.
pub(crate) async fn gone(stream: &mut (impl AsyncRead + Unpin)) {
    let mut ignored = [0; 1024];
    while matches!(stream.read(&mut ignored).await, Ok(1..)) {}
}
