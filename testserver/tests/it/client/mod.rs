//! A client that records the bytes on the wire.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::io;
use std::time::{Duration, Instant};

use comity_testserver::HttpServer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Longer than any answer takes, even on a busy machine: a test that waits for that long has found a bug.
pub(crate) const TEST_TIMEOUT: Duration = Duration::from_secs(60);

/// The time to wait for something that must not happen.
pub(crate) const SILENCE: Duration = Duration::from_millis(100);

pub(crate) struct Client(pub(crate) TcpStream);

/// The received bytes, and the end of the connection, if it has ended.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) bytes: Vec<u8>,
    pub(crate) end: Option<End>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Closed,
    Reset,
    /// The connection is still open, without further bytes.
    Silent,
}

impl Client {
    pub(crate) async fn connect(server: &HttpServer) -> Self {
        Client(TcpStream::connect(server.addr()).await.unwrap())
    }

    pub(crate) async fn send(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).await.unwrap();
    }

    pub(crate) async fn ask(&mut self, host: &str, path: &str) {
        self.send(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n")).await;
    }

    async fn some(&mut self, within: Duration) -> Result<Vec<u8>, End> {
        let mut buffer = vec![0; 64 * 1024];
        match timeout(within, self.0.read(&mut buffer)).await {
            Err(_) => Err(End::Silent),
            Ok(Ok(0)) => Err(End::Closed),
            Ok(Err(error)) if error.kind() == io::ErrorKind::ConnectionReset => Err(End::Reset),
            Ok(len) => {
                buffer.truncate(len.unwrap());
                Ok(buffer)
            }
        }
    }

    /// Reads until `enough` returns true, or the connection ends.
    pub(crate) async fn read_until(&mut self, enough: impl Fn(&[u8]) -> bool) -> Seen {
        let mut bytes = Vec::new();
        while !enough(&bytes) {
            match self.some(TEST_TIMEOUT).await {
                Ok(more) => bytes.extend(more),
                Err(End::Silent) => panic!("nothing comes after {:?}", String::from_utf8_lossy(&bytes)),
                Err(end) => return Seen { bytes, end: Some(end) },
            }
        }
        Seen { bytes, end: None }
    }

    /// Reads at least this many bytes, unless the connection ends before.
    pub(crate) async fn read(&mut self, least: usize) -> Seen {
        self.read_until(|bytes| bytes.len() >= least).await
    }

    /// Reads a response with a correct length.
    pub(crate) async fn response(&mut self) -> Seen {
        self.read_until(|bytes| {
            let Some(head) = bytes.windows(4).position(|w| w == b"\r\n\r\n") else { return false };
            let head_only = [b"204", b"304"].iter().any(|status| bytes[9..].starts_with(*status));
            let seen = Seen { bytes: bytes.to_vec(), end: None };
            let length = seen.header("Content-Length").map(|length| length.parse().unwrap());
            length.or(head_only.then_some(0)).is_some_and(|length: usize| bytes.len() >= head + 4 + length)
        })
        .await
    }

    /// Expects exactly these bytes, and then this end.
    pub(crate) async fn expect(&mut self, text: impl AsRef<[u8]>, end: End) {
        let text = String::from_utf8_lossy(text.as_ref()).into_owned();
        let seen = self.read(text.len()).await;
        assert_eq!(seen.text(), text);
        let within = if end == End::Silent { SILENCE } else { TEST_TIMEOUT };
        let found = if let Some(end) = seen.end { Err(end) } else { self.some(within).await };
        assert_eq!(found, Err(end), "after {text:?}");
    }
}

impl Seen {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    pub(crate) fn head(&self) -> String {
        self.text().split_once("\r\n\r\n").expect("a head").0.to_owned()
    }

    pub(crate) fn body(&self) -> &[u8] {
        let end = self.bytes.windows(4).position(|w| w == b"\r\n\r\n").expect("a head");
        &self.bytes[end + 4..]
    }

    pub(crate) fn header(&self, name: &str) -> Option<String> {
        let head = self.head();
        let mut lines = head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned())
    }
}

/// Requests `/` of `a.test` on a new connection, which stays open.
pub(crate) async fn asked(server: &HttpServer) -> Client {
    let mut client = Client::connect(server).await;
    client.ask("a.test", "/").await;
    client
}

/// Requests `/` of `a.test` on a new connection, and reads a reply with a correct length.
pub(crate) async fn ask(server: &HttpServer) -> Seen {
    asked(server).await.response().await
}

/// Waits until a condition holds.
pub(crate) async fn until(so: impl Fn() -> bool) {
    let start = Instant::now();
    while !so() {
        assert!(start.elapsed() < TEST_TIMEOUT, "waited in vain");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
