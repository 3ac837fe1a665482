//! Anonymous FTP (RFC 959, RFC 2428).
//!
//! The server says where the file comes from, and may lie: so only the port of what it says is taken, and the address
//! is the one that it was reached at, checked again.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use comity_policy::{Failure, Head};
use suppaftp::tokio::{AsyncFtpStream, AsyncNoTlsStream, TransferStream};
use suppaftp::types::{FileType, Response};
use suppaftp::{FtpError, FtpResult, Mode, ReplyTooLarge};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;
use tokio::time::timeout;
use url::Url;

use super::body::Body;
use super::connect::Dialer;
use super::options::Options;
use super::problem::{Problem, cause, shown};
use super::{Answer, Protocol};
use crate::address::Addresses;

/// How much of the file is read at once.
const PIECE: usize = 16 * 1024;

/// Asks for a robots.txt. The URL's user, if there is one, is not sent.
pub(super) async fn send(
    url: &Url,
    dialer: &Dialer,
    addresses: &Addresses,
    options: &Options,
) -> Result<Answer, Problem> {
    if options.proxy.is_some() {
        return Err(Problem::new(Failure::Refused, "nothing is fetched by ftp: through a proxy"));
    }
    if url.path() != "/robots.txt" || url.query().is_some() {
        return Err(Problem::new(Failure::Refused, "nothing but /robots.txt is fetched by ftp:"));
    }
    let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
        return Err(Problem::new(Failure::Refused, "the URL has no host to connect to"));
    };
    let stream = dialer.connect(&host, port, addresses).await?;
    let peer = stream.peer_addr().ok();
    let asking = Asking { dialer, addresses, user_agent: options.user_agent.trim(), timeout: options.head_timeout };
    let (head, body) = match asking.file(stream).await {
        // The reply that says so is 125 or 150; which of them, is not told.
        Ok(download) => (Head::ftp(150), Body::ftp(download, options.stall_timeout)),
        Err(Stop::Reply(code)) => (Head::ftp(code), Body::none()),
        Err(Stop::Problem(problem)) => return Err(problem),
    };
    Ok(Answer { head, peer, protocol: Protocol::Ftp, fields: Vec::new(), body })
}

/// Why there is no file.
enum Stop {
    /// The server said no.
    Reply(u16),
    Problem(Problem),
}

struct Asking<'a> {
    dialer: &'a Dialer,
    addresses: &'a Addresses,
    user_agent: &'a str,
    timeout: Duration,
}

impl Asking<'_> {
    async fn file(&self, stream: TcpStream) -> Result<Download, Stop> {
        let is_about_file = Arc::new(AtomicBool::new(false));
        match self.transfer(stream, &is_about_file).await {
            // "No such file" allows everything. As a reply to anything else, as some servers have it for commands that
            // they forbid, it does not say so.
            Err(Stop::Reply(550)) if !is_about_file.load(Ordering::Acquire) => {
                let detail = "the server replied 550 before it was asked for the file";
                Err(Stop::Problem(Problem::new(Failure::Other, detail)))
            }
            other => other,
        }
    }

    /// Notes when the server has said where the file comes from: what it replies then is about the file.
    async fn transfer(&self, stream: TcpStream, is_about_file: &Arc<AtomicBool>) -> Result<Download, Stop> {
        let mut control = self.step(AsyncFtpStream::connect_with_stream(stream)).await?;
        control.set_passive_nat_workaround(true);
        let (dialer, addresses) = (self.dialer.clone(), self.addresses.clone());
        let is_there = Arc::clone(is_about_file);
        let mut control = control.passive_stream_builder(move |address| {
            is_there.store(true, Ordering::Release);
            let (dialer, addresses) = (dialer.clone(), addresses.clone());
            Box::pin(async move { data_connection(address, &dialer, &addresses).await })
        });
        self.step(control.login("anonymous", self.user_agent)).await?;
        self.step(control.transfer_type(FileType::Binary)).await?;
        control.set_mode(Mode::ExtendedPassive);
        // From where one is after logging in, as RFC 1738 §3.2.2 has it.
        let mut transfer = self.step(control.retr_as_stream("robots.txt")).await;
        // A server that is older than EPSV (RFC 2428), or won't have it.
        if matches!(transfer, Err(Stop::Reply(500..=599))) && !is_about_file.load(Ordering::Acquire) {
            control.set_mode(Mode::Passive);
            transfer = self.step(control.retr_as_stream("robots.txt")).await;
        }
        Ok(Download { transfer: Some(transfer?), _control: control })
    }

    /// One command, or a few, and what the server replies.
    async fn step<T>(&self, doing: impl Future<Output = FtpResult<T>>) -> Result<T, Stop> {
        match timeout(self.timeout, doing).await {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(e)) => Err(stop(&e)),
            Err(_) => Err(Stop::Problem(Problem::new(Failure::Timeout, format!("no reply within {:?}", self.timeout)))),
        }
    }
}

async fn data_connection(address: SocketAddr, dialer: &Dialer, addresses: &Addresses) -> FtpResult<TcpStream> {
    // Servers wait for data connections on ports of their own choice, never on those of services.
    let connected = if address.port() < 1024 {
        Err(Problem::new(Failure::Refused, format!("the server sends us to port {} for the file", address.port())))
    } else {
        dialer.connect_to(address, addresses).await
    };
    connected.map_err(|problem| FtpError::ConnectionError(io::Error::other(problem)))
}

fn stop(error: &FtpError) -> Stop {
    let problem = match error {
        FtpError::UnexpectedResponse(response) => match code(response) {
            Some(code @ 300..=599) => return Stop::Reply(code),
            _ => invalid(format!("a reply out of turn, `{}`", shown(response.body.trim_ascii_end()))),
        },
        FtpError::ConnectionError(e) => match cause::<Problem>(e) {
            Some(problem) => problem.clone(),
            None if cause::<ReplyTooLarge>(e).is_some() => invalid("a reply is too large"),
            None => Problem::new(Failure::Reset, "the server hung up before it had answered"),
        },
        _ => invalid("what came is not FTP"),
    };
    Stop::Problem(problem)
}

/// The code of a reply; none if its lines don't agree about it.
fn code(response: &Response) -> Option<u16> {
    let body = response.body.trim_ascii_end();
    let last = body.rsplit(|byte| *byte == b'\n').next()?.get(..3)?;
    if body.get(..3)? == last { std::str::from_utf8(last).ok()?.parse().ok() } else { None }
}

fn invalid(detail: impl Into<String>) -> Problem {
    Problem::new(Failure::InvalidResponse, detail)
}

/// A file on its way.
pub(super) struct Download {
    /// None when it is over.
    transfer: Option<TransferStream<AsyncNoTlsStream>>,
    _control: AsyncFtpStream,
}

impl Download {
    /// The next bytes; none when the server said that these were all. That the data connection ended says nothing.
    pub(super) async fn chunk(&mut self) -> Result<Option<Bytes>, Problem> {
        let truncated = |detail: String| Problem::new(Failure::Truncated, detail);
        let Some(transfer) = &mut self.transfer else {
            return Err(truncated("the file is not complete".to_owned()));
        };
        let mut piece = BytesMut::with_capacity(PIECE);
        match transfer.read_buf(&mut piece).await {
            Ok(0) => {}
            Ok(_) => return Ok(Some(piece.freeze())),
            Err(e) => return Err(truncated(format!("the file is not complete: {}", shown(e.to_string())))),
        }
        let finished = match self.transfer.take() {
            Some(transfer) => transfer.finish().await,
            None => return Ok(None),
        };
        match finished {
            Ok(()) => Ok(None),
            Err(FtpError::UnexpectedResponse(response)) => {
                Err(truncated(format!("the server broke off: `{}`", shown(response.body.trim_ascii_end()))))
            }
            Err(_) => Err(truncated("the server did not say that the file was complete".to_owned())),
        }
    }
}
