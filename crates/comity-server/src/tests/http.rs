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
async fn missing_path_or_method_is_a_problem() {
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
    assert_eq!(refused.headers["allow"], "GET, HEAD, OPTIONS");
    for (path, methods) in
        [("/v1/service", "GET, HEAD, OPTIONS"), ("/v1/lint", "POST, OPTIONS"), ("/", "GET, HEAD, OPTIONS")]
    {
        let told = ask(&mut stream, &format!("OPTIONS {path} HTTP/1.1\r\nHost: localhost\r\n\r\n")).await;
        assert_eq!((told.status, told.headers["allow"].as_str()), (204, methods), "{path}");
    }
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
async fn a_mistyped_address_is_a_page_for_a_browser() {
    let service = start(builder(ServerLimits::default()));
    let get = |path: &str, accept: &str| format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\n\r\n");
    let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    for path in ["/tester", "/v1/chek"] {
        let page = service.ask(&get(path, browser)).await;
        assert_eq!((page.status, page.headers["content-type"].as_str()), (404, "text/html; charset=utf-8"), "{path}");
        assert_eq!(page.headers["vary"], "accept");
        assert!(page.headers["content-security-policy"].starts_with("default-src 'none';"));
        let text = page.text();
        assert!(text.contains("<h1>"), "{text}");
        let links: Vec<&str> = text.split('"').filter(|part| part.starts_with('/')).collect();
        assert_eq!(links, ["/", "/openapi.json"], "{text}");
        for link in links {
            assert_eq!(service.get(link).await.status, 200, "{link}");
        }
        assert_eq!(service.ask(&get(path, "*/*")).await.code(), "not-found", "{path}");
        assert_eq!(service.ask(&get(path, "application/json, text/html;q=0.9")).await.code(), "not-found", "{path}");
    }
    let post = post_request("/tester", "application/json", "{}").replace("Host", "Accept: text/html\r\nHost");
    assert_eq!(service.ask(&post).await.code(), "not-found");
    let metrics = service.get("/metrics").await.text();
    assert!(metrics.contains("comity_http_problems_total{code=\"not-found\"} 7"), "pages are counted, too: {metrics}");
}

#[tokio::test]
async fn a_compressed_body_is_refused_by_name() {
    let service = start(builder(ServerLimits::default()));
    for (coding, status) in [("gzip", 415), ("br", 415), ("x-odd\", 1", 415), ("identity", 200)] {
        let request = post_request("/v1/test/echo", "application/json", "[1]");
        let request = request.replace("Host", &format!("Content-Encoding: {coding}\r\nHost"));
        let answer = service.ask(&request).await;
        assert_eq!(answer.status, status, "{coding}");
        if status == 415 {
            assert_eq!(
                (answer.code().as_str(), answer.headers["accept-encoding"].as_str()),
                ("unsupported-encoding", "identity")
            );
            let detail = answer.json()["detail"].as_str().unwrap().to_owned();
            assert!(
                detail.contains(&format!("`Content-Encoding: {coding}`")) && detail.contains("send it as it is"),
                "{detail}"
            );
        }
    }
    let answer = service.ask(&post_request("/v1/test/echo", "text/plain", "[1]")).await;
    assert_eq!((answer.status, answer.code().as_str()), (415, "unsupported-type"));
    let detail = answer.json()["detail"].as_str().unwrap().to_owned();
    assert!(detail.contains("`Content-Type: application/json`") && detail.contains("found `text/plain`"), "{detail}");
}

#[tokio::test]
async fn documents_that_do_not_change_are_sent_once() {
    let service = start(builder(ServerLimits::default()));
    let get = |path: &str, headers: &str| format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n");
    for path in ["/openapi.json", "/v1/crawlers", "/lints.json"] {
        let plain = service.get(path).await;
        assert_eq!((plain.status, plain.headers["cache-control"].as_str()), (200, "no-cache"), "{path}");
        assert!(plain.body.len() > 1400, "{path}");
        let mut tags = vec![plain.headers["etag"].clone()];
        let answer = service.ask(&get(path, "Accept-Encoding: br, gzip\r\n")).await;
        assert_eq!(answer.headers["content-encoding"], "gzip", "{path}");
        assert_eq!(answer.headers["vary"], "accept-encoding", "{path}");
        assert!(answer.body.len() < plain.body.len() / 2, "{path}: {}", answer.body.len());
        tags.push(answer.headers["etag"].clone());
        let again = format!("Accept-Encoding: gzip\r\nIf-None-Match: {}\r\n", answer.headers["etag"]);
        let again = service.ask(&get(path, &again)).await;
        assert_eq!((again.status, again.body.len()), (304, 0), "{path}");
        let other = service.ask(&get(path, "Accept-Encoding: br, zstd\r\n")).await;
        assert_eq!((other.headers.get("content-encoding"), &other.headers["etag"]), (None, &tags[0]), "{path}");
        tags.dedup();
        assert_eq!(tags.len(), 2, "{path}: {tags:?}");
    }
    // Small answers are sent as they are.
    let small = service.ask(&get("/v1/crawlers/GPTBot", "Accept-Encoding: gzip, br, zstd\r\n")).await;
    assert!(!small.headers.contains_key("content-encoding"));
    assert_eq!(small.headers["cache-control"], "no-store");
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
    assert_eq!(metrics.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8");
    assert_eq!(metrics.headers["vary"], "accept-encoding, accept");
    let text = metrics.text();
    assert!(!text.contains("# EOF") && !text.contains("# UNIT"));
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
    let version = env!("CARGO_PKG_VERSION");
    for start in [
        &*format!("comity_build_info{{version=\"{version}\"}} 1"),
        "# TYPE comity_http_requests_total counter",
        "# TYPE comity_fetch_seconds histogram",
        "comity_fetch_seconds_bucket{le=\"+Inf\"} 0",
        "process_start_time_seconds 1",
    ] {
        assert!(text.lines().any(|found| found.starts_with(start)), "{start} in {text}");
    }
    #[cfg(target_os = "linux")]
    for name in ["process_cpu_seconds_total ", "process_resident_memory_bytes ", "process_open_fds "] {
        assert!(text.lines().any(|found| found.starts_with(name)), "{name} in {text}");
    }

    let scrape = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nAccept: application/openmetrics-text;version=1.0.0,*/*;q=0.1\r\n\r\n";
    let openmetrics = service.ask(scrape).await;
    assert_eq!(openmetrics.headers["content-type"], "application/openmetrics-text; version=1.0.0; charset=utf-8");
    let openmetrics = openmetrics.text();
    assert!(openmetrics.ends_with("# EOF\n"));
    assert!(openmetrics.contains("# TYPE comity_http_requests counter\n"));
    // The order does not change.
    let names = |text: &str| -> Vec<String> {
        let samples = text.lines().filter(|line| !line.starts_with('#'));
        samples.map(|line| line.rsplit_once(' ').unwrap().0.to_owned()).collect()
    };
    assert_eq!(names(&text), names(&openmetrics));
    assert_eq!(names(&text), names(&service.get("/metrics").await.text()));
    let compressed = scrape.replace("Accept:", "Accept-Encoding: gzip\r\nAccept:");
    assert_eq!(service.ask(&compressed).await.headers["content-encoding"], "gzip");
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
