//! Tests of the server over real sockets, with handlers that wait or fail on request.

mod access;
mod cors;
mod http;
mod lifecycle;
mod overload;
mod slow;

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::routing::{get, post};
use bytes::Bytes;
use comity::Origin;
use comity_fetch::Client;
use futures_util::stream;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use crate::admission::AdmissionPermit;
use crate::api::document::document;
use crate::api::extract::body::{Lines, Piece};
use crate::api::extract::{Caller, Json};
use crate::problem::Problem;
use crate::state::State;
use crate::{Handle, Server, ServerBuilder, ServerLimits, server};

/// Longer than any step of a test takes: a test that waits for that long has failed.
const TEST_TIMEOUT: Duration = Duration::from_secs(20);

struct Service {
    address: SocketAddr,
    handle: Handle,
    running: JoinHandle<usize>,
    /// The semaphore that `/test/hold` and `/test/aside` wait for: one permit each.
    door: Arc<Semaphore>,
    /// Gets a permit when a handler begins to wait at the door, or to compute.
    arrivals: Arc<Semaphore>,
    /// The channel that `/test/work` and `/test/document` wait for while they have a turn: one message each.
    works: Works,
}

type Works = Arc<std::sync::Mutex<Option<std::sync::mpsc::Receiver<()>>>>;

#[derive(Debug)]
struct Answer {
    status: u16,
    headers: HashMap<String, String>,
    body: Vec<u8>,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    fn code(&self) -> String {
        assert_eq!(self.headers["content-type"], "application/problem+json", "{self:?}");
        let problem = self.json();
        assert_eq!(problem["status"], self.status);
        assert_ne!(problem["detail"], "");
        problem["code"].as_str().unwrap().to_owned()
    }

    fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }
}

fn builder(limits: ServerLimits) -> ServerBuilder {
    let client = Client::builder("TestBot/1.0 (+https://bot.test/)").offline(true).build().unwrap();
    Server::builder(client).limits(limits)
}

/// Starts a service with the test's handlers in addition to the real ones.
fn start(builder: ServerBuilder) -> Service {
    let (door, arrivals) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let works = Works::default();
    let server = builder.bind_with("127.0.0.1:0".parse().unwrap(), routes(&door, &arrivals, &works)).unwrap();
    let (address, handle) = (server.address(), server.handle());
    Service { address, handle, running: tokio::spawn(server.run()), door, arrivals, works }
}

fn routes(door: &Arc<Semaphore>, arrivals: &Arc<Semaphore>, works: &Works) -> Router<State> {
    let (works, of_document) = (Arc::clone(works), Arc::clone(works));
    let pass = {
        let (door, arrivals) = (Arc::clone(door), Arc::clone(arrivals));
        move || {
            let (door, arrivals) = (Arc::clone(&door), Arc::clone(&arrivals));
            async move {
                arrivals.add_permits(1);
                door.acquire().await.unwrap().forget();
            }
        }
    };
    let (hold, aside, compute) = (pass.clone(), pass, Arc::clone(arrivals));
    server::routes()
        .route("/v1/test/echo", post(async |Json(value): Json<Value>| axum::Json(value)))
        .route(
            "/v1/test/hold",
            get(async move || {
                hold().await;
                "held"
            }),
        )
        .route(
            "/v1/test/aside",
            get(async move |permit: AdmissionPermit, uri: axum::http::Uri| {
                let site = Origin::of(&format!("http://{}/", uri.query().unwrap_or("a.test"))).unwrap();
                permit.aside(&site, aside()).await.map(|()| "waited")
            }),
        )
        .route("/v1/test/panic", get(async || -> &'static str { panic!("as it was told\nERROR forged") }))
        .route("/v1/test/large", get(async || vec![b'x'; 8 << 20]))
        .route(
            "/v1/test/compute",
            get(async move |caller: Caller| {
                caller
                    .compute(move || {
                        compute.add_permits(1);
                        "computed"
                    })
                    .await
            }),
        )
        .route(
            "/v1/test/compute/panic",
            get(async |caller: Caller| caller.compute(|| -> &'static str { panic!("there") }).await),
        )
        .route(
            "/v1/test/work",
            get(async move |caller: Caller| {
                let work = move || {
                    wait_for_gate(&works);
                    "worked"
                };
                caller.compute(work).await
            }),
        )
        .route(
            "/v1/test/document",
            get(async move |caller: Caller| {
                document(&caller, false, move |_, budget| {
                    wait_for_gate(&of_document);
                    budget.json(&"written")
                })
                .await
            }),
        )
        .route("/v1/test/lines", post(lines))
        .route("/v1/test/checks", get(async |state: State| axum::Json(state.checks.take())))
}

/// Waits for a message, without using the processor.
fn wait_for_gate(works: &Works) {
    let opened = works.lock().unwrap().as_ref().map(|gate| gate.recv_timeout(TEST_TIMEOUT));
    assert!(matches!(opened, Some(Ok(()))), "it was not opened");
}

/// Returns the kind of each line of a body, while it arrives.
async fn lines(lines: Lines) -> Body {
    let told = stream::unfold(Some(lines), async |lines| {
        let mut lines = lines?;
        let (text, rest) = match lines.next().await {
            Ok(Some(Piece::Lines(bytes))) => (bytes, Some(lines)),
            Ok(Some(Piece::TooLong)) => (Bytes::from("too long\n"), Some(lines)),
            Ok(None) => return None,
            Err(problem) => (Bytes::from(Problem::code(&problem)), None),
        };
        Some((Ok::<_, Infallible>(text), rest))
    });
    Body::from_stream(told)
}

impl Service {
    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// Sends a request on a new connection, and returns the answer.
    async fn ask(&self, request: &str) -> Answer {
        ask(&mut self.connect().await, request).await
    }

    /// Sends a request on a new connection, without waiting for the answer.
    fn asking(&self, request: &str) -> JoinHandle<Answer> {
        let (address, request) = (self.address, request.to_owned());
        tokio::spawn(async move { ask(&mut TcpStream::connect(address).await.unwrap(), &request).await })
    }

    async fn get(&self, path: &str) -> Answer {
        self.ask(&get_request(path)).await
    }

    fn getting(&self, path: &str) -> JoinHandle<Answer> {
        self.asking(&get_request(path))
    }

    /// Waits until this many more handlers wait at the door.
    async fn arrived(&self, handlers: u32) {
        soon(self.arrivals.acquire_many(handlers)).await.unwrap().forget();
    }

    /// Returns a number of `/metrics`.
    async fn number(&self, name: &str) -> f64 {
        let told = soon(async {
            loop {
                let told = self.get("/metrics").await;
                // If all connections are busy, there is room again in a moment.
                if told.status == 200 {
                    break told;
                }
            }
        });
        let text = told.await.text();
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no {name} in {text}")).parse().unwrap()
    }

    /// Waits until a number has the expected value.
    async fn until(&self, name: &str, expected: f64) {
        soon(async {
            while (self.number(name).await - expected).abs() > 0.1 {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        })
        .await;
    }
}

/// Waits for a future that is ready soon unless there is a bug.
async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(TEST_TIMEOUT, future).await.expect("in time")
}

fn get_request(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n")
}

fn post_request(path: &str, kind: &str, body: &str) -> String {
    let length = body.len();
    format!("POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n{body}")
}

async fn ask(stream: &mut (impl AsyncRead + AsyncWrite + Unpin), request: &str) -> Answer {
    stream.write_all(request.as_bytes()).await.unwrap();
    answer(stream).await
}

/// Reads one answer, and no further.
async fn answer(stream: &mut (impl AsyncRead + Unpin)) -> Answer {
    soon(read_answer(stream)).await.expect("an answer")
}

/// Returns `None` if the connection ends before the head.
async fn read_answer(stream: &mut (impl AsyncRead + Unpin)) -> Option<Answer> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let mut fields = [httparse::EMPTY_HEADER; 32];
    let mut parsed = httparse::Response::new(&mut fields);
    parsed.parse(&head).unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let mut headers: HashMap<String, String> = HashMap::new();
    for field in parsed.headers.iter() {
        let value = headers.entry(field.name.to_ascii_lowercase()).or_default();
        // Several fields of one name are one list (RFC 9110 §5.3).
        let separator = if value.is_empty() { "" } else { ", " };
        *value += &format!("{separator}{}", text(field.value));
    }
    let mut body = Vec::new();
    if let Some(length) = headers.get("content-length") {
        body.resize(length.parse().unwrap(), 0);
        stream.read_exact(&mut body).await.ok()?;
    } else if headers.contains_key("transfer-encoding") {
        loop {
            let mut size = Vec::new();
            while !size.ends_with(b"\r\n") {
                size.push(stream.read_u8().await.ok()?);
            }
            let size = usize::from_str_radix(text(&size).trim(), 16).unwrap();
            let mut chunk = vec![0; size + 2];
            stream.read_exact(&mut chunk).await.ok()?;
            if size == 0 {
                break;
            }
            body.extend_from_slice(&chunk[..size]);
        }
    }
    Some(Answer { status: parsed.code.unwrap(), headers, body })
}

/// Returns true if the service closes the connection in time.
async fn is_closed(stream: &mut (impl AsyncRead + Unpin)) -> bool {
    let mut rest = Vec::new();
    // A reset counts as closed.
    let _ = soon(stream.read_to_end(&mut rest)).await;
    true
}
