//! The protocol: versions, heads, TLS.

use std::error::Error as _;
use std::sync::Arc;

use comity_testserver::{Tls as Names, ca_pem};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use super::*;
use crate::Tls;

#[tokio::test]
async fn what_is_not_there_is_a_problem() {
    let service = start(builder(ServerLimits::default()));
    let mut stream = service.connect().await;
    let refused = ask(&mut stream, &get_request("/nothing")).await;
    assert_eq!((refused.status, refused.code().as_str()), (404, "not-found"));
    let refused = ask(&mut stream, &get_request("/v1/crawlers/nobody%0Aat%20all")).await;
    assert_eq!((refused.status, refused.code().as_str()), (404, "not-found"));
    assert!(refused.json()["detail"].as_str().unwrap().contains("`nobody\\x0Aat all`"), "{refused:?}");
    let refused = ask(&mut stream, &get_request("/v1/crawlers/%FF")).await;
    assert_eq!((refused.status, refused.code().as_str()), (400, "bad-request"));
    let refused = ask(&mut stream, "DELETE /v1/service HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    assert_eq!((refused.status, refused.code().as_str()), (405, "method-not-allowed"));
    assert_eq!(refused.headers["allow"], "GET,HEAD");
    for (body, expected) in [
        ("{", "EOF while parsing"),
        ("nonsense", "expected"),
        ("", "EOF while parsing"),
        (&"[".repeat(200), "recursion limit"),
    ] {
        let refused = ask(&mut stream, &post_request("/v1/test/echo", "application/json", body)).await;
        assert_eq!((refused.status, refused.code().as_str()), (400, "bad-request"));
        assert!(refused.json()["detail"].as_str().unwrap().contains(expected), "{refused:?}");
    }
    let echoed = ask(&mut stream, &post_request("/v1/test/echo", "application/json; charset=utf-8", "[1]")).await;
    assert_eq!((echoed.status, echoed.text().as_str()), (200, "[1]"), "the connection is as good as new");
}

#[tokio::test]
async fn each_answer_has_an_id_and_tells_browsers_to_be_careful() {
    let service = start(builder(ServerLimits::default()));
    let with = |id: &str| format!("GET /v1/service HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: {id}\r\n\r\n");
    for path in ["/v1/service", "/nothing", "/healthz", "/"] {
        let answer = service.get(path).await;
        let id = &answer.headers["x-request-id"];
        assert!(id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
        assert_ne!(*id, service.get(path).await.headers["x-request-id"]);
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
        ] {
            assert_eq!(answer.headers[name], value, "{path}");
        }
        assert!(answer.headers["content-security-policy"].contains("frame-ancestors 'none'"), "{path}");
    }
    assert_eq!(service.ask(&with("Trace-1.2_3")).await.headers["x-request-id"], "Trace-1.2_3");
    for odd in ["a b", "a\tb", "\"a\"", "{a}", "\u{e4}", &"a".repeat(65), ""] {
        let id = service.ask(&with(odd)).await.headers["x-request-id"].clone();
        assert!(id != *odd && id.len() == 16, "{odd:?}: {id}");
    }
}

#[tokio::test]
async fn requests_are_answered_in_a_row() {
    let service = start(builder(ServerLimits::default()));
    let mut stream = service.connect().await;
    stream.write_all(get_request("/v1/crawlers/GPTBot").repeat(50).as_bytes()).await.unwrap();
    for _ in 0..50 {
        assert_eq!(answer(&mut stream).await.json()["token"], "GPTBot");
    }
    stream.write_all(b"nonsense\r\n\r\n").await.unwrap();
    assert_eq!(answer(&mut stream).await.status, 400);
    assert!(is_closed(&mut stream).await);
    assert_eq!(service.get("/healthz").await.status, 200);
}

#[tokio::test]
async fn a_description_is_served_and_metrics_are_told() {
    let service = start(builder(ServerLimits::default()));
    let described = service.get("/openapi.json").await;
    assert_eq!(described.headers["content-type"], "application/json");
    assert_eq!(described.json()["openapi"], "3.1.0");
    let told = service.get("/v1/service").await.json();
    assert_eq!((&told["name"], &told["fetches"]), (&Value::from("comity"), &Value::from(false)));

    service.get("/nothing").await;
    service.get("/v1/crawlers/GPTBot").await;
    let metrics = service.get("/metrics").await;
    assert!(metrics.headers["content-type"].starts_with("application/openmetrics-text; version=1.0.0"));
    let text = metrics.text();
    assert!(text.ends_with("# EOF\n"));
    for line in [
        "comity_http_requests_total{route=\"/v1/service\",status=\"2xx\"} 1",
        "comity_http_requests_total{route=\"/v1/crawlers/{token}\",status=\"2xx\"} 1",
        "comity_http_requests_total{route=\"other\",status=\"4xx\"} 1",
        "comity_http_request_seconds_count{route=\"/v1/service\"} 1",
        "comity_http_problems_total{code=\"not-found\"} 1",
        "comity_connections_accepted_total 5",
        "comity_fail_open_total 0",
        "comity_origins 0",
        "comity_http_working 1",
        "comity_http_queued 0",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} in {text}");
    }
}

#[tokio::test]
async fn tls_is_spoken_and_the_client_chooses_between_http_2_and_1() {
    let (certificate, key) = Names::named(["localhost"]).pem();
    let tls = Tls::from_pem(certificate.as_bytes(), key.as_bytes()).unwrap();
    let service = start(builder(ServerLimits::default()).tls(tls));
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(ca_pem().as_bytes()).unwrap()).unwrap();
    let connect = async |protocol: &[u8]| {
        let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots.clone())
            .with_no_client_auth();
        config.alpn_protocols = vec![protocol.to_vec()];
        let stream = service.connect().await;
        TlsConnector::from(Arc::new(config)).connect("localhost".try_into().unwrap(), stream).await.unwrap()
    };
    let mut old = connect(b"http/1.1").await;
    assert_eq!(ask(&mut old, &get_request("/v1/crawlers/GPTBot")).await.json()["token"], "GPTBot");

    let (mut sender, connection) = h2::client::handshake(connect(b"h2").await).await.unwrap();
    let driver = tokio::spawn(connection);
    for (host, status) in [("localhost", 200), ("evil.example", 421)] {
        let request = ::http::Request::get(format!("https://{host}/v1/service")).body(()).unwrap();
        sender = soon(sender.ready()).await.unwrap();
        let (response, _) = sender.send_request(request, true).unwrap();
        assert_eq!(soon(response).await.unwrap().status(), status, "{host}");
    }
    // A client that does not speak TLS does not disturb others.
    let mut plain = service.connect().await;
    plain.write_all(get_request("/").as_bytes()).await.unwrap();
    assert!(is_closed(&mut plain).await);
    assert_eq!(ask(&mut old, &get_request("/healthz")).await.status, 200);
    // Connections of both versions end when they receive the order.
    service.handle.shut_down();
    assert!(is_closed(&mut old).await);
    soon(driver).await.unwrap().unwrap();
    assert_eq!(soon(service.running).await.unwrap(), 0);
}

#[test]
fn certificates_that_cannot_work_are_refused_at_the_start() {
    let (certificate, key) = Names::named(["localhost"]).pem();
    let other = Names::named(["localhost"]).pem().1;
    for (certificate, key, expected) in [
        ("", key.as_str(), "expected certificates in PEM, found none"),
        (&certificate, "", "expected a private key in PEM: "),
        (&certificate, &certificate, "expected a private key in PEM: "),
        (&certificate, &other, "the certificate and the key can't be used: "),
    ] {
        let error = Tls::from_pem(certificate.as_bytes(), key.as_bytes()).unwrap_err();
        let source = error.source().map(ToString::to_string).unwrap_or_default();
        assert_eq!(error.to_string(), format!("{expected}{source}"));
        assert_eq!(source.is_empty(), !expected.ends_with(": "), "{error}");
    }
}
