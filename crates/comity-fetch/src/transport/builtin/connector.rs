//! Connectors, which open TCP connections.

use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::pin::Pin;

/// The future of a TCP connection.
pub type Connecting<'a> = Pin<Box<dyn Future<Output = io::Result<TcpStream>> + Send + 'a>>;

/// Opens TCP connections, for example from a certain interface. It is only called for addresses that the [address
/// rules](crate::Addresses) allow.
pub trait Connect: fmt::Debug + Send + Sync {
    /// Connects to an address. The stream is set to non-blocking mode after that.
    fn connect(&self, address: SocketAddr) -> Connecting<'_>;
}

/// Connects as the system does.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct SystemConnector;

impl Connect for SystemConnector {
    fn connect(&self, address: SocketAddr) -> Connecting<'_> {
        Box::pin(async move { tokio::net::TcpStream::connect(address).await?.into_std() })
    }
}
