//! Examples of requests and answers. Tests send the requests, and compare the answers with their schemas.

use comity::Crawlers;
use serde_json::{Value, json};

/// A file that blocks one folder.
const ROBOTS: &str = "User-agent: *\nDisallow: /private/\n\nUser-agent: GPTBot\nDisallow: /\n";

/// Adds the examples to a description.
pub(super) fn add(description: &mut Value) {
    for (path, example) in requests() {
        let content = format!("/paths/{}/post/requestBody/content/application~1json", path.replace('/', "~1"));
        if let Some(content) = description.pointer_mut(&content) {
            content["example"] = example;
        }
    }
    for (path, kind, example) in answers() {
        let pointer = format!("/paths/{}/get/responses/200/content/{}", escaped(path), escaped(kind));
        if let Some(content) = description.pointer_mut(&pointer) {
            content["example"] = example;
        }
    }
}

fn escaped(key: &str) -> String {
    key.replace('/', "~1")
}

/// Returns a request for each operation that reads one.
fn requests() -> [(&'static str, Value); 12] {
    [
        ("/v1/check", json!({"urls": ["/", "/private/x"], "agents": ["Googlebot", "GPTBot"], "robots": ROBOTS})),
        (
            "/v1/batch",
            json!([
                {"id": 1, "url": "/private/x", "crawler": "Googlebot", "robots": ROBOTS},
                {"id": 2, "url": "https://example.com/", "agent": "mybot"}
            ]),
        ),
        ("/v1/inspect", json!({"robots": ROBOTS})),
        ("/v1/lint", json!({"robots": "User-agent: *\nDisalow: /private/\n"})),
        ("/v1/matrix", json!({"robots": ROBOTS, "urls": ["/private/x"], "agents": ["Googlebot", "GPTBot"]})),
        ("/v1/ai", json!({"robots": ROBOTS})),
        ("/v1/diff", json!({"old": ROBOTS, "new": "User-agent: *\nDisallow: /private/\n"})),
        ("/v1/prove", json!({"robots": ROBOTS, "claims": [{"claim": "none_allowed", "matching": "/private/"}]})),
        ("/v1/generate", json!({"preset": "shop", "block_ai_training": true, "protect": ["/drafts/"]})),
        ("/v1/page", json!({"url": "https://example.com/", "agent": "Googlebot"})),
        ("/v1/sitemaps", json!({"url": "https://example.com/", "agent": "Googlebot"})),
        ("/v1/fetch", json!({"url": "https://example.com/"})),
    ]
}

/// Returns an answer for each operation without parameters, and for that about one crawler.
fn answers() -> [(&'static str, &'static str, Value); 7] {
    let crawler = serde_json::to_value(Crawlers::builtin().find("GPTBot")).unwrap_or_default();
    let service = json!({
        "name": "comity",
        "version": env!("CARGO_PKG_VERSION"),
        "dialects": [{"name": "standard", "about": "RFC 9309, read generously"}],
        "policies": [{"name": "standard", "about": "RFC 9309, and careful where it leaves a choice"}],
        "dialect": "standard",
        "policy": "standard",
        "fetches": true,
        "limits": {"body_bytes": 4_194_304, "urls": 10_000, "url_bytes": 20_480, "agents": 200, "questions": 50_000, "batch_line_bytes": 2_097_152}
    });
    [
        ("/v1/crawlers", "application/json", json!([crawler])),
        ("/v1/crawlers/{token}", "application/json", crawler),
        ("/v1/service", "application/json", service),
        ("/healthz", "text/plain", json!("ok\n")),
        ("/readyz", "text/plain", json!("ready\n")),
        (
            "/metrics",
            "text/plain",
            json!("# HELP comity_origins Origins in memory\n# TYPE comity_origins gauge\ncomity_origins 12\n"),
        ),
        (
            "/metrics",
            "application/openmetrics-text",
            json!("# HELP comity_origins Origins in memory\n# TYPE comity_origins gauge\ncomity_origins 12\n# EOF\n"),
        ),
    ]
}
