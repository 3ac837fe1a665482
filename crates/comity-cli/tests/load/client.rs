//! A minimal HTTP/1.1 client that sends exactly the given bytes.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::Value;

/// A connection.
pub(crate) struct Client {
    pub(crate) stream: TcpStream,
    reader: BufReader<TcpStream>,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    /// Returns true if the answer is a refusal because of overload, with a `Retry-After`.
    pub(crate) fn is_refusal(&self) -> bool {
        let says_when = || self.header("retry-after").and_then(|seconds| seconds.parse::<u32>().ok()).is_some();
        matches!(self.status, 429 | 503) && says_when()
    }
}

impl Client {
    pub(crate) fn new(stream: TcpStream) -> Self {
        let reader = BufReader::new(stream.try_clone().unwrap());
        Self { stream, reader }
    }

    pub(crate) fn ask(&mut self, request: &[u8]) -> io::Result<Answer> {
        self.stream.write_all(request)?;
        self.answer()
    }

    /// Reads the next answer.
    pub(crate) fn answer(&mut self) -> io::Result<Answer> {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if self.reader.read_line(&mut head)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
        let mut answer = Answer { status, head, body: Vec::new() };
        if let Some(length) = answer.header("content-length") {
            answer.body = vec![0; length.parse().map_err(io::Error::other)?];
            self.reader.read_exact(&mut answer.body)?;
        } else if answer.header("transfer-encoding").is_some() {
            while let chunk @ 1.. = self.chunk(&mut answer.body)? {
                let _ = chunk;
            }
        }
        Ok(answer)
    }

    /// Reads a chunk, and returns its length.
    fn chunk(&mut self, body: &mut Vec<u8>) -> io::Result<usize> {
        let mut line = String::new();
        self.reader.read_line(&mut line)?;
        let size = usize::from_str_radix(line.trim(), 16).map_err(io::Error::other)?;
        let start = body.len();
        body.resize(start + size + 2, 0);
        self.reader.read_exact(&mut body[start..])?;
        body.truncate(start + size);
        Ok(size)
    }

    /// Reads everything until the service closes the connection.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        // A reset also closes the connection.
        let _ = self.reader.read_to_end(&mut rest);
        rest
    }
}

pub(crate) fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").into_bytes()
}

pub(crate) fn post(path: &str, body: &str) -> Vec<u8> {
    format!("{}Content-Length: {}\r\n\r\n{body}", head(path, "application/json"), body.len()).into_bytes()
}

/// Returns the start of a head, to which more lines can be added.
pub(crate) fn head(path: &str, kind: &str) -> String {
    format!("POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n")
}

/// Returns the path of the check whether a crawler may fetch a URL.
pub(crate) fn check(url: &str, agent: &str) -> String {
    format!("/v1/check?url={}&agent={agent}", url.replace('?', "%3F").replace('&', "%26"))
}
