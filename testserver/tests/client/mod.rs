//! A client that sees what is on the wire.

#![allow(dead_code)] // each test uses a part of it

use std::io;
use std::time::Duration;

use comity_testserver::HttpServer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

/// Longer than any test needs: who waits for it has found a bug.
const LONG: Duration = Duration::from_secs(10);

/// How long to wait for something that must not come.
pub(crate) const SHORT: Duration = Duration::from_millis(100);

pub(crate) struct Client(pub(crate) TcpStream);

/// What came, and how it ended.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) bytes: Vec<u8>,
    pub(crate) end: End,
    pub(crate) took: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Closed,
    Reset,
    /// Nothing came for a while, and the connection is still there.
    Silent,
    /// More came than was wanted.
    Enough,
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

    /// Reads until the end, until `most` bytes, or until the server says nothing for [`SHORT`].
    pub(crate) async fn read(&mut self, most: usize) -> Seen {
        let (start, mut bytes) = (Instant::now(), Vec::new());
        let mut buffer = vec![0; 64 * 1024];
        let end = loop {
            match timeout(SHORT, self.0.read(&mut buffer)).await {
                Err(_) => break End::Silent,
                Ok(Ok(0)) => break End::Closed,
                Ok(Ok(len)) => bytes.extend_from_slice(&buffer[..len]),
                Ok(Err(error)) if error.kind() == io::ErrorKind::ConnectionReset => break End::Reset,
                Ok(Err(error)) => panic!("{error}"),
            }
            assert!(start.elapsed() < LONG, "still reading after {} bytes", bytes.len());
            if bytes.len() >= most {
                break End::Enough;
            }
        };
        Seen { bytes, end, took: start.elapsed() }
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

/// Asks for `/` of `a.test` on a new connection.
pub(crate) async fn ask(server: &HttpServer) -> Seen {
    let mut client = Client::connect(server).await;
    client.ask("a.test", "/").await;
    client.read(usize::MAX).await
}
