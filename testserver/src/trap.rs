//! Ports that no client should connect to, and ports that refuse connections.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::net::TcpSocket;

/// A listener that counts connections. In a passing test there are none.
///
/// ```
/// # fn main() -> std::io::Result<()> {
/// use std::net::TcpStream;
/// use comity_testserver::Trap;
///
/// let trap = Trap::set();
/// assert_eq!(trap.connections(), 0);
/// let _caught = TcpStream::connect(trap.addr())?;
/// assert_eq!(trap.connections(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Trap {
    listener: TcpListener,
    addr: SocketAddr,
    connections: AtomicUsize,
}

impl Trap {
    /// Starts a trap on a free port of 127.0.0.1.
    ///
    /// # Panics
    ///
    /// If there is no free port.
    pub fn set() -> Self {
        Self::set_at((Ipv4Addr::LOCALHOST, 0)).expect("a free port on 127.0.0.1")
    }

    /// Starts a trap on another address of the loopback interface. Port 0 means a free one.
    pub fn set_at(addr: impl Into<SocketAddr>) -> io::Result<Self> {
        let listener = TcpListener::bind(addr.into())?;
        listener.set_nonblocking(true)?;
        Ok(Trap { addr: listener.local_addr()?, listener, connections: AtomicUsize::new(0) })
    }

    /// Returns the address of the trap.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Returns the number of connections up to this moment.
    pub fn connections(&self) -> usize {
        // The system has completed them already, so a connection that was just made is counted as well.
        while self.listener.accept().is_ok() {
            self.connections.fetch_add(1, Ordering::Relaxed);
        }
        self.connections.load(Ordering::Relaxed)
    }
}

/// A port that refuses connections, reserved until this is dropped.
#[derive(Debug)]
pub struct ClosedPort {
    // Bound, but not listening.
    _socket: TcpSocket,
    addr: SocketAddr,
}

impl ClosedPort {
    /// Returns the address of the port.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }
}

/// Reserves a port of 127.0.0.1 that refuses connections.
///
/// # Panics
///
/// If there is no free port.
pub fn closed_port() -> ClosedPort {
    let bound = || -> io::Result<_> {
        let socket = TcpSocket::new_v4()?;
        socket.bind((Ipv4Addr::LOCALHOST, 0).into())?;
        Ok(ClosedPort { addr: socket.local_addr()?, _socket: socket })
    };
    bound().expect("a free port on 127.0.0.1")
}
