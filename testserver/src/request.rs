//! What was asked.

use std::net::SocketAddr;
use std::time::Instant;

/// A request as it came in.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Request {
    /// As a rule `GET`.
    pub method: String,
    /// The host that was asked for, in lower case and without a port, as [`HttpServer::serve`](crate::HttpServer::serve)
    /// takes it: from the `Host` header, `:authority` or a target in absolute form. Empty if none was named.
    pub host: String,
    /// Path and query, byte for byte.
    pub path: String,
    /// Headers in their order; names as they were sent, so in lower case with HTTP/2.
    pub headers: Vec<(String, Vec<u8>)>,
    /// Whether it came by HTTP/2.
    pub http2: bool,
    /// Where the client is.
    pub peer: SocketAddr,
    /// Which connection of the server brought it, counted from 1.
    pub connection: usize,
    /// When it was complete.
    pub at: Instant,
}

impl Request {
    /// The first header of that name, if it is text. Case doesn't matter.
    pub fn header(&self, name: &str) -> Option<&str> {
        let (_, value) = self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name))?;
        std::str::from_utf8(value).ok()
    }
}

/// The host of an authority as hosts are compared: `[::1]:80` is `[::1]`, `A.test:80` is `a.test`.
pub(crate) fn host_of(authority: &str) -> String {
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|b| b.is_ascii_digit()) && !host.ends_with(':') => host,
        _ => authority,
    };
    host.to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::host_of;

    #[test]
    fn hosts_have_no_port() {
        for (authority, host) in
            [("A.test:80", "a.test"), ("a.test", "a.test"), ("[::1]:80", "[::1]"), ("[::1]", "[::1]"), ("", "")]
        {
            assert_eq!(host_of(authority), host);
        }
    }
}
