//! Opens connections, only to allowed addresses.

use std::collections::VecDeque;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use comity_policy::Failure;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::timeout;
use url::Host;

use super::connector::Connect;
use crate::address::Addresses;
use crate::resolve::Resolve;
use crate::transport::error::{TransportError, shown};

/// The maximum number of addresses of a host that are tried; a stranger's name may have thousands.
const MAX_ADDRESSES: usize = 8;

/// The time for which one address is tried alone, before the next one is tried in parallel (RFC 8305 §5).
const HEAD_START: Duration = Duration::from_millis(250);

/// Opens connections. There is no other way to open one, so every address is checked.
#[derive(Clone, Debug)]
pub(super) struct Dialer {
    resolver: Arc<dyn Resolve>,
    /// The connector; the system's if `None`.
    connector: Option<Arc<dyn Connect>>,
    timeout: Duration,
}

impl Dialer {
    pub(super) fn new(resolver: Arc<dyn Resolve>, connector: Option<Arc<dyn Connect>>, timeout: Duration) -> Self {
        Self { resolver, connector, timeout }
    }

    /// Connects to a host, at one of its allowed addresses.
    pub(super) async fn connect(
        &self,
        host: &Host<&str>,
        port: u16,
        addresses: &Addresses,
    ) -> Result<TcpStream, TransportError> {
        let found = match host {
            Host::Domain(name) => self.resolve(name, port).await?,
            Host::Ipv4(address) => vec![SocketAddr::new(IpAddr::V4(*address), port)],
            Host::Ipv6(address) => vec![SocketAddr::new(IpAddr::V6(*address), port)],
        };
        let allowed = allowed(&found, addresses)?;
        self.connect_to_any(allowed).await
    }

    /// Connects to a known address, if it is allowed.
    #[cfg(feature = "ftp")]
    pub(super) async fn connect_to(
        &self,
        address: SocketAddr,
        addresses: &Addresses,
    ) -> Result<TcpStream, TransportError> {
        self.connect_to_any(allowed(&[address], addresses)?).await
    }

    async fn resolve(&self, name: &str, port: u16) -> Result<Vec<SocketAddr>, TransportError> {
        let dns = |detail: String| TransportError::new(Failure::Dns, detail);
        match timeout(self.timeout, self.resolver.resolve(name, port)).await {
            Ok(Ok(found)) if found.is_empty() => Err(dns("the name has no address".to_owned())),
            Ok(Ok(found)) => Ok(found),
            Ok(Err(e)) => Err(dns(e.to_string())),
            Err(_) => Err(dns(format!("the name servers did not answer within {:?}", self.timeout))),
        }
    }

    /// Tries addresses one after the other, each with a head start, and returns the first connection.
    async fn connect_to_any(&self, mut waiting: VecDeque<SocketAddr>) -> Result<TcpStream, TransportError> {
        let tries = waiting.len();
        let first = waiting.front().copied();
        let connect = async {
            // Most hosts have one address, and one needs no task.
            if let (Some(address), 1) = (first, tries) {
                return open(self.connector.as_deref(), address).await.map_err(|e| Some(failed(address, &e)));
            }
            let mut trying = JoinSet::new();
            let mut problem = None;
            loop {
                if let Some(address) = waiting.pop_front() {
                    let connector = self.connector.clone();
                    trying.spawn(async move { (address, open(connector.as_deref(), address).await) });
                }
                let next = trying.join_next();
                let done = if waiting.is_empty() { Ok(next.await) } else { timeout(HEAD_START, next).await };
                match done {
                    Ok(Some(Ok((_, Ok(stream))))) => return Ok(stream),
                    Ok(Some(Ok((address, Err(e))))) => {
                        problem.get_or_insert_with(|| failed(address, &e));
                    }
                    Ok(None) => return Err(problem),
                    // A task that panicked, or the end of the head start.
                    Ok(Some(Err(_))) | Err(_) => {}
                }
            }
        };
        let problem = match timeout(self.timeout, connect).await {
            Ok(Ok(stream)) => {
                // A request is one packet, so there is nothing to wait for. A failure to set the option does not
                // matter.
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            Ok(Err(problem)) => problem,
            Err(_) => first.map(|address| {
                TransportError::new(Failure::Timeout, format!("no connection to {address} within {:?}", self.timeout))
            }),
        };
        let mut problem =
            problem.unwrap_or_else(|| TransportError::new(Failure::Connect, "there is no address to connect to"));
        if tries > 1 {
            problem.detail += &format!("; {} more of its addresses did not answer either", tries - 1);
        }
        Err(problem)
    }
}

async fn open(connector: Option<&dyn Connect>, address: SocketAddr) -> io::Result<TcpStream> {
    let Some(connector) = connector else { return TcpStream::connect(address).await };
    let stream = connector.connect(address).await?;
    stream.set_nonblocking(true)?;
    TcpStream::from_std(stream)
}

/// Returns the allowed addresses, IPv4 and IPv6 in alternation, so that a broken protocol does not delay the other for
/// long.
///
/// A name may have both allowed and forbidden addresses. The forbidden ones do no harm, because they are never
/// connected to.
fn allowed(found: &[SocketAddr], addresses: &Addresses) -> Result<VecDeque<SocketAddr>, TransportError> {
    let mut refusal = None;
    let (mut like_first, mut others) = (VecDeque::new(), VecDeque::new());
    for address in found {
        match addresses.check(address.ip()) {
            Ok(()) if address.is_ipv4() == found[0].is_ipv4() => like_first.push_back(*address),
            Ok(()) => others.push_back(*address),
            Err(e) => refusal = refusal.or(Some(e)),
        }
    }
    if like_first.is_empty() && others.is_empty() {
        let detail = refusal.map_or_else(|| "there is no address".to_owned(), |refusal| refusal.to_string());
        return Err(TransportError::new(Failure::Refused, detail));
    }
    let mut allowed = VecDeque::new();
    while allowed.len() < MAX_ADDRESSES && !(like_first.is_empty() && others.is_empty()) {
        allowed.extend(like_first.pop_front());
        allowed.extend(others.pop_front());
    }
    Ok(allowed)
}

fn failed(address: SocketAddr, error: &io::Error) -> TransportError {
    let (failure, detail) = match error.kind() {
        io::ErrorKind::ConnectionRefused => (Failure::Connect, format!("nobody listens at {address}")),
        io::ErrorKind::TimedOut => (Failure::Timeout, format!("no connection to {address} in time")),
        io::ErrorKind::ConnectionReset => (Failure::Connect, format!("{address} reset the connection at once")),
        io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable => {
            (Failure::Connect, format!("there is no way to {address} from here"))
        }
        _ => (Failure::Connect, format!("no connection to {address}: {}", shown(error.to_string()))),
    };
    TransportError::new(failure, detail)
}
