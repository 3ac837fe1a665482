//! Ports for programs that cannot choose one themselves.

use std::net::{Ipv4Addr, TcpListener};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::SystemTime;

/// The first of the ports to choose from. No system gives one of them to a server or a client that asks for any port, so
/// the servers and clients of other tests do not take a port before the program listens on it.
const FIRST: u16 = 10_000;
/// The number of the ports to choose from.
const COUNT: u16 = 20_000;

/// Returns a free port of 127.0.0.1.
///
/// # Panics
///
/// If there is none.
pub fn free_port() -> u16 {
    // Calls in one process return different ports. Tests in other processes start elsewhere.
    static NEXT: LazyLock<AtomicU32> = LazyLock::new(|| {
        let nanos = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.subsec_nanos());
        AtomicU32::new(nanos.wrapping_add(std::process::id().wrapping_mul(7919)) % u32::from(COUNT))
    });
    let mut candidates = (0..COUNT).map(|_| {
        let turn = NEXT.fetch_add(1, Ordering::Relaxed);
        FIRST + (turn % u32::from(COUNT)) as u16
    });
    let is_free = |port: &u16| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok();
    candidates.find(is_free).expect("a free port on 127.0.0.1")
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
    }
}
