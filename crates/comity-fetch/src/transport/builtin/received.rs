//! The last bytes that an HTTP/1.1 connection received.
//!
//! The HTTP library says neither which line of a head it refuses, nor that a broken body had its last chunk.

use httparse::{EMPTY_HEADER, ParserConfig, Response, Status};

use super::http::BUFFER;
use crate::transport::error::shown;
use crate::transport::sender::MAX_FIELDS;

/// The number of bytes that are kept of a body: a line of a chunk with its extensions. Signatures of chunks have 85 bytes.
const TAIL: usize = 256;

#[derive(Debug, Default)]
pub(super) struct Received {
    /// All bytes since the request, until its head is parsed; then the last ones.
    bytes: Vec<u8>,
    has_head: bool,
}

impl Received {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        if self.has_head {
            add_to_tail(&mut self.bytes, bytes);
        } else {
            let room = BUFFER.saturating_sub(self.bytes.len());
            self.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
    }

    pub(super) fn end_head(&mut self) {
        self.has_head = true;
        add_to_tail(&mut self.bytes, b"");
    }

    /// Returns true if the last line is that of the last chunk (RFC 9112 §7.1) or of a trailer after it, and is not a part
    /// of the data. With the last chunk the body is complete (§8). Many readers do not wait for the empty line that is to
    /// follow it.
    pub(super) fn ends_in_last_chunk(&self, data_end: &[u8]) -> bool {
        let mut rest = self.bytes.strip_suffix(b"\r").unwrap_or(&self.bytes);
        while let Some(lines) = rest.strip_suffix(b"\r\n") {
            let Some(start) = lines.windows(2).rposition(|end| end == b"\r\n") else { return false };
            let line = &lines[start + 2..];
            let size = line.split(|byte| matches!(byte, b';' | b' ' | b'\t')).next().unwrap_or_default();
            if !size.is_empty() && size.iter().all(|digit| *digit == b'0') {
                // A chunk of data may start with this line: then the size of the chunk is before it, and the data ends in
                // a line break, with which no size ends. And a chunk may contain the line, with the line break before it.
                let is_after_data = data_end.last().is_none_or(|last| lines[..start].last() == Some(last));
                return is_after_data && !data_end.ends_with(&self.bytes[start..]);
            }
            let is_trailer = line.iter().position(|byte| *byte == b':').is_some_and(|end| end > 0);
            if !is_trailer {
                return false;
            }
            rest = &lines[..start + 2];
        }
        false
    }

    /// Returns the field that makes a head invalid, or the line if it is not a field.
    pub(super) fn refused_line(&self) -> Option<String> {
        let mut head = self.bytes.as_slice();
        while let Some(Status::Complete(length)) = interim(head) {
            head = &head[length..];
        }
        let mut lines = head.split_inclusive(|byte| *byte == b'\n').peekable();
        let status = lines.next()?;
        if parses(&[status, b"\r\n"].concat()).is_err() {
            return Some(format!("the line `{}`", shown(status.trim_ascii())));
        }
        while let Some(line) = lines.next() {
            let mut field = line.to_vec();
            while let Some(folded) = lines.next_if(|line| line.starts_with(b" ") || line.starts_with(b"\t")) {
                field.extend_from_slice(folded);
            }
            let is_end = field.trim_ascii().is_empty();
            if is_end || parses(&[b"HTTP/1.1 200 OK\r\n".as_slice(), &field, b"\r\n"].concat()).is_ok() {
                continue;
            }
            let name = field.split(|byte| *byte == b':').next().filter(|name| name.len() < field.len());
            return Some(match name.map(<[u8]>::trim_ascii).filter(|name| !name.is_empty()) {
                Some(name) => format!("the field `{}`", shown(name)),
                None => format!("the line `{}`", shown(field.trim_ascii())),
            });
        }
        None
    }
}

/// Adds bytes and keeps the last ones.
pub(super) fn add_to_tail(tail: &mut Vec<u8>, bytes: &[u8]) {
    tail.extend_from_slice(&bytes[bytes.len().saturating_sub(TAIL)..]);
    tail.drain(..tail.len().saturating_sub(TAIL));
}

fn parses(head: &[u8]) -> Result<Status<usize>, httparse::Error> {
    let mut fields = vec![EMPTY_HEADER; MAX_FIELDS];
    config().parse_response(&mut Response::new(&mut fields), head)
}

/// Returns the length of a whole interim response (1xx) at the start.
fn interim(head: &[u8]) -> Option<Status<usize>> {
    let mut fields = vec![EMPTY_HEADER; MAX_FIELDS];
    let mut response = Response::new(&mut fields);
    let status = config().parse_response(&mut response, head).ok()?;
    response.code.filter(|code| (100..200).contains(code)).map(|_| status).filter(Status::is_complete)
}

/// Returns the settings of the HTTP client.
fn config() -> ParserConfig {
    let mut config = ParserConfig::default();
    config.allow_obsolete_multiline_headers_in_responses(true).allow_spaces_after_header_name_in_responses(true);
    config
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result does not depend on how the network splits the bytes.
    #[test]
    fn the_last_chunk_is_found() {
        for (is_last, wire, data_end) in [
            (true, "3\r\nabc\r\n0\r\n", "abc"),
            (true, "3\r\nabc\r\n000;chunk-signature=12\r\n", "abc"),
            (true, "3\r\n0\r\n\r\n0\r\n", "0\r\n"),
            (true, "3\r\nabc\r\n0\r\n\r", "abc"),
            (true, "1\r\na\r\n1\r\nb\r\n0\r\n", "ab"),
            (true, "0\r\n", ""),
            (true, "3\r\nabc\r\n0\r\nExpires: 0\r\nDigest: x=:y\r\n", "abc"),
            (false, "3\r\nabc\r\n0\r\nExpires: 0\r\nDigest: x", "abc"),
            (false, "3\r\nabc\r\n20\r\n0\r\nAllow: /\r\n", "abc0\r\nAllow: /\r\n"),
            (false, "3\r\nabc\r\n20\r\n0\r\n", "abc0\r\n"),
            (false, "20\r\nabc\r\n0\r\nAllow: /\r\n", "abc\r\n0\r\nAllow: /\r\n"),
            (false, "1f\r\nabc\r\n0\r\nAllow: /\r\n\r", "abc\r\n0\r\nAllow: /\r\n\r"),
            (false, "3\r\nabc\r\n", "abc"),
            (false, "3\r\nabc\r\n0\r", "abc"),
            (false, "3\r\nabc\r\n10\r\n", "abc"),
            (false, "3\r\nabc\r\n0x\r\n", "abc"),
            // The data of a chunk of 8 bytes, and not the last chunk.
            (false, "8\r\nabc\r\n0\r\n", "abc\r\n0\r\n"),
            (false, "64\r\nabc\r\n0\r\n", "abc\r\n0\r\n"),
        ] {
            for size in 1..=wire.len() {
                let mut received = Received::default();
                received.add(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
                received.end_head();
                wire.as_bytes().chunks(size).for_each(|piece| received.add(piece));
                assert_eq!(received.ends_in_last_chunk(data_end.as_bytes()), is_last, "{wire:?} in pieces of {size}");
            }
        }
    }

    #[test]
    fn refused_lines() {
        let line = |head: &str| {
            let mut received = Received::default();
            received.add(head.as_bytes());
            received.refused_line()
        };
        let after =
            |fields: &str| line(&format!("HTTP/1.1 103 Hints\r\nA: 1\r\n\r\nHTTP/1.1 200 OK\r\n{fields}\r\n\r\n"));
        assert_eq!(after("A: 1\r\nSet-Cookie: a\x01b").as_deref(), Some("the field `Set-Cookie`"));
        assert_eq!(after("A: 1\r\n b\r\nServer : x\r\nX A: y").as_deref(), Some("the field `X A`"));
        assert_eq!(after("A: 1\r\nno colon").as_deref(), Some("the line `no colon`"));
        assert_eq!(after(" A: 1").as_deref(), Some("the field `A`"));
        assert_eq!(line("SSH-2.0-x\r\n").as_deref(), Some("the line `SSH-2.0-x`"));
        assert_eq!(after("A: 1\r\nB: 2"), None);
    }
}
