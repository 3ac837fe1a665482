//! Requests to the program, which pass the service's checks and limits.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use comity_axum_mount::{app, serve};
use comity_fetch::Client;
use comity_server::{BearerToken, ServerLimits};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

/// Longer than any answer takes: a test that waits for that long has failed.
const TEST_TIMEOUT: Duration = Duration::from_secs(20);

/// The head fields that give access.
const ACCESS: &str = "Host: app.example.com\r\nAuthorization: Bearer s3cret\r\n";

/// Starts the program with these limits.
async fn start(limits: ServerLimits) -> SocketAddr {
    let client = Client::builder("TestBot/1.0 (+https://bot.test/)").offline(true).build().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(serve(listener, app(client, limits, BearerToken::new("s3cret").unwrap())));
    address
}

/// An answer: its status, its head, and its body.
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    /// Returns the status, and the code of the problem.
    fn problem(&self) -> (u16, String) {
        let problem: Value = serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no problem: {}", self.body));
        (self.status, problem["code"].as_str().unwrap().to_owned())
    }
}

/// Sends a request, or a part of it, and reads until the program closes the connection.
async fn send(address: SocketAddr, request: &str) -> Answer {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    timeout(TEST_TIMEOUT, stream.read_to_end(&mut bytes)).await.expect("an answer in time").unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").expect("an answer with a head");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    Answer { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
}

fn get(path: &str, fields: &str) -> String {
    format!("GET {path} HTTP/1.1\r\n{fields}Connection: close\r\n\r\n")
}

fn post(path: &str, body: &str) -> String {
    let fields = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
    format!("POST {path} HTTP/1.1\r\n{ACCESS}{fields}Connection: close\r\n\r\n{body}")
}

/// Returns a question about a file of this many bytes.
fn question(bytes: usize) -> String {
    let file = format!("User-agent: *\\nDisallow: /private/\\n#{}", "x".repeat(bytes));
    format!(r#"{{"robots": "{file}", "url": "/private/x", "agent": "ExampleBot"}}"#)
}

#[tokio::test]
async fn both_answer() {
    let address = start(ServerLimits::default()).await;
    let own = send(address, &get("/", "Host: other.example\r\n")).await;
    assert_eq!((own.status, own.body.as_str()), (200, "the program's own page\n"));
    assert!(!own.head.contains("x-request-id"), "the service's checks are for its own routes: {}", own.head);

    let answer = send(address, &post("/robots/v1/check", &question(0))).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let answered: Value = serde_json::from_str(&answer.body).unwrap();
    let verdict = &answered["answers"][0];
    assert_eq!((&verdict["allowed"], &verdict["line"]), (&Value::Bool(false), &Value::from(2)), "{answered}");
    assert!(answer.head.contains("x-request-id: ") && answer.head.contains("cache-control: no-store"));

    assert_eq!(send(address, &get("/robots/nothing", ACCESS)).await.status, 404);
    let wrong_method = send(address, &get("/robots/v1/lint", ACCESS)).await;
    assert_eq!(wrong_method.problem(), (405, "method-not-allowed".to_owned()));
}

#[tokio::test]
async fn access_is_checked() {
    let address = start(ServerLimits::default()).await;
    let service = |fields: &str| get("/robots/v1/service", fields);
    for (request, expected) in [
        (service("Host: app.example.com\r\n"), (401, "unauthorized")),
        (service("Host: app.example.com\r\nAuthorization: Bearer guessed\r\n"), (401, "unauthorized")),
        (service("Host: evil.example\r\nAuthorization: Bearer s3cret\r\n"), (421, "misdirected")),
        (service(&format!("{ACCESS}Origin: https://evil.example\r\n")), (403, "foreign-origin")),
    ] {
        let (status, code) = send(address, &request).await.problem();
        assert_eq!((status, code.as_str()), expected, "{request}");
    }
    assert_eq!(send(address, &service(ACCESS)).await.status, 200);
    // Health is for everybody.
    assert_eq!(send(address, &get("/robots/healthz", "Host: 192.0.2.1\r\n")).await.status, 200);
}

#[tokio::test]
async fn other_pages_get_answers_if_they_are_named() {
    let address = start(ServerLimits::default()).await;
    let preflight = |origin: &str| {
        let fields = format!("Host: app.example.com\r\nOrigin: {origin}\r\nAccess-Control-Request-Method: POST\r\n");
        format!("OPTIONS /robots/v1/check HTTP/1.1\r\n{fields}Connection: close\r\n\r\n")
    };
    let named = send(address, &preflight("https://tools.example.com")).await;
    assert_eq!(named.status, 204);
    assert!(named.head.contains("access-control-allow-origin: https://tools.example.com"), "{}", named.head);
    assert_eq!(send(address, &preflight("https://evil.example")).await.status, 403);
}

#[tokio::test]
async fn bodies_are_limited_in_size_and_time() {
    let mut limits = ServerLimits::default();
    (limits.body_bytes, limits.body_timeout) = (4 << 10, Duration::from_millis(100));
    let address = start(limits).await;
    let too_large = send(address, &post("/robots/v1/check", &question(8 << 10))).await;
    assert_eq!(too_large.problem(), (413, "too-large".to_owned()));
    // A client that stalls in its body.
    let request = post("/robots/v1/check", &question(1 << 10));
    let stalled = send(address, &request[..request.len() - 100]).await;
    assert_eq!(stalled.problem(), (408, "slow-body".to_owned()));
}

#[tokio::test]
async fn memory_is_limited() {
    let mut limits = ServerLimits::default();
    (limits.body_bytes, limits.bodies_bytes) = (64 << 10, 64 << 10);
    let address = start(limits).await;
    let request = post("/robots/v1/check", &question(60 << 10));
    let mut half = TcpStream::connect(address).await.unwrap();
    half.write_all(&request.as_bytes()[..40 << 10]).await.unwrap();
    // The first half occupies memory until its request ends, as soon as it has arrived.
    timeout(TEST_TIMEOUT, async {
        while send(address, &request).await.status != 503 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await
    .expect("a refusal for lack of memory");
    drop(half);
    timeout(TEST_TIMEOUT, async {
        while send(address, &request).await.status != 200 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await
    .expect("an answer once the memory is free again");
}

#[tokio::test]
async fn requests_of_a_client_are_limited() {
    let mut limits = ServerLimits::default();
    limits.rate = NonZeroU32::new(1);
    let address = start(limits).await;
    let request = get("/robots/v1/service", ACCESS);
    let mut last = send(address, &request).await;
    assert_eq!(last.status, 200);
    for _ in 0..5 {
        last = send(address, &request).await;
        if last.status != 200 {
            break;
        }
    }
    assert_eq!(last.problem(), (429, "rate-limited".to_owned()));
    assert!(last.head.contains("retry-after: "), "{}", last.head);
}
