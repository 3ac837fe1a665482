//! Access control.

use super::*;
use crate::{BearerToken, ProxyHeader};

#[tokio::test]
async fn names_that_lead_elsewhere_and_pages_from_elsewhere_are_refused() {
    let service = start(builder(ServerLimits::default()).host("robots.example"));
    for (request, status, code) in [
        ("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421, "misdirected"),
        ("GET /v1/service HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421, "misdirected"),
        ("GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421, "misdirected"),
        ("GET /v1/service HTTP/1.1\r\n\r\n", 400, "bad-request"),
        ("GET /v1/service HTTP/1.0\r\n\r\n", 400, "bad-request"),
        ("GET /v1/service HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: cross-site\r\n\r\n", 403, "foreign-origin"),
        (
            "POST /v1/test/echo HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
            403,
            "foreign-origin",
        ),
        (
            "POST /v1/test/echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}",
            415,
            "unsupported-type",
        ),
        ("POST /v1/test/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}", 415, "unsupported-type"),
        (
            "OPTIONS /v1/test/echo HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\nAccess-Control-Request-Method: POST\r\n\r\n",
            403,
            "foreign-origin",
        ),
    ] {
        let answer = service.ask(request).await;
        assert_eq!((answer.status, answer.code().as_str()), (status, code), "{request}");
        assert!(!answer.headers.contains_key("access-control-allow-origin"));
    }
    for request in [
        "GET /healthz HTTP/1.1\r\nHost: 10.0.0.7:9309\r\n\r\n",
        "GET /v1/service HTTP/1.1\r\nHost: ROBOTS.example:443\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n\r\n",
    ] {
        assert_eq!(service.ask(request).await.status, 200, "{request}");
    }
    let own = format!("GET /v1/service HTTP/1.1\r\nHost: {0}\r\nOrigin: http://{0}\r\n\r\n", service.address);
    assert_eq!(service.ask(&own).await.status, 200);
}

#[tokio::test]
async fn a_token_is_asked_for() {
    let service = start(builder(ServerLimits::default()).token(BearerToken::new("s3cret").unwrap()));
    let with =
        |path: &str, token: &str| format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: {token}\r\n\r\n");
    for path in ["/v1/service", "/metrics", "/v1/crawlers/GPTBot", "/v1/nothing"] {
        let answer = service.get(path).await;
        assert_eq!((answer.status, answer.code().as_str()), (401, "unauthorized"), "{path}");
        assert_eq!(answer.headers["www-authenticate"], "Bearer");
        assert_eq!(service.ask(&with(path, "Bearer s3cret!")).await.status, 401, "{path}");
        assert_ne!(service.ask(&with(path, "Bearer s3cret")).await.status, 401, "{path}");
    }
    for path in ["/", "/healthz", "/readyz", "/openapi.json"] {
        assert_eq!(service.get(path).await.status, 200, "{path}");
    }
    // A token cannot be guessed for long.
    let limits = ServerLimits { rate: std::num::NonZeroU32::new(1), ..ServerLimits::default() };
    let service = start(builder(limits).token(BearerToken::new("s3cret").unwrap()));
    assert_eq!(service.ask(&with("/v1/service", "Bearer a")).await.status, 401);
    assert_eq!(service.ask(&with("/v1/service", "Bearer b")).await.status, 429);
}

#[tokio::test]
async fn rate_limits_the_client_that_the_proxy_names() {
    let limits = ServerLimits { rate: std::num::NonZeroU32::new(1), ..ServerLimits::default() };
    let request = |header: &str| format!("GET /v1/service HTTP/1.1\r\nHost: localhost\r\n{header}\r\n");
    let believing = || builder(limits.clone()).trust_proxies(["127.0.0.0/8".parse().unwrap()]);

    // A header that anybody can write changes nothing.
    let service = start(builder(limits.clone()));
    assert_eq!(service.ask(&request("X-Forwarded-For: 192.0.2.1\r\n")).await.status, 200);
    let refused = service.ask(&request("X-Forwarded-For: 192.0.2.2\r\n")).await;
    assert_eq!((refused.status, refused.code().as_str()), (429, "rate-limited"));
    assert_eq!(refused.headers["retry-after"], "1");
    assert_eq!(refused.headers["ratelimit-policy"], "\"requests\";q=1;w=1");
    assert_eq!(refused.headers["ratelimit"], "\"requests\";r=0;t=1");
    assert_eq!(refused.json()["retry_after"], 1);
    assert_eq!(service.get("/readyz").await.status, 200, "health is free");

    let service = start(believing());
    for (client, status) in [("192.0.2.1", 200), ("192.0.2.1", 429), ("192.0.2.2", 200), ("192.0.2.1, 192.0.2.2", 429)]
    {
        assert_eq!(service.ask(&request(&format!("X-Forwarded-For: {client}\r\n"))).await.status, status, "{client}");
    }
    let service = start(believing().proxy_header(ProxyHeader::Forwarded));
    for (header, status) in [
        ("Forwarded: for=192.0.2.1\r\nX-Forwarded-For: 192.0.2.9\r\n", 200),
        ("Forwarded: for=192.0.2.1\r\nX-Forwarded-For: 192.0.2.8\r\n", 429),
        ("Forwarded: for=\"[2001:db8::1]\"\r\n", 200),
        ("Forwarded: for=\"[2001:db8::2]\"\r\n", 429),
    ] {
        assert_eq!(service.ask(&request(header)).await.status, status, "{header}");
    }
}

#[tokio::test]
async fn clients_see_what_is_left_of_their_rates() {
    let limits = ServerLimits { rate: std::num::NonZeroU32::new(100), ..ServerLimits::default() };
    let service = start(builder(limits));
    let answer = service.get("/v1/service").await;
    assert_eq!(answer.headers["ratelimit-policy"], "\"requests\";q=100;w=1");
    assert_eq!(answer.headers["ratelimit"], "\"requests\";r=99;t=1");
    assert!(!service.get("/readyz").await.headers.contains_key("ratelimit"), "health is free");
    let endless = start(builder(ServerLimits { rate: None, ..ServerLimits::default() }));
    assert!(!endless.get("/v1/service").await.headers.contains_key("ratelimit"));
}
