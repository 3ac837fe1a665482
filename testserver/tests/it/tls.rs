//! HTTPS: certificates, handshakes, HTTP/2.

use std::future::poll_fn;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::client::{SILENCE, TEST_TIMEOUT};
use bytes::Bytes;
use comity_testserver::{ANY, Accept, At, Certificate, Coding, Frame, Gate, HttpServer, Reply, Tls, ca_pem};
use h2::{Reason, RecvStream};
use http::{Request, Response};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

async fn connect(server: &HttpServer, name: &'static str, protocol: &str) -> io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(ca_pem().as_bytes()).unwrap()).unwrap();
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
    let stream = TcpStream::connect(server.addr()).await.unwrap();
    TlsConnector::from(Arc::new(config)).connect(ServerName::try_from(name).unwrap(), stream).await
}

async fn server(reply: Reply) -> HttpServer {
    let server = HttpServer::start_tls(Tls::named(["a.test"])).await;
    server.serve("a.test", ANY, reply);
    server
}

/// Sends a request by HTTP/1.1 and reads to the end.
async fn http1(server: &HttpServer) -> (String, io::Result<usize>) {
    let mut stream = connect(server, "a.test", "http/1.1").await.unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n").await.unwrap();
    let mut bytes = Vec::new();
    let end = stream.read_to_end(&mut bytes).await;
    (String::from_utf8(bytes).unwrap(), end)
}

/// An HTTP/2 connection.
struct Http2 {
    requests: h2::client::SendRequest<Bytes>,
    driver: JoinSet<Result<(), h2::Error>>,
}

impl Http2 {
    async fn connect(server: &HttpServer) -> Self {
        let stream = connect(server, "a.test", "h2").await.unwrap();
        let (requests, connection) =
            h2::client::Builder::new().max_header_list_size(16 * 1024).handshake(stream).await.unwrap();
        let mut driver = JoinSet::new();
        driver.spawn(connection);
        Http2 { requests, driver }
    }

    async fn ask(&mut self, path: &str) -> Result<Response<RecvStream>, h2::Error> {
        let request = Request::get(format!("https://a.test{path}")).body(()).unwrap();
        poll_fn(|cx| self.requests.poll_ready(cx)).await?;
        self.requests.send_request(request, true)?.0.await
    }
}

/// Returns the bytes of a body, and its end.
async fn read(mut body: RecvStream) -> (Vec<u8>, Result<(), h2::Error>) {
    let mut bytes = Vec::new();
    while let Some(data) = body.data().await {
        match data {
            Ok(data) => {
                body.flow_control().release_capacity(data.len()).unwrap();
                bytes.extend_from_slice(&data);
            }
            Err(error) => return (bytes, Err(error)),
        }
    }
    (bytes, Ok(()))
}

fn reply() -> Reply {
    Reply::ok("0123456789")
}

#[tokio::test]
async fn the_same_replies_within_tls() {
    let (text, end) = http1(&server(reply()).await).await;
    assert_eq!(text, "HTTP/1.1 200 \r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\n0123456789");
    assert!(end.is_ok());
}

/// Checks that TLS distinguishes the end of a body from a cut connection.
#[tokio::test]
async fn truncation_shows() {
    let (text, end) = http1(&server(reply().until_close()).await).await;
    assert!(text.ends_with("\r\n\r\n0123456789") && end.is_ok());
    let (text, end) = http1(&server(reply().until_close().cut(At::Body(3))).await).await;
    assert!(text.ends_with("\r\n\r\n012"), "{text}");
    assert_eq!(end.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    let (_, end) = http1(&server(reply().reset(At::Body(3))).await).await;
    assert_eq!(end.unwrap_err().kind(), io::ErrorKind::ConnectionReset);
}

#[tokio::test]
async fn certificates() {
    for (certificate, complaint) in [
        (Certificate::Good, None),
        (Certificate::Expired, Some("expired")),
        (Certificate::NotYetValid, Some("not valid yet")),
        (Certificate::OtherName, Some("not valid for name \"a.test\"")),
        (Certificate::UnknownAuthority, Some("BadSignature")),
        (Certificate::SelfSigned, Some("UnknownIssuer")),
    ] {
        let server = HttpServer::start_tls(Tls::named(["a.test", "*.b.test"]).certificate(certificate)).await;
        let complained = connect(&server, "a.test", "h2").await.err().map(|error| error.to_string());
        match (&complained, complaint) {
            (None, None) => drop(connect(&server, "x.b.test", "h2").await.unwrap()),
            (Some(found), Some(expected)) => assert!(found.contains(expected), "{certificate:?}: {found}"),
            _ => panic!("{certificate:?}: {complained:?}"),
        }
    }
    let server = HttpServer::start_tls(Tls::named(["127.0.0.1"])).await;
    assert!(connect(&server, "127.0.0.1", "h2").await.is_ok());
    assert!(connect(&server, "a.test", "h2").await.is_err());
}

#[tokio::test]
async fn handshakes_that_fail() {
    let server = server(reply()).await;
    server.accept(Accept::Stall);
    assert!(timeout(SILENCE, connect(&server, "a.test", "h2")).await.is_err());
    server.accept(Accept::Close);
    assert!(connect(&server, "a.test", "h2").await.is_err());
    server.accept(Accept::Reset);
    assert_eq!(connect(&server, "a.test", "h2").await.unwrap_err().kind(), io::ErrorKind::ConnectionReset);
    server.accept(Accept::Say(Bytes::from_static(b"HTTP/1.1 200 \r\n\r\nplain")));
    let plain = connect(&server, "a.test", "h2").await.unwrap_err();
    assert!(plain.to_string().contains("corrupt message"), "{plain}");
    // An alert: handshake_failure (RFC 8446 §6).
    server.accept(Accept::Say(Bytes::from_static(&[21, 3, 3, 0, 2, 2, 40])));
    let alert = connect(&server, "a.test", "h2").await.unwrap_err();
    assert!(alert.to_string().contains("HandshakeFailure"), "{alert}");
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn protocols_are_negotiated() {
    for (tls, http1, http2) in [
        (Tls::named(["a.test"]), true, true),
        (Tls::named(["a.test"]).http1(), true, false),
        (Tls::named(["a.test"]).http2(), false, true),
    ] {
        let server = HttpServer::start_tls(tls).await;
        assert_eq!(connect(&server, "a.test", "http/1.1").await.is_ok(), http1);
        assert_eq!(connect(&server, "a.test", "h2").await.is_ok(), http2);
    }
}

#[tokio::test]
async fn http2_replies() {
    let server = server(reply().header("Connection", "close").header("Retry-After", "60")).await;
    server.serve("a.test", "/gzip", reply().encoded(Coding::Gzip));
    server.serve("a.test", "/204", Reply::status(204));
    server.serve("a.test", "/early", reply().interim(103));
    server.serve("a.test", "/0", Reply::status(0));
    let mut client = Http2::connect(&server).await;
    let response = client.ask("/x?y").await.unwrap();
    assert_eq!((response.status().as_u16(), response.headers().len()), (200, 3));
    assert_eq!(response.headers()["content-length"], "10");
    assert_eq!(response.headers()["retry-after"], "60");
    assert_eq!(read(response.into_body()).await.0, b"0123456789");
    let response = client.ask("/gzip").await.unwrap();
    assert_eq!(response.headers()["content-encoding"], "gzip");
    assert_eq!(read(response.into_body()).await.0, Coding::Gzip.encode(b"0123456789"));
    let response = client.ask("/204").await.unwrap();
    assert!(response.status() == 204 && response.headers().is_empty() && response.body().is_end_stream());
    assert_eq!(client.ask("/early").await.unwrap().status(), 200);
    assert_eq!(client.ask("/0").await.unwrap_err().reason(), Some(Reason::INTERNAL_ERROR));

    let requests = server.requests();
    assert_eq!((requests[0].host.as_str(), requests[0].path.as_str()), ("a.test", "/x?y"));
    assert!(requests.iter().all(|r| r.http2 && r.connection == 1));
    assert_eq!((requests.len(), server.connections()), (5, 1));
}

/// Sends half of the body, then the end of the stream or of the connection.
#[tokio::test]
async fn http2_faults() {
    let mut received = 0;
    for at in [At::Start, At::Headers, At::Body(0), At::Body(4), At::End] {
        let server = server(reply()).await;
        server.serve("a.test", "/reset", reply().reset(at));
        server.serve("a.test", "/cut", reply().cut(at));
        server.serve("a.test", "/away", reply().go_away(at));
        server.serve("a.test", "/stall", reply().stall(at));
        let whole: &[u8] = b"0123456789";
        let expected = match at {
            At::Body(4) => Some(&whole[..4]),
            At::Body(_) => Some(&whole[..0]),
            At::End => Some(whole),
            _ => None,
        };
        let check = |came: Option<Vec<u8>>| assert_eq!(came.as_deref(), expected, "{at:?}");

        let mut client = Http2::connect(&server).await;
        let mut ends = Vec::new();
        for path in ["/reset", "/", "/stall", "/cut", "/away"] {
            if matches!(path, "/away") {
                client = Http2::connect(&server).await;
            }
            let asked = async {
                match client.ask(path).await {
                    Ok(response) => {
                        let (bytes, end) = read(response.into_body()).await;
                        (Some(bytes), end)
                    }
                    Err(error) => (None, Err(error)),
                }
            };
            let within = if path == "/stall" { SILENCE } else { TEST_TIMEOUT };
            match (path, timeout(within, asked).await) {
                ("/", Ok((bytes, end))) => assert!(bytes.unwrap() == whole && end.is_ok()),
                ("/stall", outcome) => assert!(outcome.is_err()),
                (_, outcome) => {
                    let (bytes, end) = outcome.unwrap();
                    // A reset may overtake what was sent before it.
                    if path == "/reset" {
                        assert!(expected.is_none_or(|expected| bytes.is_none_or(|b| expected.starts_with(&b))));
                    } else {
                        check(bytes);
                    }
                    ends.push(end.unwrap_err());
                }
            }
        }
        let [reset, cut, away] = ends.try_into().unwrap();
        assert!(reset.is_reset() && reset.reason() == Some(Reason::INTERNAL_ERROR), "{reset}");
        assert!(cut.is_io(), "{cut}");
        // GOAWAY names this stream as one that was processed, so the client only sees the end of the connection.
        assert!(away.is_io(), "{away}");
        let away = client.driver.join_next().await.unwrap().unwrap().unwrap_err();
        // A client that writes after the end of the connection fails before it reads GOAWAY.
        if !away.is_io() {
            assert!(away.is_go_away() && away.is_remote() && away.reason() == Some(Reason::INTERNAL_ERROR), "{away}");
            received += 1;
        }
    }
    assert!(received > 0, "no GOAWAY arrived");
}

/// Sends raw frames after half of the body.
#[tokio::test]
async fn http2_raw_frames() {
    let at = At::Body(4);
    let half = |frames: Vec<Frame>| reply().frames(at, frames);
    let came = async |reply: Reply| {
        let server = server(reply).await;
        let response = Http2::connect(&server).await.ask("/").await.unwrap();
        read(response.into_body()).await
    };
    for code in 0..14 {
        let reason = Some(Reason::from(code));
        let (bytes, end) = came(half(vec![Frame::rst_stream(code)]).stall(at)).await;
        assert_eq!(bytes, b"0123");
        assert!(end.as_ref().is_err_and(|e| e.is_reset() && e.is_remote() && e.reason() == reason), "{code}: {end:?}");
        let (bytes, end) = came(half(vec![Frame::go_away(0, code)]).stall(at)).await;
        assert_eq!(bytes, b"0123");
        assert!(
            end.as_ref().is_err_and(|e| e.is_go_away() && e.is_remote() && e.reason() == reason),
            "{code}: {end:?}"
        );
    }
    let rest = [Frame::padding(3), Frame::go_away(1, 0), Frame::data("456789").ending()];
    let (bytes, end) = came(half(rest.to_vec()).stall(at)).await;
    assert!(bytes == b"0123456789" && end.is_ok(), "{end:?}");
    let (bytes, end) = came(half(vec![Frame::data("4")])).await;
    assert!(bytes == b"01234" && end.as_ref().is_err_and(h2::Error::is_io), "{end:?}");
    let (bytes, end) = came(half(vec![Frame::unknown(), Frame::settings()]).endless_frames(at, Frame::data(""))).await;
    assert!(bytes == b"0123" && end.as_ref().is_err_and(|e| e.is_go_away() && e.is_library()), "{end:?}");
    let early = [Frame::status(103), Frame::status(204).ending()];
    let server = server(reply().frames(At::Start, early).stall(At::Start)).await;
    assert_eq!(Http2::connect(&server).await.ask("/").await.unwrap().status(), 204);
}

#[tokio::test]
async fn http2_takes_its_time() {
    let gate = Gate::new();
    let server = server(reply().drip(At::Start, 2, Duration::from_millis(10))).await;
    server.serve("a.test", "/gate", reply().hold(At::Start, &gate));
    let mut client = Http2::connect(&server).await;
    let start = Instant::now();
    let response = client.ask("/").await.unwrap();
    assert_eq!(read(response.into_body()).await.0, b"0123456789");
    assert!(start.elapsed() >= Duration::from_millis(50));
    assert!(timeout(SILENCE, client.ask("/gate")).await.is_err());
    gate.open();
    assert_eq!(client.ask("/gate").await.unwrap().status(), 200);
}

#[tokio::test]
async fn http2_says_too_much() {
    let server = server(reply().header("big", "a".repeat(20_000))).await;
    server.serve("a.test", "/huge", reply().header("big", "a".repeat(1 << 20)));
    server.serve("a.test", "/long", reply().content_length(11));
    server.serve("a.test", "/endless", Reply::ok("").endless("abc"));
    server.serve("a.test", "/bomb", Reply::ok("").zeros(1 << 40).encoded(Coding::Gzip));
    let mut client = Http2::connect(&server).await;
    let big = client.ask("/").await.unwrap_err();
    assert!(big.is_reset() && big.is_library(), "{big}");
    let huge = Http2::connect(&server).await.ask("/huge").await.unwrap_err();
    assert!(huge.is_go_away() && huge.is_library(), "{huge}");
    let response = client.ask("/long").await.unwrap();
    assert!(read(response.into_body()).await.1.unwrap_err().is_reset());
    // With more of the bomb, the client would complain about its small frames.
    for (path, most) in [("/endless", 100_000), ("/bomb", 200)] {
        let mut body = client.ask(path).await.unwrap().into_body();
        let mut len = 0;
        while len < most {
            let data = body.data().await.unwrap().unwrap();
            body.flow_control().release_capacity(data.len()).unwrap();
            len += data.len();
        }
    }
}
