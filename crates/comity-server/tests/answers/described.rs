//! Asks for answers of all forms. The client compares them with their schemas in the description of the service.

use std::collections::BTreeSet;

use comity_testserver::Reply;
use serde_json::{Value, json};

use crate::schemas::{self, DESCRIPTION};
use crate::service::Service;

/// Returns the errors of an example by the schema of an operation's answer.
fn errors(path: &str, method: &str, example: &Value) -> Vec<String> {
    let schema = &DESCRIPTION["paths"][path][method]["responses"]["200"]["content"]["application/json"]["schema"];
    let validator = schemas::validator(schema);
    validator.iter_errors(example).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

#[tokio::test]
async fn each_operation_has_an_example_that_works() {
    let service = Service::start().await;
    service.sites.serve("example.com", "/robots.txt", Reply::ok("User-agent: *\nDisallow: /private/\n"));
    service.sites.serve("example.com", "/", Reply::ok("<title>A page</title>"));
    let mut seen = 0;
    for (path, item) in DESCRIPTION["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let content = &operation["responses"]["200"]["content"];
            let found = if method == "post" {
                let example = &operation["requestBody"]["content"]["application/json"]["example"];
                assert!(example.is_object() || example.is_array(), "{path} has no example");
                let mut example = example.clone();
                // The sites of the test speak no TLS.
                if let Some(url) = example.get_mut("url") {
                    *url = json!(url.as_str().unwrap().replace("https:", "http:"));
                }
                service.post(path, &example).await
            } else {
                let example = content.as_object().unwrap().values().find_map(|content| content.get("example"));
                let mut target = path.clone();
                for parameter in operation["parameters"].as_array().into_iter().flatten() {
                    let (name, example) = (parameter["name"].as_str().unwrap(), parameter["example"].as_str());
                    assert!(example.is_some() || parameter["required"] != true, "{path} {name} has no example");
                    let Some(example) = example.map(|example| example.replace("https:", "http:")) else { continue };
                    let start = if target.contains('?') { '&' } else { '?' };
                    let place = format!("{{{name}}}");
                    target = if target.contains(&place) {
                        target.replace(&place, &example)
                    } else {
                        format!("{target}{start}{name}={example}")
                    };
                }
                assert!(example.is_some() || target != *path, "{path} has no example");
                if let Some(example) = content["application/json"].get("example") {
                    assert_eq!(errors(path, method, example), [""; 0], "{path}");
                }
                service.get(&target).await
            };
            // This service does not watch sites; the tests of the command start one that does.
            let status = if path.starts_with("/v1/watch") { 404 } else { 200 };
            assert_eq!(found.status, status, "{method} {path}: {}", found.text());
            seen += 1;
        }
    }
    assert_eq!(seen, 24);
}

#[tokio::test]
async fn answers_are_as_they_are_described() {
    let service = Service::start().await;
    let rules = "User-agent: *\nDisallow: /private/\nDisallow: /*.pdf$\nCrawl-delay: 2\nContent-Signal: ai-train=no\n\
                 Sitemap: https://a.test/s.xml\nDisalow: x\n\nUser-agent: GPTBot\nDisallow:\nprose\n";
    service.sites.serve("a.test", "/robots.txt", Reply::ok(rules));
    service.sites.serve("b.test", "/robots.txt", Reply::status(404));
    service.sites.serve("c.test", "/robots.txt", Reply::status(503));
    service.sites.serve("d.test", "/robots.txt", Reply::redirect(301, "http://a.test/robots.txt"));
    let html = "<meta name=robots content='noindex, max-snippet: 5, nonsense'><meta name=bingbot content=nofollow>\
        <link rel=license href=/terms><meta name=tdm-reservation content=1><img src=/private/a.png><img src=//b.test/a.png>";
    service.sites.serve("a.test", "/", Reply::ok(html).header("X-Robots-Tag", "max-image-preview: large"));
    service.sites.serve("a.test", "/private/", Reply::ok(html));
    service.sites.serve("a.test", "/s.xml", Reply::ok("http://a.test/private/\nhttp://b.test/\nx y\n"));
    let urls =
        json!(["http://a.test/private/x", "http://b.test/", "http://c.test/", "http://d.test/x.pdf", "gopher://x/"]);
    let agents = json!(["*", "GPTBot", "FeedFetcher-Google", "AdsBot-Google", "nobody"]);
    let mut seen = 0;
    for (path, question) in [
        ("/v1/check", json!({"urls": urls, "agents": agents, "explain": true})),
        ("/v1/check", json!({"urls": ["/private/x", "/x.pdf"], "robots": rules, "agents": agents, "explain": true})),
        (
            "/v1/check",
            json!({"urls": ["http://a.test/x", "http://b.test/"], "robots": rules, "origin": "http://a.test"}),
        ),
        ("/v1/check", json!({"url": "http://a.test/private/", "dialect": "google"})),
        ("/v1/check", json!({"url": "/~a", "robots": "User-agent: *\nDisallow: /%7ea\n", "agent": "Googlebot"})),
        (
            "/v1/check",
            json!({"url": "/private/", "access": "disallow-all", "origin": "http://a.test", "agents": agents}),
        ),
        ("/v1/inspect", json!({"robots": rules})),
        ("/v1/inspect", json!({"url": "http://d.test/", "dialect": "yandex"})),
        ("/v1/lint", json!({"robots": rules, "select": ["all"]})),
        ("/v1/lint", json!({"url": "http://b.test/"})),
        ("/v1/matrix", json!({"robots": rules, "urls": ["/private/x", "/x.pdf"], "all_crawlers": true})),
        ("/v1/ai", json!({"robots": rules})),
        (
            "/v1/diff",
            json!({"old": rules, "new": "User-agent: *\nDisallow: /p\nCrawl-delay: 3\n", "urls": ["/private/x"]}),
        ),
        ("/v1/diff", json!({"old": rules, "new": rules, "under": "/private/", "dialects": ["standard", "google"]})),
        ("/v1/diff", json!({"old": rules, "new": "<html>", "max_changes": 0})),
        (
            "/v1/prove",
            json!({"robots": rules, "claims": [
                {"claim": "none_allowed", "matching": "/private/"},
                {"claim": "all_allowed", "matching": "/x", "except": ["/*.pdf"]},
            ]}),
        ),
        (
            "/v1/prove",
            json!({"url": "http://a.test/", "claims": [{"claim": "none_allowed", "matching": "/"}], "agents": ["bingbot"]}),
        ),
        ("/v1/page", json!({"url": "http://a.test/", "agent": "Googlebot"})),
        ("/v1/page", json!({"url": "http://a.test/private/", "agent": "bingbot", "dialect": "bing"})),
        (
            "/v1/sitemaps",
            json!({"url": "http://a.test/", "robots": format!("{rules}Sitemap: http://a.test/s.xml\n"), "all": true}),
        ),
        ("/v1/variants", json!({"url": "http://a.test/"})),
        ("/v1/generate", json!({"preset": "wordpress", "explain": true})),
        ("/v1/generate", json!({"robots": "User-agent: *\nDisallow: /x\n", "block": ["GPTBot"]})),
        ("/v1/fetch", json!({"url": "http://d.test/"})),
        ("/v1/fetch", json!({"url": "http://c.test/", "policy": "google"})),
        ("/v1/fetch", json!({"url": "http://b.test/", "body": false})),
    ] {
        let answer = service.post(path, &question).await;
        assert_eq!(answer.status, 200, "{path} {question}: {}", answer.text());
        seen += 1;
    }
    for target in [
        "/v1/check?url=http://a.test/private/x&agent=Googlebot",
        "/v1/check?url=http://b.test/",
        "/v1/check?url=http://c.test/&agent=FeedFetcher-Google",
        "/v1/origins?origin=http://a.test",
        "/v1/origins?origin=http://c.test",
        "/v1/origins?origin=http://a.test&diff=true",
        "/v1/crawlers",
        "/v1/crawlers/GPTBot",
        "/v1/service",
    ] {
        let answer = service.get(target).await;
        assert_eq!(answer.status, 200, "{target}: {}", answer.text());
        seen += 1;
    }
    assert_eq!(seen, 35);
    // A schema that accepts anything would be useless.
    assert!(!errors("/v1/origins", "get", &json!({"origin": 1})).is_empty());
    assert!(!errors("/v1/check", "post", &json!({"answers": [{"url": "x"}]})).is_empty());
    service.get("/v1/check").await;
}

/// Returns the names between backquotes, except the one that was sent.
fn named(detail: &str) -> BTreeSet<&str> {
    detail.split('`').skip(1).step_by(2).filter(|name| *name != "no_such_field").collect()
}

/// Checks the names of the fields of questions and of the parameters of queries: an answer to any other one lists those
/// that the service knows.
#[tokio::test]
async fn questions_have_the_fields_that_are_described() {
    let service = Service::start().await;
    let mut seen = 0;
    for (path, item) in DESCRIPTION["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let schema = &operation["requestBody"]["content"]["application/json"]["schema"]["$ref"];
            if let Some(name) = schema.as_str().and_then(|name| name.strip_prefix("#/components/schemas/")) {
                let fields = DESCRIPTION["components"]["schemas"][name]["properties"].as_object().unwrap();
                let answer = service.post(path, &json!({"no_such_field": 1})).await;
                assert_eq!(answer.status, 400, "{path}: {}", answer.text());
                let found = answer.json();
                let expected = fields.keys().map(String::as_str).collect();
                assert_eq!(named(found["detail"].as_str().unwrap()), expected, "{path}");
                seen += 1;
            }
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            let parameters = parameters.filter(|parameter| parameter["in"] == "query");
            let expected: BTreeSet<&str> = parameters.filter_map(|parameter| parameter["name"].as_str()).collect();
            if !expected.is_empty() {
                let target = format!("{path}?no_such_field=1");
                let answer = if method == "post" {
                    service.batch("?no_such_field=1", b"").await
                } else {
                    service.get(&target).await
                };
                assert_eq!(answer.status, 400, "{target}: {}", answer.text());
                assert_eq!(named(answer.json()["detail"].as_str().unwrap()), expected, "{target}");
                seen += 1;
            }
        }
    }
    assert_eq!(seen, 17);
}
