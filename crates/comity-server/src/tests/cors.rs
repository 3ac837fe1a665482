//! Pages of other origins with access, and the headers for their browsers.

use super::*;
use crate::BearerToken;

const TOOLS: &str = "https://tools.example";

fn preflight(path: &str, origin: &str) -> String {
    format!(
        "OPTIONS {path} HTTP/1.1\r\nHost: localhost\r\nOrigin: {origin}\r\nSec-Fetch-Site: cross-site\r\n\
         Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: authorization,content-type\r\n\r\n"
    )
}

fn get(path: &str, headers: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n")
}

#[tokio::test]
async fn a_page_of_an_origin_that_is_named_may_ask_and_see_the_answer() {
    let service = start(builder(ServerLimits::default()).origin(TOOLS).token(BearerToken::new("s3cret").unwrap()));
    let leave = service.ask(&preflight("/v1/test/echo", TOOLS)).await;
    assert_eq!((leave.status, leave.text().as_str()), (204, ""), "a preflight carries no token");
    assert_eq!(leave.headers["access-control-allow-origin"], TOOLS);
    assert_eq!(leave.headers["access-control-allow-headers"], "authorization, content-type, x-request-id");
    assert!(leave.headers["access-control-allow-methods"].contains("POST"));
    assert!(!leave.headers.contains_key("access-control-allow-credentials"));

    let page = format!("Origin: {TOOLS}\r\nSec-Fetch-Site: cross-site\r\n");
    let answer = service.ask(&get("/v1/service", &format!("{page}Authorization: Bearer s3cret\r\n"))).await;
    assert_eq!(answer.status, 200);
    // The page can read a refusal, too.
    let refused = service.ask(&get("/v1/service", &page)).await;
    assert_eq!((refused.status, refused.code().as_str()), (401, "unauthorized"));
    for answer in [answer, refused] {
        assert_eq!(answer.headers["access-control-allow-origin"], TOOLS);
        let exposed = &answer.headers["access-control-expose-headers"];
        for name in ["ratelimit", "ratelimit-policy", "retry-after", "x-request-id"] {
            assert!(exposed.split(", ").any(|one| one == name), "{name} in {exposed}");
        }
        assert_eq!(answer.headers["vary"], "origin");
    }
}

#[tokio::test]
async fn other_pages_get_no_leave() {
    let named = start(builder(ServerLimits::default()).origin(TOOLS));
    let nameless = start(builder(ServerLimits::default()));
    for (service, origin) in [(&named, "https://evil.example"), (&named, "null"), (&nameless, TOOLS)] {
        let answer = service.ask(&preflight("/v1/test/echo", origin)).await;
        assert_eq!((answer.status, answer.code().as_str()), (403, "foreign-origin"), "{origin}");
        assert!(!answer.headers.contains_key("access-control-allow-origin"), "{origin}");
    }
    // Caches must not return one page's answer to another.
    assert_eq!(named.ask(&get("/v1/service", "")).await.headers["vary"], "origin");
    assert!(!nameless.ask(&get("/v1/service", "")).await.headers.contains_key("vary"));
    // An OPTIONS request that is not a preflight asks for the methods.
    let options = format!("OPTIONS /v1/service HTTP/1.1\r\nHost: localhost\r\nOrigin: {TOOLS}\r\n\r\n");
    let answer = named.ask(&options).await;
    assert_eq!((answer.status, answer.headers["allow"].as_str()), (204, "GET, HEAD, OPTIONS"));
    assert!(!answer.headers.contains_key("access-control-allow-methods"));
    // An origin that is named can still not use another name of this machine.
    let rebound = preflight("/v1/test/echo", TOOLS).replace("localhost", "evil.example");
    assert_eq!(named.ask(&rebound).await.status, 421);
}

#[tokio::test]
async fn a_preflight_is_answered_beyond_the_limits_and_a_refusal_can_be_read() {
    let limits = ServerLimits { rate: std::num::NonZeroU32::new(1), ..ServerLimits::default() };
    let service = start(builder(limits).origin(TOOLS));
    let page = format!("Origin: {TOOLS}\r\nSec-Fetch-Site: cross-site\r\n");
    assert_eq!(service.ask(&get("/v1/service", &page)).await.status, 200);
    for _ in 0..3 {
        assert_eq!(service.ask(&preflight("/v1/test/echo", TOOLS)).await.status, 204);
    }
    let refused = service.ask(&get("/v1/service", &page)).await;
    assert_eq!((refused.status, refused.code().as_str()), (429, "rate-limited"));
    assert_eq!(refused.headers["access-control-allow-origin"], TOOLS);
}

#[tokio::test]
async fn the_description_can_be_read_by_tools_of_an_origin_that_is_named() {
    let service = start(builder(ServerLimits::default()).origin(TOOLS));
    for path in ["/openapi.json", "/lints.json", "/healthz"] {
        let answer = service.ask(&get(path, &format!("Origin: {TOOLS}\r\n"))).await;
        assert_eq!(answer.headers["access-control-allow-origin"], TOOLS, "{path}");
        assert!(answer.headers["vary"].contains("origin"), "{path}");
    }
}
