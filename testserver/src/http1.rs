//! One HTTP/1.1 connection (RFC 9112), with or without TLS.

use std::io;
use std::net::SocketAddr;
use std::time::Instant;

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::http::Shared;
use crate::render::render;
use crate::request::{Request, host_of};
use crate::transport::{After, Transport, send};

/// The maximum size of a request's head, which no test exceeds.
const MAX_HEAD: usize = 256 * 1024;

/// Reads requests and answers each, until one side closes the connection.
pub(crate) async fn serve(
    mut stream: impl Transport,
    shared: &Shared,
    peer: SocketAddr,
    connection: usize,
) -> io::Result<()> {
    let mut input = BytesMut::with_capacity(4096);
    while let Some((mut request, wants_more)) = read_request(&mut stream, &mut input).await? {
        request.peer = peer;
        request.connection = connection;
        let head_only = request.method == "HEAD";
        let (wire, keeps_alive) = render(&shared.answer(request), !head_only);
        match send(&mut stream, wire).await? {
            After::Open if keeps_alive && wants_more => {}
            After::Open => return stream.shutdown().await,
            After::Cut => return Ok(()),
            After::Reset => return stream.tcp().set_zero_linger(),
        }
    }
    Ok(())
}

/// Returns the next request, and whether the client will send another; `None` if it closed the connection.
async fn read_request(stream: &mut impl Transport, input: &mut BytesMut) -> io::Result<Option<(Request, bool)>> {
    loop {
        if let Some((request, wants_more, len)) = parse(input)? {
            input.advance(len);
            return Ok(Some((request, wants_more)));
        }
        if input.len() > MAX_HEAD {
            return Err(io::Error::other("expected the end of a request's head"));
        }
        if stream.read_buf(input).await? == 0 {
            return Ok(None);
        }
    }
}

fn parse(input: &[u8]) -> io::Result<Option<(Request, bool, usize)>> {
    let mut fields = [httparse::EMPTY_HEADER; 128];
    let mut parsed = httparse::Request::new(&mut fields);
    let httparse::Status::Complete(len) = parsed.parse(input).map_err(io::Error::other)? else { return Ok(None) };
    let headers: Vec<_> = parsed.headers.iter().map(|h| (h.name.to_owned(), h.value.to_vec())).collect();
    let mut request = Request {
        method: parsed.method.unwrap_or_default().to_owned(),
        host: String::new(),
        path: parsed.path.unwrap_or_default().to_owned(),
        headers,
        http2: false,
        peer: SocketAddr::from(([0; 4], 0)),
        connection: 0,
        at: Instant::now(),
    };
    request.host = host_of(request.header("Host").unwrap_or_default());
    // The form of requests to proxies (RFC 9112 §3.2.2). The target's host takes precedence.
    if let Some((_, rest)) = request.path.split_once("://").filter(|_| !request.path.starts_with('/')) {
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        request.host = host_of(authority);
        request.path = if path.is_empty() { "/".to_owned() } else { path.to_owned() };
    }
    let closes = request.header("Connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
    Ok(Some((request, parsed.version == Some(1) && !closes, len)))
}
