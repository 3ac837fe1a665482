//! Requests.

use std::net::SocketAddr;
use std::time::Instant;

/// A request as it was received.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Request {
    /// The method, usually `GET`.
    pub method: String,
    /// The requested host, in lower case and without a port, as [`HttpServer::serve`](crate::HttpServer::serve) takes
    /// it: from the `Host` header, `:authority` or a target in absolute form. Empty if there was none.
    pub host: String,
    /// The path and query, byte for byte.
    pub path: String,
    /// Headers in their order; names as they were sent, so in lower case with HTTP/2.
    pub headers: Vec<(String, Vec<u8>)>,
    /// True for HTTP/2.
    pub http2: bool,
    /// The address of the client.
    pub peer: SocketAddr,
    /// The number of its connection to the server, from 1.
    pub connection: usize,
    /// The time when it was complete.
    pub at: Instant,
}

impl Request {
    /// Returns the first header of this name, ignoring case, if it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        let (_, value) = self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name))?;
        std::str::from_utf8(value).ok()
    }
}

/// Returns the host of an authority in the form in which hosts are compared: `[::1]:80` is `[::1]`, `A.test:80` is
/// `a.test`.
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
