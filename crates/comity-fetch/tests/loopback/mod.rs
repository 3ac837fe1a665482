//! A connector for tests of address rules: none of their packets leaves the machine, even if a rule fails.

use std::io;
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};

use comity_fetch::transport::{Connect, Connecting};
use tokio::net::TcpStream;

/// Connects to loopback only, and records the requested addresses.
#[derive(Debug, Default)]
pub(crate) struct Loopback(Mutex<Vec<SocketAddr>>);

impl Loopback {
    /// Returns all addresses so far.
    pub(crate) fn asked(&self) -> Vec<SocketAddr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn is_inside(address: SocketAddr) -> bool {
    address.ip().to_canonical().is_loopback()
}

impl Connect for Loopback {
    fn connect(&self, address: SocketAddr) -> Connecting<'_> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(address);
        if is_inside(address) {
            Box::pin(async move { TcpStream::connect(address).await?.into_std() })
        } else {
            Box::pin(async { Err(io::ErrorKind::ConnectionRefused.into()) })
        }
    }
}
