//! A service on a real socket, the sites that it fetches, and a small client that compares answers with `openapi.json`.

use std::sync::Arc;
use std::time::Duration;

use comity_fetch::store::MemoryStore;
use comity_fetch::{Addresses, Client, ClientBuilder, Fixed};
use comity_server::{Server, ServerLimits};
use comity_testserver::HttpServer;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use crate::schemas;

/// The service and its sites. All host names resolve to the sites' server.
pub(crate) struct Service {
    pub(crate) sites: HttpServer,
    pub(crate) client: Client,
    address: std::net::SocketAddr,
    handle: comity_server::Handle,
}

impl Drop for Service {
    fn drop(&mut self) {
        self.handle.abort();
    }
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {}", self.text()))
    }

    pub(crate) fn lines(&self) -> Vec<Value> {
        let lines = self.body.split(|b| *b == b'\n').filter(|line| !line.is_empty());
        lines.map(|line| serde_json::from_slice(line).unwrap()).collect()
    }

    pub(crate) fn text(&self) -> String {
        format!("{}\n{}", self.head, String::from_utf8_lossy(&self.body))
    }
}

impl Service {
    pub(crate) async fn start() -> Self {
        Self::with(ServerLimits::default(), |client| client).await
    }

    pub(crate) async fn with(mut limits: ServerLimits, client: impl FnOnce(ClientBuilder) -> ClientBuilder) -> Self {
        // The tests send more requests than the limits allow.
        limits.rate = None;
        let sites = HttpServer::start().await;
        let builder = Client::builder("TestBot/1.0 (+https://bot.test/)")
            .addresses(Addresses::Any)
            .resolver(Arc::new(Fixed::new([sites.addr()])))
            .store(Arc::new(MemoryStore::new(64 << 20)));
        let client = client(builder).build().unwrap();
        let server = Server::builder(client.clone()).limits(limits).bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let (address, handle) = (server.address(), server.handle());
        tokio::spawn(server.run());
        Self { sites, client, address, handle }
    }

    pub(crate) async fn connect(&self) -> BufReader<TcpStream> {
        BufReader::new(TcpStream::connect(self.address).await.unwrap())
    }

    pub(crate) async fn get(&self, target: &str) -> Answer {
        let mut stream = self.connect().await;
        let head = format!("GET {target} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address);
        stream.write_all(head.as_bytes()).await.unwrap();
        let answer = read(&mut stream).await;
        schemas::check("get", target, &answer);
        answer
    }

    pub(crate) async fn post(&self, target: &str, document: &Value) -> Answer {
        self.send(target, "application/json", document.to_string().as_bytes()).await
    }

    pub(crate) async fn batch(&self, query: &str, lines: &[u8]) -> Answer {
        self.send(&format!("/v1/batch{query}"), "application/x-ndjson", lines).await
    }

    pub(crate) async fn send(&self, target: &str, kind: &str, body: &[u8]) -> Answer {
        let stream = self.connect().await;
        let (read_half, mut write_half) = tokio::io::split(stream);
        let head = format!(
            "POST {target} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        let body = body.to_vec();
        let writing = tokio::spawn(async move {
            write_half.write_all(head.as_bytes()).await?;
            write_half.write_all(&body).await
        });
        let answer = read(&mut BufReader::new(read_half)).await;
        let _ = writing.await;
        schemas::check("post", target, &answer);
        answer
    }

    /// Begins a batch whose lines are sent one by one.
    pub(crate) async fn begin_batch(&self, query: &str) -> BufReader<TcpStream> {
        let mut stream = self.connect().await;
        let head = format!(
            "POST /v1/batch{query} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/x-ndjson\r\n\
             Transfer-Encoding: chunked\r\n\r\n",
            self.address
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        stream
    }
}

/// Sends a piece of a chunked body; an empty one ends it.
pub(crate) async fn send_chunk(stream: &mut BufReader<TcpStream>, chunk: &[u8]) {
    let mut framed = format!("{:x}\r\n", chunk.len()).into_bytes();
    framed.extend_from_slice(chunk);
    framed.extend_from_slice(b"\r\n");
    stream.write_all(&framed).await.unwrap();
}

/// Reads the head of an answer.
pub(crate) async fn read_head(stream: &mut (impl AsyncReadExt + Unpin)) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.expect("the head is whole"));
    }
    String::from_utf8(head).unwrap()
}

/// Reads the next piece of a chunked body; empty at its end.
pub(crate) async fn read_chunk(stream: &mut (impl AsyncReadExt + Unpin)) -> Vec<u8> {
    let mut size = Vec::new();
    while !size.ends_with(b"\r\n") {
        size.push(stream.read_u8().await.expect("the size of a chunk"));
    }
    let size = usize::from_str_radix(std::str::from_utf8(&size).unwrap().trim(), 16).unwrap();
    let mut chunk = vec![0; size + 2];
    stream.read_exact(&mut chunk).await.unwrap();
    chunk.truncate(size);
    chunk
}

async fn read(stream: &mut (impl AsyncReadExt + Unpin)) -> Answer {
    tokio::time::timeout(Duration::from_secs(60), async {
        let head = read_head(stream).await;
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let mut body = Vec::new();
        if head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
            loop {
                let chunk = read_chunk(stream).await;
                if chunk.is_empty() {
                    break;
                }
                body.extend(chunk);
            }
        } else {
            stream.read_to_end(&mut body).await.unwrap();
        }
        Answer { status, head, body }
    })
    .await
    .expect("an answer within a minute")
}
