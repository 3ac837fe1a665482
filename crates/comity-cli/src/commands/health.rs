//! `comity health`: asks a running service if it accepts requests.
//!
//! An image of a container without a shell has no other program that could ask.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use comity::Escaped;

use crate::args::health::Health;
use crate::outcome::Outcome;

/// The maximum length of the status line.
const MAX_STATUS_LINE: u64 = 256;

pub(crate) fn run(args: &Health) -> Result<Outcome> {
    let address = args.address;
    ensure!(!args.timeout.is_zero(), "--timeout: expected a time of more than 0 seconds");
    let line =
        status_line(address, args.timeout).with_context(|| format!("the service at {address} did not answer"))?;
    let mut out = io::stdout().lock();
    let outcome = match status(&line) {
        Some(200) => {
            writeln!(out, "{address} accepts requests")?;
            Outcome::Yes
        }
        Some(503) => {
            writeln!(out, "{address} does not accept requests now: it is overloaded, or ends")?;
            Outcome::No
        }
        _ => bail!("{address}: expected the status 200 or 503 of /readyz, found `{}`", Escaped(&line)),
    };
    out.flush()?;
    Ok(outcome)
}

/// Requests `/readyz`, and returns the first line of the answer.
fn status_line(address: SocketAddr, timeout: Duration) -> io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect_timeout(&address, timeout)?;
    stream.set_read_timeout(Some(timeout))?;
    stream.set_write_timeout(Some(timeout))?;
    let request = format!("GET /readyz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut line = Vec::new();
    BufReader::new(stream.take(MAX_STATUS_LINE)).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the connection ended; does it serve https only?"));
    }
    Ok(line.trim_ascii_end().to_owned())
}

/// Returns the status code of a status line of HTTP.
fn status(line: &[u8]) -> Option<u16> {
    let line = str::from_utf8(line).ok()?;
    let (_, rest) = line.strip_prefix("HTTP/1.")?.split_once(' ')?;
    let code = rest.get(..3)?;
    let ends = rest.get(3..)?.starts_with(' ') || rest.len() == 3;
    (ends && code.bytes().all(|byte| byte.is_ascii_digit())).then(|| code.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::status;

    #[test]
    fn only_a_status_line_has_a_status() {
        assert_eq!(status(b"HTTP/1.1 200 OK"), Some(200));
        assert_eq!(status(b"HTTP/1.1 503"), Some(503));
        for line in [&b""[..], b"HTTP/1.1", b"HTTP/1.1 20", b"HTTP/1.1 2000 OK", b"HTTP/2 200", b"200 OK", b"\xff"] {
            assert_eq!(status(line), None, "{}", line.escape_ascii());
        }
        assert_eq!(status("HTTP/1.1 20ö OK".as_bytes()), None);
    }
}
