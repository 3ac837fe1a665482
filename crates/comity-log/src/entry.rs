//! The request of a line.

use std::borrow::Cow;
use std::net::{IpAddr, SocketAddr};

use crate::time::LogTime;

/// A request in an access log. A field is `None` if the line does not have it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogEntry<'l> {
    /// The address of the client, or its host name, as written: see [`ip`](Self::ip).
    pub address: Option<LogText<'l>>,
    /// The time, as written: [`LogClock`](crate::LogClock) reads it.
    pub time: LogTime<'l>,
    /// The host that was asked for, possibly with a port.
    pub host: Option<LogText<'l>>,
    /// The scheme, such as `https`.
    pub scheme: Option<LogText<'l>>,
    /// The method.
    pub method: Option<LogText<'l>>,
    /// The target of the request: usually a path with its query, sometimes a whole URL.
    pub target: Option<LogText<'l>>,
    /// The relation of [`target`](Self::target) to the target that was sent.
    pub form: TargetForm,
    /// The status of the response.
    pub status: Option<u16>,
    /// The `User-Agent` header. `None` for `-`.
    pub agent: Option<LogText<'l>>,
}

/// The relation of a logged target to the target that was sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum TargetForm {
    /// The log has the target that was sent.
    #[default]
    Sent,
    /// The server decoded percent-escapes before it wrote the target, so a target with escapes or other unusual
    /// characters may differ from the one that was sent.
    Decoded,
    /// The log has the path of the resource that the server chose, such as nginx's `$uri`. It may be another path.
    Rewritten,
}

impl LogEntry<'_> {
    /// Returns the address of the client, without a port. An IPv4 address within IPv6 is returned as IPv4. Returns `None`
    /// for a host name, and for a list of addresses, which a client can make up.
    pub fn ip(&self) -> Option<IpAddr> {
        let text = str::from_utf8(self.address.as_ref()?.raw()).ok()?;
        let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
        let address = bare.parse().or_else(|_| text.parse().map(|socket: SocketAddr| socket.ip())).ok()?;
        Some(IpAddr::to_canonical(&address))
    }
}

/// A text of a log, with the escapes that the server wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogText<'l> {
    raw: Cow<'l, [u8]>,
    notation: Notation,
}

/// The way in which a text is escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notation {
    /// As sent.
    Plain,
    /// With backslashes, as nginx and Apache write between quotes.
    Backslashes,
    /// With `+` in place of spaces, as IIS writes.
    Plus,
    /// Percent-encoded once more, as CloudFront writes.
    Percent,
}

impl<'l> LogText<'l> {
    pub(crate) fn new(raw: impl Into<Cow<'l, [u8]>>, notation: Notation) -> Self {
        Self { raw: raw.into(), notation }
    }

    /// Returns a text, or `None` if it is empty or `-`.
    pub(crate) fn stated(raw: &'l [u8], notation: Notation) -> Option<Self> {
        (!matches!(raw, b"" | b"-")).then(|| Self::new(raw, notation))
    }

    /// Returns the bytes of the log.
    pub fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// Returns the bytes that were sent.
    pub fn sent(&self) -> Cow<'_, [u8]> {
        match self.notation {
            Notation::Plain => Cow::Borrowed(&self.raw),
            Notation::Backslashes => match memchr::memchr(b'\\', &self.raw) {
                Some(first) => Cow::Owned(without_backslashes(&self.raw, first)),
                None => Cow::Borrowed(&self.raw),
            },
            Notation::Plus => {
                Cow::Owned(self.raw.iter().map(|byte| if *byte == b'+' { b' ' } else { *byte }).collect())
            }
            Notation::Percent => percent_encoding::percent_decode(&self.raw).into(),
        }
    }
}

/// Replaces `\xHH`, `\"`, `\\` and the escapes of control characters, from the first backslash on.
fn without_backslashes(text: &[u8], first: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    bytes.extend_from_slice(&text[..first]);
    let mut rest = &text[first..];
    while let [byte, after @ ..] = rest {
        let (byte, len) = match (byte, after) {
            (b'\\', [b'x', high, low, ..]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                (hex(*high) << 4 | hex(*low), 4)
            }
            (b'\\', [quoted @ (b'"' | b'\\'), ..]) => (*quoted, 2),
            (b'\\', [b'b', ..]) => (0x08, 2),
            (b'\\', [b't', ..]) => (b'\t', 2),
            (b'\\', [b'n', ..]) => (b'\n', 2),
            (b'\\', [b'v', ..]) => (0x0B, 2),
            (b'\\', [b'f', ..]) => (0x0C, 2),
            (b'\\', [b'r', ..]) => (b'\r', 2),
            (byte, _) => (*byte, 1),
        };
        bytes.push(byte);
        rest = &rest[len..];
    }
    bytes
}

fn hex(digit: u8) -> u8 {
    char::from(digit).to_digit(16).unwrap_or_default() as u8
}

/// A line that is not in the format of its log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogProblem(pub(crate) &'static str);

impl std::fmt::Display for LogProblem {
    /// Writes what was expected, such as `expected a line of at most 64 KiB`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for LogProblem {}

/// Splits a request line, such as `GET /a HTTP/1.1`, into an entry's method, target and scheme. Text that is no request
/// line, such as the start of a TLS connection, gives an entry without a target.
pub(crate) fn request_line<'l>(line: &'l [u8], entry: &mut LogEntry<'l>) -> Result<(), LogProblem> {
    let Some(space) = memchr::memchr(b' ', line) else { return Ok(()) };
    let (method, rest) = (&line[..space], &line[space + 1..]);
    if method.is_empty() || !method.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'-') {
        return Ok(());
    }
    let target = match memchr::memrchr(b' ', rest) {
        Some(last) if rest[last + 1..].starts_with(b"HTTP/") => &rest[..last],
        _ => rest,
    };
    // One of its words is the target, but the log does not say which.
    if memchr::memchr(b' ', target).is_some() {
        return Err(LogProblem("expected a method, a path and a version in the quotes"));
    }
    entry.method = Some(LogText::new(method, Notation::Plain));
    entry.target = LogText::stated(target, Notation::Backslashes);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_undone_once() {
        for (written, notation, sent) in [
            (r#"/a\"b\\c\x2F\t"#, Notation::Backslashes, "/a\"b\\c/\t"),
            (r"/\xG0\", Notation::Backslashes, r"/\xG0\"),
            ("Googlebot/2.1+(+http://a)", Notation::Plus, "Googlebot/2.1 ( http://a)"),
            ("/a%2520b%2f%", Notation::Percent, "/a%20b/%"),
            (r"/a%20\x41", Notation::Plain, r"/a%20\x41"),
        ] {
            assert_eq!(LogText::new(written.as_bytes(), notation).sent(), sent.as_bytes(), "{written}");
        }
        assert_eq!(*LogText::new(&br"\xFF"[..], Notation::Backslashes).sent(), [0xFF]);
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
            let address = Some(LogText::new(written.as_bytes(), Notation::Plain));
            let entry = LogEntry { address, ..LogEntry::default() };
            assert_eq!(entry.ip().map(|ip| ip.to_string()).as_deref(), expected, "{written}");
        }
    }
}
