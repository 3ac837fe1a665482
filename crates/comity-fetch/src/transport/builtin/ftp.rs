//! Anonymous FTP (RFC 959, RFC 2428).
//!
//! The server states the address and the port of the data connection, and may lie. So only the port is used, with the
//! address of the control connection, which is checked again.

mod control;

use std::net::SocketAddr;
use std::time::Duration;

use comity_policy::Failure;
use http::{HeaderMap, header};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;
use tokio::time::timeout;

use self::control::{Control, Reply, invalid};
use super::BuiltinOptions;
use super::connect::Dialer;
use super::stall::StallTimeoutBody;
use crate::address::Addresses;
use crate::transport::error::{TransportError, shown};
use crate::transport::exchange::{Chunk, End, NextChunk, Protocol, ResponseBody, TransportRequest, TransportResponse};

/// The maximum number of bytes that are read at once.
const PIECE_BYTES: usize = 16 * 1024;

/// An FTP client.
#[derive(Clone, Debug)]
pub(super) struct Ftp {
    has_proxy: bool,
    stall_timeout: Duration,
}

impl Ftp {
    pub(super) fn new(options: &BuiltinOptions) -> Self {
        Self { has_proxy: options.proxy.is_some(), stall_timeout: options.stall_timeout }
    }

    /// Requests a robots.txt. The URL's user, if there is one, is not sent; the user agent is the password.
    pub(super) async fn send(
        &self,
        request: &TransportRequest<'_>,
        dialer: &Dialer,
    ) -> Result<TransportResponse, TransportError> {
        let url = request.url;
        let refused = |reason| TransportError::new(Failure::Refused, reason);
        if self.has_proxy {
            return Err(refused("nothing is fetched by ftp: through a proxy"));
        }
        if url.path() != "/robots.txt" || url.query().is_some() {
            return Err(refused("nothing but /robots.txt is fetched by ftp:"));
        }
        let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
            return Err(refused("the URL has no host to connect to"));
        };
        let stream = dialer.connect(&host, port, request.addresses).await?;
        let peer = stream.peer_addr().ok();
        let user_agent = request.headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok());
        let user_agent = user_agent.unwrap_or_default().trim();
        let asking = FtpRequest { dialer, addresses: request.addresses, user_agent, timeout: self.stall_timeout };
        let response = match asking.file(stream).await {
            Ok((code, body)) => {
                TransportResponse::new(code, HeaderMap::new(), StallTimeoutBody { body, limit: self.stall_timeout })
            }
            Err(Stop::Reply(code)) => TransportResponse::new(code, HeaderMap::new(), Nothing),
            Err(Stop::Error(error)) => return Err(error),
        };
        Ok(TransportResponse { peer, ..response.with_protocol(Protocol::Ftp) })
    }
}

/// The body after a negative reply.
struct Nothing;

impl ResponseBody for Nothing {
    fn next_chunk(&mut self) -> NextChunk<'_> {
        Box::pin(async { Ok(Chunk::End(End::Verified)) })
    }
}

/// The reason why there is no file.
enum Stop {
    /// The server sent a negative reply.
    Reply(u16),
    Error(TransportError),
}

struct FtpRequest<'a> {
    dialer: &'a Dialer,
    addresses: &'a Addresses,
    user_agent: &'a str,
    timeout: Duration,
}

impl FtpRequest<'_> {
    /// Requests the file. Returns its download, and the code of the reply that announced it.
    async fn file(&self, stream: TcpStream) -> Result<(u16, Download), Stop> {
        let peer = stream.peer_addr().map_err(control::hung_up)?;
        let mut control = Control::new(stream);
        let port = self.port(&mut control).await.map_err(|stop| match stop {
            // "No such file" allows everything. Some servers also send this code for commands that they forbid, so it
            // only counts as a reply to the request for the file.
            Stop::Reply(550) => {
                TransportError::new(Failure::Other, "the server replied 550 before it was asked for the file").into()
            }
            stop => stop,
        })?;
        let data = self.within(self.connect(SocketAddr::new(peer.ip(), port))).await?;
        // From the folder after logging in, as in RFC 1738 §3.2.2.
        let code = self.ask(&mut control, "RETR robots.txt", &[125, 150]).await?.code;
        Ok((code, Download { data: Some(data), control }))
    }

    /// Logs in, and requests the port of the data connection.
    async fn port(&self, control: &mut Control) -> Result<u16, Stop> {
        expect(self.within(control.reply()).await?, &[220])?;
        if self.ask(control, "USER anonymous", &[230, 331]).await?.code == 331 {
            self.ask(control, &format!("PASS {}", self.user_agent), &[230]).await?;
        }
        self.ask(control, "TYPE I", &[200]).await?;
        let reply = match self.ask(control, "EPSV", &[229]).await {
            // A server that is older than EPSV (RFC 2428), or refuses it.
            Err(Stop::Reply(500..=599)) => self.ask(control, "PASV", &[227]).await?,
            reply => reply?,
        };
        let found = || shown(reply.text.trim_ascii_end());
        Ok(reply.port().ok_or_else(|| invalid(format!("expected a port for the file, found `{}`", found())))?)
    }

    /// Sends a command and returns the reply, which must have one of these codes.
    async fn ask(&self, control: &mut Control, command: &str, codes: &[u16]) -> Result<Reply, Stop> {
        let asking = async {
            control.send(command).await?;
            control.reply().await
        };
        expect(self.within(asking).await?, codes)
    }

    async fn connect(&self, address: SocketAddr) -> Result<TcpStream, TransportError> {
        // Servers listen for data connections on ephemeral ports, never on those of services.
        if address.port() < 1024 {
            let detail = format!("the server sends us to port {} for the file", address.port());
            return Err(TransportError::new(Failure::Refused, detail));
        }
        self.dialer.connect_to(address, self.addresses).await
    }

    async fn within<T>(&self, doing: impl Future<Output = Result<T, TransportError>>) -> Result<T, TransportError> {
        let late = || TransportError::new(Failure::Timeout, format!("no reply within {:?}", self.timeout));
        timeout(self.timeout, doing).await.unwrap_or_else(|_| Err(late()))
    }
}

impl From<TransportError> for Stop {
    fn from(problem: TransportError) -> Self {
        Self::Error(problem)
    }
}

/// Returns a reply if it has one of these codes.
fn expect(reply: Reply, codes: &[u16]) -> Result<Reply, Stop> {
    match reply.code {
        code if codes.contains(&code) => Ok(reply),
        code @ 300..=599 => Err(Stop::Reply(code)),
        _ => Err(invalid(format!("a reply out of turn, `{}`", shown(reply.text.trim_ascii_end()))).into()),
    }
}

/// A file that is being received.
struct Download {
    /// The data connection; `None` after its end.
    data: Option<TcpStream>,
    control: Control,
}

impl Download {
    async fn next(&mut self) -> Result<Chunk, TransportError> {
        let truncated = |detail: String| TransportError::new(Failure::Truncated, detail);
        let Some(data) = &mut self.data else {
            return Err(truncated("the file is not complete".to_owned()));
        };
        let mut piece = Vec::with_capacity(PIECE_BYTES);
        match data.read_buf(&mut piece).await {
            Ok(0) => self.data = None,
            Ok(_) => return Ok(Chunk::Bytes(piece)),
            Err(e) => return Err(truncated(format!("the file is not complete: {}", shown(e.to_string())))),
        }
        // The end of the data connection alone is not evidence of a complete file.
        match self.control.reply().await {
            Ok(Reply { code: 226 | 250, .. }) => Ok(Chunk::End(End::Verified)),
            Ok(reply) => Err(truncated(format!("the server broke off: `{}`", shown(reply.text.trim_ascii_end())))),
            Err(_) => Err(truncated("the server did not say that the file was complete".to_owned())),
        }
    }
}

impl ResponseBody for Download {
    fn next_chunk(&mut self) -> NextChunk<'_> {
        Box::pin(self.next())
    }
}
