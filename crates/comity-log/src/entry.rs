//! The request of a line.

use std::borrow::Cow;
use std::net::{IpAddr, SocketAddr};

use memchr::{memchr, memrchr};

/// A request in an access log. A field is `None` if the line does not have it, or has `-`. Texts are as they were sent: the
/// escapes of the log are undone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogEntry<'l> {
    /// The address of the client, or its host name: see [`ip`](Self::ip).
    pub address: Option<Cow<'l, [u8]>>,
    /// The time, such as `01/Nov/2026:09:30:00 +0100`, `2026-11-01T09:30:00Z`, or seconds since 1970:
    /// [`LogClock`](crate::LogClock) reads it.
    pub time: Option<Cow<'l, [u8]>>,
    /// The host that was asked for, possibly with a port.
    pub host: Option<Cow<'l, [u8]>>,
    /// The scheme, such as `https`.
    pub scheme: Option<Cow<'l, [u8]>>,
    /// The method.
    pub method: Option<Cow<'l, [u8]>>,
    /// The target of the request: usually a path with its query, sometimes a whole URL.
    pub target: Option<Cow<'l, [u8]>>,
    /// True if the target that was sent may have been another one: the server decoded it, or the log has the path of the
    /// resource that the server chose, such as `$uri` of nginx.
    pub is_rewritten: bool,
    /// The status of the response.
    pub status: Option<u16>,
    /// The `User-Agent` header.
    pub agent: Option<Cow<'l, [u8]>>,
}

impl LogEntry<'_> {
    /// Returns the address of the client, without a port. An IPv4 address within IPv6 is returned as IPv4. Returns `None`
    /// for a host name, and for a list of addresses, which a client can make up.
    pub fn ip(&self) -> Option<IpAddr> {
        ip(self.address.as_ref()?)
    }
}

pub(crate) fn ip(text: &[u8]) -> Option<IpAddr> {
    let text = str::from_utf8(text).ok()?;
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let address = bare.parse().or_else(|_| text.parse().map(|socket: SocketAddr| socket.ip())).ok()?;
    Some(IpAddr::to_canonical(&address))
}

/// Returns a text, or `None` if it is empty or `-`.
pub(crate) fn stated<'l>(text: impl Into<Cow<'l, [u8]>>) -> Option<Cow<'l, [u8]>> {
    Some(text.into()).filter(|text| !matches!(&**text, b"" | b"-"))
}

/// Replaces the escapes that nginx and Apache write between quotes: `\xHH`, `\"`, `\\` and those of control characters.
pub(crate) fn unescaped(text: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    /// The codes after a backslash, and the bytes that they mean.
    const CODES: &[u8] = b"\"\\btnvfr";
    const MEANT: &[u8] = b"\"\\\x08\t\n\x0B\x0C\r";
    let Some(first) = memchr(b'\\', &text) else { return text };
    let (before, mut rest) = text.split_at(first);
    let mut bytes = before.to_vec();
    while let [byte, after @ ..] = rest {
        let code = CODES.iter().position(|code| *byte == b'\\' && after.first() == Some(code));
        let (byte, len) = match (code, rest) {
            (Some(code), _) => (MEANT[code], 2),
            (_, [b'\\', b'x', high, low, ..]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                let hex = str::from_utf8(&rest[2..4]).unwrap_or_default();
                (u8::from_str_radix(hex, 16).unwrap_or_default(), 4)
            }
            _ => (*byte, 1),
        };
        bytes.push(byte);
        rest = &rest[len..];
    }
    Cow::Owned(bytes)
}

/// A line that is not in the format of its log, or another text that is not what was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogProblem(pub(crate) &'static str);

impl std::fmt::Display for LogProblem {
    /// Writes what was expected, such as `expected a line of at most 64 KiB`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for LogProblem {}

/// Returns the method and the target of a request line, such as `GET /a HTTP/1.1`. Returns `None` for text that is no request
/// line, such as the start of a TLS connection.
pub(crate) fn request_line(line: &[u8]) -> Result<Option<[&[u8]; 2]>, LogProblem> {
    let Some(space) = memchr(b' ', line) else { return Ok(None) };
    let (method, rest) = (&line[..space], &line[space + 1..]);
    if method.is_empty() || !method.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'-') {
        return Ok(None);
    }
    let target = match memrchr(b' ', rest) {
        Some(last) if rest[last + 1..].starts_with(b"HTTP/") => &rest[..last],
        _ => rest,
    };
    // One of its words is the target, but the log does not say which.
    if memchr(b' ', target).is_some() {
        return Err(LogProblem("expected a method, a path and a version in the quotes"));
    }
    Ok(Some([method, target]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_undone_once() {
        for (written, sent) in [
            (r#"/a\"b\\c\x2F\t\b\n\v\f\r"#, "/a\"b\\c/\t\u{8}\n\u{B}\u{C}\r"),
            (r"/\xG0\", r"/\xG0\"),
            (r"/a%20\q", r"/a%20\q"),
        ] {
            assert_eq!(unescaped(written.as_bytes().into()), sent.as_bytes(), "{written}");
        }
        assert_eq!(*unescaped(br"\xFF"[..].into()), [0xFF]);
    }

    #[test]
    fn addresses_have_no_port() {
        for (written, expected) in [
            ("192.0.2.1", Some("192.0.2.1")),
            ("192.0.2.1:8080", Some("192.0.2.1")),
            ("::ffff:192.0.2.1", Some("192.0.2.1")),
            ("[2001:db8::1]:80", Some("2001:db8::1")),
            ("[2001:db8::1]", Some("2001:db8::1")),
            ("192.0.2.1, 192.0.2.2", None),
            ("crawl.example.com", None),
        ] {
            assert_eq!(ip(written.as_bytes()).map(|ip| ip.to_string()).as_deref(), expected, "{written}");
        }
    }
}
