//! Ports for programs that cannot choose one themselves.

use std::net::{Ipv4Addr, TcpListener, UdpSocket};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::SystemTime;

/// The first of the ports to choose from. No system gives one of them to a server or a client that asks for any port, so
/// the servers and clients of other tests do not take a port before the program listens on it.
const FIRST: u16 = 10_000;
/// The number of the ports to choose from.
const COUNT: u16 = 20_000;

/// Returns a free port of 127.0.0.1. No other call returns it, in any process, until this process ends.
///
/// # Panics
///
/// If there is none.
pub fn free_port() -> u16 {
    // A port of UDP with the same number is a lock that the system releases, whatever ends the process. Without it, two
    // tests that started at the same time got the same port, and a proxy or a database did not start.
    static LOCKS: Mutex<Vec<UdpSocket>> = Mutex::new(Vec::new());
    // Tests in other processes start elsewhere.
    static NEXT: LazyLock<AtomicU32> = LazyLock::new(|| {
        let nanos = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.subsec_nanos());
        AtomicU32::new(nanos.wrapping_add(std::process::id().wrapping_mul(7919)) % u32::from(COUNT))
    });
    let mut candidates = (0..COUNT).map(|_| {
        let turn = NEXT.fetch_add(1, Ordering::Relaxed);
        FIRST + (turn % u32::from(COUNT)) as u16
    });
    let lock = |port: u16| {
        let address = (Ipv4Addr::LOCALHOST, port);
        let lock = UdpSocket::bind(address).ok()?;
        TcpListener::bind(address).ok()?;
        LOCKS.lock().unwrap_or_else(PoisonError::into_inner).push(lock);
        Some(port)
    };
    candidates.find_map(lock).expect("a free port on 127.0.0.1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_free_and_differ() {
        let ports = [0; 50].map(|_| free_port());
        assert!(ports.iter().all(|port| (FIRST..FIRST + COUNT).contains(port)));
        let listeners: Vec<_> = ports.iter().map(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port))).collect();
        assert!(listeners.iter().all(Result::is_ok), "{ports:?}");
        // Another process finds the lock.
        assert!(ports.iter().all(|port| UdpSocket::bind((Ipv4Addr::LOCALHOST, *port)).is_err()), "{ports:?}");
    }
}
