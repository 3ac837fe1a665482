//! The control connection: commands and replies (RFC 959 §4).

use std::io;

use comity_policy::Failure;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

use crate::transport::error::TransportError;

/// The maximum size of a reply: some servers send long greetings.
const MAX_REPLY_BYTES: usize = 64 * 1024;

/// The control connection.
pub(super) struct Control(BufReader<TcpStream>);

/// A reply of the server.
pub(super) struct Reply {
    pub(super) code: u16,
    /// All lines, including the codes.
    pub(super) text: Vec<u8>,
}

impl Reply {
    /// Returns the port of the data connection, if the reply states it.
    pub(super) fn port(&self) -> Option<u16> {
        match self.code {
            229 => extended_port(&self.text),
            227 => passive_port(&self.text),
            _ => None,
        }
    }
}

impl Control {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self(BufReader::with_capacity(1024, stream))
    }

    /// Sends a command.
    pub(super) async fn send(&mut self, command: &str) -> Result<(), TransportError> {
        // Line ends would end the command early.
        let mut line: String = command.chars().filter(|character| !character.is_control()).collect();
        line.push_str("\r\n");
        self.0.get_mut().write_all(line.as_bytes()).await.map_err(hung_up)
    }

    /// Reads the next reply: one line, or several, the last of which has the code of the first and a space.
    pub(super) async fn reply(&mut self) -> Result<Reply, TransportError> {
        let mut text = Vec::new();
        let first = self.line(&mut text).await?;
        let (code, mut is_last) = parse(&text[first..]).ok_or_else(|| invalid("the server's answer is not FTP"))?;
        while !is_last {
            let start = self.line(&mut text).await?;
            match parse(&text[start..]) {
                Some((other, true)) if other != code => {
                    return Err(invalid("a reply ends with another code than it began with"));
                }
                Some((_, true)) => is_last = true,
                _ => {}
            }
        }
        Ok(Reply { code, text })
    }

    /// Appends a line, and returns its start.
    async fn line(&mut self, text: &mut Vec<u8>) -> Result<usize, TransportError> {
        let start = text.len();
        // One byte beyond the limit shows that the reply is too long.
        let room = (MAX_REPLY_BYTES + 1 - start) as u64;
        (&mut self.0).take(room).read_until(b'\n', text).await.map_err(hung_up)?;
        if text.len() > MAX_REPLY_BYTES {
            return Err(invalid("a reply is too large"));
        }
        match text[start..].last() {
            Some(b'\n') => Ok(start),
            Some(_) => Err(invalid("the server's answer is not FTP: the connection ended within a line")),
            None => Err(hung_up(io::ErrorKind::UnexpectedEof.into())),
        }
    }
}

/// Parses the code of a line. Also returns true if the line ends the reply.
fn parse(line: &[u8]) -> Option<(u16, bool)> {
    let line = line.trim_ascii_end();
    let (digits, rest) = line.split_first_chunk::<3>()?;
    let code = std::str::from_utf8(digits).ok().filter(|_| digits.iter().all(u8::is_ascii_digit))?.parse().ok()?;
    match rest.first() {
        None | Some(b' ') => Some((code, true)),
        Some(b'-') => Some((code, false)),
        Some(_) => None,
    }
}

/// Returns the error for a connection that ended or broke off.
pub(super) fn hung_up(_: io::Error) -> TransportError {
    TransportError::new(Failure::Reset, "the server hung up before it had answered")
}

pub(super) fn invalid(detail: impl Into<String>) -> TransportError {
    TransportError::new(Failure::InvalidResponse, detail)
}

/// Returns the port in a reply to `EPSV`: `229 Entering Extended Passive Mode (|||6446|)` (RFC 2428 §3).
fn extended_port(reply: &[u8]) -> Option<u16> {
    let open = reply.iter().position(|octet| *octet == b'(')?;
    let (bar, rest) = reply[open + 1..].split_first()?;
    let rest = rest.strip_prefix(&[*bar, *bar])?;
    let end = rest.iter().position(|octet| octet == bar)?;
    number(&rest[..end])
}

/// Returns the port in a reply to `PASV`: `227 Entering Passive Mode (127,0,0,1,25,46)` (RFC 959 §4.1.2). The address
/// is ignored, because any server can claim any address.
fn passive_port(reply: &[u8]) -> Option<u16> {
    let text = reply.get(4..)?;
    let start = text.iter().position(u8::is_ascii_digit)?;
    let end = text[start..].iter().position(|octet| !octet.is_ascii_digit() && *octet != b',');
    let numbers = text[start..].get(..end.unwrap_or(text.len() - start))?.split(|octet| *octet == b',');
    let numbers: Option<Vec<u8>> =
        numbers.map(|part| number(part).and_then(|number| u8::try_from(number).ok())).collect();
    match numbers?[..] {
        [_, _, _, _, high, low] => Some(u16::from_be_bytes([high, low])),
        _ => None,
    }
}

fn number(digits: &[u8]) -> Option<u16> {
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(digits).ok().filter(|_| is_number)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ports() {
        for (reply, port) in [
            ("229 Entering Extended Passive Mode (|||6446|)\r\n", Some(6446)),
            ("229 Fine (!!!1!)", Some(1)),
            ("229 (|||65536|)", None),
            ("229 (||||)", None),
            ("229 (|||+1|)", None),
            ("229 (|||1", None),
            ("229 (|1|127.0.0.1|1|)", None),
            ("229 |||6446|", None),
        ] {
            assert_eq!(extended_port(reply.as_bytes()), port, "{reply}");
        }
        for (reply, port) in [
            ("227 Entering Passive Mode (127,0,0,1,25,46)\r\n", Some(6446)),
            ("227 =127,0,0,1,0,0", Some(0)),
            ("227 (127,0,0,1,255,255).", Some(65535)),
            ("227 (127,0,0,1,256,1)", None),
            ("227 (127,0,0,1,1)", None),
            ("227 (127,0,0,1,1,1,1)", None),
            ("227 (127,0,0,1,,1)", None),
            ("227 Mode", None),
            ("227", None),
        ] {
            assert_eq!(passive_port(reply.as_bytes()), port, "{reply}");
        }
    }

    #[test]
    fn lines() {
        for (line, said) in [
            ("220 Ready.\r\n", Some((220, true))),
            ("220\n", Some((220, true))),
            ("220-Ready.\n", Some((220, false))),
            ("2200 Ready.\n", None),
            (" 220 Ready.\n", None),
            ("+20 Ready.\n", None),
            ("22\n", None),
        ] {
            assert_eq!(parse(line.as_bytes()), said, "{line}");
        }
    }

    proptest! {
        #[test]
        fn any_reply(reply in prop::collection::vec(any::<u8>(), 0..40)) {
            parse(&reply);
            extended_port(&reply);
            passive_port(&reply);
        }

        #[test]
        fn nearly_a_port(reply in "22[79] ?[(=]?[|!,0-9()]{0,24}") {
            extended_port(reply.as_bytes());
            passive_port(reply.as_bytes());
        }
    }
}
